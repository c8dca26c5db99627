import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

interface StepFacts {
  readonly id: string
  readonly status: string
  readonly error: string | null
  readonly cpuMs: number | null
  readonly peakBytes: number | null
  readonly outputBytes: number | null
}
const stepsOf = async (repo: TestRepo): Promise<StepFacts[]> =>
  ((await repo.json(['status', 'p'])) as unknown as { steps: StepFacts[] }).steps

const spin = 'while :; do :; done'
/** Takes memory, and keeps it for a minute. */
const take = (megabytes: number): string =>
  `${process.execPath} -e 'const taken = Buffer.alloc(${megabytes} * 1024 * 1024, 1); setTimeout(() => taken, 60000)'`

test('a limit of processor time is for all processes together, and hitting it is a failure of its own kind', async ({
  repo,
}) => {
  // Two grandchildren, each below the limit, one of them in a session of its own.
  const busy = `sh -c '(${spin}) & setsid sh -c \\"${spin}\\" & wait; sleep 30'`
  repo.write(
    '../p.md',
    planText(`  - {id: busy, run: "${busy}", limits: {cpu: 1s}, timeout: 50s, allow: [shell-background]}`),
  )
  const ran = await repo.plan(['start', '../p.md', '--approve', '--json'])
  expect(ran.code, ran.all).toBe(1)
  const failed = ran.stdout.split('\n').find((line) => line.includes('"step-failed"')) ?? '{}'
  expect(JSON.parse(failed)).toMatchObject({
    reason: 'cpu-limit',
    status: 'failed',
    message: expect.stringMatching(/exceeded its limit of processor time \([\d.]+ s of 1\.0 s\)/),
    advice: expect.stringContaining(
      'raise its `limits.cpu` with `git plan edit p`; its output: git plan log p --output',
    ),
  })
  const [step] = await stepsOf(repo)
  expect(step?.cpuMs).toBeGreaterThan(1000)
  expect(repo.git(['log', '-1', '--format=%B', 'plan/p'])).toMatch(/^Plan-Cpu-Ms: \d+\nPlan-Peak-Bytes: \d+$/m)
  expect((await repo.plan(['report', 'p'])).stdout).toMatch(/\d s CPU, [\d.]+ [KMG]B memory/)
})

test('a limit of memory is hit by a grandchild, also in a work tree of the pool; below it the step is done', async ({
  repo,
}) => {
  const few = `${process.execPath} -e 'setTimeout(() => {}, 400)'; echo done`
  repo.write(
    '../p.md',
    planText(
      [
        `  - {id: small, needs: [], run: "${few}", limits: {memory: 2gb}}`,
        `  - {id: large, needs: [], run: "sh -c \\"sh -c '${take(300).replaceAll("'", '"').replaceAll('"', '\\\\\\"')}' & wait\\"", limits: {memory: 200mb}, timeout: 50s}`,
      ].join('\n'),
    ),
  )
  const ran = await repo.plan(['start', '../p.md', '--approve', '-j', '2'])
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toMatch(/exceeded its memory limit \(\d+ MB of 200 MB\)/)
  expect(ran.all).toContain('split the step, or raise its `limits.memory`')
  const [small, large] = await stepsOf(repo)
  expect([small?.status, large?.status]).toEqual(['done', 'failed'])
  expect(small?.peakBytes).toBeGreaterThan(1024 * 1024)
  expect(small?.outputBytes).toBe(5)
  expect(large?.peakBytes).toBeGreaterThan(200 * 1024 * 1024)
})

test('short commands are measured too', async ({ repo }) => {
  const short = `${process.execPath} -e 'const taken = Buffer.alloc(200 * 1024 * 1024, 1); setTimeout(() => taken, 300)'`
  repo.write('../p.md', planText(`  - {id: short, run: "${short}"}\n  - {id: none, run: ":"}`))
  const ran = await repo.plan(['start', '../p.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  const [first, none] = await stepsOf(repo)
  expect(first?.peakBytes).toBeGreaterThan(100 * 1024 * 1024)
  expect(first?.cpuMs).toBeGreaterThan(50)
  // A machine under load may be slow enough to see something of it.
  expect(none?.cpuMs ?? 0).toBeLessThan(1000)
  expect(none?.peakBytes ?? 0).toBeLessThan(100 * 1024 * 1024)
})

test('the limit of output is for all commands of a step', async ({ repo }) => {
  const print = 'head -c 600 /dev/zero'
  repo.write('../p.md', planText(`  - {id: loud, run: "${print}", verify: "${print}", limits: {output: 1kb}}`))
  const ran = await repo.plan(['start', '../p.md', '--approve', '--json'])
  expect(ran.code, ran.all).toBe(1)
  expect(ran.stdout).toContain('"reason":"output-limit"')
  expect((await stepsOf(repo))[0]?.error).toContain('exceeded its output limit')
})

test('a plan that exceeds its timeout stops, whatever the steps are allowed; resume begins again', async ({ repo }) => {
  repo.write('.plans/config.yml', 'version: 1\nlimits: {plan_timeout: 1s}\n')
  repo.commit('Configure')
  repo.write(
    '../p.md',
    planText(
      '  - {id: slow, run: "test -e ../fast || sleep 60", retries: 3, allow_failure: true}\n  - {id: next, needs: [], run: "true"}',
    ),
  )
  const ran = await repo.plan(['start', '../p.md', '--approve'])
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('the plan exceeded its timeout')
  const [slow, next] = await stepsOf(repo)
  expect([slow?.status, next?.status]).toEqual(['timeout', 'pending'])
  repo.write('../fast', '')
  const again = await repo.plan(['resume', 'p'])
  expect(again.code, again.all).toBe(0)
})
