// P1 to P10: plans that are wrong, given to the program. Each is refused with exit code 2, the rule and the place;
// nothing runs and nothing changes. The same and many more, given to the parser alone: test/unit/plan/hostile.test.ts.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPlan } from '../../src/plan/file/read-plan.ts'
import { Canary, picture, refusalOf } from '../helpers/canary.ts'
import { malformedPlans } from '../helpers/malformed.ts'
import { TestRepo } from '../helpers/repo.ts'

let repo: TestRepo
let canary: Canary
let before: unknown

beforeAll(() => {
  repo = new TestRepo()
  canary = new Canary(repo)
  mkdirSync(join(repo.home, 'bad'))
  before = picture(repo)
})
afterAll(() => repo.remove())

/** What runs the canary where the plan is taken for a good one. */
const step = 'steps:\n  - {id: one, run: touch CANARY}'
const fenced = (matter: string): string => `---\n${matter}\n---\n`
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...Array.from(
    { length: 25 },
    (_, at) => `a${at}: &a${at} [${Array.from({ length: 9 }, () => (at === 0 ? '*a' : `*a${at - 1}`)).join(', ')}]`,
  ),
].join('\n')

interface Case {
  readonly text: string
  readonly rule: string
  /** Where the finding is; the column is there, whatever it is. */
  readonly line?: number
  readonly advice?: RegExp
}

const inStep = (keys: string, rule: string, more: Partial<Case> = {}): Case => ({
  text: fenced(`steps:\n  - {${keys}}`),
  rule,
  line: 3,
  ...more,
})
const atTop = (lines: string, rule: string, more: Partial<Case> = {}): Case => ({
  text: fenced(`${lines}\n${step}`),
  rule,
  ...more,
})

const cases: Readonly<Record<string, readonly Case[]>> = {
  'P1 an opening fence that is not exactly `---`': [
    '---js',
    '---JS',
    '---javascript',
    '---json',
    '---toml',
    '---coffee',
    '---constructor',
    '--- yaml',
    '----',
    '--- #',
  ].map((fence) => ({
    text: `${fence}\nrequire('fs').writeFileSync('CANARY', '')\n${step}\n---\n`,
    rule: 'bad-fence',
    line: 1,
  })),
  'P1 a byte order mark before the fence': [{ text: `\ufeff---js\n${step}\n---\n`, rule: 'bad-encoding', line: 1 }],
  'P2 YAML that is broken': [{ text: fenced('steps: [a'), rule: 'bad-yaml' }],
  'P3 an alias bomb': [atTop(bomb, 'bad-yaml', { line: 2 })],
  'P3 20,000 nested brackets': [{ text: fenced(`steps: ${'['.repeat(20_000)}`), rule: 'too-deep', line: 2 }],
  'P3 a file over the limit': [1, 4].map((mebibytes) => ({
    text: fenced(`${step}\n# ${'x'.repeat(mebibytes * 1024 * 1024)}`),
    rule: 'too-large',
    line: 1,
  })),
  'P3 a key twice, a tag, a merge key': [
    atTop('title: a\ntitle: b', 'duplicate-key', { line: 3 }),
    atTop('title: !!js/function x', 'bad-yaml', { line: 2 }),
    atTop('meta:\n  <<: {a: 1}', 'bad-yaml', { line: 3 }),
  ],
  'P4 keys of prototypes': [
    atTop('__proto__: {a: 1}', 'refused-key', { line: 2 }),
    atTop('meta: {constructor: 1}', 'refused-key', { line: 2 }),
    inStep('run: touch CANARY, env: {prototype: x}', 'refused-key'),
  ],
  'P5 a misspelt key, with the nearest known one': [
    atTop('aprovals: [x]', 'unknown-key', { line: 2, advice: /known/ }),
    atTop('tite: x', 'unknown-key', { line: 2, advice: /`title`/ }),
    inStep('run: touch CANARY, need: []', 'unknown-key', { advice: /`needs`/ }),
  ],
  'P6 a closing fence that is missing, or not alone on its line': [
    { text: `---\n${step}\n`, rule: 'bad-fence' },
    { text: '---\nsteps:\n  - create: a\n    content: |\n      x\n---- \n      y\n---\n', rule: 'bad-fence', line: 6 },
  ],
  'P7 characters that hide, in titles, ids and paths': [
    atTop('title: "a\\e[31m"', 'bad-value', { line: 2 }),
    atTop('title: "a\\e]52;c;eA==\\a"', 'bad-value', { line: 2 }),
    inStep('id: "a\\u200bb", run: touch CANARY', 'bad-value'),
    inStep('create: "a\\u202eb", content: x', 'bad-value'),
  ],
  'P8 an id that is no name everywhere': ['../x', '-rf', 'a.lock', 'CON', 'x'.repeat(300)].map((id) =>
    inStep(`id: "${id}", run: touch CANARY`, 'bad-value'),
  ),
  'P8 two ids that differ in case only': [
    { text: fenced('steps:\n  - {id: one, run: touch CANARY}\n  - {id: One, run: x}'), rule: 'duplicate-id', line: 4 },
  ],
  'P9 a cycle, a need that is not there': [
    {
      text: fenced('steps:\n  - {id: a, needs: [b], run: touch CANARY}\n  - {id: b, needs: [a], run: x}'),
      rule: 'cycle',
    },
    inStep('id: a, needs: [b], run: touch CANARY', 'unknown-need'),
  ],
  'P9 100,000 steps': [30_000, 100_000].map((count) => ({
    text: fenced(`steps:\n${'  - {run: x}\n'.repeat(count)}`),
    rule: 'too-large',
  })),
  'P10 a timeout that is no duration, with a hint': ['12:30', '1e9', '0', '-5m', '0s'].map((value) =>
    inStep(
      `id: a, run: touch CANARY, timeout: ${value}`,
      typeof JSON.parse(/^(0|1e9)$/.test(value) ? value : '""') === 'number' ? 'wrong-type' : 'bad-value',
      {
        advice: /90s, 10m or 1h30m/,
      },
    ),
  ),
}

// `check` parses as `start` does: every fourth input goes through both, and all of them with MALFORMED=all.
const isAll = process.env['MALFORMED'] === 'all'
let inputs = 0

async function refuses({ text, rule, line, advice }: Case): Promise<void> {
  const path = join(repo.home, 'bad', `p${(inputs += 1)}.md`)
  writeFileSync(path, text.replaceAll('CANARY', canary.path))
  const commands = [['start', path, '--approve', '--json'], ...(isAll || inputs % 4 === 0 ? [['check', path]] : [])]
  const [started, checked] = await Promise.all(commands.map((args) => repo.plan(args)))
  const { code, findings } = refusalOf(started!)
  expect([started!.code, code]).toEqual([2, 'invalid-plan'])
  const found = findings?.find((finding) => finding.rule === rule)
  expect(found, `${text.slice(0, 300)}\n${JSON.stringify(findings).slice(0, 2000)}`).toBeDefined()
  expect(found?.column).toBeGreaterThan(0)
  if (line !== undefined) expect(found?.line).toBe(line)
  if (advice !== undefined) expect(found?.advice).toMatch(advice)
  if (checked !== undefined)
    expect(checked, checked.all.slice(0, 2000)).toMatchObject({
      code: 2,
      all: expect.stringContaining(`(${rule})`) as string,
    })
  for (const ran of [started!, checked]) expect(ran?.all ?? '').not.toMatch(/[\u001b\u202e\u200b\u0007]/)
}

test.each(Object.entries(cases))(
  '%s: refused with its rule and place; nothing runs, nothing changes',
  async (_, all) => {
    for (let at = 0; at < all.length; at += 3) await Promise.all(all.slice(at, at + 3).map(refuses))
    expect(canary.sang).toBe(false)
    expect(picture(repo)).toEqual(before)
  },
)

test('P2 the same broken YAML twice in one process: the same findings twice', () => {
  for (const text of [fenced('steps: [a'), fenced('a: b: c'), '---\n: x', fenced('\tx: 1')]) {
    const [first, second] = [1, 2].map(() => readPlan(Buffer.from(text), { file: 'x.md' }))
    expect(first?.ok).toBe(false)
    expect(second).toEqual(first)
  }
})

test('P6 a fence line inside a block scalar and a second block in the body are kept as text', async () => {
  const path = join(repo.home, 'bad', 'kept.md')
  writeFileSync(
    path,
    '---\nsteps:\n  - id: one\n    create: x.txt\n    content: |\n      ---\n      a: b\n---\n\n---\nsteps: []\n---\n',
  )
  const checked = await repo.plan(['check', path])
  expect(checked, checked.all).toMatchObject({ code: 0 })
})

test('P7 hidden characters in free text are shown escaped', async () => {
  const path = join(repo.home, 'bad', 'free.md')
  writeFileSync(
    path,
    '---\nrequest: "a\\e]52;c;eA==\\ab\\u202ec"\nsteps:\n  - run: "echo \\e[2J\\u200b"\n    allow: [shell-obfuscated]\n---\n\nProse \u001b[31m\u202e here.\n',
  )
  expect(await repo.plan(['new', '--from', path, '--id', 'free'])).toMatchObject({ code: 0 })
  for (const args of [
    ['show', 'free'],
    ['show', 'free', '--graph'],
    ['status', 'free'],
    ['list'],
    ['report', 'free'],
  ]) {
    const ran = await repo.plan(args)
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(ran.all, args.join(' ')).not.toMatch(/[\u001b\u202e\u200b\u0007]/)
  }
  expect((await repo.plan(['show', 'free'])).all).toMatch(/Prose \\x1b\[31m\\u\{202e\} here/)
  repo.git(['branch', '-D', 'plan/free'])
})

describe('one wrong thing for every key of the schema', () => {
  const plans = malformedPlans()
  // All of them: MALFORMED=all. The parser alone refuses each of them in test/unit/plan/malformed.test.ts.
  const every = isAll ? 1 : Math.ceil(plans.length / 6)
  test.each(plans.filter((_, at) => at % every === 0).map((plan) => [plan.name, plan] as const))(
    'the program refuses %s',
    async (name, { text, expect: { line } }) => {
      const path = join(repo.home, 'bad', `${name.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}.md`)
      writeFileSync(path, text)
      const [checked, started] = await Promise.all([
        repo.plan(['check', path]),
        repo.plan(['start', path, '--approve']),
      ])
      for (const ran of [checked, started]) {
        expect(ran, ran.all).toMatchObject({ code: 2 })
        expect(ran.all).toMatch(new RegExp(`\\.md:${line}:\\d+: error`))
      }
      expect(picture(repo)).toMatchObject(before as object)
    },
  )
})
