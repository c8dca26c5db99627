// Children of a step that outlive it, and whether a timeout kills them.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isAlive, Outside, pidIn, runProcesses } from './crash.ts'
import { ended, planText, type TestRepo } from './repo.ts'

interface Child {
  readonly name: string
  /** A shell text; the child writes its number into FILE. */
  readonly text: string
}

export const ignoresTerm: Child = {
  name: 'ignores TERM',
  text: `sh -c 'trap "" TERM; echo $$ > FILE; while :; do sleep 1; done' & wait`,
}
export const forkedTwice: Child = {
  name: 'was forked twice, in a session of its own',
  text: `(setsid sh -c '(trap "" TERM HUP; sh -c "echo \\$PPID" > FILE; while :; do sleep 1; done) &' &) ; sleep 60`,
}
export const droppedEnvironment: Child = {
  name: 'dropped its environment',
  text: `env -i setsid sh -c 'trap "" TERM; echo $$ > FILE; while :; do sleep 1; done' & wait`,
}
export const leftAll: Child = {
  name: 'left group, session, directory and output',
  text: `cd /; (setsid sh -c '(trap "" TERM HUP; sh -c "echo \\$PPID" > FILE; while :; do sleep 1; done) &' >/dev/null 2>&1 </dev/null &) ; sleep 60`,
}
export const hidInEveryWay: Child = {
  name: 'cleared its environment, began a session of its own, forked twice and writes elsewhere, all at once',
  text: `cd /; env -i /usr/bin/setsid sh -c '(trap "" TERM HUP; sh -c "echo \\$PPID" > FILE; while :; do /bin/sleep 1; done) &' >/dev/null 2>&1 </dev/null; sleep 60`,
}

/** A step that starts it runs into its timeout. */
export async function noneSurvives(repo: TestRepo, text: string): Promise<void> {
  const pid = new Outside(repo, 'pid')
  writeFileSync(join(repo.home, 'hang.sh'), text.replaceAll('FILE', pid.path))
  repo.write('.plans/p.md', planText('  - {id: hang, timeout: 1s, run: sh "$HOME/hang.sh"}'))
  const ran = ended(repo.spawn(['start', '.plans/p.md', '--approve']))
  const hidden = await pidIn(pid.path)
  // Somebody else's, begun meanwhile in the same place, without a mark of anybody.
  const bystander = spawn('/bin/sleep', ['60'], { cwd: repo.dir, env: {}, detached: true, stdio: 'ignore' })
  const { code, all } = await ran
  expect(code, all).toBe(1)
  expect(isAlive(bystander.pid ?? 0)).toBe(true)
  bystander.kill('SIGKILL')
  expect(repo.read('.plans/p.md')).toContain('hang: timeout')
  expect(isAlive(hidden)).toBe(false)
  expect(runProcesses(repo)).toEqual([])
}
