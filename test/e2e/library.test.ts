// The library, as a program that installed the package sees it.

import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type * as GitPlan from '../../src/index.ts'
import { keysOf } from '../../src/adapters/library/request.ts'
import { commands } from '../../src/commands/table/index.ts'
import { bin, planText, test, type TestRepo } from '../helpers/repo.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const load = (): Promise<typeof GitPlan> =>
  import(pathToFileURL(join(dirname(bin), 'index.mjs')).href) as Promise<typeof GitPlan>

/** `git-plan` where a program beside the repository finds it. */
function install(repo: TestRepo): string {
  const project = join(repo.home, 'project')
  const installed = join(project, 'node_modules', 'git-plan')
  mkdirSync(installed, { recursive: true })
  copyFileSync(join(root, 'package.json'), join(installed, 'package.json'))
  symlinkSync(dirname(bin), join(installed, 'dist'))
  return project
}

test('the example of the documentation does what it says', async ({ repo }) => {
  const program = join(install(repo), 'library.mjs')
  copyFileSync(join(root, 'docs/examples/library.mjs'), program)
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: repo.dir, env: repo.env })
  expect(stdout.split('\n')).toEqual([
    'risk: HIGH',
    'refused: not-approved',
    'done: script',
    'failed: test: exit code 1',
    'done: test',
    'completed: 2 of 2',
    'files created: 1, attempts that failed: 1',
    'rolled back: rolled-back',
    'now: merged',
    '',
  ])
  expect(repo.git(['log', '--format=%s', '-1'])).toContain('Greet the world')
  expect(repo.status()).toBe('')
})

test('events and results are those of --json; what cannot be done is a PlanError; a signal stops a run that resume goes on with', async ({
  repo,
}) => {
  const { openPlans } = await load()
  const events: GitPlan.RunEvent[] = []
  const stop = new AbortController()
  const plans = openPlans({
    directory: repo.dir,
    env: repo.env,
    signal: stop.signal,
    now: () => new Date('2026-01-02T03:04:05Z'),
    onEvent: (event) => {
      events.push(event)
      if (event.kind === 'output') stop.abort()
    },
  })
  const text = planText(
    '  - id: one\n    run: echo 1 > one\n  - id: two\n    run: test -e ../go || { echo waiting; sleep 60; }\n  - id: three\n    run: echo 3 > three',
    'title: Three things\n',
  )
  const { data: proposed } = await plans.new({ text })
  expect(proposed).toMatchObject({ id: 'three-things', title: 'Three things', branch: 'plan/three-things' })
  await expect(plans.new({ text })).rejects.toMatchObject({ name: 'PlanError', code: 'plan-exists', exitCode: 2 })
  await expect(plans.status({ plan: 'nope' })).rejects.toMatchObject({ code: 'unknown-plan' })

  const interrupted = await plans.start({ plan: 'three-things', approve: true })
  expect(interrupted).toMatchObject({
    kind: 'report',
    exitCode: 130,
    data: { end: 'interrupted', progress: { done: 1, total: 3 } },
    nextCommands: ['git plan resume three-things'],
  })
  expect(events.map((event) => event.kind)).toEqual([
    'run-started',
    'step-started',
    'step-done',
    'step-started',
    'output',
    'step-failed',
    'run-ended',
  ])
  expect(repo.status()).toBe('')

  repo.write('../go', '')
  const again = openPlans({ directory: repo.dir, env: repo.env })
  expect(await again.resume({ plan: 'three-things' })).toMatchObject({
    exitCode: 0,
    data: { end: 'completed', seen: 'completed' },
  })
  const { data: status } = await again.status({ plan: 'three-things' })
  const printed = await repo.json(['status', 'three-things'])
  expect(printed).toMatchObject(JSON.parse(JSON.stringify(status)) as object)
  expect((await again.list({ status: 'completed' })).data.plans.map(({ id }) => id)).toEqual(['three-things'])
  expect((await again.diff({ plan: 'three-things', step: 'three' })).data.diff).toContain('+3')
})

test('a listener that throws stops the run in order, and a name that is no plan is no file', async ({ repo }) => {
  const { openPlans } = await load()
  repo.write('.plans/file.md', planText('  - run: echo > ran'))
  repo.commit('A plan file')
  const trouble = new Error('the listener broke')
  const plans = openPlans({
    directory: repo.dir,
    env: repo.env,
    onEvent: (event) => {
      if (event.kind === 'output') throw trouble
    },
  })
  await plans.new({ text: planText('  - id: one\n    run: echo said; sleep 60'), id: 'loud' })
  await expect(plans.start({ plan: 'loud', approve: true })).rejects.toBe(trouble)
  expect((await plans.status({ plan: 'loud' })).data).toMatchObject({ seen: 'approved', holder: null })
  for (const plan of ['.plans/file.md', '-', 'nope'])
    await expect(plans.start({ plan, approve: true })).rejects.toMatchObject({ name: 'PlanError' })
  await expect(plans.diff({ plan: 'one' })).rejects.toMatchObject({ code: 'unknown-plan' })
  expect((await plans.list()).data.plans.map(({ id }) => id)).toEqual(['loud'])
})

/** Every key of the requests of a method, also of its overloads. */
type KeysOf<R> = R extends unknown ? keyof R : never
type RequestsOf<F> = F extends {
  (request: infer A, ...rest: never): unknown
  (request: infer B, ...rest: never): unknown
  (request: infer C, ...rest: never): unknown
}
  ? A | B | C
  : never
type Keys = {
  [M in keyof GitPlan.Plans]: Readonly<Record<KeysOf<NonNullable<RequestsOf<GitPlan.Plans[M]>>>, true>>
}

/** The keys of the types: the compiler refuses one that is missing or superfluous, and the test compares the table. */
const run = {
  approve: true,
  wait: true,
  autostash: true,
  keepGoing: true,
  jobs: true,
  failFast: true,
  noCache: true,
  more: true,
  keepTree: true,
  push: true,
  takeOver: true,
  dryRun: true,
  skipCheck: true,
} as const
const typed: Keys = {
  init: { hooks: true },
  new: { title: true, text: true, file: true, template: true, param: true, id: true, agent: true, model: true },
  check: { plan: true, text: true, file: true, sarif: true, against: true, param: true },
  template: { action: true, name: true, user: true },
  compose: { plans: true, output: true, parallel: true, title: true },
  import: { source: true, as: true, id: true, output: true, dryRun: true },
  submit: { plan: true, ready: true },
  fetch: { plan: true, take: true },
  approve: { plan: true, message: true, digest: true, sign: true, files: true, campaign: true },
  reject: { plan: true, message: true, digest: true },
  start: { plan: true, text: true, file: true, worktree: true, param: true, ...run },
  resume: {
    plan: true,
    retry: true,
    fromAttempt: true,
    continueSession: true,
    skip: true,
    done: true,
    fix: true,
    message: true,
    ...run,
  },
  next: {
    plan: true,
    done: true,
    failed: true,
    release: true,
    retry: true,
    fromAttempt: true,
    message: true,
    as: true,
    for: true,
    peek: true,
    wait: true,
    autostash: true,
    worktree: true,
    push: true,
    takeOver: true,
    skipCheck: true,
  },
  rollback: {
    plan: true,
    to: true,
    all: true,
    undo: true,
    keepEffects: true,
    push: true,
    takeOver: true,
    dryRun: true,
    message: true,
  },
  replan: { plan: true, text: true, file: true, message: true, param: true, agent: true, model: true },
  rebase: {
    plan: true,
    approve: true,
    wait: true,
    jobs: true,
    failFast: true,
    skipCheck: true,
    push: true,
    takeOver: true,
  },
  cancel: { plan: true, push: true, message: true },
  clone: { plan: true, newId: true },
  finish: {
    plan: true,
    mode: true,
    dryRun: true,
    keepBranch: true,
    ready: true,
    remote: true,
    push: true,
    deleteBranch: true,
    message: true,
  },
  delete: { plan: true, force: true },
  prune: { plan: true, now: true, worktrees: true, dryRun: true },
  archive: { plan: true, undo: true, push: true, message: true },
  list: { status: true, resumable: true, all: true, archived: true },
  status: { plan: true },
  show: { plan: true, graph: true, mermaid: true },
  log: { plan: true, output: true },
  wait: { plan: true, for: true, timeout: true },
  diff: { plan: true, step: true, all: true, spec: true, since: true },
  attempts: { plan: true, number: true, show: true, against: true },
  report: { plan: true, html: true, output: true },
  audit: { plan: true, range: true, rerun: true },
  metrics: { textfile: true },
  stats: { since: true, svg: true },
  mode: { action: true },
  guard: { agent: true, text: true },
  agents: { action: true, names: true, user: true, dryRun: true },
  context: { budget: true, hook: true },
  safety: { action: true, words: true, read: true, session: true, message: true },
  fleet: {
    action: true,
    words: true,
    jobs: true,
    param: true,
    approve: true,
    sign: true,
    digest: true,
    campaign: true,
    control: true,
    engine: true,
    wave: true,
    maxFailures: true,
    limit: true,
    failed: true,
    rebase: true,
    drain: true,
    textfile: true,
    message: true,
  },
  classify: { command: true },
  schema: {},
  config: {},
  cache: { action: true, plan: true },
  hooks: { action: true, names: true, shared: true },
  doctor: { unlock: true, restore: true },
}

test('every command but edit, completion, mcp, ui and browse is a method, with its options', async () => {
  const { openPlans } = await load()
  const offered = commands.filter(({ name }) => !['edit', 'completion', 'mcp', 'ui', 'browse'].includes(name))
  expect(Object.keys(openPlans())).toEqual(offered.map(({ name }) => name))
  expect(Object.fromEntries(Object.entries(typed).map(([name, keys]) => [name, Object.keys(keys).toSorted()]))).toEqual(
    Object.fromEntries(offered.map((command) => [command.name, [...keysOf(command).keys()].toSorted()])),
  )
})

test('an option that a command does not have, a wrong value and a missing plan are refused', async ({ repo }) => {
  const { openPlans } = await load()
  const plans = openPlans({ directory: repo.dir, env: repo.env }) as unknown as Record<
    string,
    (request?: object) => Promise<unknown>
  >
  const refused: [string, object | undefined, string][] = [
    ['start', { plan: 'p', aprove: true }, 'unknown option "aprove" for start; did you mean `approve`?'],
    ['list', { plan: 'p' }, 'unknown option "plan" for list'],
    ['start', { plan: 'p', approve: 'yes' }, 'approve must be true or false'],
    ['start', { plan: 'p', text: '---' }, 'text cannot be combined with another target'],
    ['resume', { plan: 'p', skipCheck: [1] }, 'skipCheck must be a list of texts'],
    ['status', {}, 'status needs plan'],
    ['check', undefined, 'check needs plan or file or text'],
    ['finish', { plan: 'p', mode: 'octopus' }, 'invalid mode "octopus": it must be one of merge, squash, ff'],
  ]
  for (const [name, request, message] of refused)
    await expect(plans[name]!(request), name).rejects.toMatchObject({ name: 'PlanError', code: 'usage', message })
  expect(() => openPlans({ cwd: '.' } as object)).toThrow('unknown option "cwd" for openPlans')
})

test('dry runs, standard input, output and audit, as on the command line', async ({ repo }) => {
  const { openPlans } = await load()
  const plans = openPlans({ directory: repo.dir, env: repo.env })
  const text = planText('  - id: one\n    run: echo said > one; cat one', 'title: Say it\n')
  expect((await plans.start({ text, dryRun: true })).data.remaining).toEqual(['one'])
  expect((await plans.start({ text, approve: true, autostash: false })).data.end).toBe('completed')
  expect((await plans.log({ plan: 'say-it', output: 'one' })).data.output).toBe('said\n')
  expect((await plans.rollback({ plan: 'say-it', dryRun: true })).data.lost).toHaveLength(2)
  expect((await plans.finish({ plan: 'say-it', mode: 'squash', dryRun: true })).data.mode).toBe('squash')
  expect((await plans.audit({ plan: 'say-it' })).data.holds).toBe(true)
  expect((await plans.classify({ command: ['cat', 'a b'] })).data.class).toBe('READ')
  expect((await plans.doctor()).data.diagnoses.map(({ name }) => name)).toContain('repository')
})
