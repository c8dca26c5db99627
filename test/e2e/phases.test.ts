// Phases, deliverables, every kind of check with its evidence, and keys that readers have to see.

import { expect } from 'vitest'
import { planShape } from '../../src/plan/file/schema.ts'
import { stepShape } from '../../src/plan/model/schema-types.ts'
import { readPlan } from '../../src/plan/file/read-plan.ts'
import { assessRisk } from '../../src/judge/plan/risk.ts'
import { pullRequestBody } from '../../src/view/pull-request.ts'
import { defaultPolicy } from '../../src/plan/config/approval-policy.ts'
import { planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

const start = (repo: TestRepo, steps: string, more = '', args: readonly string[] = []): Promise<Ran> => {
  repo.write('../p.md', planText(steps, more))
  return repo.plan(['start', '../p.md', '--approve', ...args])
}
const errorsOf = async (repo: TestRepo): Promise<Record<string, string | null>> => {
  const { steps } = (await repo.json(['status', 'p'])) as unknown as { steps: { id: string; error: string | null }[] }
  return Object.fromEntries(steps.map(({ id, error }) => [id, error]))
}

test('a design step is judged by what it leaves: files that exist, are not empty and parse', async ({ repo }) => {
  const design = (id: string, run: string, more: string): string =>
    `  - {id: ${id}, needs: [], phase: design, allow_failure: true, run: '${run}', ${more}}`
  const ran = await start(
    repo,
    [
      design(
        'good',
        'mkdir -p docs; echo "# Title" > docs/a.md; echo "{}" > docs/a.json',
        'deliverables: ["docs/*.json"]',
      ),
      design('none', 'true', 'files: ["src/**"]'),
      design('empty', 'touch empty.md', 'files: [empty.md]'),
      design('broken', 'echo "{" > broken.json', 'deliverables: [broken.json]'),
      '  - {id: built, needs: [], allow_failure: true, run: "true", deliverables: [out/app.js]}',
    ].join('\n'),
    'preflight: exit 7\n',
  )
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('the preflight commands are not run: the plan begins with a design step')
  const errors = await errorsOf(repo)
  expect(errors['good']).toBeNull()
  expect(errors['none']).toContain('src/** is declared in `files` but matches no file')
  expect(errors['empty']).toContain('empty.md is declared in `files` but is empty')
  expect(errors['broken']).toContain('broken.json does not parse: line ')
  expect(errors['built']).toContain('out/app.js is declared in `deliverables` but does not exist')
})

test('the deliverables of the plan are checked before it is completed', async ({ repo }) => {
  const ran = await start(repo, '  - {id: a, run: "echo 1 > made"}', 'deliverables: [made, "docs/*.md"]\n')
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('docs/*.md is declared in `deliverables` but matches no file')
})

test('deliverables are checks with evidence in the report', async ({ repo }) => {
  const steps = [
    '  - {id: a, run: "mkdir docs; echo 1 > docs/a.md; echo 2 > docs/b.md", deliverables: ["docs/*.md"], verify: "true"}',
    '  - {id: none, needs: [], run: "true", deliverables: [gone.md], allow_failure: true}',
  ].join('\n')
  const ran = await start(repo, steps, 'deliverables: [docs/a.md]\nverify: [{exists: docs/b.md}]\n')
  expect(ran.code, ran.all).toBe(0)
  expect(await repo.json(['report', 'p'])).toMatchObject({
    checks: [
      {
        step: 'a',
        kind: 'deliverables',
        check: 'not empty: docs/*.md',
        result: 'held',
        detail: 'docs/a.md, docs/b.md',
      },
      { step: 'a', kind: 'verify', result: 'held' },
      { step: 'none', kind: 'deliverables', result: 'failed' },
      { step: null, kind: 'deliverables', check: 'not empty: docs/a.md', result: 'held', detail: 'docs/a.md' },
      { step: null, kind: 'verify', result: 'held' },
    ],
  })
})

test('if the configuration asks for tests, an implementation needs one and a design does not', async ({ repo }) => {
  repo.write('.plans/config.yml', 'version: 1\nrequire: [tests]\n')
  repo.commit('Configure')
  const ran = await start(
    repo,
    '  - {id: draw, phase: design, run: "echo x > x", deliverables: [x]}\n  - {id: build, phase: implementation, run: "true"}',
  )
  expect(ran.code, ran.all).toBe(2)
  expect(ran.all).toContain('build has no `test`')
  expect(ran.all).not.toContain('draw has no `test`')
})

test('every kind of check passes with evidence, fails with a reason, and is shown in the report', async ({ repo }) => {
  repo.write('package.json', '{"dependencies": {"left-pad": "^1"}, "devDependencies": {"vitest": "^4"}}\n')
  repo.write('py/pyproject.toml', '[project]\nname = "x"\nversion = "1"\ndependencies = ["requests>=2"]\n')
  repo.write('Cargo.toml', '[dependencies]\nserde = "1"\n')
  repo.write('go.mod', 'module x\n\nrequire (\n\tgolang.org/x/text v0.3.0\n)\n')
  repo.write('src/a.ts', 'export const a = 1\n// TODO one\n// TODO two\n')
  repo.write('bad.json', '{')
  repo.write('empty', '')
  repo.commit('Files')
  const good = [
    ['{run: "echo fine"}', 'exit code 0: fine'],
    ['{exists: a.txt}', 'a.txt, 6 bytes'],
    ['{absent: nothing}', 'nothing does not exist'],
    ['{not_empty: src}', 'src'],
    ['{contains: {file: src/a.ts, pattern: "TODO .*"}}', 'src/a.ts:2: // TODO one'],
    ['{lacks: {file: src/a.ts, pattern: FIXME}}', 'src/a.ts: no line matches'],
    ['{parses: src/a.ts}', 'src/a.ts parses as typescript'],
    ['{dependency: vitest}', 'package.json names vitest'],
    ['{dependency: {name: requests, in: py/pyproject.toml}}', 'py/pyproject.toml names requests'],
    ['{dependency: serde}', 'Cargo.toml names serde'],
    ['{dependency: golang.org/x/text}', 'go.mod names golang.org/x/text'],
    ['{size: {file: a.txt, min: 1b, max: 1kb}}', 'a.txt has 6 bytes'],
    ['{count: {files: "src/**", exactly: 1}}', '1 files match src/**: src/a.ts'],
    ['{count: {file: src/a.ts, pattern: TODO, max: 2}}', '2 lines of src/a.ts match /TODO/: line 2'],
  ] as const
  const bad = [
    ['{not_empty: empty}', 'empty is empty'],
    ['{parses: bad.json}', 'bad.json does not parse'],
    ['{dependency: {name: react, in: package.json}}', 'package.json does not name react'],
    ['{size: {file: a.txt, max: 5b}}', 'a.txt has 6 bytes; at most 5 are allowed'],
    ['{count: {files: "lib/**", min: 1}}', '0 files match lib/**; at least 1 are required'],
    ['{count: {file: src/a.ts, pattern: TODO, exactly: 1}}', '2 lines of src/a.ts match /TODO/'],
  ] as const
  const criteria = good.map(([check], at) => `      - {text: "criterion ${at}", verify: ${check}}`)
  const steps = [
    `  - id: good\n    run: "true"\n    criteria:\n${criteria.join('\n')}\n      - It reads well`,
    ...bad.map(([check], at) => `  - {id: bad-${at}, needs: [], run: "true", verify: [${check}], allow_failure: true}`),
  ]
  const ran = await start(repo, steps.join('\n'))
  expect(ran.code, ran.all).toBe(0)
  const errors = await errorsOf(repo)
  for (const [at, [, why]] of bad.entries()) expect(errors[`bad-${at}`]).toContain(why)
  const { checks } = (await repo.json(['report', 'p'])) as unknown as {
    checks: { check: string; result: string; detail: string | null }[]
  }
  for (const [at, [, evidence]] of good.entries())
    expect(checks.find(({ check }) => check === `criterion ${at}`)).toMatchObject({ result: 'held', detail: evidence })
  const report = (await repo.plan(['report', 'p'])).stdout
  expect(report).toMatch(/\| good \| criteria \| criterion 4 \| verified \| `\w{7}` src\/a\.ts:2: \/\/ TODO one \|/)
  expect(report).toMatch(/\| good \| criteria \| It reads well \| waits for a person \|/)
})

/** A value for every key that a person may write, with a word that must be seen. */
const planValues: Record<string, string> = {
  version: '1',
  plan: 'p',
  tools: '[seen-plan-tool]',
  title: 'seen-title',
  base: 'main',
  request: 'seen-request',
  goal: 'seen-goal',
  owner: 'seen-owner',
  deliverables: '[seen-deliverables]',
  notes: 'seen-notes',
  meta: '{key: seen-meta}',
  params: '{key: seen-params}',
  context: '[seen-context]',
  requires: '[seen-requires]',
  setup: 'seen-setup',
  setup_inputs: '[seen-inputs]',
  preflight: 'seen-preflight',
  test: '{run: "seen-test {scope}", scope: seen-scope}',
  on_failure: 'rollback-all',
  verify: '{exists: seen-verify}',
}
const stepValues: Record<string, string> = {
  id: 'seen-id',
  title: 'seen-step-title',
  needs: '[before]',
  files: '[seen-files]',
  changes: 'some',
  verify: '{exists: seen-step-verify}',
  criteria: '[seen-criteria]',
  test: '{run: "seen-step-test {scope}", scope: seen-step-scope, report: seen-report}',
  timeout: '77m',
  retries: '7',
  limits: '{memory: 77mb}',
  env: '{SEEN: seen-env}',
  secrets: '[SEEN_SECRET]',
  effect: 'external',
  idempotent: 'true',
  probe: 'seen-probe',
  undo: 'seen-undo',
  goal: 'seen-step-goal',
  deliverables: '[seen-step-deliverables]',
  context: '[seen-step-context]',
  notes: 'seen-step-notes',
  owner: 'seen-step-owner',
  phase: 'implementation',
  uses: '[seen-uses]',
  alone: 'true',
  cache: '{inputs: [seen-cache]}',
  pause: 'true',
  allow: '[seen-allow]',
  allow_failure: 'true',
  meta: '{key: seen-step-meta}',
  params: '{key: seen-step-params}',
  risk: 'CRITICAL',
}
/** Written by git plan itself, or shown as the steps. */
const written = ['status', 'state', 'steps', 'sources']
/** Keys that show themselves in other words. */
const words: Record<string, string> = {
  version: '',
  on_failure: 'rollback-all',
  needs: 'before',
  changes: 'some',
  timeout: '1h17m',
  retries: 'retries: 7',
  limits: `memory ${77 * 1024 * 1024} bytes`,
  secrets: 'SEEN_SECRET',
  effect: 'external',
  idempotent: 'idempotent',
  alone: 'alone',
  pause: 'pause',
  allow_failure: 'allow_failure',
  phase: 'implementation',
  risk: 'CRITICAL',
  base: 'main',
  plan: 'p',
}
const seen = (key: string, value: string): string[] => {
  const own = words[key]
  return own === undefined ? [...value.matchAll(/seen-[a-z-]+/g)].map(([word]) => word) : [own]
}
const forPeople = ['goal', 'deliverables', 'owner', 'context', 'meta', 'notes']

test('no key of a plan is shown nowhere: show and the pull request have all, status and report those for people', async ({
  repo,
}) => {
  const expected = (shape: object, except: readonly string[]): string[] =>
    Object.keys(shape)
      .filter((key) => !except.includes(key))
      .toSorted()
  expect(Object.keys(planValues).toSorted()).toEqual(expected(planShape, written))
  expect(Object.keys(stepValues).toSorted()).toEqual(expected(stepShape, []))
  const lines = (values: Record<string, string>, indent: string): string =>
    Object.entries(values)
      .map(([key, value]) => `${indent}${key}: ${value}\n`)
      .join('')
  const text = `---\n${lines(planValues, '')}steps:\n  - {id: before, run: "true"}\n  - run: seen-run\n${lines(stepValues, '    ')}---\n`
  repo.write('../p.md', text)
  const read = readPlan(Buffer.from(text), { file: '.plans/p.md' })
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  const body = pullRequestBody(read.plan, assessRisk(read.plan, []), {
    tip: '0'.repeat(40),
    requirement: defaultPolicy.levels.HIGH,
    isResultAsked: false,
  })
  const fresh = await repo.plan(['new', '--from', '../p.md'])
  expect(fresh.code, fresh.all).toBe(0)
  const { stdout: shown, stderr } = await repo.plan(['show', 'p'])
  expect(stderr).toBe('')
  for (const [values, isStep] of [
    [planValues, false],
    [stepValues, true],
  ] as const)
    for (const [key, value] of Object.entries(values))
      for (const word of seen(key, value)) {
        // The title and the base of the plan are those of the pull request.
        if (isStep || !['title', 'base'].includes(key))
          expect(body, `${isStep ? 'step' : 'plan'} ${key} in the pull request`).toContain(word)
        expect(shown, `${isStep ? 'step' : 'plan'} ${key} in show`).toContain(word)
      }
  for (const command of ['status', 'report']) {
    const { stdout, code, all } = await repo.plan([command, 'p'])
    expect(code, all).toBe(0)
    for (const values of [planValues, stepValues])
      for (const key of [...forPeople, ...(values === stepValues ? ['phase'] : ['request'])])
        for (const word of seen(key, values[key] ?? '')) expect(stdout, `${key} in ${command}`).toContain(word)
  }
})
