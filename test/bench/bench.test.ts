// Tests of the benchmark harness, without a benchmark: its arithmetic, its turns, and its output.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { figuresOf, forms, plotsOf } from './figures.mjs'
import { measure } from './measure.mjs'
import { readOptions } from './options.mjs'
import { figuresText, fillPage, markers } from './report/page.mjs'
import { plotOf } from './report/plot.mjs'
import { tableOf } from './report/table.mjs'
import { judge, ratioOf, summarise } from './statistics.mjs'
import { Interrupted, NotMeasured } from './stops.mjs'
import { milliseconds } from './units.mjs'
import { planText, shellText, works } from './work.mjs'

describe('arithmetic', () => {
  test('the median of an odd and of an even number of runs, with the quartiles around it', () => {
    expect(summarise([3, 1, 2])).toEqual({ median: 2, low: 1.5, high: 2.5, runs: [3, 1, 2] })
    expect(summarise([4, 1, 3, 2])).toMatchObject({ median: 2.5, low: 1.75, high: 3.25 })
    expect(summarise([7])).toMatchObject({ median: 7, low: 7, high: 7 })
    // Sorted as numbers, not as words.
    expect(summarise([10, 9, 100])).toMatchObject({ median: 10 })
  })

  test('no run and a run without a value are no figure', () => {
    expect(() => summarise([])).toThrow('no run')
    for (const wrong of [Number.NaN, 0, -1, Number.POSITIVE_INFINITY])
      expect(() => summarise([1, wrong])).toThrow('not every run')
  })

  test('one slow run moves the mean, not the ratio', () => {
    expect(ratioOf(summarise([2, 2, 900]), summarise([4, 4, 4]))).toBe(0.5)
  })

  test.each([
    { ratio: 1, limit: 1, tolerance: 1, verdict: 'held' },
    { ratio: 1.01, limit: 1, tolerance: 1, verdict: 'over' },
    { ratio: 1.99, limit: 1, tolerance: 2, verdict: 'tolerated' },
    { ratio: 2.01, limit: 1, tolerance: 2, verdict: 'over' },
    { ratio: 99, limit: undefined, tolerance: 1, verdict: 'no limit' },
    { ratio: 60, limit: 20, reached: 80, tolerance: 1, verdict: 'short' },
    { ratio: 81, limit: 20, reached: 80, tolerance: 1, verdict: 'over' },
    { ratio: 81, limit: 20, reached: 80, tolerance: 2, verdict: 'short' },
    { ratio: 19, limit: 20, reached: 80, tolerance: 1, verdict: 'held' },
  ])('a ratio of $ratio with a limit of $limit and a tolerance of $tolerance: $verdict', ({ verdict, ...given }) => {
    expect(judge(given)).toBe(verdict)
  })
})

describe('turns', () => {
  const log: string[] = []
  const subject = (key: string, run: () => number, open = (): void => undefined) => ({
    key,
    label: key,
    unit: milliseconds,
    open() {
      open()
      return { reset: () => log.push(`reset ${key}`), run: () => (log.push(key), run()) }
    },
  })
  const measured = (subjects: readonly ReturnType<typeof subject>[], rounds: number) => {
    log.length = 0
    return measure({ subjects, rounds, place: undefined, tell: () => undefined })
  }

  test('all sides of a round run before the next, every other round backwards, each after a reset; the first does not count', () => {
    let value = 0
    const outcome = measured([subject('a', () => (value += 1)), subject('b', () => 5)], 2)
    expect(log.filter((each) => !each.startsWith('reset')).join(' ')).toBe('a b b a a b')
    expect(log.filter((_, at) => at % 2 === 0).every((each) => each.startsWith('reset'))).toBe(true)
    expect(outcome.get('a')).toMatchObject({ runs: [2, 3] })
    expect(outcome.get('b')).toMatchObject({ median: 5 })
  })

  test('a side that fails is refused, one that cannot be measured says why, and the others go on', () => {
    const fails = subject('fails', () => {
      throw new Error('3 commits instead of 4')
    })
    const lacks = subject(
      'lacks',
      () => 1,
      () => {
        throw new NotMeasured('no Postgres')
      },
    )
    const outcome = measured([fails, lacks, subject('good', () => 5)], 2)
    expect(outcome.get('fails')).toEqual({ refused: '3 commits instead of 4' })
    expect(outcome.get('lacks')).toEqual({ missing: 'no Postgres' })
    expect(outcome.get('good')).toMatchObject({ runs: [5, 5] })
    expect(log.filter((each) => each === 'fails')).toHaveLength(1)
  })
})

test('Ctrl-C ends all of it', () => {
  const stops = () => {
    throw new Interrupted('interrupted')
  }
  const subjects = [{ key: 'a', label: 'a', unit: milliseconds, open: () => ({ reset: () => undefined, run: stops }) }]
  expect(() => measure({ subjects, rounds: 1, place: undefined, tell: () => undefined })).toThrow(Interrupted)
})

describe('the table of figures', () => {
  test('every figure has a name of its own, and the short form has all that have a limit', () => {
    const names = figuresOf(forms.full).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const limited = figuresOf(forms.full).flatMap(({ name, limit }) => (limit === undefined ? [] : [[name, limit]]))
    expect(figuresOf(forms.short).map(({ name, limit }) => [name, limit])).toEqual(limited)
  })

  test('every figure is described on the page', () => {
    const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8')
    for (const { name } of figuresOf(forms.full)) expect(page).toContain(`\`${name}\``)
    for (const marker of markers) expect(page.split(marker)).toHaveLength(2)
  })

  test('a plot belongs to a figure that is there', () => {
    expect(plotsOf(forms.short)).toEqual([])
    for (const { figure } of plotsOf(forms.full))
      expect(figuresOf(forms.full).map(({ name }) => name)).toContain(figure)
  })

  test('plan and script write the same files', () => {
    expect(planText(works.files, 2)).toContain('create: made/file-0.txt')
    expect(planText(works.files, 2)).toContain('edit: src/000/file-00000.txt')
    expect(shellText(works.files, 2)).toContain(
      "printf 'This is file 0.\\nIt is new.\\n' > src/000/file-00000.txt\ngit add -A\ngit commit --quiet -m 'Step 1'",
    )
    expect(shellText(works.nothing, 1)).toContain('sh -c true\ngit add -A\ngit commit --quiet --allow-empty')
  })
})

const figure = {
  name: 'commands',
  what: '200 steps `a | b`',
  against: 'shell loop',
  unit: 'ms a step',
  limit: 1,
  subject: { median: 6, low: 5.5, high: 123.4, runs: [6] },
  reference: { median: 8, low: 8, high: 8, runs: [8] },
  ratio: 0.75,
  verdict: 'held',
}
const machine = {
  processor: 'Some CPU',
  cores: 2,
  memory: '8 GB',
  system: 'Linux 6',
  disk: 'ext4',
  node: 'v20.20.2',
  git: 'git version 2.39.5',
  load: 0,
}
const point = (size: number, median: number) => ({ size, median, low: median * 0.9, high: median * 1.1 })
const plot = {
  file: 'performance-steps.svg',
  title: 'Cost & size <1>',
  axis: 'steps',
  lines: [
    { label: 'git plan', points: [point(100, 6), point(1000, 7)] },
    { label: 'shell loop', points: [point(100, 8), point(1000, 8.5)] },
  ],
}

describe('what is written', () => {
  test('the table has costs with their quartiles, the ratio, its limit and whether it holds', () => {
    const [head, rule, held, over, missing, refused] = tableOf([
      figure,
      { ...figure, ratio: 3, verdict: 'over' },
      { ...figure, ratio: undefined, limit: undefined, verdict: 'not measured', reason: 'no Postgres' },
      { ...figure, ratio: undefined, verdict: 'refused', reason: '3 commits instead of 4\nmore' },
    ]).split('\n')
    expect(held).toMatch(
      /^\| 200 steps `a \\\| b` \| 6\.00 ms a step \(5\.50–123\) \| shell loop +\| +8\.00 ms a step \(8\.00–8\.00\) \| 0\.75x \| +1\.0x \| yes +\|$/,
    )
    expect(over).toMatch(/3\.00x \| +1\.0x \| NO +\|$/)
    expect(missing).toMatch(/\| not measured: no Postgres +\|$/)
    expect(refused).toMatch(/\| refused: 3 commits instead of 4 +\|$/)
    expect(new Set([head, rule, held, over, missing, refused].map((line) => line?.length)).size).toBe(1)
  })

  test('the page keeps what people wrote, can be filled again, and says when and where', () => {
    const report = { date: '2026-01-02T03:04:05Z', version: '0.1.0', machine, figures: [figure], plots: [plot] }
    const page = `# Page\n\n${markers[0]}\n\nrun npm run bench\n\n${markers[1]}\n\nMore.\n`
    const once = fillPage(page, figuresText(report))
    expect(once).toContain(
      'Measured on 2026-01-02: git-plan 0.1.0, Node 20.20.2, git 2.39.5, Linux 6, 2 cores of Some CPU, 8 GB of memory, ext4.',
    )
    expect(once).toContain('![Cost & size <1>](performance-steps.svg)')
    expect(once).not.toContain('run npm run bench\n')
    expect(fillPage(once, figuresText(report))).toBe(once)
    expect(once.startsWith('# Page\n') && once.endsWith('\nMore.\n')).toBe(true)
    expect(() => fillPage('# Page\n', '')).toThrow('markers')
  })

  test('the plot has its points inside of the paper, its names escaped, and a look for dark pages', () => {
    const svg = plotOf(plot)
    expect(svg).toContain('Cost &amp; size &lt;1&gt;')
    expect(svg).toContain('prefers-color-scheme: dark')
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
    const places = [...svg.matchAll(/points="([^"]+)"/g)].flatMap(([, points = '']) =>
      points.split(' ').map((each) => each.split(',').map(Number)),
    )
    expect(places).toHaveLength(4)
    for (const [x = 0, y = 0] of places) expect(x > 70 && x < 690 && y > 84 && y < 340, `${x},${y}`).toBe(true)
    // More steps are further to the right, higher costs further up.
    const [first, second] = places as [number[], number[]]
    expect(second[0]).toBeGreaterThan(first[0] ?? 0)
    expect(second[1]).toBeLessThan(first[1] ?? 0)
    expect(svg.match(/</g)?.length).toBe(svg.match(/>/g)?.length)
  })

  test('a plot of one size is drawn, one of nothing is not', () => {
    expect(plotOf({ ...plot, lines: [{ label: 'git plan', points: [point(100, 0.004)] }] })).not.toMatch(/NaN|Infinity/)
    expect(() => plotOf({ ...plot, lines: [] })).toThrow('nothing to draw')
  })
})

describe('options', () => {
  const names = ['status', 'help']
  const namesOf = (form: string) => (form === 'full' ? [...names, 'make'] : names)
  test('names can be given one after the other', () => {
    expect(readOptions(['--only', 'status', 'help'], namesOf).only).toEqual(names)
    expect(readOptions(['--only', 'status', '--only', 'help', '--short'], namesOf)).toMatchObject({
      only: names,
      short: true,
    })
  })

  test('what is not understood is refused', () => {
    expect(() => readOptions(['--only', 'satus'], namesOf)).toThrow('there are status, help, make')
    expect(() => readOptions(['--short', '--only', 'make'], namesOf)).toThrow('no figure is called make')
    expect(() => readOptions(['status'], namesOf)).toThrow('--help')
    expect(() => readOptions(['--quick'], namesOf)).toThrow('--quick')
    expect(() => readOptions(['--short', '--out', 'page.md'], namesOf)).toThrow('--out')
  })
})
