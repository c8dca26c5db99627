// A git process that dies or hangs under the executor.

import { expect } from 'vitest'
import { isAlive, Outside, pidIn, Snapshot, until } from '../helpers/crash.ts'
import { ended, test } from '../helpers/repo.ts'
import { readFileSync } from 'node:fs'
import { oddGit } from './causes.ts'
import { figure, isWhole } from './figures.ts'
import { Story } from './story.ts'

/**
 * Which call of git is hit: all of them in the whole run; otherwise one in a checkpoint, where git is killed at once,
 * and one during the autostash.
 */
const callsOf = (count: number, part: number): number[] =>
  isWhole ? Array.from({ length: count }, (_, at) => at + 1) : [Math.round(count * part)]

const deaths = [
  ['before it did anything', 'kill -9 $$', 0.7],
  ['a little later', '{ sleep 0.02; kill -9 $$; } & ', 0.45],
] as const

test.for(deaths)(
  'a git that is killed %s is named, and resume leads to the end',
  { timeout: 3_600_000 },
  async ([when, act, part], { repo }) => {
    const story = new Story(repo)
    const snapshot = new Snapshot(repo)
    const count = oddGit(repo, '')
    expect((await repo.plan(story.start, { env: count.env })).code).toBe(0)
    const calls = callsOf(count.counted(), part)
    const found: string[] = []
    for (const call of calls) {
      snapshot.restore()
      story.ledger.remove()
      const { env } = oddGit(repo, `[ $n = ${call} ] && ${act}`)
      const ran = await repo.plan(story.start, { env })
      // A call that is killed late may have ended by itself, and a note is not worth a step.
      if (ran.code !== 0 && !/was killed by a signal \(SIGKILL\)/.test(ran.all))
        found.push(`call ${call}: nothing says what happened: ${ran.all.slice(-300)}`)
      found.push(...[...story.afterFault(ran), ...(await story.goOn())].map((what) => `call ${call}: ${what}`))
    }
    figure('other faults', `git killed ${when}`, { injections: calls.length, violations: found.length })
    expect(found).toEqual([])
  },
)

const stateOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .charAt(0)

test('a git that is stopped holds the run, keeps others out, and goes on', async ({ repo }) => {
  const story = new Story(repo)
  const pid = new Outside(repo, 'pid')
  const { env } = oddGit(repo, `[ $n = 14 ] && { echo $$ > ${pid.path}; kill -STOP $$; }`)
  const child = repo.spawn(story.start, { env })
  const ran = ended(child)
  const git = await pidIn(pid.path)
  await until('git stands still', () => stateOf(git) === 'T')
  const second = await repo.plan(story.resume)
  expect(second.code, second.all).toBe(4)
  expect(isAlive(git)).toBe(true)
  process.kill(git, 'SIGCONT')
  const { code, all } = await ran
  expect(code, all).toBe(0)
  expect(await story.goOn()).toEqual([])
  expect(story.ledger.lines()).toEqual(['one', 'last'])
  figure('other faults', 'git stopped', { injections: 1, violations: 0 })
})
