// Metrics and statistics of all plans, from history and refs alone.

import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, describe } from 'vitest'
import { metrics } from '../../src/view/metrics/prometheus.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const steps = [
  '  - {id: one, create: one.txt, content: one}',
  '  - {id: two, run: "test -e two.ok || test -e ../home/mended"}',
  '  - {id: three, run: "true"}',
].join('\n')

/** Runs, fails, is mended, rolled back and run again. */
async function mendedPlan(repo: TestRepo): Promise<void> {
  repo.write('../mended.md', planText(steps))
  expect((await repo.plan(['start', '../mended.md', '--approve'])).code).toBe(1)
  repo.write('../home/mended', '')
  expect((await repo.plan(['resume', 'mended', '--retry', 'two'])).code).toBe(0)
  expect((await repo.plan(['rollback', 'mended', '--to', 'one'])).code).toBe(0)
  expect((await repo.plan(['resume', 'mended'])).code).toBe(0)
}

async function rejectedPlan(repo: TestRepo): Promise<void> {
  repo.write('../refused.md', planText('  - {id: one, run: "true"}', 'base: main\n'))
  await repo.plan(['new', '--from', '../refused.md'])
  expect((await repo.plan(['reject', 'refused', '-m', 'no'])).code).toBe(0)
}

const valueOf = (text: string, series: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.slice(series.length + 1)

test('runs, steps, retries, decisions and rollbacks are counted, also those that a rollback took away', async ({
  repo,
}) => {
  await mendedPlan(repo)
  await rejectedPlan(repo)
  const { stdout } = await repo.plan(['metrics'])
  const values = Object.fromEntries(
    [
      'plan_plans{status="completed"}',
      'plan_plans{status="rejected"}',
      'plan_executions_total{status="failed",risk="HIGH"}',
      'plan_executions_total{status="completed",risk="HIGH"}',
      'plan_execution_duration_seconds_count{status="completed"}',
      'plan_rollbacks_total{kind="rollback"}',
      'plan_steps_completed_total{verb="create",outcome="done"}',
      'plan_steps_completed_total{verb="run",outcome="failed"}',
      'plan_steps_completed_total{verb="run",outcome="done"}',
      'plan_step_retries_total{verb="run"}',
      'plan_approvals_total{decision="approved",source="local"}',
      'plan_approvals_total{decision="rejected",source="local"}',
      'plan_approval_wait_seconds_count{decision="approved"}',
    ].map((series) => [series, valueOf(stdout, series)]),
  )
  expect(values).toEqual({
    'plan_plans{status="completed"}': '1',
    'plan_plans{status="rejected"}': '1',
    'plan_executions_total{status="failed",risk="HIGH"}': '1',
    'plan_executions_total{status="completed",risk="HIGH"}': '2',
    'plan_execution_duration_seconds_count{status="completed"}': '2',
    'plan_rollbacks_total{kind="rollback"}': '1',
    'plan_steps_completed_total{verb="create",outcome="done"}': '1',
    'plan_steps_completed_total{verb="run",outcome="failed"}': '1',
    'plan_steps_completed_total{verb="run",outcome="done"}': '4',
    'plan_step_retries_total{verb="run"}': '1',
    'plan_approvals_total{decision="approved",source="local"}': '1',
    'plan_approvals_total{decision="rejected",source="local"}': '1',
    'plan_approval_wait_seconds_count{decision="approved"}': '1',
  })
  // Nothing of it was written anywhere.
  expect(repo.status()).toBe('')
  expect((await repo.json(['metrics']))['text']).toBe(stdout)
})

test('a merged plan, a bare clone and a repository without plans have metrics too', async ({ repo }) => {
  expect((await repo.plan(['metrics'])).stdout).toContain('# TYPE plan_executions_total counter')
  await mendedPlan(repo)
  const before = (await repo.plan(['metrics'])).stdout
  expect((await repo.plan(['finish', 'mended'])).code).toBe(0)
  expect((await repo.plan(['metrics'])).stdout).toBe(before)
  repo.git(['clone', '-q', '--mirror', '.', '../mirror.git'])
  expect((await repo.plan(['metrics'], { cwd: repo.path('../mirror.git') })).stdout).toBe(before)
})

test('--textfile replaces the file at once, and leaves nothing beside it', async ({ repo }) => {
  repo.write('../out/old.prom', 'old\n')
  const ran = await repo.plan(['metrics', '--textfile', '../out/old.prom'])
  expect(ran.stdout).toBe('Wrote ../out/old.prom\n')
  expect(repo.read('../out/old.prom')).toContain('# HELP plan_plans ')
  expect(readdirSync(repo.path('../out'))).toEqual(['old.prom'])
  expect(statSync(repo.path('../out/old.prom')).mode & 0o044).toBe(0o044)
  const refused = await repo.plan(['metrics', '--textfile', '../nowhere/x.prom'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('mkdir -p ../nowhere')
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!hasPromtool && process.env['CI'] !== 'true')(
  `promtool accepts them${hasPromtool ? '' : ' (skipped without promtool: apt-get install prometheus)'}`,
  async ({ repo }) => {
    await mendedPlan(repo)
    const { stdout } = await repo.plan(['metrics'])
    expect(execFileSync('promtool', ['check', 'metrics'], { input: stdout, encoding: 'utf8' })).toBe('')
  },
)

describe('the dashboard', () => {
  const file = fileURLToPath(new URL('../../templates/grafana/git-plan.json', import.meta.url))

  test('asks only for metrics and labels that there are', async () => {
    const dashboard = JSON.parse(readFileSync(file, 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[]
    }
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const asked = new Set<string>()
    for (const query of queries)
      for (const [whole, name = ''] of query.matchAll(/\b(plan_\w+?)(?:_bucket|_sum|_count)?\b(?=\{)/g)) {
        const metric = metrics.find((each) => each.name === name)
        expect(metric, `${whole} in ${query}`).toBeDefined()
        asked.add(name)
        const isPart = whole !== name
        expect(isPart, query).toBe(metric?.type === 'histogram')
        for (const [, label = ''] of query.matchAll(/\bby \((\w+)\)/g))
          expect([...(metric?.labels ?? []), 'le'], query).toContain(label)
      }
    // And shows all of them.
    expect([...asked].toSorted()).toEqual(metrics.map(({ name }) => name).toSorted())
  })
})

test('stats show rates by month, template and agent', async ({ repo }) => {
  expect((await repo.plan(['stats'])).stdout).toBe('No plans.\n')
  await mendedPlan(repo)
  await rejectedPlan(repo)
  await repo.plan(['finish', 'mended'])
  await repo.plan(['new', '--template', 'rename-symbol', '-p', 'from=cart', '-p', 'to=basket'])
  const { stdout } = await repo.plan(['stats'])
  expect(stdout).toContain('3 plans: 1 completed, 0 failed or cancelled, 2 other')
  expect(stdout).toMatch(/^rename-symbol +1 +-/m)
  const stats = (await repo.json(['stats'])) as unknown as Record<string, { name: string }[]> & { total: object }
  expect(stats.total).toMatchObject({
    plans: 3,
    completed: 1,
    failed: 0,
    other: 2,
    success: 1,
    approval: 0.5,
    rollback: 1,
  })
  expect(stats['templates']?.map(({ name }) => name)).toEqual(['none', 'rename-symbol'])
  expect(stats['agents']?.map(({ name }) => name)).toEqual(['none'])
  expect((await repo.plan(['stats', '--svg'])).stdout).toMatch(
    /^<svg [\s\S]*1 completed, 0 failed, 2 other[\s\S]*<\/svg>\n$/,
  )
  expect((await repo.plan(['stats', '--since', '2999-01-01'])).stdout).toBe('No plans proposed since 2999-01-01.\n')
  expect((await repo.plan(['stats', '--since', '90d'])).stdout).toContain('3 plans proposed since ')
  expect((await repo.plan(['stats', '--since', 'yesterday'])).code).toBe(2)
})
