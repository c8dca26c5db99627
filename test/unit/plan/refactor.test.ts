import { describe, expect, test } from 'vitest'
import { fenced, findingsOf, parsed } from '../../helpers/plans.ts'
import { perform, world } from '../../helpers/verb-world.ts'
import { applyFix } from '../../../src/judge/refactor/apply-fix.ts'
import { claimsOf, overlapping } from '../../../src/judge/plan/claims.ts'
import { assessRisk } from '../../../src/judge/plan/risk.ts'
import { literalsIn } from '../../../src/plan/refactor/literals.ts'
import { readRule } from '../../../src/plan/refactor/rewrite-rule.ts'

const step = (keys: string): string => `refactor:\n  ${keys.trim().replaceAll('\n', '\n  ')}`
const pattern = (from: string, to: string, more = '', language = 'typescript'): string =>
  step(`pattern: '${from}'\nrewrite: '${to}'\nlanguage: ${language}\nover: ['src/**']\n${more}`)
const problems = (yaml: string): (string | undefined)[] =>
  findingsOf(fenced(`steps:\n  - ${yaml.trim().replaceAll('\n', '\n    ')}`)).map(({ message }) => message)

describe('a pattern', () => {
  test('is found by structure and rewritten, also inside a match and with other white space', async () => {
    const { context, content } = world({
      'src/a.ts': "add( add(1, 2),\n  'é')\n// add(1, 2)\nconst s = 'add(1, 2)'\n",
      'src/b.tsx': 'export const b = <p>{add(1, 2)}</p>\n',
      'src/add.md': 'add(1, 2)\n',
      'lib/c.ts': 'add(1, 2)\n',
    })
    expect(await perform(pattern('add($A, $B)', 'plus($B, $A)'), context)).toEqual({
      kind: 'performed',
      writes: ['src/a.ts', 'src/b.tsx'],
      summary: '3 places in 2 files',
    })
    expect(content()).toEqual({
      'src/a.ts': "plus('é', plus(2, 1))\n// add(1, 2)\nconst s = 'add(1, 2)'\n",
      'src/b.tsx': 'export const b = <p>{plus(2, 1)}</p>\n',
      'src/add.md': 'add(1, 2)\n',
      'lib/c.ts': 'add(1, 2)\n',
    })
  })
  test.each([
    ['javascript', 'js', 'f(1, 2, 3)\n', 'f($$$A)', 'g($$$A, 4)', 'g(1, 2, 3, 4)\n'],
    [
      'python',
      'py',
      'def a():\n    if x:\n        log(1)\n',
      'log($A)',
      'print($A)',
      'def a():\n    if x:\n        print(1)\n',
    ],
    ['go', 'go', 'package a\nfunc b() { f(1) }\n', 'f($A)', 'g($A)', 'package a\nfunc b() { g(1) }\n'],
    ['rust', 'rs', 'fn a() { b.unwrap(); }\n', '$A.unwrap()', '$A.expect("b")', 'fn a() { b.expect("b"); }\n'],
    [
      'java',
      'java',
      'class A { void b() { c.d(1); } }\n',
      '$A.d($B)',
      '$A.e($B)',
      'class A { void b() { c.e(1); } }\n',
    ],
    ['ruby', 'rb', 'a.each { |b| puts b }\n', 'puts $A', 'log $A', 'a.each { |b| log b }\n'],
    ['css', 'css', 'a { color: red; }\n', 'color: $A;', 'background: $A;', 'a { background: red; }\n'],
    ['html', 'html', '<p><b>x</b></p>\n', '<b>$A</b>', '<i>$A</i>', '<p><i>x</i></p>\n'],
    ['yaml', 'yaml', 'a:\n  b: 1\n', 'b: $A', 'c: $A', 'a:\n  c: 1\n'],
  ])('of %s', async (language, ending, before, from, to, after) => {
    const { context, content } = world({ [`src/a.${ending}`]: before })
    expect(await perform(pattern(from, to, '', language), context)).toMatchObject({ kind: 'performed' })
    expect(content()).toEqual({ [`src/a.${ending}`]: after })
  })
  test.each([
    ['no match', pattern('nothing($A)', 'x($A)'), 'no match in 2 files of typescript'],
    [
      'too many',
      pattern('f($A)', 'g($A)', 'expect: 2'),
      '3 matches in 2 files, expected 2: src/a.ts:1:1, src/a.ts:2:3, src/b.ts:1:1',
    ],
    ['too few', pattern('f($A)', 'g($A)', 'expect: 4..9'), 'expected 4 to 9'],
    ['out of a range', pattern('f($A)', 'g($A)', 'expect: {max: 2}'), 'expected 1 to 2'],
    [
      'no file of the language',
      pattern('f($A)', 'g($A)', '', 'go'),
      'none of the 2 files that match src/** is a file of go',
    ],
    ['no file', pattern('f($A)', 'g($A)').replace('src/**', 'lib/**'), 'no tracked file matches lib/**'],
    ['a pattern that does not parse', pattern('f(($A', 'g($A)'), 'the pattern does not parse as typescript'],
    ['two nodes', pattern('f($A) g($B); h', 'x'), 'Multiple AST nodes'],
    ['the same text', pattern('f($A)', 'f($A)'), 'changes none of the 3 matches'],
  ])('%s: nothing is changed', async (_, yaml, message) => {
    const files = { 'src/a.ts': 'f(1)\n  f(2)\n', 'src/b.ts': 'f(3)\n' }
    const { context, content } = world(files)
    expect(await perform(yaml, context)).toMatchObject({
      kind: 'failed',
      reason: 'verb',
      message: expect.stringContaining(message),
      place: { path: ['refactor', 'pattern'] },
    })
    expect(content()).toEqual(files)
  })
  test('files that are too large or not UTF-8 are skipped and named', async () => {
    const { context } = world({
      'src/a.ts': 'f(1)\n',
      'src/big.ts': `f(1)\n${'// x\n'.repeat(300_000)}`,
      'src/latin.ts': new Uint8Array([...Buffer.from('f(1) // '), 0xe9]),
    })
    expect(await perform(pattern('f($A)', 'g($A)', 'expect: 1..5'), context)).toEqual({
      kind: 'performed',
      writes: ['src/a.ts'],
      summary: '1 place in 1 file',
      warning: 'not searched: src/big.ts (larger than 1 MB), src/latin.ts (not UTF-8)',
    })
  })
  test('only files with all of its words are parsed', async () => {
    expect(literalsIn('await fetch($URL, { method: $$$REST })')).toEqual(['await', 'fetch', 'method'])
    const { context } = world({ 'src/a.ts': 'f(1)\n', 'src/b.ts': 'x\n', 'src/c.ts': 'g(1)\n' })
    const seen: string[] = []
    const counted: typeof context = {
      ...context,
      rewrite: (text, request) => {
        seen.push(text)
        return context.rewrite(text, request)
      },
    }
    await perform(pattern('f($A)', 'g($A)'), counted)
    expect(seen).toEqual(['', 'f(1)\n'])
  })
})

describe('a rule file', () => {
  const rule = `id: no-log
language: TypeScript
rule:
  pattern: log($A)
  not: {inside: {kind: class_body, stopBy: end}}
constraints:
  A: {kind: string}
transform:
  UPPER: {convert: {source: $A, toCase: upperCase}}
fix: warn($UPPER)
`
  const files = { 'rules/log.yml': rule, 'src/a.ts': "log('a')\nlog(1)\nclass B { c() { log('d') } }\n" }
  const use = step('rule: rules/log.yml\nover: [src/**]')
  test('finds, constrains, transforms and fixes', async () => {
    const { context, content } = world(files)
    expect(await perform(use, context)).toMatchObject({ kind: 'performed', summary: '1 place in 1 file' })
    expect(content()['src/a.ts']).toBe("warn('A')\nlog(1)\nclass B { c() { log('d') } }\n")
  })
  test.each([
    ['language: cobol\nrule: {pattern: a}\nfix: b', 'its `language` must be one of'],
    ['language: go\nrule: {pattern: a}', 'it has no `fix`'],
    ['language: go\nrule: {pattern: a}\nfix: b\nfiles: [x]', '`files` is not supported'],
    ['language: go\nfix: b', 'it has no `rule`'],
    ['a: [', 'line '],
    ['- a', 'a rule is a map'],
  ])('%j is refused', (text, message) => expect(readRule(text)).toContain(message))
  test('one that ast-grep refuses, and one that is missing', async () => {
    const bad = world({ ...files, 'rules/log.yml': 'language: ts\nrule: {kind: nonsense}\nfix: x' })
    expect(await perform(use, bad.context)).toMatchObject({
      message: expect.stringContaining('Kind `nonsense` is invalid'),
      place: { path: ['refactor', 'rule'] },
    })
    expect(await perform(use, world({ 'src/a.ts': '' }).context)).toMatchObject({
      message: 'cannot use the rule rules/log.yml: it does not exist',
    })
  })
})

describe('a codemod', () => {
  const use = (more = ''): string => step(`codemod: node mod.mjs\nover: ['src/**']\n${more}`)
  const files = { 'src/a.ts': 'a', "src/b's.ts": 'b', 'lib/c.ts': 'c' }
  const write = (tree: Map<string, Uint8Array>): void => void tree.set('src/a.ts', Buffer.from('A'))
  test('gets the files as arguments, and must change one', async () => {
    const { context, commands } = world(files, undefined, write)
    expect(await perform(use(), context)).toEqual({
      kind: 'performed',
      writes: ['src/a.ts'],
      summary: '1 file',
    })
    expect(commands).toEqual(["node mod.mjs src/a.ts src/b's.ts"])
    expect(await perform(use(), world(files).context)).toMatchObject({ message: 'the codemod changed none of 2 files' })
    expect(await perform(use('expect: 2'), world(files, undefined, write).context)).toMatchObject({
      message: 'the codemod changed 1 file, expected 2: src/a.ts',
    })
    expect(await perform(use(), world(files, { kind: 'exited', code: 3 }, write).context)).toMatchObject({
      reason: 'exit',
      message: 'the codemod exited with 3',
    })
    expect(await perform(use(), world({}).context)).toMatchObject({ message: 'no tracked file matches src/**' })
  })
  test('many files are given in parts', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`src/${'x'.repeat(60)}${index}.ts`, '']),
    )
    const { context, commands } = world(many)
    await perform(use(), context)
    expect(commands.length).toBeGreaterThan(1)
    expect(commands.every((command) => command.length < 131_072)).toBe(true)
    expect(commands.join(' ').match(/\.ts/g)).toHaveLength(3000)
  })
})

test.each([
  ["over: ['src/**']", 'a refactoring has exactly one of pattern, rule, codemod'],
  ["pattern: a\nrule: b\nover: ['src/**']", 'not pattern and rule'],
  ["pattern: a\nlanguage: go\nover: ['src/**']", '`pattern` needs `rewrite`'],
  ["pattern: a\nrewrite: b\nover: ['src/**']", '`pattern` needs `language`'],
  ["pattern: a\nrewrite: b\nlanguage: cobol\nover: ['src/**']", '`language` must be'],
  ["rule: a.yml\nrewrite: b\nover: ['src/**']", '`rewrite` goes with `pattern`'],
  ['pattern: f($A)\nrewrite: g($B)\nlanguage: go\nover: [src]', '`rewrite` has $B'],
  ['pattern: a\nrewrite: b\nlanguage: go', '`over` is missing'],
  ['rule: a.yml\nover: []', '`over` is empty'],
  ['rule: a.yml\nover: [../x]', 'must not contain `..`'],
  ['rule: ../a.yml\nover: [x]', 'must not contain `..`'],
  ['rule: a.yml\nover: [x]\nexpect: 0', 'minimum of 1'],
  ['rule: a.yml\nover: [x]\nexpect: 5..1', 'not larger than the second'],
  ['rule: a.yml\nover: [x]\nexpcet: 5', 'unknown key `expcet`'],
  ['codemod: "a\\nb"\nover: [x]', 'a codemod is one line'],
])('%j is refused', (keys, message) => {
  expect(problems(step(keys))).toEqual([expect.stringContaining(message)])
})

test('`over` is the scope: for claims of steps side by side, risk and critical paths', () => {
  expect(problems(`${pattern('f($A)', 'g($A)')}\nfiles: [src/**]`)).toEqual(['`files` does not go with `refactor`'])
  const yaml = `steps:
  - {id: a, needs: [], refactor: {pattern: f, rewrite: g, language: go, over: ['src/**']}}
  - {id: b, needs: [], edit: src/x.go, append: y}
  - {id: c, needs: [], refactor: {codemod: cat, over: ['lib/**']}}
  - {id: d, needs: [], refactor: {pattern: f, rewrite: g, language: yaml, over: ['.github/workflows/*']}}`
  const { plan } = parsed(fenced(yaml))
  const pairs = [...overlapping(plan.steps.flatMap(claimsOf))].map((pair) => pair.map((claim) => claim.step.id))
  expect(pairs).toEqual([['a', 'b']])
  const { steps } = assessRisk(plan, [])
  expect(plan.steps.map(({ id }) => steps.get(id)?.risk)).toEqual(['MEDIUM', 'MEDIUM', 'HIGH', 'CRITICAL'])
})

describe('the replacement', () => {
  test('keeps the indentation of a template with several lines and of captured lines', () => {
    const text = '  run(() => {\n    a()\n  })\n'
    const captures = new Map([['A', { start: text.indexOf('()'), end: text.length - 2 }]])
    const match = { start: 2, end: text.length - 1, captures }
    expect(applyFix(text, [match], 'try {\n  run($A)\n} catch {}')).toBe(
      '  try {\n    run(() => {\n      a()\n    })\n  } catch {}\n',
    )
  })
  test('that doubles with every level is given up', () => {
    const depth = 60
    const text = `${'f('.repeat(depth)}x${')'.repeat(depth)}`
    const matches = Array.from({ length: depth }, (_, level) => ({
      start: 2 * level,
      end: text.length - level,
      captures: new Map([['A', { start: 2 * level + 2, end: text.length - level - 1 }]]),
    }))
    expect(applyFix(text, matches, 'f($A, $A)')).toBeUndefined()
  })
})
