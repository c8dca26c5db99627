// Faults of the machine during a run: a file size limit, a process that hangs, a wrong clock.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { isAlive, Outside, pidIn, Snapshot, until } from '../helpers/crash.ts'
import { ended, test, type TestRepo } from '../helpers/repo.ts'
import { clock, spawnUnder, tool } from './causes.ts'
import { figure, isWhole, many } from './figures.ts'
import { Story } from './story.ts'

/**
 * In bytes. The executor, its git and the commands of steps all have it; below the smallest nothing can be written at
 * all.
 */
const sizes = isWhole ? [0, 20, 60, 120, 200, 300, 400, 500, 700, 900, 1200, 1600, 2400] : [300]

test(
  'a limit on the size of files that something of the run hits is named, and without it the run goes on',
  { timeout: 3_600_000 },
  async ({ repo }) => {
    const story = new Story(repo)
    const snapshot = new Snapshot(repo)
    const found: string[] = []
    for (const size of sizes) {
      snapshot.restore()
      story.ledger.remove()
      // The soft limit alone: the kernel sends the signal for it, and says EFBIG to who ignores that.
      const ran = await ended(spawnUnder(repo, [tool('prlimit', 'util-linux'), `--fsize=${size}:`], story.start))
      if (
        ran.code !== 0 &&
        !/file too large|EFBIG|SIGXFSZ|write error|ulimit|exit code|exited with|could not/i.test(ran.all)
      )
        found.push(`${size}: ${ran.all.slice(-300)}`)
      found.push(...[...story.afterFault(ran), ...(await story.goOn())].map((what) => `${size} bytes: ${what}`))
    }
    figure('other faults', 'limit on the size of files', { injections: sizes.length, violations: found.length })
    expect(found).toEqual([])
  },
)

/** Longer than any wait for a lock in here. */
const stillMs = many(3500, 8000)

/** Stands still in the middle of the step `slow` for as long as the file is there. */
const slow = (repo: TestRepo): { armed: Outside; pid: Outside; step: string } => {
  const [armed, pid] = [new Outside(repo, 'armed'), new Outside(repo, 'pid')]
  const wait = `if [ -e ${armed.path} ]; then echo $$ > ${pid.path}; while [ -e ${armed.path} ]; do sleep 0.1; done; fi`
  return { armed, pid, step: `  - {id: slow, run: "echo half > half.txt; ${wait}; echo whole > half.txt"}` }
}

test(
  'an executor that stands still keeps the plan, and goes on as if nothing had been',
  { timeout: 120_000 },
  async ({ repo }) => {
    const { armed, pid, step } = slow(repo)
    const story = new Story(repo, [step])
    armed.write()
    const child = repo.spawn(story.start)
    const run = ended(child)
    await pidIn(pid.path)
    process.kill(child.pid ?? 0, 'SIGSTOP')
    // The step ends meanwhile: there is nobody to commit it.
    armed.remove()
    await sleep(stillMs)
    const second = await repo.plan(story.resume)
    expect(second.code, second.all).toBe(4)
    expect(second.all).toContain(`process ${child.pid}`)
    process.kill(child.pid ?? 0, 'SIGCONT')
    const ran = await run
    expect(ran.code, ran.all).toBe(0)
    expect(story.done()).toEqual(['one', 'two', 'slow', 'last'])
    expect([...story.afterFault(ran), ...(await story.goOn())]).toEqual([])
    expect(story.ledger.lines()).toEqual(['one', 'last'])
    figure('other faults', 'executor stopped', { injections: 1, violations: 0 })
  },
)

const groupOf = (pid: number): number =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[2],
  )

/** The clock of the run that is killed, and that of the one that goes on. */
const clocks = [
  ['-1h', '+0'],
  ['+0', '-1h'],
  ['+365d', '-1h'],
  ['-1h', '+365d'],
  ['+0', '+365d'],
] as const

test.for(clocks.slice(isWhole ? 0 : 2, isWhole ? 5 : 3))(
  'a run killed at %s of the clock is taken up at %s',
  { timeout: 240_000 },
  async ([then, now], { repo }) => {
    const { armed, pid } = slow(repo)
    // Git is killed in the middle of a checkout, through a filter, so that a lock of its own is left.
    const filter = new Outside(repo, 'filter.sh')
    filter.write(`if [ -e ${armed.path} ]; then echo $$ > ${pid.path}; sleep 60; fi\ncat\n`)
    repo.git(['config', 'filter.slow.smudge', `sh ${filter.path}`])
    repo.git(['config', 'filter.slow.clean', 'cat'])
    repo.write('.gitattributes', '*.dat filter=slow\n')
    repo.write('big.dat', 'big\n')
    const once = new Outside(repo, 'once')
    const story = new Story(repo, [
      `  - {id: bad, run: "[ -e ${once.path} ] || { touch ${once.path} ${armed.path}; echo changed > big.dat; echo new > new.txt; exit 1; }"}`,
    ])
    // Somebody else's, there before the run: it stays.
    const foreign = repo.path('.git/refs/heads/plan/other.lock')
    repo.write('.git/refs/heads/plan/other.lock', '')
    const child = repo.spawn(story.start, { env: clock(then) })
    const run = ended(child)
    const caught = await pidIn(pid.path)
    process.kill(child.pid ?? 0, 'SIGKILL')
    // Git has a group of its own, which the filter is in.
    process.kill(-groupOf(caught), 'SIGKILL')
    await until('all of it is gone', () => !isAlive(child.pid ?? 0) && !isAlive(caught))
    armed.remove()
    expect((await run).code).toBe(256)
    expect(existsSync(repo.path('.git/index.lock'))).toBe(true)
    const ran = await repo.plan(story.resume, { env: clock(now) })
    expect(ran.code, ran.all).toBe(0)
    expect(story.done()).toEqual(['one', 'two', 'bad', 'last'])
    expect(existsSync(foreign)).toBe(true)
    rmSync(foreign)
    expect(await story.goOn()).toEqual([])
    expect(story.ledger.lines()).toEqual(['one', 'last'])
    expect(repo.git(['show', 'refs/plan/demo/attempts/bad/1:big.dat'])).toBe('changed')
    figure('other faults', `clock ${then}, then ${now}`, { injections: 1, violations: 0 })
  },
)
