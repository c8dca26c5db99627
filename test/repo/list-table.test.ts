// The file that list keeps: when it is written and when not, and what comes of one that somebody else has written.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { printList } from '../../src/cli/print/list.ts'
import { noStyle } from '../../src/cli/style.ts'
import { doctor } from '../../src/commands/doctor.ts'
import { list, type ListData } from '../../src/commands/list.ts'
import { prune } from '../../src/commands/prune.ts'
import { ManyPlans } from '../helpers/many-plans.ts'

// One for all: nothing here changes a plan.
let repo: ManyPlans
beforeAll(() => {
  repo = new ManyPlans(70)
})
afterAll(() => repo.remove())
afterEach(() => rmSync(directory(), { recursive: true, force: true }))

const directory = (): string => join(repo.root, '.git/plan')
const table = (): string => join(directory(), 'list.table')
const draft = (): string => `${table()}.new`
const listed = async (): Promise<ListData> => (await list({}, repo.context({ now: () => new Date() }))).data

/** Everything below the top, with what is in it. */
function everything(): Record<string, string> {
  const files = readdirSync(repo.root, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(repo.root, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(repo.root, path), 'latin1')]))
}

/** A table that is whole, with other lines. */
function forge(change: (line: string, at: number) => string): void {
  const [, head = '', ...lines] = readFileSync(table(), 'utf8').split('\n')
  const body = Buffer.from([head, ...lines.map((line, at) => (line === '' ? '' : change(line, at)))].join('\n'))
  writeFileSync(table(), Buffer.concat([Buffer.from(`git-plan 1 ${crc32(body).toString(16).padStart(8, '0')}\n`), body]))
}

describe('is written', () => {
  test('where many plans were read, and nothing else is', async () => {
    const before = everything()
    await listed()
    const { '.git/plan/list.table': written, ...others } = everything()
    expect(others).toEqual(before)
    expect(written?.split('\n').length).toBeGreaterThan(70)
    await listed()
    expect(everything()).toEqual({ ...others, '.git/plan/list.table': written })
  })

  test('not where few were', async () => {
    const few = new ManyPlans(60)
    try {
      expect((await list({}, few.context())).data.plans).toHaveLength(60)
      expect(existsSync(join(few.root, '.git/plan'))).toBe(false)
    } finally {
      few.remove()
    }
  })

  test('by one at a time: a draft of a moment ago is left to its writer, an old one is removed', async () => {
    mkdirSync(directory())
    writeFileSync(draft(), 'half')
    const found = await listed()
    expect(existsSync(table())).toBe(false)
    expect(readFileSync(draft(), 'utf8')).toBe('half')
    utimesSync(draft(), 1, 1)
    expect(await listed()).toEqual(found)
    expect(existsSync(draft())).toBe(false)
    expect(await listed()).toEqual(found)
  })

  test.runIf(process.getuid?.() !== 0)('not where it may not be, and the list is the same', async () => {
    mkdirSync(directory(), { mode: 0o555 })
    expect((await listed()).plans).toHaveLength(70)
    expect(readdirSync(directory())).toEqual([])
  })

  test.each([
    ['a link where the directory would be', (place: string) => symlinkSync(place, directory())],
    ['a file where the directory would be', () => writeFileSync(directory(), '')],
    ['a directory where the table would be', () => mkdirSync(join(table(), 'in'), { recursive: true })],
    ['a link where the draft would be', (place: string) => (mkdirSync(directory()), symlinkSync(join(place, 'list.table.new'), draft()))],
  ])('not where there is %s', async (_, make) => {
    const place = join(repo.home, 'place')
    mkdirSync(place, { recursive: true })
    make(place)
    const { plans } = await listed()
    expect(plans).toHaveLength(70)
    expect((await listed()).plans).toEqual(plans)
    expect(readdirSync(place)).toEqual([])
  })

  test('over a link, which is not followed', async () => {
    const other = join(repo.home, 'other')
    writeFileSync(other, 'mine')
    mkdirSync(directory())
    symlinkSync(other, table())
    const found = await listed()
    expect(readFileSync(other, 'utf8')).toBe('mine')
    // One that leads to a good table is none either.
    renameSync(table(), other)
    symlinkSync(other, table())
    forge((line) => line.replaceAll('Größe', 'Forged'))
    expect(await listed()).toEqual(found)
  })
})

describe('is not believed', () => {
  let found: ListData
  let good: Buffer
  beforeAll(async () => {
    found = await listed()
    good = readFileSync(table())
  })
  beforeEach(() => {
    mkdirSync(directory(), { recursive: true })
    writeFileSync(table(), good)
  })

  test.each([
    ['empty', () => truncateSync(table(), 0)],
    ['cut off', () => truncateSync(table(), 5000)],
    ['a byte longer', () => writeFileSync(table(), Buffer.concat([readFileSync(table()), Buffer.from('\n')]))],
    ['with a byte of another value', () => writeFileSync(table(), readFileSync(table(), 'utf8').replace('Größe 33', 'Größe 34'))],
    ['of zeros', () => writeFileSync(table(), Buffer.alloc(9000))],
    ['larger than it may be', () => truncateSync(table(), 17 * 1024 * 1024)],
    ['a pipe', () => (rmSync(table()), execFileSync('mkfifo', [table()]))],
    ['a directory', () => (rmSync(table()), mkdirSync(table()))],
  ])('that is %s', async (_, spoil) => {
    spoil()
    expect(await listed()).toEqual(found)
  })

  test('by another build, nor with other lines in front', async () => {
    const text = readFileSync(table(), 'utf8')
    const body = Buffer.from(
      text
        .slice(text.indexOf('\n') + 1)
        .replace('["dev"', '["1.0.0 0123456789abcdef"')
        .replaceAll('Größe', 'Other'),
    )
    writeFileSync(table(), Buffer.concat([Buffer.from(`git-plan 1 ${crc32(body).toString(16).padStart(8, '0')}\n`), body]))
    expect(await listed()).toEqual(found)
  })

  const swapped = (at: number, value: string) => (line: string) => line.split('\t').with(at, value).join('\t')
  test.each([
    ['a control character in a title', swapped(17, '\u001b]0;owned\u0007')],
    ['one that hides', swapped(17, 'a\u202eb')],
    ['a title that is too long', swapped(17, 'x'.repeat(201))],
    ['a long line', swapped(17, 'x'.repeat(200_000))],
    ['no title', swapped(17, '')],
    ['a base that is an option', swapped(7, '--upload-pack=touch ran')],
    ['a base with a revision in it', swapped(7, 'main@{1}')],
    ['a status that is none', swapped(2, 'done')],
    ['a status that is only seen by who is at work', swapped(3, 'running')],
    ['a step that is none', swapped(12, '$(touch ran)')],
    ['a step that a rollback cannot name', swapped(4, '\u001b[2J')],
    ['a number that is none', swapped(10, '1e9')],
    ['a date that is none', swapped(13, '2025-13-01T00:00:00.000Z')],
    ['a digest that is none', swapped(8, 'f'.repeat(63))],
    ['an object that is none', swapped(1, 'HEAD')],
    ['a field more', (line: string) => `${line}\tmore`],
    ['a field less', (line: string) => line.slice(0, line.lastIndexOf('\t'))],
    ['another plan', (line: string) => line.replace(/plan\/plan-\d+/, 'plan/other')],
    ['a carriage return', (line: string) => `${line}\r`],
    ['nothing but tabs', (line: string) => line.replace(/[^\t]/g, '')],
  ])('with %s in every line', async (_, change) => {
    forge(change)
    const data = await listed()
    expect(data).toEqual(found)
  })

  test('in one line of many: the others hold', async () => {
    forge((line, at) => (at === 20 ? swapped(17, '\u001b[31m')(line) : line))
    expect(await listed()).toEqual(found)
  })

  test('in no time at all, with millions of lines', async () => {
    const text = readFileSync(table(), 'utf8').split('\n')[1]
    for (const lines of ['\n'.repeat(8_000_000), 'a\n'.repeat(4_000_000), 'a\t\n'.repeat(4_000_000), `${'a\n'.repeat(4_000_000)}\t`]) {
      const body = Buffer.from(`${text}\n${lines}`)
      writeFileSync(table(), Buffer.concat([Buffer.from(`git-plan 1 ${crc32(body).toString(16).padStart(8, '0')}\n`), body]))
      const { user } = process.cpuUsage()
      expect(await listed()).toEqual(found)
      expect(process.cpuUsage().user - user).toBeLessThan(4_000_000)
    }
  })

  test('beyond its words: a line of the right shape is shown as any text is', async () => {
    forge(swapped(17, 'Forged é'))
    const data = await listed()
    expect(data.plans.every(({ title }) => title === 'Forged é')).toBe(true)
    expect(printList({ kind: 'list', exitCode: 0, data }, noStyle)).not.toMatch(/[^\P{Cc}\n]/u)
  })
})

describe('is known', () => {
  test('to doctor, which says where it is and whether it is used', async () => {
    const named = async () => (await doctor({}, repo.context())).data.diagnoses.filter(({ name }) => name === 'list')
    expect(await named()).toEqual([])
    await listed()
    expect(await named()).toMatchObject([{ state: 'ok', message: expect.stringContaining(table()) as string }])
    truncateSync(table(), 100)
    expect(await named()).toMatchObject([{ state: 'warn', remedy: `rm -r '${table()}'` }])
  })

  test('to prune, which removes it when it is old, and what a writer has left', async () => {
    const small = new ManyPlans(1)
    try {
      const paths = ['list.table', 'list.table.new'].map((name) => join(small.root, '.git/plan', name))
      mkdirSync(join(small.root, '.git/plan'))
      for (const path of paths) writeFileSync(path, '')
      const pruned = async (request: { plan?: string; dryRun?: boolean }) => (await prune(request, small.context({ now: () => new Date() }))).data.removed
      expect(await pruned({})).toEqual([])
      for (const path of paths) utimesSync(path, 1, 1)
      expect(await pruned({ plan: 'plan-0' })).toEqual([])
      expect(await pruned({ dryRun: true })).toEqual(paths.map((what) => ({ plan: null, what })))
      expect(paths.filter(existsSync)).toEqual(paths)
      expect(await pruned({})).toEqual(paths.map((what) => ({ plan: null, what })))
      expect(paths.filter(existsSync)).toEqual([])
    } finally {
      small.remove()
    }
  })
})
