// What programs that drive many repositories rely on: settings, facts and exit codes.

import { join } from 'node:path'
import { afterEach, describe, expect } from 'vitest'
import { ForgeRepo } from '../helpers/forge.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** The last line of `--json`. */
const last = ({ stdout }: { readonly stdout: string }): Record<string, unknown> =>
  JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>

function withRemote(repo: TestRepo): string {
  const bare = join(repo.home, 'remote.git')
  repo.git(['init', '-q', '--bare', '-b', 'main', bare])
  // How often somebody pushed the plan.
  repo.git(['config', 'core.logAllRefUpdates', 'always'], { cwd: bare })
  repo.git(['remote', 'add', 'origin', bare])
  repo.git(['config', 'plan.policyRef', 'main'])
  repo.git(['push', '-q', 'origin', 'main'])
  return bare
}

const pushes = (repo: TestRepo, bare: string): number =>
  repo.git(['reflog', 'show', '--format=%h', 'refs/heads/plan/p'], { cwd: bare }).split('\n').length

const steps = ['one', 'two', 'three', 'four'].map((id) => `  - {id: ${id}, run: echo ${id} > ${id}.txt}`).join('\n')

describe('--push=ends', () => {
  test('pushes at the ends instead of after every step', async ({ repo }) => {
    const bare = withRemote(repo)
    repo.write('../p.md', planText(steps))
    const ran = await repo.plan(['start', '../p.md', '--approve', '--push=ends'])
    expect(ran.code, ran.all).toBe(0)
    expect(pushes(repo, bare)).toBe(2)
    expect(repo.git(['rev-parse', 'plan/p'], { cwd: bare })).toBe(repo.git(['rev-parse', 'plan/p']))
  })

  test('and before an external effect', async ({ repo }) => {
    const bare = withRemote(repo)
    const seen = `git --git-dir=${bare} show-ref refs/plan/p/effects/pay/1`
    repo.write('../p.md', planText(`${steps}\n  - {id: pay, effect: external, run: "${seen}"}`))
    const ran = await repo.plan(['start', '../p.md', '--approve', '--push=ends'])
    expect(ran.code, ran.all).toBe(0)
  })

  test('takes no other value', async ({ repo }) => {
    const ran = await repo.plan(['start', 'p', '--push=often'])
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain('--push takes no value but')
  })
})

describe('plan.lease', () => {
  test('is how long the remote is held, and facts say by whom and until when', async ({ repo }) => {
    const bare = withRemote(repo)
    repo.git(['config', 'plan.lease', '10m'])
    const lease = `git --git-dir=${bare} cat-file blob refs/plan-lease/p > lease.txt`
    repo.write('../p.md', planText(`  - {id: one, run: "${lease}"}\n  - {id: two, run: "false"}`))
    const before = Date.now()
    expect((await repo.plan(['start', '../p.md', '--approve', '--push'])).code).toBe(1)
    const { until } = JSON.parse(repo.read('lease.txt')) as { until: string }
    const aheadMs = Date.parse(until) - before
    expect(aheadMs).toBeGreaterThan(9 * 60_000)
    expect(aheadMs).toBeLessThan(12 * 60_000)

    const other = join(repo.home, 'other')
    repo.git(['clone', '-q', bare, other])
    for (const [name, value] of Object.entries({ 'user.name': 'Dan', 'user.email': 'dan@example.com' }))
      repo.git(['config', name, value], { cwd: other })
    await repo.plan(['fetch', 'p'], { cwd: other })
    const blob = repo.git(['hash-object', '-w', 'lease.txt'])
    repo.git(['push', '-q', 'origin', `${blob}:refs/plan-lease/p`])
    const held = await repo.plan(['resume', 'p', '--push', '--json'], { cwd: other })
    expect(held.code, held.all).toBe(4)
    expect(last(held)).toMatchObject({
      code: 'held',
      facts: { until, holder: expect.stringContaining('Ada') as string },
    })
  })

  test.for(['1s', '2h', 'soon'])('%s is refused', async (value, { repo }) => {
    repo.git(['config', 'plan.lease', value])
    const ran = await repo.plan(['list'])
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain('not a time from 10s to 1h')
  })
})

describe('with a forge', () => {
  let forge: ForgeRepo | undefined
  afterEach(() => forge?.close())

  test('a rate limit has its own code, and says until when', async () => {
    forge = await ForgeRepo.start('approval: { high: { from: [review], count: 1 } }\n')
    await forge.propose('  - {id: one, run: echo 1 > one.txt}')
    await forge.expect(0, ['submit', 'p'])
    forge.server.http.fault(
      { status: 429, headers: { 'retry-after': '3600' }, json: { message: 'slow down' } },
      { times: 1000 },
    )
    const limited = await forge.expect(4, ['start', 'p', '--json'])
    expect(last(limited)).toMatchObject({
      code: 'rate-limited',
      exitCode: 4,
      facts: { status: 429, host: forge.server.http.host, until: expect.stringMatching(/^20\d\d-/) as string },
    })
  })

  test('rebase --push --wait shows the plan on its new base to reviewers, and runs it there', async () => {
    forge = await ForgeRepo.start('approval: { high: { from: [review], count: 1 } }\n')
    const { repo } = forge
    await forge.propose('  - {id: one, run: echo 1 > one.txt}')
    await forge.expect(0, ['submit', 'p'])
    forge.approve('bob')
    await forge.expect(0, ['start', 'p', '--push'])
    repo.git(['checkout', '-q', 'main'])
    repo.write('b.txt', 'b\n')
    repo.commit('More')
    repo.git(['push', '-q', 'origin', 'main'])
    const refused = await forge.expect(2, ['rebase', 'p', '--wait'])
    expect(refused.all).toContain('git plan rebase p --push --wait')
    const before = repo.git(['rev-parse', 'plan/p'])
    const running = repo.plan(['rebase', 'p', '--push', '--wait'], { isBinary: true })
    for (let tries = 0; forge.tip() === before && tries < 600; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect(forge.tip()).not.toBe(before)
    forge.approve('carol')
    const ran = await running
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['log', '-1', '--format=%s', 'plan/p~2'])).toBe('Approved: p')
    expect(repo.git(['merge-base', 'plan/p', 'main'])).toBe(repo.git(['rev-parse', 'main']))
  })
})
