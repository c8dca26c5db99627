// Parameters: declared, given, and inserted as data.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPlan } from '../../../../src/plan/file/read-plan.ts'
import type { Plan } from '../../../../src/plan/model/plan.ts'
import { expandSource, readGiven } from '../../../../src/plan/sources/expand.ts'
import { relocateIn } from '../../../../src/plan/sources/located-text.ts'

const load = () => Promise.resolve({ ok: false as const, message: 'nothing can be included here' })

async function expand(text: string, ...words: string[]) {
  const read = readGiven(words)
  if (!read.ok) throw new Error(`not a value: ${read.word}`)
  return expandSource({ bytes: Buffer.from(text), file: 'p.md' }, { load, given: read.given })
}

async function textOf(text: string, ...words: string[]): Promise<string> {
  const expanded = await expand(text, ...words)
  if (!expanded.ok) throw new Error(JSON.stringify(expanded.findings))
  return Buffer.from(expanded.bytes).toString()
}

async function planOf(text: string, ...words: string[]): Promise<Plan> {
  const read = readPlan(Buffer.from(await textOf(text, ...words)), { file: 'p.md' })
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  return read.plan
}

const problems = async (text: string, ...words: string[]): Promise<string[]> => {
  const expanded = await expand(text, ...words)
  return expanded.ok ? [] : expanded.findings.map(({ line, message }) => `${line}: ${message}`)
}

const template = `---
title: Release \${{ params.version }}   # the title
params:
  version:
    type: string
    description: the new version
    pattern: '\\d+\\.\\d+\\.\\d+'
  files: { type: list, default: [a.txt] }
  count: { type: number, default: 3 }
  dry: { type: boolean, default: false }
  kind: { choices: [minor, major], default: minor }
  at: { type: path, default: docs }
steps:
  - id: note
    title: Note \${{ params.version }}
    create: \${{ params.at }}/notes.md
    content: |
      # \${{ params.version }}
        indented
    files: \${{ params.files }}
    retries: \${{ params.count }}
  - id: tag
    run: echo "$PLAN_PARAM_VERSION"
    env: { KIND: "a \${{ params.kind }} one" }
---

For \${{ params.version }}: \${{ github.ref }} stays.
`

describe('values', () => {
  test('are inserted into texts, and kept under params', async () => {
    expect(await textOf(template, 'version=1.2.3')).toBe(`---
title: Release 1.2.3   # the title
params:
  version: 1.2.3
  files:
    - a.txt
  count: 3
  dry: false
  kind: minor
  at: docs
steps:
  - id: note
    title: Note 1.2.3
    create: docs/notes.md
    content: |
      # 1.2.3
        indented
    files: [a.txt]
    retries: 3
  - id: tag
    run: echo "$PLAN_PARAM_VERSION"
    env: { KIND: a minor one }
---

For 1.2.3: \${{ github.ref }} stays.
`)
    const plan = await planOf(template, 'version=1.2.3')
    expect(plan.params).toEqual({ version: '1.2.3', files: ['a.txt'], count: 3, dry: false, kind: 'minor', at: 'docs' })
  })

  test('are read by their type', async () => {
    const words = ['version=1.0.0', 'files=a', 'files=b', 'count=0', 'dry=true', 'kind=major', 'at=x/y']
    expect((await planOf(template, ...words)).params).toEqual({
      version: '1.0.0',
      files: ['a', 'b'],
      count: 0,
      dry: true,
      kind: 'major',
      at: 'x/y',
    })
    expect(
      (await planOf(template.replace('files: ${{ params.files }}', ''), 'version=1.0.0', 'files=')).params,
    ).toMatchObject({ files: [] })
  })

  test('the expanded text expands to itself', async () => {
    const once = await textOf(template, 'version=1.2.3')
    expect(await textOf(once)).toBe(once)
  })

  test.each([
    ['version=1.2', '4: the parameter version does not match `\\d+\\.\\d+\\.\\d+`: `1.2`'],
    ['count=three', '9: the parameter count should be a number, not `three`'],
    ['dry=maybe', '10: the parameter dry should be true or false, not `maybe`'],
    ['kind=patch', '11: the parameter kind must be minor or major, not `patch`'],
    ['at=../x', '12: the parameter at is refused: the path must not contain `..`'],
    [
      'at=/etc/passwd',
      '12: the parameter at is refused: the path is absolute; it must be relative to the top of the repository',
    ],
    ['verson=1', '3: there is no parameter "verson"'],
  ])('%s is refused', async (word, problem) => {
    const others = word.startsWith('version') ? [] : ['version=1.0.0']
    expect(await problems(template, word, ...others)).toEqual([problem])
  })

  test('one that is missing is named with its description', async () => {
    expect(await problems(template)).toEqual(['4: no value for the parameter version: the new version'])
    expect(await problems(template, 'version=1.0.0', 'version=1.0.1')).toEqual([
      '4: the parameter version was given more than once',
    ])
  })

  test('a pattern that backtracks forever is given up', async () => {
    const text = '---\nparams: { x: { pattern: "(a+)+b" } }\nsteps:\n  - run: x\n---\n'
    expect(await problems(text, `x=${'a'.repeat(40)}`)).toEqual([
      '2: the parameter x takes too long to compare with the pattern `(a+)+b`',
    ])
  })
})

describe('values are data', () => {
  const text = (style: string): string => `---
params: { x: {}, y: { default: y } }
title: t
steps:
  - id: a
    create: a.txt
    content: ${style}
    executable: true # not swallowed
  - id: b
    edit: a.txt
    match: '^\${{ params.x }}$'
    with: '[\${{ params.x }}]'
  - id: c
    manual: later
---

Prose
`
  const styles = [
    '${{ params.x }}',
    '"${{ params.x }}"',
    "'${{ params.x }}'",
    '|\n      ${{ params.x }}',
    '|-\n      ${{ params.x }}',
    '>\n      ${{ params.x }}',
    '|\n      a\n        ${{ params.x }}\n\n      b',
  ]
  const hostile = [
    ' \n',
    'a \n b',
    '"',
    "'",
    'a: b',
    '# no comment',
    '---',
    'a\n---\nrun: evil',
    '\n',
    ' ',
    '',
    '\t',
    'a\r\nb',
    '- x',
    '{}',
    '*a',
    '&a',
    '!t',
    '%Y',
    'null',
    'true',
    '1',
    '~',
    '|',
    '> a',
    'a\n\n\n',
    '\n\na',
    '  a\nb',
    '"\nsteps: []\n"',
    'é\u0085\u2028',
    '$1 $& $$',
    '\\d+',
    '${{ x }}',
    '`',
    '\u001b[31m',
  ]

  test.each(styles)('in %j', async (style) => {
    const around = (value: string): string => {
      const fill = (body: string): string => body.replaceAll('${{ params.x }}', () => value)
      if (style.startsWith('|\n      a')) return fill('a\n  ${{ params.x }}\n\nb\n')
      return style.startsWith('|-') || !/^[|>]/.test(style) ? value : `${value}\n`
    }
    const check = async (value: string): Promise<void> => {
      const plan = await planOf(text(style), `x=${value}`)
      expect(plan.params['x']).toBe(value)
      expect((plan.steps[0]!.spec as { content: string }).content).toBe(around(value))
      expect(plan.steps.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    }
    for (const value of hostile) await check(value)
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...'ab \n\t:#-|>"\'{}[],&*!%@`\\$?~\r0é'.split('')), maxLength: 30 }),
        check,
      ),
      { numRuns: 30 },
    )
  })

  test('in an expression and a replacement they stand for themselves', async () => {
    const { steps } = await planOf(text('x'), 'x=a.b$1(c)')
    const { match, with: replacement } = steps[1]!.spec as { match: string; with: string }
    expect('a.b$1(c)'.replace(new RegExp(match, 'u'), replacement)).toBe('[a.b$1(c)]')
    expect('aXb$1(c)').not.toMatch(new RegExp(match, 'u'))
  })

  test('one that refers to another parameter is refused', async () => {
    expect(await problems(text('${{ params.x }}'), 'x=${{ params.y }}')).toContainEqual(
      expect.stringContaining('refer to another parameter'),
    )
  })
})

describe('references', () => {
  const inStep = (step: string): string =>
    `---\nparams: { version: { default: '1' } }\nsteps:\n  - id: a\n    ${step}\n---\n`

  test.each([
    'run: echo ${{ params.version }}',
    'run: x\n    verify: echo ${{ params.version }}',
    'run: x\n    verify: [{ run: "echo ${{ params.version }}" }]',
    'run: x\n    test: echo ${{ params.version }}',
    'run: x\n    criteria: [{ text: t, verify: "echo ${{ params.version }}" }]',
    'run: x\n    effect: external\n    probe: echo ${{ params.version }}',
    'run: x\n    effect: external\n    undo: echo ${{ params.version }}',
  ])('in a command are refused: %j', async (step) => {
    const expanded = await expand(inStep(step))
    expect(expanded).toMatchObject({
      ok: false,
      findings: [{ rule: 'bad-reference', advice: 'use its environment variable: "$PLAN_PARAM_VERSION"' }],
    })
  })

  test.each(['setup', 'preflight', 'test', 'verify'])('in %s of the plan too', async (key) => {
    const text = `---\nparams: { version: { default: '1' } }\n${key}: echo \${{ params.version }}\nsteps:\n  - run: x\n---\n`
    expect(await problems(text)).toEqual(['3: a parameter cannot be inserted into a shell command'])
  })

  test('to an unknown parameter, and what is no reference, are refused', async () => {
    expect(await problems(inStep('manual: ${{ params.verson }}'))).toEqual(['5: there is no parameter "verson"'])
    expect(await problems(inStep('manual: ${{ params.version | upper }}'))).toEqual([
      '5: `${{ params.version | upper ` is not the reference of a parameter',
    ])
  })

  test('of a list inside a text are refused', async () => {
    const text = '---\nparams: { l: { type: list, default: [a] } }\nsteps:\n  - manual: do ${{ params.l }}\n---\n'
    expect(await problems(text)).toEqual(['4: the list l cannot be part of a text'])
  })

  test('in a plan without parameters are ordinary text', async () => {
    const text = '---\nsteps:\n  - create: .plans/templates/x.md\n    content: "${{ params.name }} include"\n---\n'
    expect(await textOf(text)).toBe(text)
  })
})

test.each([
  ['params: [a]', '2: `params` should be a map, not a list'],
  ['params: { A: x }', '2: `A` is not the name of a parameter'],
  ['params: { a: { typ: x } }', '2: unknown key `typ` of a parameter'],
  ['params: { a: { type: date } }', '2: `type` must be one of string, number, boolean, choice, path, list, not `date`'],
  ['params: { a: { type: choice } }', '2: a choice needs `choices`'],
  ['params: { a: { type: number, choices: [a] } }', '2: `choices` goes with `type: choice`'],
  ['params: { a: { pattern: "(" } }', '2: not a regular expression: Unterminated group'],
  ['params: { a: { type: number, default: x } }', '2: the default of a should be a number, not `x`'],
  ['params: { a: { default: 1.5 } }', '2: the default of a should be text, not the number 1.5: put it in quotes'],
  ['params: { a: ~ }', '2: the parameter a is nothing'],
])('%s is refused', async (line, problem) => {
  expect(await problems(`---\n${line}\nsteps:\n  - run: x\n---\n`)).toEqual([problem])
})

test('a fixed value cannot be given again', async () => {
  expect(await problems('---\nparams: { a: x }\nsteps:\n  - run: x\n---\n', 'a=y')).toEqual([
    '2: the parameter a has a fixed value',
  ])
})

test('findings about the expanded text are where their author wrote them', async () => {
  const text = '---\nparams: { x: {} }\nrequest: |\n  ${{ params.x }}\nsteps:\n  - rum: x\n---\n'
  const expanded = await expand(text, 'x=a\nb\nc')
  if (!expanded.ok) throw new Error('it is expanded')
  const read = readPlan(expanded.bytes, { file: 'p.md' })
  const findings = read.ok ? [] : read.findings
  expect(findings).toMatchObject([{ line: 12 }])
  expect(findings.map(relocateIn(expanded.located!))).toMatchObject([{ file: 'p.md', line: 6, column: 5 }])
})

test('a value with a metavariable is refused in the pattern of a refactoring', async () => {
  const text = `---
title: x
params: { call: {} }
steps:
  - refactor: { pattern: "log(\${{ params.call }})", rewrite: "\${{ params.call }}", language: typescript, over: ["src/**"] }
---
`
  expect(await problems(text, 'call=f($A)')).toEqual([
    '5: the value of call has a metavariable such as `$A`, which would match any code',
    '5: the value of call has a metavariable such as `$A`, which would match any code',
  ])
  expect((await planOf(text, 'call=price$')).steps).toHaveLength(1)
})
