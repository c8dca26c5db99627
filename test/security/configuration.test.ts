// B1, B2, B5: the policy is that of the policy branch. Neither a plan's branch, nor a step, nor the base that a plan
// names can make another.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Canary, picture, refusalOf } from '../helpers/canary.ts'
import { planText, test } from '../helpers/repo.ts'

const strict =
  'version: 1\nlimits: {steps: 2, output: 1kb}\nrequire: [owner]\nbases: [main]\nrisk: {critical: [infra/**]}\n'
const lax = 'version: 1\nlimits: {steps: 1000, output: 1gb}\n'
type Settings = {
  readonly settings: readonly { readonly name: string; readonly value: unknown; readonly source: string }[]
}

test('B1 the branch of a plan holds a laxer configuration: it is not read, wherever one stands', async ({ repo }) => {
  repo.write('.plans/config.yml', strict)
  repo.commit('Policy')
  repo.write(
    '../p.md',
    planText(
      '  - {id: one, owner: Ada, run: echo 1 > one.txt}\n  - {id: two, owner: Ada, run: "head -c 5000 /dev/zero | tr \'\\\\0\' x"}',
    ),
  )
  expect(await repo.plan(['new', '--from', '../p.md'])).toMatchObject({ code: 0 })
  repo.git(['checkout', '-q', 'plan/p'])
  repo.write('.plans/config.yml', lax)
  repo.commit('A laxer policy')
  const canary = new Canary(repo)
  for (const at of ['plan/p', '--detach']) {
    repo.git(['checkout', '-q', at])
    const { settings } = (await repo.json(['config'])) as unknown as Settings
    expect(settings.find(({ name }) => name === 'limits.steps')).toMatchObject({
      value: 2,
      source: expect.stringContaining('refs/heads/main') as string,
    })
    const before = picture(repo)
    writeFileSync(join(repo.home, 'q.md'), planText(`  - {id: one, run: ${canary.command}}`, 'base: main\n'))
    const refusal = refusalOf(await repo.plan(['start', join(repo.home, 'q.md'), '--approve', '--json']))
    expect(JSON.stringify(refusal)).toMatch(/owner/)
    expect(picture(repo)).toEqual(before)
  }
  expect(canary.sang).toBe(false)
  // And the plan does not run with it.
  repo.git(['checkout', '-q', 'plan/p'])
  const ran = await repo.plan(['start', 'p', '--approve'])
  expect(ran.code, ran.all).toBeGreaterThan(0)
  expect(ran.all).toMatch(/plan\/p has unapproved commits: \w+ A laxer policy/)
})

test('B1 a clone of one commit, detached, that does not know the default branch: nothing is run by the defaults; told of it, it fetches, runs and pushes', async ({
  repo,
}) => {
  const [bare, clone] = [join(repo.home, 'bare.git'), join(repo.home, 'clone')]
  repo.write(
    '.plans/config.yml',
    'approval: {low: {from: [local], not: [author]}, medium: {from: [local], not: [author]}, high: {from: [local], not: [author]}}\n',
  )
  repo.commit('Policy')
  const canary = new Canary(repo)
  writeFileSync(
    join(repo.home, 'p.md'),
    planText(`  - {id: one, run: ${JSON.stringify(canary.command)}}\n  - {id: two, run: echo 2 > two.txt}`),
  )
  expect(await repo.plan(['new', '--from', join(repo.home, 'p.md')])).toMatchObject({ code: 0 })
  repo.git(['clone', '-q', '--bare', '.', bare])
  repo.write('a.txt', 'main has moved on\n')
  repo.commit('More')
  repo.git(['push', '-q', bare, 'main'])
  // As CI does it.
  repo.git(['init', '-q', clone])
  const at = { cwd: clone }
  repo.git(['remote', 'add', 'origin', `file://${bare}`], at)
  repo.git(['fetch', '-q', '--depth=1', 'origin', '+refs/heads/main:refs/remotes/origin/main'], at)
  repo.git(['checkout', '-q', '--detach', 'origin/main'], at)
  for (const [key, value] of Object.entries({ 'user.name': 'Ada', 'user.email': 'ada@example.com' }))
    repo.git(['config', key, value], at)
  expect(await repo.plan(['fetch', 'p'], at)).toMatchObject({ code: 0 })
  const refs = repo.git(['for-each-ref'], at)
  const refusal = refusalOf(await repo.plan(['start', 'p', '--approve', '--push', '--json'], at))
  expect(refusal).toMatchObject({
    code: 'not-allowed',
    exitCode: 3,
    message: expect.stringContaining('the branch that holds the policy') as string,
  })
  repo.git(['config', 'plan.policyRef', 'refs/remotes/origin/main'], at)
  // Who approves has to see what the plan is based on.
  const shallow = refusalOf(await repo.plan(['start', 'p', '--approve', '--push', '--json'], at))
  expect(shallow).toMatchObject({
    code: 'not-approved',
    hint: expect.stringContaining('git fetch --unshallow') as string,
  })
  repo.git(['fetch', '-q', '--unshallow'], at)
  // The author does not count, by the policy that is found now.
  expect(refusalOf(await repo.plan(['start', 'p', '--approve', '--push', '--json'], at)).message).toContain(
    'wrote the plan',
  )
  expect(repo.git(['for-each-ref'], at)).toBe(refs)
  expect(canary.sang).toBe(false)
  const bob = {
    GIT_COMMITTER_NAME: 'Bob',
    GIT_COMMITTER_EMAIL: 'bob@example.com',
    GIT_AUTHOR_NAME: 'Bob',
    GIT_AUTHOR_EMAIL: 'bob@example.com',
  }
  const ran = await repo.plan(['start', 'p', '--approve', '--push'], { ...at, env: bob })
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(repo.git(['show', 'plan/p:two.txt'], { cwd: bare })).toBe('2')
})

test('B2 a step that edits the plan or the policy by a command: it fails, and nothing of it is committed', async ({
  repo,
}) => {
  repo.write('.plans/config.yml', strict.replace('require: [owner]\n', '').replace('steps: 2', 'steps: 10'))
  repo.commit('Policy')
  const steps = [
    ['plan', 'echo more >> .plans/p.md'],
    ['policy', 'echo "version: 1" > .plans/config.yml'],
    ['gone', 'rm .plans/config.yml'],
    ['case', 'git mv .plans/config.yml .plans/other.yml'],
    ['staged', 'echo x >> .plans/p.md; git add .plans/p.md'],
  ]
  repo.write(
    '.plans/p.md',
    planText(steps.map(([id, run]) => `  - {id: ${id}, needs: [], run: ${JSON.stringify(run)}}`).join('\n')),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--keep-going'])
  expect(ran, ran.all).toMatchObject({ code: 1 })
  const { steps: seen } = (await repo.json(['status', 'p'])) as unknown as { steps: { id: string; status: string }[] }
  expect(seen.map(({ id, status }) => `${id} ${status}`)).toEqual(steps.map(([id]) => `${id} failed`))
  expect(ran.all.match(/belongs? to the plan/g)?.length).toBeGreaterThanOrEqual(steps.length)
  expect(repo.git(['diff', '--stat', 'main', 'plan/p', '--', ':!.plans/p.md'])).toBe('')
  expect(repo.status()).toBe('')
})

test('B2 a step that edits what CI runs, who reviews, or what the configuration calls critical: CRITICAL, and named where one approves', async ({
  repo,
}) => {
  repo.write('.plans/config.yml', 'risk: {critical: [infra/**]}\n')
  repo.commit('Policy')
  const paths = [
    '.github/workflows/ci.yml',
    '.github/actions/x/action.yml',
    '.gitlab-ci.yml',
    'CODEOWNERS',
    'docs/CODEOWNERS',
    '.github/CODEOWNERS',
    'infra/prod/x.tf',
    'server.key',
    '.GitHub/Workflows/x.yml',
  ]
  const steps = [
    ...paths.map((path, at) => `  - {id: s${at}, create: ${path}, content: x}`),
    '  - {id: scope, run: "true", files: [.github/**]}',
  ]
  repo.write('p.md', planText(steps.join('\n')))
  const { risk, reasons } = (await repo.json(['check', 'p.md'])) as unknown as {
    risk: string
    reasons: readonly string[]
  }
  expect(risk).toBe('CRITICAL')
  for (const [at, path] of paths.entries())
    expect(reasons.join('\n')).toMatch(new RegExp(`s${at}: .*${path.replaceAll('.', '\\.')}`))
  expect(reasons.join('\n')).toMatch(/scope: .*\.github\/\*\*/)
  expect(await repo.plan(['new', '--from', 'p.md', '--id', 'ci'])).toMatchObject({ code: 0 })
  expect((await repo.plan(['show', 'ci'])).all).toMatch(/CRITICAL[^]*\.github\/workflows\/ci\.yml/)
})

test('B5 a base with a laxer configuration, or one that the policy does not list: refused, and the policy still comes from plan.policyRef', async ({
  repo,
}) => {
  repo.write('.plans/config.yml', strict)
  repo.commit('Policy')
  repo.git(['branch', 'policy'])
  repo.git(['checkout', '-q', '-b', 'agent'])
  repo.write('.plans/config.yml', lax)
  repo.commit('What an agent may commit to')
  repo.git(['config', 'plan.policyRef', 'policy'])
  // What a fetch can bring along; git itself would take it for the branch.
  repo.git(['tag', 'policy', 'agent'])
  const canary = new Canary(repo)
  const before = picture(repo)
  for (const base of ['agent', 'policy', 'agent~0']) {
    writeFileSync(
      join(repo.home, 'p.md'),
      planText(`  - {id: one, owner: Ada, run: ${canary.command}}`, `base: "${base}"\n`),
    )
    const ran = await repo.plan(['start', join(repo.home, 'p.md'), '--approve', '--json'])
    expect(refusalOf(ran).message, base).toMatch(/base|valid/)
  }
  // Named by nobody, the branch that is checked out is the base: it is not on the list either.
  writeFileSync(join(repo.home, 'p.md'), planText(`  - {id: one, owner: Ada, run: ${canary.command}}`))
  expect(refusalOf(await repo.plan(['start', join(repo.home, 'p.md'), '--approve', '--json'])).message).toMatch(
    /base|agent/,
  )
  expect(picture(repo)).toEqual(before)
  expect(canary.sang).toBe(false)
  const { settings } = (await repo.json(['config'])) as unknown as Settings
  expect(settings.find(({ name }) => name === 'limits.steps')).toMatchObject({ value: 2 })
  // The policy is taken from the commit of its branch, and not from the files that lie there.
  repo.git(['checkout', '-q', 'main'])
  repo.write('.plans/config.yml', lax)
  const again = (await repo.json(['config'])) as unknown as Settings
  expect(again.settings.find(({ name }) => name === 'limits.steps')).toMatchObject({ value: 2 })
})
