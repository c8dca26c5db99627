import { describe, expect, test } from 'vitest'
import { drawn } from '../../helpers/drawn-secrets.ts'
import { fenced, findingsOf, parsed, rulesOf } from '../../helpers/plans.ts'

const full = `---
version: 1
plan: add-rate-limiting             # the id
title: Add rate limiting to the public API
base: main
request: Add rate limits to the API
meta: { ticket: API-214, team: edge }
context: [docs/adr/0012-limits.md]
requires: [node, npm]
setup: npm ci
setup_inputs: [package-lock.json]
preflight: [npm test]
test: npm test
on_failure: stop
steps:
  - id: middleware
    title: Write the middleware
    create: src/limit.ts
    content: |
      export const limiter = 1
    verify:
      - exists: src/limit.ts
      - contains: { file: src/limit.ts, pattern: "export const limiter" }
  - id: wire
    title: Use it in the app
    needs: [middleware]
    edit: src/app.ts
    replace: app.use(router)
    with: |
      app.use(limiter)
      app.use(router)
    test: true
    criteria:
      - It looks right
      - text: The defaults are named
        verify: { contains: { file: docs/api.md, pattern: "100 requests" } }
  - id: test
    title: Run the tests
    needs: [wire]
    run: npm test
    changes: none
    timeout: 5m
    retries: 1
verify: [npm run lint]
status: active
state:
  middleware: done
---

Why.
`

describe('a plan', () => {
  test('is read with every value where it belongs', () => {
    const { plan } = parsed(full, { file: '.plans/add-rate-limiting.md', id: 'add-rate-limiting' })
    expect(plan).toMatchObject({
      id: 'add-rate-limiting',
      title: 'Add rate limiting to the public API',
      base: 'main',
      meta: { ticket: 'API-214', team: 'edge' },
      preflight: ['npm test'],
      setupInputs: ['package-lock.json'],
      verify: [{ kind: 'run', command: 'npm run lint' }],
      status: 'active',
      prose: '\nWhy.\n',
    })
    expect([...plan.state]).toEqual([['middleware', 'done']])
    expect(plan.steps.map((step) => [step.id, step.verb, step.wave, step.changes, step.test])).toEqual([
      ['middleware', 'create', 0, 'any', undefined],
      ['wire', 'edit', 1, 'any', 'npm test'],
      ['test', 'run', 2, 'none', undefined],
    ])
    expect(plan.steps[0]?.verify).toEqual([
      { kind: 'exists', path: 'src/limit.ts' },
      { kind: 'contains', file: 'src/limit.ts', pattern: 'export const limiter' },
    ])
    expect(plan.steps[1]?.criteria).toEqual([
      { text: 'It looks right', verify: [] },
      { text: 'The defaults are named', verify: [{ kind: 'contains', file: 'docs/api.md', pattern: '100 requests' }] },
    ])
  })

  test('takes what it leaves out from its file, its prose and its verbs', () => {
    const { plan, source } = parsed(
      fenced(
        'steps:\n  - run: npm test\n  - run: npm test\n  - create: src/ä.ts\n    content: x\n    id: npm-test-2\n  - run: "!!!"\n  - gate: Ship it?',
        '\n```\n# not this\n```\n\n## The **plan** ##\n',
      ),
      {
        file: 'plans/My Plan.md',
        base: 'trunk',
      },
    )
    expect(plan).toMatchObject({ id: 'my-plan', title: 'The **plan**', base: 'trunk', status: 'proposed' })
    expect(plan.steps.map((step) => [step.id, step.title, step.needs])).toEqual([
      ['npm-test', 'Run npm test', []],
      ['npm-test-3', 'Run npm test', ['npm-test']],
      ['npm-test-2', 'Create src/ä.ts', ['npm-test-3']],
      ['run', 'Run !!!', ['npm-test-2']],
      ['gate-ship-it', 'Ship it?', ['run']],
    ])
    expect(plan.steps[4]?.changes).toBe('none')
    expect(source.derived).toEqual({ plan: true, title: true, base: true })
  })

  test('gets no name from a text with a token or a password in it', () => {
    const token = `ghp_${drawn('word', 36)}`
    const steps = [
      'echo one',
      `curl -H ${token}`,
      'git clone https://me:hunter2x@acme.io/a',
      `x ${Buffer.from(token).toString('base64')}`,
      'echo "$TOKEN"',
    ]
    const text = `---\nsteps:\n${steps.map((step) => `  - run: '${step}'\n`).join('')}---\n\n# Use ${token}\n`
    const { plan } = parsed(text, { file: `.plans/use-${token}.md` })
    expect(plan).toMatchObject({ id: 'plan', title: 'plan' })
    expect(plan.steps.map((step) => [step.id, step.title])).toEqual([
      ['echo-one', 'Run echo one'],
      ['run', 'run'],
      ['run-2', 'run-2'],
      ['run-3', 'run-3'],
      ['echo-token', 'Run echo "$TOKEN"'],
    ])
  })

  test('is titled by its id where there is no heading', () => {
    expect(parsed(fenced('steps:\n  - run: x'), { file: 'con.md' }).plan).toMatchObject({
      id: 'plan-con',
      title: 'plan-con',
    })
  })

  test('has places for its parts', () => {
    const { source } = parsed(full)
    expect(source.place(['steps', 1, 'replace'])).toEqual({ line: 28, column: 14 })
    expect(source.place(['steps', 1, 'replace'], { key: true })).toEqual({ line: 28, column: 5 })
    expect(source.place(['steps', 1, 'nothing'])).toEqual({ line: 24, column: 5 })
    expect(source.steps.map((step) => step.line)).toEqual([16, 24, 37])
  })

  test('must be the plan that it is read as', () => {
    expect(findingsOf(full, { file: 'x.md', id: 'other' })).toMatchObject([
      { rule: 'plan-mismatch', line: 3, file: 'x.md' },
    ])
  })

  test.each(['\n', '\r\n'])(
    'keeps its front matter and prose apart where hundreds of blank lines are around the fences',
    (eol) => {
      const blank = eol.repeat(300)
      const { plan, source } = parsed(
        `---${eol}${blank}steps:${eol}  - run: x${eol}${blank}---${eol}${blank}Prose${eol}`,
      )
      expect(plan).toMatchObject({ steps: [{ verb: 'run' }], prose: `${blank}Prose${eol}` })
      expect(source.text.slice(source.matterEnd)).toBe(`---${eol}${blank}Prose${eol}`)
    },
  )

  test('can be as short as two commands', () => {
    const shortest = '---\nsteps:\n  - run: npx prettier -w .\n  - run: npm test\n---\n'
    expect(parsed(shortest).plan.steps.map((step) => step.id)).toEqual(['npx-prettier-w', 'npm-test'])
  })
})

describe('the executor’s tail', () => {
  test.each([
    ['status before steps', 'status: proposed\nsteps:\n  - run: x'],
    ['state before status', 'steps:\n  - run: x\nstate: {}\nstatus: proposed'],
    ['state alone', 'steps:\n  - run: x\nstate: {}'],
    ['a key behind it', 'steps:\n  - run: x\nstatus: proposed\nstate: {}\ntitle: x'],
    ['a quoted key', 'steps:\n  - run: x\n"status": proposed\nstate: {}'],
  ])('%s is refused', (_, matter) => {
    expect(rulesOf(fenced(matter))).toContain('tail-not-last')
  })
  test('keys that are indented or in braces leave no place for it', () => {
    expect(rulesOf(fenced('  steps:\n    - run: x'))).toEqual(['bad-indent'])
    expect(rulesOf(fenced('{steps: [{run: x}]}'))).toEqual(['bad-yaml'])
  })
  test('it names known steps and statuses only', () => {
    expect(findingsOf(fenced('steps:\n  - {id: a, run: x}\nstatus: active\nstate:\n  b: done'))).toMatchObject([
      { rule: 'unknown-step', line: 6, column: 3 },
    ])
    expect(findingsOf(fenced('steps:\n  - {id: a, run: x}\nstatus: active\nstate:\n  a: doen'))).toMatchObject([
      { rule: 'bad-value', line: 6, advice: 'did you mean `done`?' },
    ])
  })
})

describe('what belongs together', () => {
  test.each([
    ['two verbs', 'steps:\n  - run: x\n    gate: y', 'two-verbs'],
    ['test: true without a test', 'steps:\n  - run: x\n    test: true', 'missing-test'],
    ['probe without an effect', 'steps:\n  - run: x\n    probe: y', 'effect-only'],
    ['undo without an effect', 'steps:\n  - run: x\n    effect: tree\n    undo: y', 'effect-only'],
    ['idempotent without an effect', 'steps:\n  - run: x\n    idempotent: true', 'effect-only'],
    ['a check with two kinds', 'steps:\n  - run: x\n    verify: { exists: a, absent: b }', 'bad-value'],
    ['a check with none', 'steps:\n  - run: x\n    verify: [{}]', 'bad-value'],
    [
      'a pattern that does not compile',
      'steps:\n  - run: x\n    verify: { contains: { file: a, pattern: "(" } }',
      'bad-value',
    ],
    ['an environment variable of git', 'steps:\n  - run: x\n    env: { GIT_DIR: a }', 'bad-value'],
    ['an environment variable of ours', 'steps:\n  - run: x\n    env: { PLAN_ID: a }', 'bad-value'],
    ['a number as environment', 'steps:\n  - run: x\n    env: { A: 1 }', 'wrong-type'],
    ['a secret with a bad name', 'steps:\n  - run: x\n    secrets: [a b]', 'bad-value'],
    ['too many retries', 'steps:\n  - run: x\n    retries: 11', 'bad-value'],
    ['another version', 'version: 2\nsteps:\n  - run: x', 'bad-value'],
    ['no steps', 'steps: []', 'bad-value'],
    ['a branch with an option for a name', 'base: --upload-pack=x\nsteps:\n  - run: x', 'bad-value'],
    ['an edit in two ways', 'steps:\n  - edit: a\n    append: b\n    diff: c', 'bad-value'],
    ['an edit in no way', 'steps:\n  - edit: a', 'bad-value'],
    ['a replacement without its text', 'steps:\n  - edit: a\n    replace: b', 'bad-value'],
    ['an insertion without its place', 'steps:\n  - edit: a\n    insert: b', 'bad-value'],
    ['a key of another way', 'steps:\n  - edit: a\n    append: b\n    all: true', 'bad-value'],
    ['lines in the wrong order', 'steps:\n  - edit: a\n    lines: 5-3\n    with: b', 'bad-value'],
    ['an expression that does not compile', 'steps:\n  - edit: a\n    match: "("\n    with: b', 'bad-value'],
    [
      'a diff for another file',
      'steps:\n  - edit: a\n    diff: |\n      --- a/b\n      +++ b/b\n      @@ -1 +1 @@\n      -x\n      +y',
      'bad-value',
    ],
    ['a move to where it is', 'steps:\n  - move: a\n    to: a', 'bad-value'],
    ['a step that is text', 'steps:\n  - npm test', 'wrong-type'],
  ])('%s is refused', (_, matter, rule) => {
    const findings = findingsOf(fenced(matter))
    expect(findings.map((finding) => finding.rule)).toEqual([rule])
    expect(findings[0]?.line).toBeGreaterThan(1)
  })
})
