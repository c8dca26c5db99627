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
import { wholeConfig, wholePlan as whole } from '../../helpers/whole-plan.ts'
import { block, key, line, scalar } from '../../helpers/yaml-pieces.ts'
import { isWide } from '../../helpers/wide.ts'

const runs = isWide ? 600 : 200
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

  test('is read plainly with every key', () => {
    expect(isPlainConfig(wholeConfig)).toBe(true)
    expect(isPlainConfig(wholeConfig.replace('50', '5000'))).toBe(false)
    expect(isPlainConfig('limits: 7\n')).toBe(false)
    expect(isPlainConfig('version: 1')).toBe(false)
  })

  test('is the same, whatever the text', () => {
    const lines = wholeConfig.split('\n')
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
