// The commands that status and refusals suggest are ones that the state of the plan admits.

import { describe, expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const nextOf = async (repo: TestRepo, plan: string): Promise<unknown> =>
  (await repo.json(['status', plan]))['nextCommands']

async function propose(repo: TestRepo, steps: string, id = 'p'): Promise<void> {
  const ran = await repo.plan(['new', '--from', '-', '--id', id], { input: planText(steps) })
  expect(ran, ran.all).toMatchObject({ code: 0 })
}

test('a merge made by hand on the branch cannot be adopted, so a rebase is suggested', async ({ repo }) => {
  await propose(repo, '  - {id: one, create: x.txt, content: a}\n  - {id: two, run: test -e ok.txt}')
  await repo.plan(['start', 'p', '--approve'])
  repo.git(['switch', '-q', 'main'])
  repo.write('ok.txt', '1\n')
  repo.commit('Ok')
  repo.git(['switch', '-q', 'plan/p'])
  repo.git(['merge', '-q', '--no-ff', '-m', 'Merge main', 'main'])
  const refused = await repo.plan(['resume', 'p'])
  expect(refused).toMatchObject({ code: 4 })
  expect(refused.all).toContain('a merge cannot be adopted')
  expect(refused.all).not.toContain('--fix')
  expect(await nextOf(repo, 'p')).toEqual(['git plan rebase p'])
  const rebased = await repo.plan(['rebase', 'p', '--approve'])
  expect(rebased, rebased.all).toMatchObject({ code: 0 })
})

test('a failed or waiting plan whose approval is outdated is approved first', async ({ repo }) => {
  await propose(repo, '  - {id: one, create: x.txt, content: a}\n  - {id: two, run: "false"}')
  await repo.plan(['start', 'p', '--approve'])
  repo.git(['switch', '-q', 'main'])
  await propose(repo, '  - {id: one, gate: Go on?}', 'q')
  await repo.plan(['start', 'q', '--approve', '--worktree'])
  repo.write('.plans/config.yml', 'version: 1\nlimits: { steps: 50 }\n')
  repo.commit('Policy')
  expect(await nextOf(repo, 'p')).toEqual([
    'git plan log p --output two',
    'git plan attempts p --show two',
    'git plan approve p',
    'git plan resume p --approve',
  ])
  expect(await nextOf(repo, 'q')).toEqual(['git plan approve q', 'git plan resume q --approve'])
  expect(await repo.plan(['approve', 'p'])).toMatchObject({ code: 0 })
  expect(await nextOf(repo, 'p')).toContain('git plan resume p --retry two')
})

describe('while the policy branch is unknown', () => {
  test('nothing else is suggested than to name it', async ({ repo }) => {
    const bare = `${repo.dir}.git`
    repo.git(['init', '-q', '--bare', '-b', 'main', bare])
    repo.git(['push', '-q', bare, 'main'])
    repo.git(['remote', 'add', 'origin', bare])
    const ways = [
      'git fetch origin && git remote set-head origin --auto',
      'git config plan.policyRef refs/remotes/origin/main',
    ]
    const proposed = await repo.json(['new', '--from', '-', '--id', 'p'], {
      input: planText('  - {id: one, create: x.txt, content: a}'),
    })
    expect(proposed['nextCommands']).toEqual(['git plan show p', ...ways])
    expect(await nextOf(repo, 'p')).toEqual(ways)
    expect(await repo.plan(['approve', 'p'])).toMatchObject({ code: 3 })
  })
})
