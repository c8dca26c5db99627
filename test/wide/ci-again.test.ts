// The workflow for GitHub, its own script run in clones of one commit: nothing before an approval, all of it after, and
// the rest after a new one. More of it, and that for GitLab, is in test/wide/ci.test.ts.

import { afterEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { template } from '../helpers/ci.ts'
import { onGitHub, type Ci } from '../helpers/ci-forges.ts'
import { planText } from '../helpers/repo.ts'

let ci: Ci | undefined
afterEach(() => ci?.forge.close())

test(
  'a plan waits for its approval, fails, and after a new one is resumed elsewhere to its end',
  { timeout: 180_000 },
  async () => {
    ci = await onGitHub()
    const { forge } = ci
    const there = (): string[] =>
      forge.repo.git(['log', '--first-parent', '--format=%s', 'plan/p'], { cwd: forge.bare }).split('\n')
    await forge.propose('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e fixed.txt}')
    await forge.expect(0, ['submit', 'p'])
    const early = await ci.round()
    expect(early.code, early.all).toBe(0)
    expect(early.all).toContain('plan p is not approved')
    expect(there()).toEqual(['Plan: p', 'Policy', 'First'])

    forge.approve('bob')
    const failed = await ci.round()
    expect(failed.code, failed.all).toBe(1)
    await forge.expect(0, ['fetch', 'p'])
    await forge.expect(
      0,
      ['replan', 'p', '--from', '-'],
      planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e one.txt}'),
    )
    await forge.expect(0, ['submit', 'p'])
    expect(there()[0]).toBe('Replan: p')

    forge.approve('cleo')
    const resumed = await ci.round()
    expect(resumed.code, resumed.all).toBe(0)
    expect(there()[0]).toContain('Completed')
    expect(forge.repo.git(['show', 'plan/p:one.txt'], { cwd: forge.bare })).toBe('1')
  },
)

interface Job {
  readonly permissions: Readonly<Record<string, string>>
  readonly environment?: string
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

test('the workflow for GitHub runs on events that take it from the default branch, or have no secrets; what it uses is pinned', () => {
  const text = template('github-actions.yml')
  const workflow = parse(text) as { on: object; permissions: object; jobs: Readonly<Record<'check' | 'run', Job>> }
  expect(Object.keys(workflow.on)).toEqual(['pull_request', 'schedule', 'workflow_dispatch'])
  expect(workflow.permissions).toEqual({})
  const { check, run } = workflow.jobs
  expect(check.permissions).toEqual({ contents: 'read' })
  expect(JSON.stringify(check)).not.toMatch(/secrets|github\.token/)
  expect(run.environment).toBe('git-plan')
  const steps = [...check.steps, ...run.steps]
  expect(
    steps
      .flatMap(({ uses }) => (uses === undefined ? [] : [uses]))
      .filter((uses) => !/^[\w/-]+@[0-9a-f]{40}$/.test(uses)),
  ).toEqual([])
  expect(steps.filter(({ run: script }) => script?.includes('${{') === true)).toEqual([])
})

test('the pipeline for GitLab gives its token to the job on the default branch alone', () => {
  const jobs = parse(template('gitlab-ci.yml')) as Readonly<
    Record<string, { readonly rules?: readonly { readonly if: string }[] }>
  >
  expect(Object.keys(jobs).filter((name) => JSON.stringify(jobs[name]).includes('_TOKEN'))).toEqual(['plan:run'])
  expect(jobs['plan:run']?.rules?.map((rule) => rule.if)).toEqual([
    expect.stringMatching(/&& \$CI_COMMIT_BRANCH == \$CI_DEFAULT_BRANCH$/),
  ])
})
