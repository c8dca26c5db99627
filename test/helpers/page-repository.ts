// The repository in which pages of the documentation run.

import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, TestRepo } from './repo.ts'

/** The program in a directory where Git finds it. */
export function withProgram(repo: TestRepo): TestRepo {
  const tools = join(repo.home, 'bin')
  mkdirSync(tools)
  writeFileSync(join(tools, 'git-plan'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`)
  chmodSync(join(tools, 'git-plan'), 0o755)
  repo.env['PATH'] = `${tools}:${repo.env['PATH']}`
  return repo
}

/** One commit. */
export function repository(): TestRepo {
  const repo = withProgram(new TestRepo({ isEmpty: true }))
  repo.write('README.md', '# Hello\n')
  repo.commit('First')
  return repo
}

/** The program itself, for a shell. */
export const program = `exec "${process.execPath}" "${bin}"`

export const shell = (repo: { dir: string; env: Record<string, string> }, command: string): SpawnSyncReturns<string> =>
  spawnSync('sh', ['-c', `exec 2>&1; ${command}`], { cwd: repo.dir, env: repo.env, encoding: 'utf8' })
