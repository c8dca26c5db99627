// I1 in more ways to hide, and where nobody was left to end it: what a killed run has started goes with the next
// command.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isAlive, Outside, pidIn } from '../helpers/crash.ts'
import { droppedEnvironment, forkedTwice, hidInEveryWay, noneSurvives } from '../helpers/hidden-child.ts'
import { ended, planText, test } from '../helpers/repo.ts'

test.for([forkedTwice, droppedEnvironment])(
  'I1 a timeout with a child that $name: none survives',
  ({ text }, { repo }) => noneSurvives(repo, text),
)

test('I1 a child of a run that was killed, hidden in every way: the next command ends it', async ({ repo }) => {
  const pid = new Outside(repo, 'pid')
  writeFileSync(join(repo.home, 'hide.sh'), hidInEveryWay.text.replaceAll('FILE', pid.path))
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
