// Plans with one mistake each, for every key of the schema: missing, wrong type, misspelt. Generated from the JSON
// Schema, so that a new key is covered at once.

import { planJsonSchema } from '../../src/plan/file/json-schema.ts'

export interface MalformedPlan {
  readonly name: string
  readonly text: string
  readonly expect: { readonly line: number; readonly rule: string }
}

interface Schema {
  readonly title?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** A valid value for each key of a step, in flow style; keys that are not here are text. */
const valid: Readonly<Record<string, string>> = {
  version: '1',
  plan: 'sample',
  id: 'one',
  base: 'main',
  meta: '{ a: 1 }',
  context: '[README.md]',
  requires: '[node]',
  tools: '[Read]',
  setup_inputs: '[package-lock.json]',
  preflight: '[npm test]',
  on_failure: 'stop',
  verify: '[npm test]',
  status: 'proposed',
  state: '{}',
  needs: '[]',
  files: '[src/**]',
  changes: 'any',
  criteria: '[it works]',
  test: 'npm test',
  timeout: '10m',
  retries: '1',
  limits: '{ memory: 1gb }',
  env: '{ A: b }',
  secrets: '[TOKEN]',
  effect: 'external',
  idempotent: 'true',
  phase: 'design',
  pause: 'true',
  allow: '[shell-privilege]',
  allow_failure: 'true',
  risk: 'HIGH',
  executable: 'true',
  all: 'true',
  lines: '"3"',
  flags: 'i',
}

/** The least that makes a step of each verb valid. */
const least: Readonly<Record<string, readonly string[]>> = {
  run: ['run: npm test'],
  create: ['create: a.txt', 'content: hello'],
  edit: ['edit: a.txt', 'append: hello'],
  edits: ['edits: [{ file: a.txt, append: hello }]'],
  patch: ['patch: "--- a/a.txt\\n+++ b/a.txt\\n@@ -1 +1 @@\\n-a\\n+b"'],
  refactor: ['refactor: { pattern: f($A), rewrite: g($A), language: go, over: [src/**] }'],
  delete: ['delete: a.txt'],
  move: ['move: a.txt', 'to: b.txt'],
  install: ['install: express'],
  agent: ['agent: claude', 'prompt: Write it'],
  manual: ['manual: look'],
  gate: ['gate: go on'],
}

/** The line of the only key under test: everything else stands before it. */
const inStep = (lines: readonly string[]): string =>
  `---\nsteps:\n${lines.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`).join('\n')}\n---\n`
const atTop = (lines: readonly string[]): string => `---\n${lines.join('\n')}\n---\n`

export function malformedPlans(): MalformedPlan[] {
  const schema = planJsonSchema() as Schema
  const cases: MalformedPlan[] = []
  const add = (name: string, text: string, line: number, rule: string): number =>
    cases.push({ name, text, expect: { line, rule } })

  const steps = ['steps:', '  - run: npm test']
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (key === 'steps') continue
    const before = key === 'state' ? [...steps, 'status: proposed'] : steps
    const line = before.length + 2
    add(`${key}: wrong type`, atTop([...before, `${key}: ${mistyped(property)}`]), line, mistypedRule(property))
    add(`${key}: misspelt`, atTop([...before, `${misspelt(key)}: ${valid[key] ?? 'text'}`]), line, 'unknown-key')
  }
  for (const key of schema.required ?? []) add(`${key}: missing`, atTop(['title: text']), 2, 'missing-key')
  add('steps: wrong type', atTop(['steps: text']), 2, 'wrong-type')
  add('steps: misspelt', atTop(['stesp: []']), 2, 'unknown-key')

  for (const verb of schema.properties?.['steps']?.items?.anyOf ?? []) {
    const name = verb.title ?? ''
    // Not read as a step: it is resolved before.
    if (name === 'include') continue
    const base = least[name]
    if (base === undefined) throw new Error(`add ${name} to least`)
    for (const [key, property] of Object.entries(verb.properties ?? {})) {
      const others = base.filter((line) => !line.startsWith(`${key}:`))
      const line = others.length + 3
      // `gate: []` on a line of its own would be valid without the others; the key under test is always the last line.
      add(
        `${name} ${key}: wrong type`,
        inStep([...others, `${key}: ${mistyped(property)}`]),
        line,
        mistypedRule(property),
      )
      add(
        `${name} ${key}: misspelt`,
        inStep([...others, `${misspelt(key)}: ${valid[key] ?? 'text'}`]),
        line,
        'unknown-key',
      )
    }
    for (const key of verb.required ?? []) {
      const others = base.filter((line) => !line.startsWith(`${key}:`))
      if (key === name) add(`${name}: no verb`, inStep(['title: text', ...others]), 3, 'missing-verb')
      else add(`${name} ${key}: missing`, inStep(others), 3, 'missing-key')
    }
  }
  return cases
}

function typesOf(schema: Schema): Set<string> {
  if (schema.anyOf) return new Set(schema.anyOf.flatMap((option) => [...typesOf(option)]))
  return new Set(schema.type === undefined ? [] : [schema.type === 'integer' ? 'number' : schema.type])
}

/** A value of a type that the key never takes. */
function mistyped(schema: Schema): string {
  const types = typesOf(schema)
  if (!types.has('number')) return '12'
  return types.has('object') ? 'false' : '{ a: b }'
}

const isChoice = (schema: Schema): boolean => schema.enum !== undefined || schema.const !== undefined
const mistypedRule = (schema: Schema): string => (isChoice(schema) ? 'bad-value' : 'wrong-type')

const misspelt = (key: string): string => `${key.slice(0, -1)}q${key.slice(-1)}`
