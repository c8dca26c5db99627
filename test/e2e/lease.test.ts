// Two clones and one remote: whoever runs a plan with --push holds it, also for those who see nothing of it but the
// remote.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Outside, until } from '../helpers/crash.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'
import { isWide } from '../helpers/wide.ts'

const ref = 'refs/plan-lease/p'

/** Waits in its first step for as long as `wait` is there. */
async function proposed(repo: TestRepo): Promise<{ bare: string; other: string; wait: Outside; begun: Outside }> {
  const bare = join(repo.home, 'remote.git')
  const other = join(repo.home, 'other')
  const [wait, begun] = [new Outside(repo, 'wait'), new Outside(repo, 'begun')]
  repo.git(['init', '-q', '--bare', '-b', 'main', bare])
  repo.git(['remote', 'add', 'origin', bare])
  repo.git(['config', 'plan.policyRef', 'main'])
  repo.git(['push', '-q', 'origin', 'main'])
  const run = `echo x >> ${begun.path}; while [ -e ${wait.path} ]; do sleep 0.05; done; echo 1 > one.txt`
  await repo.plan(['new', '--from', '-', '--id', 'p'], { input: planText(`  - {id: one, run: "${run}"}`) })
  await repo.plan(['approve', 'p'])
  expect(await repo.plan(['submit', 'p'])).toMatchObject({ code: 0 })
  repo.git(['clone', '-q', bare, other])
  for (const [name, value] of Object.entries({ 'user.name': 'Dan', 'user.email': 'dan@example.com' }))
    repo.git(['config', name, value], { cwd: other })
  expect(await repo.plan(['fetch', 'p'], { cwd: other })).toMatchObject({ code: 0 })
  wait.write()
  return { bare, other, wait, begun }
}

const there = (repo: TestRepo, bare: string): string =>
  repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan-lease/'], { cwd: bare })

test('the second clone learns who runs the plan, records nothing and runs nothing; after the run it is free', async ({
  repo,
}) => {
  const { bare, other, wait, begun } = await proposed(repo)
  const child = repo.spawn(['start', 'p', '--push'])
  const first = ended(child)
  await until('the step runs', () => begun.count('x') === 1)
  const before = repo.git(['rev-parse', 'plan/p'], { cwd: other })
  const second = await repo.plan(['start', 'p', '--push', '--json'], { cwd: other })
  expect(second, second.all).toMatchObject({ code: 4 })
  expect(JSON.parse(second.stdout)).toMatchObject({
    code: 'held',
    message: expect.stringMatching(/plan p is being run by Ada.* on .*, process \d+, in another clone/) as string,
  })
  expect(repo.git(['rev-parse', 'plan/p'], { cwd: other })).toBe(before)
  wait.remove()
  expect(await first).toMatchObject({ code: 0 })
  expect(begun.count('x')).toBe(1)
  expect(there(repo, bare)).toBe('')
})

test('a run that was killed goes on at once in its own clone, and nowhere else', async ({ repo }) => {
  const { bare, other, wait, begun } = await proposed(repo)
  const child = repo.spawn(['start', 'p', '--push'])
  const first = ended(child)
  await until('the step runs', () => begun.count('x') === 1)
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await first
  wait.remove()
  expect(there(repo, bare)).toBe(ref)
  await repo.plan(['fetch', 'p'], { cwd: other })
  expect(await repo.plan(['resume', 'p', '--push'], { cwd: other })).toMatchObject({ code: 4 })
  const own = await repo.plan(['resume', 'p', '--push'])
  expect(own, own.all).toMatchObject({ code: 0 })
  expect(there(repo, bare)).toBe('')
})

test.skipIf(!isWide).for([
  ['that is over', '{"holder":"Eve","until":"2020-01-01T00:00:00Z"}'],
  ['for longer than a run would ask', '{"holder":"Eve","until":"2999-01-01T00:00:00Z"}'],
  ['that is too large to be one', 'x'.repeat(5 * 1024 * 1024)],
] as const)('a lease %s is taken over', async ([, text], { repo }) => {
  const { bare, wait } = await proposed(repo)
  wait.remove()
  const oid = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: bare,
    env: repo.env,
    input: text,
    encoding: 'utf8',
  }).trim()
  repo.git(['update-ref', ref, oid], { cwd: bare })
  const ran = await repo.plan(['start', 'p', '--push'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(there(repo, bare)).toBe('')
})

test.skipIf(!isWide)('a lease of this clone that it was not told of is its own', async ({ repo }) => {
  const { bare, wait, begun } = await proposed(repo)
  const child = repo.spawn(['start', 'p', '--push'])
  const first = ended(child)
  await until('the step runs', () => begun.count('x') === 1)
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await first
  wait.remove()
  // As after two renewals of which the first was heard of by nobody.
  const known = JSON.parse(repo.read('.git/plan/p/lease.json')) as string[]
  repo.write('.git/plan/p/lease.json', JSON.stringify(['0'.repeat(40), ...known]))
  const ran = await repo.plan(['resume', 'p', '--push'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(there(repo, bare)).toBe('')
})

test.skipIf(!isWide)('a branch whose name ends like a lease holds nothing up', async ({ repo }) => {
  const { bare, wait } = await proposed(repo)
  wait.remove()
  repo.git(['update-ref', `refs/heads/${ref}`, 'main'], { cwd: bare })
  const ran = await repo.plan(['start', 'p', '--push'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
})

test.skipIf(!isWide)('where the remote takes no such ref the plan runs, and says so', async ({ repo }) => {
  const { bare, wait } = await proposed(repo)
  wait.remove()
  repo.git(['config', 'receive.hideRefs', 'refs/plan-lease'], { cwd: bare })
  const ran = await repo.plan(['start', 'p', '--push'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(ran.all).toContain('rejects refs/plan-lease/p')
})

test('parallel steps push once for all of them, also where the remote takes no lease', async ({ repo }) => {
  const bare = join(repo.home, 'remote.git')
  repo.git(['init', '-q', '--bare', '-b', 'main', bare])
  repo.git(['config', 'receive.hideRefs', 'refs/plan-lease'], { cwd: bare })
  repo.git(['remote', 'add', 'origin', bare])
  repo.git(['config', 'plan.policyRef', 'main'])
  repo.git(['push', '-q', 'origin', 'main'])
  const steps = ['a', 'b', 'c', 'd'].map((id) => `  - {id: ${id}, needs: [], run: "echo ${id} > ${id}.new"}`)
  repo.write('../p.md', planText(steps.join('\n')))
  const ran = await repo.plan(['start', '../p.md', '--approve', '--push', '-j', '4'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(repo.git(['rev-parse', 'plan/p'], { cwd: bare })).toBe(repo.git(['rev-parse', 'plan/p']))
})
