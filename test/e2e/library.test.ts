// The library, as a program that installed the package sees it.

import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type * as GitPlan from '../../src/index.ts'
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
  const { data: proposed } = await plans.create({ text })
  expect(proposed).toMatchObject({ id: 'three-things', title: 'Three things', branch: 'plan/three-things' })
  await expect(plans.create({ text })).rejects.toMatchObject({ name: 'PlanError', code: 'plan-exists', exitCode: 2 })
  await expect(plans.status({ plan: 'nope' })).rejects.toMatchObject({ code: 'unknown-plan' })

  const interrupted = await plans.start({ plan: 'three-things', approve: true })
  expect(interrupted).toMatchObject({
    kind: 'report',
    exitCode: 130,
    data: { end: 'interrupted', progress: { done: 1, total: 3 } },
    next: ['git plan resume three-things'],
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
  await plans.create({ text: planText('  - id: one\n    run: echo said; sleep 60'), id: 'loud' })
  await expect(plans.start({ plan: 'loud', approve: true })).rejects.toBe(trouble)
  expect((await plans.status({ plan: 'loud' })).data).toMatchObject({ seen: 'approved', holder: null })
  for (const plan of ['.plans/file.md', '-', 'nope'])
    await expect(plans.start({ plan, approve: true })).rejects.toMatchObject({ name: 'PlanError' })
  await expect(plans.diff({ plan: 'one' })).rejects.toMatchObject({ code: 'unknown-plan' })
  expect((await plans.list()).data.plans.map(({ id }) => id)).toEqual(['loud'])
})
