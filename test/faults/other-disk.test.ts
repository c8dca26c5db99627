// A disk that is full at any moment, and a read-only one. Real file systems: as root, or in a user namespace where the
// user is root.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as plain, expect } from 'vitest'
import { Outside, pidIn, until, isAlive } from '../helpers/crash.ts'
import { ended, test } from '../helpers/repo.ts'
import { Mounted, tool } from './causes.ts'
import { figure, isWhole } from './figures.ts'
import { Story } from './story.ts'

const isRoot = process.getuid?.() === 0
const root = fileURLToPath(new URL('../..', import.meta.url))

plain.skipIf(isRoot)('what needs a mount holds in a user namespace', { timeout: 3_600_000 }, () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = [
    '-rm',
    process.execPath,
    vitest,
    'run',
    '--config',
    'test/vitest.config.ts',
    'test/faults/other-disk.test.ts',
  ]
  const ran = spawnSync(tool('unshare', 'util-linux'), args, { cwd: root, encoding: 'utf8' })
  if (ran.status !== 0) throw new Error(`run the tests as root, or allow user namespaces: ${ran.stdout}${ran.stderr}`)
})

/** Kilobytes that are left at the start: each lets the run come a little further. */
const room = isWhole ? Array.from({ length: 60 }, (_, at) => at * 8) : [100]

test.runIf(isRoot)(
  'a disk that is full at some moment: the run says so, and goes on when there is room',
  { timeout: 3_600_000 },
  async ({ repo }) => {
    const story = new Story(repo)
    const disk = new Mounted(repo.dir, 8 * 1024)
    const begin = new Outside(repo, 'begin')
    const copy = (from: string, to: string): void => void spawnSync('cp', ['-a', `${from}/.`, to])
    spawnSync('mkdir', [begin.path])
    copy(repo.dir, begin.path)
    const found: string[] = []
    let injections = 0
    try {
      for (const kilobytes of room) {
        for (const name of spawnSync('ls', ['-A', repo.dir], { encoding: 'utf8' }).stdout.trim().split('\n'))
          rmSync(join(repo.dir, name), { recursive: true })
        copy(begin.path, repo.dir)
        story.ledger.remove()
        disk.fill(kilobytes)
        const ran = await repo.plan(story.start)
        const wrong = story.afterFault(ran)
        if (ran.code !== 0 && !/no space left|out of diskspace|free disk space/i.test(ran.all))
          wrong.push(`does not name the disk: ${ran.all.slice(-300)}`)
        disk.empty()
        found.push(...[...wrong, ...(await story.goOn())].map((what) => `${kilobytes} KB left: ${what}`))
        if (ran.code === 0) break
        injections += 1
      }
    } finally {
      disk.unmount()
    }
    figure('other faults', 'full disk', { injections, violations: found.length })
    expect(found).toEqual([])
    expect(injections).toBeGreaterThan(0)
  },
)

test.runIf(isRoot)('a read-only file system at the start is named, and nothing has happened', async ({ repo }) => {
  const story = new Story(repo)
  const disk = new Mounted(repo.dir, 8 * 1024)
  try {
    disk.remount('ro')
    const ran = await repo.plan(story.start)
    expect(ran.code, ran.all).toBe(5)
    expect(ran.all).toMatch(/read-only file system/i)
    expect([...story.afterFault(ran), ...story.lost()]).toEqual([])
    disk.remount('rw')
    expect(await story.goOn()).toEqual([])
  } finally {
    disk.unmount()
  }
  figure('other faults', 'read-only at the start', { injections: 1, violations: 0 })
})

/**
 * A file system with files that are open for writing cannot become read-only by a remount: the log of the step is not
 * on these.
 */
const parts = ['.git/objects', '.git/refs'].slice(0, isWhole ? 2 : 1)

test.runIf(isRoot).for(parts)('%s that becomes read-only while a step runs', async (part, { repo }) => {
  const [armed, pid] = [new Outside(repo, 'armed'), new Outside(repo, 'pid')]
  const story = new Story(repo, [
    `  - {id: slow, run: "echo half > half.txt; if [ -e ${armed.path} ]; then echo $$ > ${pid.path}; while [ -e ${armed.path} ]; do sleep 0.1; done; fi"}`,
  ])
  const disk = new Mounted(repo.path(part), 8 * 1024)
  try {
    armed.write()
    const child = repo.spawn(story.start)
    const run = ended(child)
    const step = await pidIn(pid.path)
    disk.remount('ro')
    armed.remove()
    const ran = await run
    await until('the step is gone', () => !isAlive(step))
    expect(ran.code, ran.all).toBe(5)
    expect(ran.all).toMatch(/read-only/i)
    expect(story.done()).toEqual(['one', 'two'])
    expect(story.afterFault(ran)).toEqual([])
    disk.remount('rw')
    expect(await story.goOn()).toEqual([])
    expect(repo.git(['show', 'refs/plan/demo/attempts/slow/1:half.txt'])).toBe('half')
  } finally {
    disk.unmount()
  }
  figure('other faults', `${part} read-only during a step`, { injections: 1, violations: 0 })
})
