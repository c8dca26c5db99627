// Plans that are wrong (P1 to P10, and one for every key of the schema), given to the program: exit 2, the place named, nothing changed.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePlan } from '../../src/plan/parse.ts'
import { onDisk } from '../helpers/listing.ts'
import { malformedPlans } from '../helpers/malformed.ts'
import { TestRepo } from '../helpers/repo.ts'

const step = 'steps:\n  - {id: one, run: touch CANARY}'
const fenced = (matter: string): string => `---\n${matter}\n---\n`
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...Array.from(
    { length: 25 },
    (_, at) =>
      `a${at}: &a${at} [${Array(9)
        .fill(at === 0 ? '*a' : `*a${at - 1}`)
        .join(', ')}]`,
  ),
].join('\n')
const many = `steps:\n${'  - {run: "true"}\n'.repeat(30_000)}`

/** Name, text, and what has to be said about it. */
const cases: [string, string, RegExp][] = [
  ...['---js', '---JS', '---javascript', '---json', '---toml', '---coffee', '---constructor', '--- yaml'].map((fence): [string, string, RegExp] => [
    `P1 ${fence}`,
    `${fence}\nprocess.exit(0)\n${step}\n---\n`,
    /:1:1: error/,
  ]),
  ['P2 broken YAML', fenced('steps: [a'), /:\d+:\d+: error/],
  ['P3 alias bomb', fenced(`${bomb}\n${step}`), /:\d+:\d+: error/],
  ['P3 nested brackets', fenced(`steps: ${'['.repeat(20_000)}`), /:2:\d+: error/],
  ['P3 too large', fenced(`${step}\n# ${'x'.repeat(1024 * 1024)}`), /:1:1: error: the file has/],
  ['P3 far too large', fenced(`${step}\n# ${'x'.repeat(4 * 1024 * 1024)}`), /:1:1: error: the file has/],
  ['P3 duplicate key', fenced(`title: a\ntitle: b\n${step}`), /:3:1: error/],
  ['P3 custom tag', fenced(`title: !!js/function x\n${step}`), /:2:\d+: error/],
  ['P3 merge key', fenced(`meta:\n  <<: {a: 1}\n${step}`), /:3:\d+: error/],
  ['P4 __proto__', fenced(`__proto__: {a: 1}\n${step}`), /:2:1: error/],
  ['P4 constructor in a map', fenced(`meta: {constructor: 1}\n${step}`), /:2:\d+: error/],
  ['P5 misspelt key of the plan', fenced(`tite: x\n${step}`), /:2:1: error[^]*`title`/],
  ['P5 misspelt key of a step', fenced('steps:\n  - run: x\n    need: []'), /:4:5: error[^]*`needs`/],
  ['P6 no closing fence', `---\n${step}\n`, /:\d+:\d+: error/],
  ['P7 escape in a title', fenced(`title: "a\\e[31m"\n${step}`), /:2:\d+: error/],
  ['P7 bidi override in a path', fenced('steps:\n  - {create: "a\\u202eb", content: x}'), /:3:\d+: error/],
  ...['../x', '-rf', 'a.lock', 'CON', 'x'.repeat(300)].map((id): [string, string, RegExp] => [
    `P8 step id ${id.slice(0, 9)}`,
    fenced(`steps:\n  - {id: "${id}", run: x}`),
    /:3:\d+: error/,
  ]),
  ['P8 ids that differ in case', fenced('steps:\n  - {id: one, run: x}\n  - {id: One, run: x}'), /:4:\d+: error/],
  ['P9 a cycle', fenced('steps:\n  - {id: a, needs: [b], run: x}\n  - {id: b, needs: [a], run: x}'), /:[34]:\d+: error/],
  ['P9 a missing need', fenced('steps:\n  - {id: a, needs: [b], run: x}'), /:3:\d+: error/],
  ['P9 too many steps', fenced(many), /:\d+:\d+: error/],
  ...['12:30', '1e9', '0', '-5m', '0s'].map((timeout): [string, string, RegExp] => [
    `P10 timeout ${timeout}`,
    fenced(`steps:\n  - {id: a, run: x, timeout: ${timeout}}`),
    /:3:\d+: error/,
  ]),
]

let repo: TestRepo
let before: unknown
const snapshot = (): unknown => ({
  refs: repo.git(['for-each-ref']),
  head: readFileSync(repo.path('.git/HEAD'), 'utf8'),
  files: onDisk(repo.dir),
  status: repo.status(),
})

beforeAll(() => {
  repo = new TestRepo()
  mkdirSync(join(repo.home, 'bad'))
  before = snapshot()
})
afterAll(() => repo.remove())

/** Outside of the work tree, so that nothing in it has to change. */
function put(name: string, text: string): string {
  const path = join(
    repo.home,
    'bad',
    `${name
      .replace(/[^a-z0-9]+/gi, '-')
      .toLowerCase()
      .slice(0, 50)}.md`,
  )
  writeFileSync(path, text)
  return path
}

// `check` parses as `start` does: every fourth case goes through both, and all of them with MALFORMED=all.
const isAll = process.env['MALFORMED'] === 'all'

describe.each(cases.map(([name, text, says], at) => [name, text, says, isAll || at % 4 === 0] as const))('%s', (name, text, says, isBoth) => {
  test(`is refused by ${isBoth ? 'check and by start' : 'start'}, with its place, and changes nothing`, async () => {
    const path = put(name, text)
    for (const ran of await Promise.all([repo.plan(['start', path, '--approve']), ...(isBoth ? [repo.plan(['check', path])] : [])])) {
      expect(ran, ran.all.slice(0, 2000)).toMatchObject({ code: 2 })
      expect(ran.all.slice(0, 20_000)).toMatch(says)
      expect(ran.all).not.toContain('\u001b[31m')
      expect(ran.all).not.toContain('\u202e')
      expect(ran.all).not.toMatch(/^\s+at .*\.[jt]s:\d+/m)
    }
    expect(snapshot()).toEqual(before)
  })
})

test('P6 a fence line inside a block scalar and a second block in the body are kept as text', async () => {
  const path = put('kept', '---\nsteps:\n  - id: one\n    create: x.txt\n    content: |\n      ---\n      a: b\n---\n\n---\nsteps: []\n---\n')
  const ran = await repo.plan(['check', path])
  expect(ran, ran.all).toMatchObject({ code: 0 })
})

describe('one wrong thing for every key of the schema', () => {
  const plans = malformedPlans()

  test('the parser refuses each at its line', () => {
    expect(plans.length).toBeGreaterThan(300)
    for (const {
      name,
      text,
      expect: { line, rule },
    } of plans) {
      const parsed = parsePlan(new TextEncoder().encode(text), { file: 'x.md' })
      expect(parsed.ok ? 'accepted' : parsed.findings.map((finding) => `${finding.line} ${finding.rule}`), name).toContain(`${line} ${rule}`)
    }
  })

  // All of them: MALFORMED=all.
  const every = isAll ? 1 : Math.ceil(plans.length / 6)
  test.each(plans.filter((_, at) => at % every === 0).map((plan) => [plan.name, plan] as const))(
    'the program refuses %s',
    async (name, { text, expect: { line } }) => {
      const path = put(`key-${name}`, text)
      const [checked, started] = await Promise.all([repo.plan(['check', path]), repo.plan(['start', path, '--approve'])])
      for (const ran of [checked, started]) {
        expect(ran, ran.all).toMatchObject({ code: 2 })
        expect(ran.all).toMatch(new RegExp(`\\.md:${line}:\\d+: error`))
      }
      expect(snapshot()).toEqual(before)
    },
  )
})
