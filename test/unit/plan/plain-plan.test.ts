// What is read without the parser is what the parser reads: whatever the text, it gives the same plan or leaves it to the parser.

import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../src/plan/parse-config.ts'
import { parsePlan } from '../../../src/plan/parse.ts'
import { readPlainly } from '../../../src/plan/plain-plan.ts'
import { readPlainYaml } from '../../../src/plan/plain-yaml.ts'
import { plainConfig } from '../../../src/plan/read-config.ts'
import { readPlan } from '../../../src/plan/read-plan.ts'
import { readYaml } from '../../../src/plan/yaml.ts'
import { malformedPlans } from '../../helpers/malformed.ts'
import { bytesOf, fenced } from '../../helpers/plans.ts'

const runs = 600
const origin = { file: '.plans/sample.md', id: 'sample' }

/** Whether it was read plainly; throws where the parser says something else. */
function isPlain(text: string | Uint8Array, from = origin): boolean {
  const bytes = typeof text === 'string' ? bytesOf(text) : text
  const plain = readPlainly(bytes, from)
  if (plain === undefined) return false
  const full = parsePlan(bytes, from)
  if (!full.ok) throw new Error(`refused by the parser: ${full.findings[0]?.message}`)
  if (!isDeepStrictEqual(plain.plan, full.plan)) expect(plain.plan).toStrictEqual(full.plan)
  expect(full.source).toMatchObject(plain.source)
  return true
}

/** The same for YAML alone. */
function isPlainYaml(text: string): boolean {
  const plain = readPlainYaml(text)
  if (plain === undefined) return false
  const full = readYaml(text, { offset: 0, line: 0 })
  if (!full.ok) throw new Error(`refused by the parser: ${full.findings[0]?.message}`)
  if (!isDeepStrictEqual(plain.value, full.yaml.value)) expect(plain.value).toStrictEqual(full.yaml.value)
  for (const [key, start] of plain.starts) expect(full.yaml.span([key], { key: true })?.start).toBe(start)
  return true
}

const whole = `---
# what it is about
version: 1
plan: sample
title: "Sample: all of it"
base: release/1.x
request: 'It''s to be done'
meta:
  ticket: 12
  tags: [a, b-c]
  deep:
    er: yes indeed
context:
- README.md
- docs/design.md
requires: [git, node]
setup: npm ci
setup_inputs: [package-lock.json]
preflight:
  - npm test
  - test -f README.md
test: npm test
on_failure: rollback-all
steps:
  - id: one
    title: Make it
    create: src/one.ts
    content: |
      export const one = 1

      # not a comment
        deeper: yes
    executable: true
    files: [src/**]
    timeout: 1h30m
    retries: 2

  # between two steps
  - id: "2nd"
    run: sed -n 's/a/b#c/p' x | grep "y" && echo a:b
    needs: [one]
    effect: external
    probe: test -f x
    undo: rm x
    idempotent: true
    env:
      A_B: "x\\ty"
      C: plain text
    secrets: [TOKEN]
    limits:
      memory: 512mb
      cpu: 10m
      output: 1kb
    verify:
      - test -f x
      - exists: x
      - contains:
          file: x
          pattern: ^a+$
    criteria:
      - It is good
      - text: It is there
        verify:
          exists: x
    test: true
    owner: Ada
    phase: design
    pause: false
    allow:
      - shell-privilege
    allow_failure: true
    risk: CRITICAL
    changes: some
  - edit: x
    lines: 3-5
    with: |-
      a
        b
  - delete: [a/b, c]
  - move: d
    to: e
  - manual: Look at it
  - gate: Go on?
  - edit: y
    append: Run \`sh x.sh\`.
verify: npm test
status: active
state:
  one: done
  "2nd": failed
---

# Prose

---
status: nothing
`

describe('a plan that is written plainly', () => {
  test('is read with every key', () => {
    expect(isPlain(whole)).toBe(true)
    expect(isPlain(whole.replace(/status: active[\s\S]*?---/, '---'))).toBe(true)
    expect(isPlain(whole.replace('---\n\n# Prose', '---'))).toBe(true)
    expect(isPlain(fenced('steps:\n- run: a'))).toBe(true)
    expect(isPlain('---\nsteps:\n  - run: Grüße an alle\n---')).toBe(true)
  })

  test('is what the templates are, and the plan of the README', () => {
    const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
    const names = readdirSync(at('templates')).filter((name) => name.endsWith('.md'))
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) isPlain(readFileSync(at(`templates/${name}`)), { file: name, id: name.slice(0, -3) })
    const plan = /<!-- file: \.plans\/greet\.md -->\n```markdown\n([\s\S]*?)```/.exec(readFileSync(at('README.md'), 'utf8'))?.[1] ?? ''
    expect(isPlain(plan, { file: '.plans/greet.md', id: 'greet' })).toBe(true)
  })

  test('is read with a thousand steps, and not with one more', () => {
    const steps = (count: number): string => fenced(`steps:\n${Array.from({ length: count }, (_, n) => `  - id: s${n}\n    run: echo ${n}`).join('\n')}`)
    expect(isPlain(steps(1000))).toBe(true)
    expect(isPlain(steps(1001))).toBe(false)
  })
})

test.each([
  ['anchors', 'title: &a x\nsteps:\n  - run: a'],
  ['aliases', 'title: *a\nsteps:\n  - run: a'],
  ['tags', 'title: !!str x\nsteps:\n  - run: a'],
  ['folded text', 'request: >\n  a\n  b\nsteps:\n  - run: a'],
  ['text that goes on in the next line', 'title: a\n  b\nsteps:\n  - run: a'],
  ['a comment behind a value', 'title: a # b\nsteps:\n  - run: a'],
  ['a key twice', 'title: a\ntitle: b\nsteps:\n  - run: a'],
  ['merge keys', '<<: {}\nsteps:\n  - run: a'],
  ['refused keys', 'meta:\n  __proto__: a\nsteps:\n  - run: a'],
  ['null', 'title: null\nsteps:\n  - run: a'],
  ['nothing', 'title:\nsteps:\n  - run: a'],
  ['a number for text', 'title: 7\nsteps:\n  - run: a'],
  ['a truth for text', 'steps:\n  - run: true'],
  ['tabs', 'steps:\n  - run: a\tb'],
  ['carriage returns', 'steps:\r\n  - run: a\r'],
  ['a status that is not last', 'status: active\nsteps:\n  - run: a'],
  ['a state without a status', 'steps:\n  - run: a\nstate: {}'],
  ['a quoted status', 'steps:\n  - run: a\n"status": active'],
  ['another plan', 'plan: other\nsteps:\n  - run: a'],
  ['two verbs', 'steps:\n  - run: a\n    manual: b'],
  ['no verb', 'steps:\n  - id: a'],
  ['an unknown key', 'steps:\n  - run: a\n    colour: b'],
  ['a key of another verb', 'steps:\n  - run: a\n    content: b'],
  ['a circle', 'steps:\n  - id: a\n    run: a\n    needs: [b]\n  - id: b\n    run: b\n    needs: [a]'],
  ['a state of no step', 'steps:\n  - id: a\n    run: a\nstatus: active\nstate:\n  b: done'],
  ['a probe of no effect', 'steps:\n  - run: a\n    probe: b'],
  ['a test of no plan', 'steps:\n  - run: a\n    test: true'],
  ['an edit in two ways', 'steps:\n  - edit: a\n    append: b\n    replace: c\n    with: d'],
  ['a path out of bounds', 'steps:\n  - create: ../a\n    content: b'],
  ['a title with hidden characters', 'title: "a\u202eb"\nsteps:\n  - run: a'],
  ['no steps', 'title: a'],
  ['steps in braces', 'steps:\n  - {run: a}'],
])('%s: left to the parser', (_, matter) => {
  expect(isPlain(fenced(matter))).toBe(false)
})

test('what is left to the parser has its answer', async () => {
  const read = await readPlan(bytesOf(fenced('steps:\n  - {run: a}')), origin)
  expect(read.ok && read.plan.steps[0]?.spec).toEqual({ run: 'a' })
  expect(await readPlan(bytesOf(fenced('steps: 7')), origin)).toMatchObject({ ok: false, findings: [{ rule: 'wrong-type' }] })
})

test('no plan that is wrong in one way is read plainly', () => {
  for (const { name, text } of malformedPlans()) expect(isPlain(text), name).toBe(false)
})

// Pieces that mean something in YAML, in a plan, or to one of the two readers.
const scalars = [
  'a',
  'npm test',
  '"x"',
  "'y'",
  '"a\\nb"',
  '"\\u0041"',
  '"\\x41"',
  '"',
  "'",
  "''",
  '""',
  '|',
  '|-',
  '|+',
  '>',
  '>-',
  '|2',
  '| # c',
  '7',
  '07',
  '0x1f',
  '1e3',
  '-1',
  '+1',
  '1.5',
  '.5',
  '.inf',
  '.nan',
  '.Inf',
  '.github/x',
  './x',
  '..',
  '...',
  '---',
  'true',
  'True',
  'FALSE',
  'null',
  'Null',
  '~',
  'yes',
  'no',
  'on',
  '<<',
  '[]',
  '{}',
  '[a]',
  '[a, b]',
  '[a,b]',
  '[a, ]',
  '[ a ]',
  '[null]',
  '[1, 2]',
  '[a: b]',
  '{a: b}',
  'a: b',
  'a:',
  'a:b',
  ':a',
  '- a',
  '-',
  '-a',
  '? a',
  '?',
  '# c',
  'a # c',
  'a#c',
  'a #',
  'a ',
  ' a',
  '  a',
  '&a',
  '&a b',
  '*a',
  '!a',
  '!!str a',
  '%a',
  '@a',
  '`a`',
  'a\tb',
  '\ta',
  'ä',
  '日本',
  '\u00a0',
  'a\u00a0',
  '\ufeffa',
  '\u202e',
  'a\u2028b',
  '\u0085',
  '$HOME',
  '(a)',
  '10m',
  '1h30m',
  '0s',
  '5',
  '512mb',
  '2kb',
  'one',
  'two',
  'done',
  'failed',
  'active',
  'completed',
  'proposed',
  'LOW',
  'CRITICAL',
  'external',
  'any',
  'src/**',
  '../x',
  '/x',
  '.git/x',
  'a//b',
  'main',
  'release/*',
  '{title}',
  '3-5',
  '0-1',
  '5-3',
  'i',
  'gx',
  '__proto__',
  'a"b',
  "it's",
  "'it''s'",
  "'a'b",
  '"a"b',
  '"a" ',
  '"a" # c',
  'x'.repeat(201),
  '',
]
const keys = [
  'version',
  'plan',
  'title',
  'base',
  'request',
  'meta',
  'context',
  'requires',
  'setup',
  'setup_inputs',
  'preflight',
  'test',
  'on_failure',
  'steps',
  'verify',
  'status',
  'state',
  'id',
  'needs',
  'files',
  'changes',
  'criteria',
  'timeout',
  'retries',
  'limits',
  'memory',
  'cpu',
  'output',
  'env',
  'secrets',
  'effect',
  'idempotent',
  'probe',
  'undo',
  'owner',
  'phase',
  'pause',
  'allow',
  'allow_failure',
  'risk',
  'run',
  'create',
  'content',
  'executable',
  'edit',
  'replace',
  'match',
  'flags',
  'lines',
  'with',
  'insert',
  'before',
  'after',
  'append',
  'diff',
  'all',
  'delete',
  'move',
  'to',
  'manual',
  'gate',
  'exists',
  'absent',
  'contains',
  'lacks',
  'file',
  'pattern',
  'text',
  'one',
  'two',
  '"one"',
  '"2nd"',
  "'one'",
  'null',
  'true',
  '7',
  'a b',
  '__proto__',
  'constructor',
  'stale_after',
  'stalled_after',
  'pause_every',
  'commit',
  'subject',
  'rollback',
  'automatic',
  'keep',
  'bases',
]
const scalar = fc.constantFrom(...scalars)
const key = fc.constantFrom(...keys)
const blanks = fc.integer({ min: 0, max: 8 }).map((count) => ' '.repeat(count))
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(blanks, fc.constantFrom('', '', '', '- ', '-  ', '-'), key, fc.constantFrom(': ', ': ', ': ', ':', ':  ', ' : '), scalar)
      .map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.tuple(blanks, key).map(([indent, name]) => `${indent}${name}:`) },
  { weight: 2, arbitrary: fc.tuple(blanks, scalar).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.tuple(blanks, scalar).map(([indent, text]) => `${indent}- ${text}`) },
  { weight: 1, arbitrary: fc.constantFrom('', '', ' ', '  ', '# c', '  # c', '    # c', '      # c') },
)

/** Mostly well-formed: keys at one height, values below or behind them. */
const block = (depth: number, indent: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 9 }), key, scalar, fc.constantFrom('', '', '', '', '\n', `${indent}# c\n`), fc.boolean()), {
      minLength: 1,
      maxLength: 4,
    })
    .chain((entries) =>
      fc
        .tuple(
          ...entries.map(([kind, name, value, between, isDeep]) => {
            const inner = `${indent}${isDeep ? '  ' : '    '}`
            if (kind < 5 || depth === 0) return fc.constant(`${indent}${name}: ${value}\n${between}`)
            if (kind === 5) return block(depth - 1, inner).map((text) => `${indent}${name}:\n${text}${between}`)
            if (kind === 6) return block(depth - 1, `${indent}  `).map((text) => `${indent}${name}:\n${indent}- ${text.slice(indent.length + 2)}${between}`)
            if (kind === 7) return fc.constant(`${indent}${name}:\n${inner}- ${value}\n${inner}- a\n${between}`)
            return scalar.map((more) => `${indent}${name}: ${kind === 8 ? '|' : '|-'}\n${inner}${value}\n${between}${inner}  ${more}\n`)
          }),
        )
        .map((parts) => parts.join('')),
    )

describe('whatever the text', () => {
  test('YAML in lines that hardly fit together', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 7 }), (lines) => void isPlainYaml(`${lines.join('\n')}\n`)),
      { numRuns: runs },
    )
  })

  test('YAML in blocks', () => {
    let plain = 0
    fc.assert(
      fc.property(block(2, ''), (text) => void (plain += isPlainYaml(text) ? 1 : 0)),
      { numRuns: runs },
    )
    expect(plain).toBeGreaterThan(runs / 60)
  })

  test('a plan with one line or character more, less or other', () => {
    const lines = whole.split('\n')
    let plain = 0
    const look = (text: string): void => void (plain += isPlain(text) ? 1 : 0)
    fc.assert(
      fc.property(fc.nat(lines.length - 1), line, fc.nat(2), fc.boolean(), (at, other, removed, isIndented) => {
        const indent = isIndented ? /^ */.exec(lines[at] ?? '')![0] : ''
        look(lines.toSpliced(at, removed, indent + other.trimStart()).join('\n'))
      }),
      { numRuns: runs },
    )
    fc.assert(
      fc.property(fc.nat(lines.length - 1), scalar, (at, value) =>
        look(lines.with(at, (lines[at] ?? '').replace(/(: |- ).*$/, `$1${value.replaceAll('$', '$$$$')}`)).join('\n')),
      ),
      { numRuns: runs },
    )
    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.nat(2),
        fc.constantFrom('', ' ', '\n', '#', ':', '-', '"', "'", '\t', '\r', '|', '&', '\u0000', '\u00a0', 'é', '---\n'),
        (at, removed, put) => look(whole.slice(0, at) + put + whole.slice(at + removed)),
      ),
      { numRuns: runs },
    )
    expect(plain).toBeGreaterThan(runs / 4)
  })

  test('steps with any keys', () => {
    let plain = 0
    const step = fc
      .tuple(
        fc.constantFrom('run: a', 'create: x\ncontent: a', 'edit: x\nappend: a', 'delete: x', 'move: x\nto: y', 'manual: a', 'gate: a'),
        fc.array(fc.tuple(key, scalar), { maxLength: 2 }),
      )
      .map(([verb, more]) => `  - ${[...verb.split('\n'), ...more.map(([name, value]) => `${name}: ${value}`)].join('\n    ')}\n`)
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 3 }), fc.array(fc.tuple(key, scalar), { maxLength: 2 }), (steps, top) => {
        plain += isPlain(`---\n${top.map(([name, value]) => `${name}: ${value}\n`).join('')}steps:\n${steps.join('')}---\n`) ? 1 : 0
      }),
      { numRuns: runs },
    )
    expect(plain).toBeGreaterThan(runs / 60)
  })

  test('bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.nat(whole.length),
        (bytes, at) => void isPlain(Buffer.concat([bytesOf(whole).subarray(0, at), bytes, bytesOf(whole).subarray(at)])),
      ),
      { numRuns: runs },
    )
  })
})

describe('a configuration', () => {
  const file = '.plans/config.yml'
  const isPlainConfig = (text: string): boolean => {
    const plain = plainConfig(bytesOf(text))
    if (plain !== undefined) expect(plain).toStrictEqual(parseConfig(bytesOf(text), file))
    return plain !== undefined
  }

  const full =
    'version: 1\nlimits:\n  steps: 50\n  timeout: 5m\n  output: 1mb\n  pause_every: 3\nstale_after: 2d\nstalled_after: 1h\ncommit:\n  subject: "chore: {title}"\nrollback:\n  automatic: false\n  keep: 9d\nbases: [main, release/*]\nrequire: [owner, files]\nrisk:\n  critical: [infra/prod/**, src/*]\n'

  test('is read plainly with every key', () => {
    expect(isPlainConfig(full)).toBe(true)
    expect(isPlainConfig(full.replace('50', '5000'))).toBe(false)
    expect(isPlainConfig('limits: 7\n')).toBe(false)
    expect(isPlainConfig('version: 1')).toBe(false)
  })

  test('is the same, whatever the text', () => {
    const lines = full.split('\n')
    fc.assert(
      fc.property(fc.nat(lines.length - 2), key, scalar, fc.nat(1), (at, name, value, removed) => {
        isPlainConfig(lines.toSpliced(at, removed, `${/^ */.exec(lines[at] ?? '')![0]}${name}: ${value}`).join('\n'))
        isPlainConfig(
          lines
            .with(
              at,
              (lines[at] ?? '').replace(/: .*/, () => `: ${value}`),
            )
            .join('\n'),
        )
      }),
      { numRuns: runs },
    )
  })
})
