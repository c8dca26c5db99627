// Reading commands ask git for each fact once: the processes that they start, counted by a `git` that writes down what
// it is asked.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** The names of git's commands that a command line starts, in alphabetical order: some of them run side by side. */
async function gitCommandsOf(repo: TestRepo, args: readonly string[]): Promise<string[]> {
  const programs = join(repo.home, 'counting')
  const log = join(repo.home, 'git.log')
  mkdirSync(programs, { recursive: true })
  const name = 'name() { while [ "$1" = -c ]; do shift 2; done; echo "$1"; }'
  writeFileSync(
    join(programs, 'git'),
    `#!/bin/sh\n${name}\nname "$@" >> '${log}'\nPATH='${repo.env['PATH']}' exec git "$@"\n`,
  )
  chmodSync(join(programs, 'git'), 0o755)
  rmSync(log, { force: true })
  const ran = await repo.plan(args, { env: { PATH: `${programs}:${repo.env['PATH']}` } })
  expect(ran.code).toBe(0)
  return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').toSorted() : []
}

test('status and list of a repository with a policy and changes that were put aside', async ({ repo }) => {
  repo.write('.plans/config.yml', 'version: 1\napproval:\n  low: local\n')
  repo.commit('A policy')
  // The file of the plan is untracked: it is put aside while the plan's branch, which has it, is checked out.
  repo.write('.plans/greet.md', planText('  - run: echo hi > b.txt'))
  expect((await repo.plan(['start', '.plans/greet.md', '--approve'])).code).toBe(0)
  // A completed plan may have been merged without its file, which only the history of the base tells.
  const facts = ['cat-file', 'config', 'for-each-ref', 'rev-list', 'rev-parse']
  expect(await gitCommandsOf(repo, ['status'])).toEqual(facts)
  expect(await gitCommandsOf(repo, ['status', 'greet'])).toEqual(facts)
  expect(await gitCommandsOf(repo, ['list'])).toEqual(facts)
  expect(await gitCommandsOf(repo, ['-h'])).toEqual([])
})
