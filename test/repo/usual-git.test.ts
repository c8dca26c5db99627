// Which git this is, is asked once for each file that it is.

import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { isUsualGit } from '../../src/git/usual-git.ts'
import { isGitSeen, rememberGit } from '../../src/git/version.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const isUsual = process.platform === 'linux' && isUsualGit(gitEnvironment(process.env))
const seen = (repo: TestRepo): string => repo.path('.git/plan/.git-seen')

/** A git that says another version, and is git otherwise. */
function otherGit(repo: TestRepo, version: string): Record<string, string> {
  const bin = join(repo.home, 'bin')
  mkdirSync(bin, { recursive: true })
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ncase "$*" in *" version"|version) echo "git version ${version}";; *) exec ${real} "$@";; esac\n`)
  chmodSync(join(bin, 'git'), 0o755)
  return { PATH: `${bin}:${repo.env['PATH']}` }
}

describe.runIf(isUsual)('a git that was new enough', () => {
  test('is remembered with the first plan that runs, as long as it is the same file', async ({ repo }) => {
    const env = gitEnvironment(repo.env)
    repo.write('p.md', planText('  - {id: one, run: "true"}'))
    expect((await repo.plan(['start', 'p.md', '--approve'])).code).toBe(0)
    expect(isGitSeen(repo.path('.git'), env)).toBe(true)
    expect(isGitSeen(repo.path('.git'), { ...env, ...otherGit(repo, '2.45.0') })).toBe(false)
    const stamp = readFileSync(seen(repo), 'utf8')
    writeFileSync(seen(repo), stamp.replace(/\d$/, 'x'))
    expect(isGitSeen(repo.path('.git'), env)).toBe(false)
    rememberGit(repo.path('.git'), env)
    expect(readFileSync(seen(repo), 'utf8')).toBe(stamp)
  })

  test('is not remembered where nothing is kept, and a command that is refused leaves nothing', async ({ repo }) => {
    rememberGit(repo.path('.git'), gitEnvironment(repo.env))
    expect((await repo.plan(['resume'])).code).toBeGreaterThan(0)
    expect(existsSync(repo.path('.git/plan'))).toBe(false)
  })
})

test.runIf(isUsual)('a script is none, wherever it is', ({ repo }) => {
  const bin = join(repo.home, 'usual')
  const git = join(bin, 'git')
  mkdirSync(bin)
  copyFileSync('/usr/bin/git', git)
  expect(isUsualGit({ PATH: bin }, git)).toBe(true)
  writeFileSync(git, '#!/bin/sh\nexec /opt/git/bin/git "$@"\n')
  expect(isUsualGit({ PATH: bin }, git)).toBe(false)
})

test('an old one is refused, whatever was seen before', async ({ repo }) => {
  repo.write('p.md', planText('  - {id: one, run: "true"}'))
  expect((await repo.plan(['start', 'p.md', '--approve'])).code).toBe(0)
  const ran = await repo.plan(['resume'], { env: otherGit(repo, '2.30.2') })
  expect(ran.code).toBeGreaterThan(0)
  expect(ran.all).toContain('git version 2.30.2 is too old')
})
