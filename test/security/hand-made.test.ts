// Commits that are made by hand to look harmless: merges that drop the other side, attributes that settle a conflict,
// and signatures with an old date.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { as, bySignature, canary, ok, policy, refused } from '../helpers/gate.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** Main moves on, and a merge on the branch of the plan keeps nothing of it. */
function mergeAway(repo: TestRepo): void {
  repo.git(['checkout', '-q', 'main'])
  repo.write('fix.txt', 'a fix on main\n')
  repo.commit('A fix on main')
  repo.git(['checkout', '-q', 'plan/p'])
  repo.git(['merge', '-q', '-s', 'ours', '-m', 'Bring it up to date', 'main'])
}

describe('a merge that drops what main got meanwhile', () => {
  const steps = '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e ok.txt}'

  test('is not adopted as a fix', async ({ repo }) => {
    expect((await repo.plan(['start', '-', '--approve'], { input: planText(steps, 'plan: p\n') })).code).toBe(1)
    mergeAway(repo)
    repo.write('ok.txt', '')
    refused(
      repo,
      await repo.plan(['resume', 'p', '--fix']),
      /is a merge, which neither a fix nor an approval can adopt/,
    )
    expect(repo.git(['show', 'main:fix.txt'])).toBe('a fix on main')
  })

  test('is not named by an approval', async ({ repo }) => {
    await ok(repo, ['new', '--from', '-'], planText('  - {id: one, run: echo 1 > one.txt}', 'plan: p\n'))
    repo.git(['checkout', '-q', 'plan/p'])
    mergeAway(repo)
    refused(repo, await repo.plan(['approve', 'p', '--files']), /is a merge/)
    refused(repo, await repo.plan(['start', 'p', '--approve']), /is a merge|has unapproved commits/)
  })
})

test('attributes that a plan writes settle no conflict of its merge', async ({ repo }) => {
  const steps =
    '  - {id: one, create: .gitattributes, content: "a.txt merge=union"}\n  - {id: two, run: echo of the plan > a.txt}'
  await ok(repo, ['start', '-', '--approve'], planText(steps, 'plan: p\n'))
  const other = repo.path('../other')
  repo.git(['worktree', 'add', '-q', other, 'main'])
  repo.write('../other/a.txt', 'of main\n')
  repo.git(['commit', '-q', '-a', '-m', 'Meanwhile'], { cwd: other })
  const main = repo.git(['rev-parse', 'main'])
  const ran = await repo.plan(['finish', 'p'])
  expect([ran.code, ran.all]).toEqual([1, expect.stringContaining('conflict in a.txt')])
  expect(repo.git(['rev-parse', 'main'])).toBe(main)
})

test('a key whose time is over approves nothing by an old date', async ({ repo }) => {
  const key = join(repo.home, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  repo.git(['config', 'gpg.format', 'ssh'])
  repo.git(['config', 'user.signingkey', `${key}.pub`])
  const [kind, name] = execFileSync('cat', [`${key}.pub`], { encoding: 'utf8' }).split(' ')
  repo.write('.plans/allowed_signers', `ada@example.com valid-before="20200101" ${kind} ${name}\n`)
  policy(repo, bySignature)
  await ok(repo, ['new', '--from', '-'], planText(`  - {id: one, run: touch ${canary(repo)}}`, 'plan: p\n'))
  const past = { GIT_COMMITTER_DATE: '2019-06-01T00:00:00Z', GIT_AUTHOR_DATE: '2019-06-01T00:00:00Z' }
  const approved = await repo.plan(['approve', 'p', '--sign'], { env: past })
  // Where the clock of the machine is not believed either, it was not even recorded.
  expect([0, 3]).toContain(approved.code)
  refused(repo, await repo.plan(['start', 'p']), /dated before the commit that the plan is based on|not approved/)
})

test('the owner of a critical path is asked, where only what the step did is critical', async ({ repo }) => {
  repo.write('CODEOWNERS', '/pay/ bob@example.com\n')
  repo.write('gen.sh', 'mkdir pay && echo 7 > pay/rate.txt\n')
  policy(
    repo,
    'risk: { critical: ["pay/**"] }\napproval: { high: { from: [local] }, critical: { from: [local], codeowners: true } }',
  )
  await ok(repo, ['start', '-', '--approve'], planText('  - {id: one, run: sh gen.sh}', 'plan: p\n'))
  refused(repo, await repo.plan(['finish', 'p']), /not approved/)
  await ok(repo, ['approve', 'p'])
  refused(repo, await repo.plan(['finish', 'p']), /not approved/)
  expect((await repo.plan(['approve', 'p'], as('Bob'))).code).toBe(0)
  await ok(repo, ['finish', 'p'])
})
