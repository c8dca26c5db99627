// I1 where nobody was left to end it: what a killed run has started goes with the next command, though it hid in every way at once.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isAlive, Outside, pidIn } from '../helpers/crash.ts'
import { ended, planText, test } from '../helpers/repo.ts'

test('I1 a hidden child of a run that was killed: the next command ends it', async ({ repo }) => {
  const pid = new Outside(repo, 'pid')
  writeFileSync(
    join(repo.home, 'hide.sh'),
    `env -i /usr/bin/setsid sh -c '(trap "" TERM HUP; sh -c "echo \\$PPID" > ${pid.path}; while :; do /bin/sleep 1; done) &' >/dev/null 2>&1 </dev/null; sleep 60`,
  )
  // With a secret, the command has a process of its own.
  repo.write('.plans/p.md', planText('  - {id: hide, secrets: [HOME], run: sh "$HOME/hide.sh"}'))
  const child = repo.spawn(['start', '.plans/p.md', '--approve'])
  const hidden = await pidIn(pid.path)
  child.kill('SIGKILL')
  await ended(child)
  expect(isAlive(hidden)).toBe(true)
  const ran = await repo.plan(['cancel', 'p'])
  expect(ran.code, ran.all).toBe(0)
  expect(isAlive(hidden)).toBe(false)
})
