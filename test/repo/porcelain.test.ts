import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runPorcelain } from '../../src/git/command/porcelain.ts'
import { GitRunner } from '../../src/git/command/runner.ts'
import { test } from '../helpers/repo.ts'

test.for([
  ['kill -TERM $$', 'signal'],
  ['exit 3', 'exit code 3'],
])('a git that ends by `%s` without a word has not done it', async ([script, why], { repo }) => {
  const programs = join(repo.home, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'git'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(programs, 'git'), 0o755)
  const git = new GitRunner({ cwd: repo.dir, env: { ...repo.env, PATH: `${programs}:${repo.env['PATH']}` } })
  await expect(runPorcelain(git, ['push', '--quiet', 'origin', 'main'])).rejects.toThrow(why)
})
