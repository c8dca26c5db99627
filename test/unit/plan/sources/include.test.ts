// Included plans: flattened into the text that is approved.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readPlan } from '../../../../src/plan/file/read-plan.ts'
import type { Plan } from '../../../../src/plan/model/plan.ts'
import { expandSource } from '../../../../src/plan/sources/expand.ts'
import { relocateIn } from '../../../../src/plan/sources/located-text.ts'
import type { Load } from '../../../../src/plan/sources/source.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const loader =
  (files: Readonly<Record<string, string>>): Load =>
  (reference) => {
    const name =
      reference.kind === 'file' ? reference.path : reference.kind === 'template' ? `${reference.name}.md` : ''
    const text = files[name]
    return Promise.resolve(
      text === undefined
        ? { ok: false, message: `there is no file ${name}` }
        : {
            ok: true,
            bytes: Buffer.from(text),
            file: name,
            key: name,
            entry: { file: name, digest: digest(text) },
          },
    )
  }

const expand = (files: Readonly<Record<string, string>>, main = 'main.md') =>
  expandSource({ bytes: Buffer.from(files[main] ?? ''), file: main }, { load: loader(files), self: main })

async function textOf(files: Readonly<Record<string, string>>): Promise<string> {
  const expanded = await expand(files)
  if (!expanded.ok) throw new Error(JSON.stringify(expanded.findings, null, 1))
  return Buffer.from(expanded.bytes).toString()
}

async function planOf(files: Readonly<Record<string, string>>): Promise<Plan> {
  const read = readPlan(Buffer.from(await textOf(files)), { file: 'main.md' })
  if (!read.ok) throw new Error(JSON.stringify(read.findings, null, 1))
  return read.plan
}

const problems = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
  const expanded = await expand(files)
  return expanded.ok ? [] : expanded.findings.map(({ file, line, message }) => `${file}:${line}: ${message}`)
}

const plan = (lines: string): string => `---\n${lines}\n---\n`
const steps = (lines: string): string => plan(`steps:\n${lines}`)

const lint = plan(`requires: [node]
params: { dir: { default: src } }
test: npm test
steps:
  - id: fix   # a comment
    run: npx eslint "$PLAN_PARAM_DIR"
    files: ["\${{ params.dir }}/**"]
  - id: format
    needs: []
    create: \${{ params.dir }}/x.md
    content: |
      # x

        y
  - id: check
    title: Check it
    needs: [fix, format]
    run: make check
    test: true
verify: [make done]`)

test('the steps of the included plan take the place of the step, with its id before theirs', async () => {
  const main = plan(`title: All of it
requires: [git]
steps:
  # first
  - run: make one   # kept
  - id: lint
    include: parts/lint.md
    with: { dir: lib }
  # last
  - run: make two`)
  expect(await textOf({ 'main.md': main, 'parts/lint.md': lint })).toBe(
    plan(`title: All of it
requires:
  - git
  - node
sources:
  - step: lint
    file: parts/lint.md
    digest: ${digest(lint)}
steps:
  # first
  - id: make-one
    run: make one   # kept
  - id: lint-fix
    needs: [make-one]
    run: npx eslint "$PLAN_PARAM_DIR"
    files:
      - lib/**
    params:
      dir: lib
  - id: lint-format
    needs: [make-one]
    create: lib/x.md
    content: |
      # x

        y
  - id: lint-check
    title: Check it
    needs: [lint-fix, lint-format]
    run: make check
    test: npm test
    verify:
      - make done
    params:
      dir: lib
  # last
  - id: make-two
    needs: [lint-check]
    run: make two`),
  )
})

test('who needs the including step needs the last steps, and its needs are those of the first', async () => {
  const two = steps('  - {id: a, needs: [], run: a}\n  - {id: b, needs: [], run: b}')
  const main = steps(`  - {id: x, run: x}
  - {id: y, needs: [], run: y}
  - id: p
    include: two.md
    needs: [x, y]
  - id: q
    needs: [p]
    include: two.md
  - {id: z, needs: [q, x], run: z}
  - id: last
    needs:
      - p
      - z
    run: last`)
  const { steps: flat } = await planOf({ 'main.md': main, 'two.md': two })
  expect(flat.map(({ id, needs }) => `${id}: ${needs.join(' ')}`)).toEqual([
    'x: ',
    'y: ',
    'p-a: x y',
    'p-b: x y',
    'q-a: p-a p-b',
    'q-b: p-a p-b',
    'z: q-a q-b x',
    'last: p-a p-b z',
  ])
})

test('plans are included in included plans, with parameters passed on', async () => {
  const files = {
    'main.md': plan(`params: { v: '2' }
steps:
  - include: { template: outer }
    with: { v: "v\${{ params.v }}" }`),
    'outer.md': plan(`params: { v: {} }
steps:
  - id: in
    include: { template: inner }
    with: { text: "\${{ params.v }}: \\"#" }`),
    'inner.md': plan(`params: { text: {} }
steps:
  - id: note
    create: note.txt
    content: \${{ params.text }}`),
  }
  const flat = await planOf(files)
  expect(flat.steps).toMatchObject([{ id: 'outer-in-note', spec: { content: 'v2: "#' } }])
  expect(flat.sources.map(({ step, file }) => [step, file])).toEqual([
    ['outer', 'outer.md'],
    ['outer-in', 'inner.md'],
  ])
})

test('a test of the step that leaves out the command gets that of its plan', async () => {
  const part = plan(
    'test: { run: "npm test {scope}", format: tap }\ndeliverables: [a]\nsteps:\n  - { run: x, test: { scope: a } }',
  )
  const flat = await planOf({ 'main.md': plan('deliverables: [b]\nsteps:\n  - include: part.md'), 'part.md': part })
  expect(flat.steps[0]).toMatchObject({ test: 'npm test {scope}', counted: { scope: 'a', format: 'tap' } })
  expect(flat.deliverables).toEqual(['b', 'a'])
})

test('the expanded text expands to itself', async () => {
  const once = await textOf({ 'main.md': steps('  - include: lint.md'), 'lint.md': lint })
  expect(await textOf({ 'main.md': once })).toBe(once)
})

test('a file with CRLF keeps its line ends', async () => {
  const main = steps('  - include: lint.md\n  - run: x').replaceAll('\n', '\r\n')
  const text = await textOf({ 'main.md': main, 'lint.md': lint })
  expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  expect((await planOf({ 'main.md': main, 'lint.md': lint })).steps[1]?.spec).toMatchObject({ content: '# x\n\n  y\n' })
})

describe('refused', () => {
  const cases: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['a missing file', { 'main.md': steps('  - include: no.md') }, 'main.md:3: there is no file no.md'],
    [
      'a missing file further down, with the chain',
      { 'main.md': steps('  - include: a.md'), 'a.md': steps('  - run: x\n  - include: b.md') },
      'a.md:4: there is no file b.md (main.md:3 → a.md:4)',
    ],
    ['itself', { 'main.md': steps('  - include: main.md') }, 'main.md:3: a cycle of includes: main.md:3 → main.md'],
    [
      'a cycle',
      {
        'main.md': steps('  - include: a.md'),
        'a.md': steps('  - run: x\n  - include: b.md'),
        'b.md': steps('  - include: a.md'),
      },
      'b.md:3: a cycle of includes: main.md:3 → a.md:4 → b.md:3 → a.md',
    ],
    [
      'a path outside the repository',
      { 'main.md': steps('  - include: ../a.md') },
      'main.md:3: `include`: the path must not contain `..`',
    ],
    [
      'a template whose name is a path',
      { 'main.md': steps('  - include: { template: ../a }') },
      'main.md:3: `../a` is not the name of a template',
    ],
    ['other forms', { 'main.md': steps('  - include: [a.md]') }, 'main.md:3: `include` cannot be a list'],
    [
      'another key',
      { 'main.md': steps('  - include: a.md\n    run: x'), 'a.md': lint },
      'main.md:4: `run` does not go with `include`',
    ],
    [
      'a commit that is none',
      { 'main.md': steps('  - include: { plan: a, at: "--all" }') },
      'main.md:3: `at` should be a commit, not `--all`',
    ],
    [
      'a parameter that is missing',
      { 'main.md': steps('  - include: a.md'), 'a.md': plan('params: { x: {} }\nsteps:\n  - run: x') },
      'main.md:3: no value for the parameter x (of a.md)',
    ],
    [
      'an unknown parameter',
      { 'main.md': steps('  - include: a.md\n    with: { z: 1 }'), 'a.md': steps('  - run: x') },
      'main.md:4: there is no parameter "z" (of a.md)',
    ],
    [
      'a parameter of the wrong type',
      {
        'main.md': steps('  - include: a.md\n    with: { x: 1 }'),
        'a.md': plan('params: { x: {} }\nsteps:\n  - run: x'),
      },
      'main.md:4: the parameter x should be text, not the number 1: put it in quotes (of a.md)',
    ],
    [
      'a plan that is not valid, in its own file',
      { 'main.md': steps('  - include: a.md'), 'a.md': steps('  - run: x\n  - rum: y') },
      'a.md:4: unknown key `rum`',
    ],
    [
      'contradicting keys',
      {
        'main.md': plan('setup: a\nsteps:\n  - include: a.md'),
        'a.md': plan('setup: b\nsteps:\n  - run: x'),
      },
      'a.md:1: the included plan has another `setup` than this one',
    ],
    [
      'a list in brackets',
      { 'main.md': plan('steps: [{ include: a.md }]'), 'a.md': steps('  - run: x') },
      'main.md:2: a step with `include` begins on the line of its dash, in a list without brackets',
    ],
    [
      'an id that gets too long',
      { 'main.md': steps('  - include: a.md'), 'a.md': steps(`  - id: ${'x'.repeat(63)}\n    run: x`) },
      `main.md:3: \`a-${'x'.repeat(58)}…\` is not a valid id`,
    ],
  ]
  test.each(cases)('%s', async (_, files, problem) => {
    expect(await problems(files)).toEqual([problem])
  })

  test('too many levels, with the chain', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`${n === 0 ? 'main' : n}.md`, steps(`  - include: ${n + 1}.md`)]),
    )
    expect(await problems(files)).toEqual([
      '8.md:3: more than 8 levels of includes: main.md:3 → 1.md:3 → 2.md:3 → 3.md:3 → 4.md:3 → 5.md:3 → 6.md:3 → 7.md:3 → 8.md:3 → 9.md',
    ])
  })

  test('what would grow without end', async () => {
    const many = (name: string): string =>
      steps(Array.from({ length: 90 }, (_, n) => `  - id: s${n}\n    include: ${name}.md`).join('\n'))
    const files = { 'main.md': many('a'), 'a.md': many('b'), 'b.md': many('c'), 'c.md': steps('  - run: x') }
    const [problem, ...others] = await problems(files)
    expect(problem).toContain('more than 200 includes: main.md:4 → a.md:')
    expect(others).toEqual([])
    const long = steps(Array.from({ length: 600 }, (_, n) => `  - { id: s${n}, run: x }`).join('\n'))
    expect(
      await problems({ 'main.md': steps('  - { id: x, include: a.md }\n  - { id: y, include: a.md }'), 'a.md': long }),
    ).toEqual(['main.md:4: a plan has at most 1000 steps, with those that it includes: main.md:4 → a.md'])
  })
})

test('the example of docs/templates.md', async () => {
  const page = readFileSync(new URL('../../../../docs/templates.md', import.meta.url), 'utf8')
  const [, example = ''] = /^<!-- source -->\n```yaml\n([\s\S]*?)^```$/m.exec(page) ?? []
  const part = plan(
    'params: { directory: x, package: x }'.replaceAll(': x', ': { default: x }') + '\nsteps:\n  - { id: a, run: a }',
  )
  const load: Load = async (reference) => ({
    ok: true,
    bytes: Buffer.from(part),
    file: 'part.md',
    key: JSON.stringify(reference),
    entry: { file: 'part.md', digest: 'x' },
  })
  const expanded = await expandSource({ bytes: Buffer.from(`---\n${example}---\n`), file: 'p.md' }, { load })
  if (!expanded.ok) throw new Error(JSON.stringify(expanded.findings))
  const read = readPlan(expanded.bytes, { file: 'p.md' })
  expect(read.ok ? read.plan.steps.map(({ id, needs }) => `${id}: ${needs.join()}`) : read.findings).toEqual([
    'make-clean: ',
    'lint-a: make-clean',
    'upgrade-a: lint-a',
    'again-a: lint-a',
  ])
})

test('a finding about an included step names its file and line', async () => {
  const files = {
    'main.md': steps('  - id: a-b\n    run: one\n  - id: a\n    include: a.md'),
    'a.md': steps('  - id: x\n    run: x\n\n  - id: b\n    run: y'),
  }
  const expanded = await expand(files)
  if (!expanded.ok) throw new Error('it is expanded')
  const read = readPlan(expanded.bytes, { file: 'main.md' })
  expect((read.ok ? [] : read.findings).map(relocateIn(expanded.located!))).toMatchObject([
    { rule: 'duplicate-id', file: 'a.md', line: 6 },
  ])
})
