// What is printed comes out whole, whatever it goes to, and nobody who stops listening is an error.

import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bin, planText, test, type TestRepo } from '../helpers/repo.ts'

/** `$plan` is the program. What it prints is more than a pipe holds. */
const shell = (repo: TestRepo, script: string): string =>
  execFileSync('sh', ['-c', script], {
    cwd: repo.dir,
    env: { ...repo.env, node: process.execPath, plan: bin },
    encoding: 'utf8',
  })

test('a file, a pipe and a slow reader get the same', async ({ repo }) => {
  const whole = (await repo.plan(['schema'])).stdout
  expect(whole.length).toBeGreaterThan(100_000)
  const file = join(repo.home, 'out')
  closeSync(openSync(file, 'w'))
  shell(repo, `"$node" "$plan" schema >"${file}"`)
  expect(readFileSync(file, 'utf8')).toBe(whole)
  expect(shell(repo, '"$node" "$plan" schema | (sleep 0.3; cat)')).toBe(whole)
  // Another program that has the pipe, and has said that writing to it does not wait.
  const other = `"$node" -e 'process.stdout.write(""); setTimeout(() => {}, 1500)' & sleep 0.3; "$node" "$plan" schema; wait`
  expect(shell(repo, `(${other}) | (sleep 1; cat)`)).toBe(whole)
})

test('a reader that ends early is no error', ({ repo }) => {
  expect(
    shell(
      repo,
      '("$node" "$plan" schema; echo "code $?" >&2) 2>"$HOME/said" | head -c 10 >/dev/null; sleep 0.2; cat "$HOME/said"',
    ),
  ).toBe('code 0\n')
})

test('what a refusal says goes to the other stream', ({ repo }) => {
  const said = shell(
    repo,
    '"$node" "$plan" status nothing >"$HOME/out" 2>"$HOME/err"; echo "code $?"; wc -c <"$HOME/out"; cat "$HOME/err"',
  )
  expect(said).toMatch(/^code [1-9]\d*\n0\ngit plan: /)
})

test.for([
  ['stdout', '--json >/dev/full', 'git plan: the output could not be written: ENOSPC'],
  ['stderr', '2>/dev/full', 'Completed demo'],
] as const)('a full disk under %s does not end a run, and the exit code tells of it', ([, words, told], { repo }) => {
  repo.write(
    '.plans/demo.md',
    planText('  - {id: one, run: echo said; echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt}'),
  )
  const said = shell(repo, `{ "$node" "$plan" start .plans/demo.md --approve ${words}; echo "code $?"; } 2>&1`)
  expect(said).toMatch(/^code 5$/m)
  expect(said).toContain(told)
  expect(repo.subjects('plan/demo')[0]).toMatch(/^Completed/)
})
