import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, describe } from 'vitest'
import { as, canary, policy } from '../helpers/gate.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

async function propose(
  repo: TestRepo,
  steps = '  - {id: one, create: one.txt, content: "1"}',
  id = 'p',
): Promise<void> {
  const ran = await repo.plan(['new', '--from', '-', '--id', id], { input: planText(steps) })
  expect(ran.code, ran.all).toBe(0)
}

const refs = (repo: TestRepo): string => repo.git(['for-each-ref'])
const approvalOf = async (repo: TestRepo): Promise<Record<string, unknown>> =>
  JSON.parse((await repo.plan(['status', 'p', '--json'])).stdout).approval

describe('the policy', () => {
  test('two approvals are two people; status says how many there are', async ({ repo }) => {
    policy(repo, 'approval: { low: { from: [local], count: 2 } }\n')
    await propose(repo)
    expect(await approvalOf(repo)).toMatchObject({ state: 'none', required: 2, given: 0 })
    const first = await repo.plan(['approve', 'p'], as('Bob'))
    expect(first.code, first.all).toBe(0)
    expect(first.all.match(/1 of 2 approvals/g)).toHaveLength(1)
    expect((await repo.plan(['status', 'p'])).all).toContain('1 of 2')
    expect((await repo.plan(['approve', 'p'], as('Bob'))).all).toContain('already approved')
    const early = await repo.plan(['start', 'p'])
    expect(early.code, early.all).toBe(3)
    expect(early.all).toContain('1 of 2 approvals (risk LOW); it needs 1 more local approval')
    expect(existsSync(repo.path('one.txt'))).toBe(false)
    expect((await repo.plan(['approve', 'p'], as('Cleo'))).code).toBe(0)
    expect(await approvalOf(repo)).toMatchObject({ state: 'approved', required: 2, given: 2 })
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(0)
  })

  test('two who approve at the same moment both count', async ({ repo }) => {
    policy(repo, 'approval: { low: { from: [local], count: 3 } }\n')
    await propose(repo)
    const ran = await Promise.all(['Bob', 'Cleo', 'Dora'].map((name) => repo.plan(['approve', 'p'], as(name))))
    expect(ran.map(({ code, all }) => (code === 0 ? code : all))).toEqual([0, 0, 0])
    expect(await approvalOf(repo)).toMatchObject({ state: 'approved', required: 3, given: 3 })
  })

  test('A4: who wrote the plan, who changed it last and who starts it do not count where it says so', async ({
    repo,
  }) => {
    policy(repo, 'approval: { low: { from: [local], count: 1, not: [author, starter] } }\n')
    await propose(repo)
    const own = await repo.plan(['approve', 'p'])
    expect(own.code, own.all).toBe(3)
    expect(own.all).toContain('Ada <ada@example.com> wrote the plan')
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(3)
    const other = await repo.plan(['approve', 'p'], as('Bob'))
    expect(other.code, other.all).toBe(0)
    const both = await repo.plan(['start', 'p'], as('Bob'))
    expect(both.code, both.all).toBe(3)
    expect(both.all).toContain('Bob <bob@example.com> starts it')
    expect((await repo.plan(['start', 'p'])).code).toBe(0)
    expect((await repo.plan(['audit', 'p'])).code).toBe(0)
  })

  test('A4: whoever wrote a text that somebody else took over has changed it last', async ({ repo }) => {
    policy(repo, 'approval: { low: { from: [local], not: [last-pusher] } }\n')
    await propose(repo)
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('.plans/p.md', repo.read('.plans/p.md').replace('content: "1"', 'content: "2"'))
    repo.git(['commit', '-qam', 'Suggestion'], as('Mallory'))
    repo.git(['checkout', '-q', 'main'])
    expect((await repo.plan(['start', 'p'], as('Bob'))).code).toBe(3)
    const own = await repo.plan(['approve', 'p'], as('Mallory'))
    expect(own.code, own.all).toBe(3)
    expect(own.all).toContain('Mallory <mallory@example.com> made the last change to it')
    expect((await repo.plan(['approve', 'p'], as('Cleo'))).code).toBe(0)
  })

  test('A4: whoever put other files on the branch does not approve them where it says so', async ({ repo }) => {
    policy(repo, 'approval: { low: { from: [local], not: [last-pusher] } }\n')
    await propose(repo)
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('more.txt', 'x')
    repo.git(['add', '.'])
    repo.git(['commit', '-qm', 'More'], as('Mallory'))
    repo.git(['checkout', '-q', 'main'])
    expect((await repo.plan(['approve', 'p', '--files'], as('Mallory'))).code).toBe(3)
    expect((await repo.plan(['approve', 'p', '--files'], as('Cleo'))).code).toBe(0)
    expect((await repo.plan(['start', 'p'])).code).toBe(0)
    expect((await repo.plan(['audit', 'p'])).code).toBe(0)
  })

  test('low risk runs unasked where it says so, and the branch says why', async ({ repo }) => {
    policy(repo, 'approval: { low: none }\n')
    await propose(repo)
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['log', '--format=%(trailers:key=Plan-Approval,valueonly)', 'plan/p'])).toContain('policy')
    expect((await repo.plan(['finish', 'p'])).code).toBe(0)
    await propose(repo, '  - {id: go, run: echo 1 > x.txt}', 'q')
    expect((await repo.plan(['start', 'q'])).code).toBe(3)
  })

  test('named people and teams', async ({ repo }) => {
    policy(
      repo,
      'approval: { low: { teams: [platform], people: [cleo@example.com] } }\nteams: { platform: [bob@example.com] }\n',
    )
    await propose(repo)
    const other = await repo.plan(['approve', 'p'], as('Dan'))
    expect(other.code).toBe(3)
    expect(other.all).toContain('the policy accepts only cleo@example.com, the team platform')
    expect((await repo.plan(['approve', 'p'], as('Bob'))).code).toBe(0)
  })

  test('A7: owners of what the plan touches, by the CODEOWNERS of the policy branch', async ({ repo }) => {
    repo.write('CODEOWNERS', '* nobody@example.com\n/docs/ bob@example.com\none.txt cleo@example.com\n')
    policy(repo, 'approval: { low: { from: [local], codeowners: true } }\n')
    await propose(
      repo,
      '  - {id: one, create: docs/one.md, content: "1"}\n  - {id: two, create: one.txt, content: "1"}',
    )
    const first = await repo.plan(['approve', 'p'], as('Bob'))
    expect(first.code, first.all).toBe(0)
    const early = await repo.plan(['start', 'p'])
    expect(early.code, early.all).toBe(3)
    expect(early.all).toContain('it needs an approval by cleo@example.com, owner of one.txt')
    expect((await repo.plan(['approve', 'p'], as('Cleo'))).code).toBe(0)
    expect((await repo.plan(['start', 'p'])).code).toBe(0)
  })

  test('an approval expires', async ({ repo }) => {
    policy(repo, 'approval: { expires: 30d }\n')
    await propose(repo)
    const date = '2020-01-02T03:04:05Z'
    expect((await repo.plan(['approve', 'p'], { env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } })).code).toBe(
      0,
    )
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('expired')
  })

  test('fixes: reapprove', async ({ repo }) => {
    policy(repo, 'approval: { fixes: reapprove }\n')
    await propose(repo, '  - {id: one, run: test -e fixed.txt}\n  - {id: two, create: two.txt, content: "2"}')
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(1)
    repo.write('fixed.txt', 'x')
    const ran = await repo.plan(['resume', 'p', '--fix'])
    expect(ran.code, ran.all).toBe(3)
    expect((await repo.plan(['status', 'p'])).all).toContain('0 of 2')
    const again = await repo.plan(['resume', 'p', '--approve'])
    expect(again.code, again.all).toBe(0)
  })

  test('a text that only leaves steps out keeps its approval where it says so; one that changes a step does not', async ({
    repo,
  }) => {
    policy(repo, 'approval: { removals: allow }\n')
    const steps = (...ids: string[]): string =>
      ids.map((id) => `  - {id: ${id}, create: ${id}.txt, content: "1"}`).join('\n')
    await propose(repo, steps('one', 'two', 'three'))
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    const fewer = await repo.plan(['replan', 'p', '--from', '-'], { input: planText(steps('one', 'three')) })
    expect(fewer.code, fewer.all).toBe(0)
    expect(fewer.all).toContain('its approval remains valid')
    const other = await repo.plan(['replan', 'p', '--from', '-'], {
      input: planText(steps('one').replace('"1"', '"2"')),
    })
    expect(other.all).toContain('needs a new approval')
    expect((await repo.plan(['start', 'p'])).code).toBe(3)
  })

  test('where a person was to look, a text without that needs a new approval', async ({ repo }) => {
    policy(repo, 'approval: { removals: allow }\n')
    const [one, deploy] = [
      '  - {id: one, create: one.txt, content: "1"}',
      '  - {id: deploy, run: "true", effect: external}',
    ]
    await propose(repo, `${one}\n  - {id: look, gate: Somebody looks}\n${deploy}`)
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(5)
    const fewer = await repo.plan(['replan', 'p', '--from', '-'], { input: planText(`${one}\n${deploy}`) })
    expect(fewer.all).toContain('needs a new approval')
    expect((await repo.plan(['resume', 'p'])).code).toBe(3)
  })

  test('a commit that only says that it leaves steps out is refused, and can be dropped', async ({ repo }) => {
    policy(repo, 'approval: { removals: allow }\n')
    await propose(repo)
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    const digest = repo.git(['log', '-1', '--format=%(trailers:key=Plan-Digest,valueonly)', 'plan/p']).trim()
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('.plans/p.md', repo.read('.plans/p.md').replace('content: "1"', 'content: "2"'))
    repo.git([
      'commit',
      '-qam',
      `Replan\n\nPlan-Id: p\nPlan-Event: replanned\nPlan-Digest: ${digest}\nPlan-Replaces: ${digest}`,
    ])
    repo.git(['checkout', '-q', 'main'])
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('is not a commit that git plan would make')
    repo.git(['branch', '-qf', 'plan/p', 'plan/p~1'])
    expect((await repo.plan(['start', 'p'])).code).toBe(0)
  })

  test('what came of the plan is approved before it is finished, where it says so', async ({ repo }) => {
    policy(repo, 'approval: { low: { not: [author] }, result_review: required }\n')
    await propose(repo)
    expect((await repo.plan(['approve', 'p'], as('Bob'))).code).toBe(0)
    expect((await repo.plan(['start', 'p'])).code).toBe(0)
    const early = await repo.plan(['finish', 'p'])
    expect(early.code, early.all).toBe(3)
    expect(early.all).toContain('the result of plan p is not approved')
    expect((await repo.plan(['approve', 'p'])).code).toBe(3)
    const result = await repo.plan(['approve', 'p'], as('Bob'))
    expect(result.all).toContain('Approved the result of p')
    expect((await repo.plan(['finish', 'p'])).code).toBe(0)
  })

  describe('on a base that has moved', () => {
    /** Ada's plan, approved by Bob and carried out, in a repository whose base has moved since. */
    async function carriedOut(repo: TestRepo, text: string): Promise<string> {
      policy(repo, text)
      await propose(repo, '  - {id: one, run: cp a.txt copy.txt}')
      for (const name of ['Bob', 'Carol']) await repo.plan(['approve', 'p'], as(name))
      expect((await repo.plan(['start', 'p'])).code).toBe(0)
      repo.git(['checkout', '-q', 'main'])
      repo.write('a.txt', 'moved on\n')
      repo.commit('Move on')
      return refs(repo)
    }

    test.for([
      ['not: [author]', /Ada <ada@example\.com> wrote the plan/],
      ['count: 2', /1 of 2 approvals/],
    ] as const)(
      '%s: whoever cannot approve it alone is refused before anything moves, and puts it there for others',
      async ([rule, why], { repo }) => {
        const before = await carriedOut(repo, `approval: { high: { ${rule} } }`)
        const ran = await repo.plan(['rebase', 'p', '--approve'])
        expect([ran.code, ran.all]).toEqual([3, expect.stringMatching(why)])
        expect(ran.all).toContain('git plan rebase p\n')
        expect(refs(repo)).toBe(before)

        const moved = await repo.plan(['rebase', 'p'])
        expect(moved.code, moved.all).toBe(0)
        expect(moved.all).toContain('it needs a new approval')
        expect(await repo.json(['status', 'p'])).toMatchObject({ status: 'proposed', progress: { done: 0 } })
        for (const name of ['Bob', 'Carol']) expect((await repo.plan(['approve', 'p'], as(name))).code).toBe(0)
        expect((await repo.plan(['start', 'p'])).code).toBe(0)
        expect(repo.git(['show', 'plan/p:copy.txt'])).toBe('moved on')
      },
    )
  })

  test('who may roll back over an external effect', async ({ repo }) => {
    policy(repo, 'approval: { effect_rollback: [bob@example.com] }\n')
    await propose(repo, '  - {id: pay, effect: external, run: "true", undo: "true"}')
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(0)
    const before = refs(repo)
    const ran = await repo.plan(['rollback', 'p', '--all'])
    expect(ran.code, ran.all).toBe(3)
    expect(refs(repo)).toBe(before)
    expect((await repo.plan(['rollback', 'p', '--all'], as('Bob'))).code).toBe(0)
  })

  test('a plan that rolls itself back after a failure stops before an external effect, unless the policy names who runs it', async ({
    repo,
  }) => {
    policy(repo, 'approval: { effect_rollback: [bob@example.com] }\n')
    const paying = `  - {id: pay, effect: external, run: "true", undo: "touch '${canary(repo)}'"}\n  - {id: two, run: test -e ok.txt}`
    for (const [id, who, isUndone] of [['p', 'Ada', false] as const, ['q', 'Bob', true] as const]) {
      const ran = await repo.plan(['start', '-', '--approve'], {
        ...as(who),
        input: planText(paying, `plan: ${id}\non_failure: rollback-all\n`),
      })
      expect(ran.code, ran.all).toBe(1)
      expect(existsSync(canary(repo)), id).toBe(isUndone)
      expect(
        ran.all.includes(
          'the plan was not rolled back: this would roll back an external effect, which the policy allows only to bob@example.com',
        ),
        id,
      ).toBe(!isUndone)
      expect(repo.git(['rev-list', '--count', `plan/${id}`, '--grep=Plan-Event: step']), id).toBe(isUndone ? '0' : '1')
      repo.git(['checkout', '-q', 'main'])
    }
  })
})

describe('what an approval is bound to', () => {
  test('B1, A10: the policy, the base and the text; start says what has changed', async ({ repo }) => {
    await propose(repo)
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    policy(repo, 'limits: { steps: 50 }\n')
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('the policy has changed: config.yml was none, it is now')
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    const edited = await repo.plan(['replan', 'p', '--from', '-'], {
      input: planText('  - {id: one, create: one.txt, content: "2"}'),
    })
    expect(edited.code).toBe(0)
    expect((await repo.plan(['start', 'p'])).code).toBe(3)
    expect(await approvalOf(repo)).toMatchObject({ given: 0 })
    expect(existsSync(repo.path('one.txt'))).toBe(false)
  })

  test('A13: an approval that was copied from another plan or base does not count', async ({ repo }) => {
    await propose(repo)
    await propose(repo, '  - {id: one, create: two.txt, content: "1"}', 'q')
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    const message = repo.git(['log', '-1', '--format=%B', 'plan/p']).replace('Plan-Id: p', 'Plan-Id: q')
    const forged = repo.git(['commit-tree', '-p', 'plan/q', '-F', '-', 'plan/q^{tree}'], { input: message })
    repo.git(['update-ref', 'refs/heads/plan/q', forged])
    const ran = await repo.plan(['start', 'q'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toMatch(/is not a commit that git plan would make: it names the digest|not approved/)
  })

  test('A9: a commit that passes for a step, or a fix, of a plan that nobody started is refused', async ({ repo }) => {
    repo.write('do.sh', 'echo fine > out.txt\n')
    repo.commit('Script')
    await propose(repo, '  - {id: one, create: one.txt, content: "1"}\n  - {id: two, run: sh do.sh}')
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    const approved = repo.git(['log', '-1', '--format=%B', 'plan/p'])
    for (const event of ['step', 'fixed']) {
      repo.git(['checkout', '-q', 'plan/p'])
      repo.write('do.sh', 'touch canary\n')
      repo.git(['commit', '-qam', approved.replace('Plan-Event: approved', `Plan-Event: ${event}\nPlan-Step: one`)])
      repo.git(['checkout', '-q', 'main'])
      const before = refs(repo)
      const ran = await repo.plan(['start', 'p'])
      expect(ran.code, ran.all).toBe(3)
      expect(ran.all).toContain('is not a commit that git plan would make')
      expect(refs(repo)).toBe(before)
      repo.git(['branch', '-qf', 'plan/p', 'plan/p~1'])
    }
    expect((await repo.plan(['start', 'p'])).code).toBe(0)
  })

  test('what lies above the completion is not merged, whatever it says that it is', async ({ repo }) => {
    await propose(repo)
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(0)
    const approved = repo.git(['log', '-1', '--grep=Plan-Event: approved', '--format=%B', 'plan/p'])
    repo.write('more.txt', 'x')
    repo.git(['add', '.'])
    repo.git(['commit', '-qm', approved])
    const forged = await repo.plan(['finish', 'p'])
    expect(forged.code, forged.all).toBe(3)
    expect(forged.all).toContain('but this commit changes more.txt')
    repo.git(['commit', '-q', '--amend', '-m', 'Mine'])
    repo.git(['commit', '-q', '--allow-empty', '-m', approved])
    const hidden = await repo.plan(['finish', 'p'])
    expect(hidden.code, hidden.all).toBe(3)
    expect(hidden.all).toContain('has a commit that git plan did not make')
    expect(repo.git(['ls-tree', '--name-only', 'main'])).toBe('a.txt')
  })

  test('A9: a script that a step calls, changed on the branch after the approval, is refused; named by an approval, it runs', async ({
    repo,
  }) => {
    repo.write('do.sh', 'echo fine > out.txt\n')
    repo.commit('Script')
    await propose(repo, '  - {id: one, run: sh do.sh}')
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('do.sh', 'echo other > out.txt\n')
    repo.commit('Another script')
    repo.git(['checkout', '-q', 'main'])
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('has unapproved commits')
    expect((await repo.plan(['approve', 'p'])).code).toBe(3)
    expect((await repo.plan(['approve', 'p', '--files'])).code).toBe(0)
    const again = await repo.plan(['start', 'p'])
    expect(again.code, again.all).toBe(0)
    expect(repo.git(['show', 'plan/p:out.txt'])).toBe('other')
  })

  test('a new approval does not hide a commit that lies on the branch; taken as the result of a step, it is approved by name', async ({
    repo,
  }) => {
    await propose(repo, '  - {id: one, manual: look}\n  - {id: two, run: sh do.sh}')
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(5)
    expect(
      (
        await repo.plan(['replan', 'p', '--from', '-'], {
          input: planText('  - {id: one, manual: look}\n  - {id: two, run: sh do.sh || true}'),
        })
      ).code,
    ).toBe(0)
    repo.write('do.sh', `echo > '${repo.home}/ran'\n`)
    repo.commit('Mine')
    const before = refs(repo)
    const plain = await repo.plan(['resume', 'p', '--approve'])
    expect(plain.code, plain.all).toBe(4)
    expect(refs(repo)).toBe(before)
    expect(existsSync(`${repo.home}/ran`)).toBe(false)
    const taken = await repo.plan(['resume', 'p', '--done', 'one', '--approve'])
    expect(taken.code, taken.all).toBe(0)
    expect((await repo.plan(['audit', 'p'])).code).toBe(0)
  })

  test('a commit of mine is a fix of a plan that needs a new approval, too', async ({ repo }) => {
    await propose(repo, '  - {id: two, run: test -e fixed.txt}')
    expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(1)
    const changed = planText('  - {id: two, run: test -e fixed.txt -a 1 = 1}')
    expect((await repo.plan(['replan', 'p', '--from', '-'], { input: changed })).code).toBe(0)
    repo.write('fixed.txt', 'x\n')
    repo.commit('Mine')
    const ran = await repo.plan(['resume', 'p', '--fix', '--approve'])
    expect(ran.code, ran.all).toBe(0)
    expect((await repo.plan(['audit', 'p'])).code).toBe(0)
  })

  test('a text that a reviewer committed on the branch is a new revision, whatever it says of its state, and needs a new approval', async ({
    repo,
  }) => {
    await propose(repo)
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    repo.git(['checkout', '-q', 'plan/p'])
    const text = repo.read('.plans/p.md')
    repo.write('.plans/p.md', text.replace('content: "1"', 'content: "2"').replace('state: {}', 'state:\n  one: done'))
    repo.commit('Suggestion')
    repo.git(['checkout', '-q', 'main'])
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('it needs a new approval')
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    expect((await repo.plan(['start', 'p'])).code).toBe(0)
    expect(repo.git(['show', 'plan/p:one.txt'])).toBe('2')
    const audited = await repo.plan(['audit', 'p'])
    expect(audited.code, audited.all).toBe(0)
  })

  test('a commit by hand that says it is an event, and changes another file, is found', async ({ repo }) => {
    repo.write('do.sh', 'echo fine > out.txt\n')
    repo.commit('Script')
    await propose(repo, '  - {id: one, run: sh do.sh}')
    expect((await repo.plan(['approve', 'p'])).code).toBe(0)
    const message = repo.git(['log', '-1', '--format=%B', 'plan/p'])
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('do.sh', 'echo other > out.txt\n')
    repo.commit(message)
    repo.git(['checkout', '-q', 'main'])
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('the event approved may change only the plan file, but this commit changes do.sh')
  })

  test('it is looked at again before an external step', async ({ repo }) => {
    const policies =
      'git update-ref refs/heads/main $(git commit-tree -p main -m Policy $(printf "version: 1\\n" | git hash-object -w --stdin | sed "s/^/100644 blob /; s/$/\\tconfig.yml/" | git mktree | sed "s/^/040000 tree /; s/$/\\t.plans/" | git mktree))'
    await propose(
      repo,
      `  - {id: one, allow: [shell-rewrite-history], run: ${JSON.stringify(policies)}}\n  - {id: pay, effect: external, run: echo paid > paid.txt}`,
    )
    const ran = await repo.plan(['start', 'p', '--approve'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('the policy has changed')
    expect(existsSync(repo.path('paid.txt'))).toBe(false)
    expect((await repo.plan(['status', 'p'])).all).toContain('1 of 2')
  })
})

describe('a signed approval', () => {
  const withKey = (repo: TestRepo, name: string): string => {
    const key = repo.path(`../${name}.key`)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', key])
    return key
  }

  test('counts for whom git proves it, by the allowed signers of the policy branch', async ({ repo }) => {
    const [bob, eve] = [withKey(repo, 'bob'), withKey(repo, 'eve')]
    repo.git(['config', 'gpg.format', 'ssh'])
    repo.write('.plans/allowed_signers', `bob@example.com ${execFileSync('cat', [`${bob}.pub`], { encoding: 'utf8' })}`)
    policy(repo, 'approval: { low: signature }\n')
    await propose(repo)
    const before = refs(repo)
    const unsigned = await repo.plan(['approve', 'p'], as('Bob'))
    expect(unsigned.code, unsigned.all).toBe(3)
    expect(unsigned.all).toContain('git plan approve p --sign')
    repo.git(['config', 'user.signingKey', `${eve}.pub`])
    const stranger = await repo.plan(['approve', 'p', '--sign'], as('Bob'))
    expect(stranger.code, stranger.all).toBe(3)
    expect(stranger.all).toContain('not among the allowed signers')
    expect(refs(repo)).toBe(before)
    repo.git(['config', 'user.signingKey', `${bob}.pub`])
    const signed = await repo.plan(['approve', 'p', '--sign'], as('Bob'))
    expect(signed.code, signed.all).toBe(0)
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(0)
    for (const [command, text] of [
      ['status', /approved by Bob <bob@example.com>, signed, /],
      ['show', /approved by Bob <bob@example.com>, signed, /],
      ['log', /approved +signed +Bob/],
      ['report', /approved by Bob .*, signed, [^]*by Bob .* \(signed\)/],
      ['audit', /approved by Bob <bob@example.com> \(signed\)/],
    ] as const)
      expect((await repo.plan([command, 'p'])).stdout).toMatch(text)
  })

  test('is refused before it is recorded if the owner of the key may not approve', async ({ repo }) => {
    const [ada, bob] = [withKey(repo, 'ada'), withKey(repo, 'bob')]
    repo.git(['config', 'gpg.format', 'ssh'])
    const lines = [ada, bob].map(
      (key, at) => `${at === 0 ? 'ada' : 'bob'}@example.com ${readFileSync(`${key}.pub`, 'utf8')}`,
    )
    repo.write('.plans/allowed_signers', lines.join(''))
    policy(repo, 'approval: { low: { from: [signature], not: [author] } }\n')
    await propose(repo)
    const before = refs(repo)
    // Bob's name, and the key of Ada, who wrote the plan.
    repo.git(['config', 'user.signingKey', `${ada}.pub`])
    const refused = await repo.plan(['approve', 'p', '--sign'], as('Bob'))
    expect(refused.code, refused.all).toBe(3)
    expect(refused.all).toContain('your key is that of ada@example.com')
    expect(refs(repo)).toBe(before)
    repo.git(['config', 'user.signingKey', `${bob}.pub`])
    expect((await repo.plan(['approve', 'p', '--sign'], as('Bob'))).code).toBe(0)
    // Every command counts by the same signers.
    repo.git(['rm', '-q', '--cached', '.plans/allowed_signers'])
    repo.write('.plans/allowed_signers', lines[0] ?? '')
    repo.commit('Bob may no longer sign')
    const status = await repo.plan(['status', 'p'])
    expect(status.all).toMatch(/approval +outdated: by Bob .*not among the allowed signers/)
    expect(status.all).not.toContain('git plan start p')
    expect((await repo.plan(['start', 'p'])).code).toBe(3)
  })

  test('satisfies a policy that asks for a local one', async ({ repo }) => {
    const bob = withKey(repo, 'bob')
    repo.git(['config', 'gpg.format', 'ssh'])
    repo.git(['config', 'user.signingKey', `${bob}.pub`])
    repo.write('.plans/allowed_signers', `bob@example.com ${execFileSync('cat', [`${bob}.pub`], { encoding: 'utf8' })}`)
    policy(repo, 'approval: { low: local }\n')
    await propose(repo)
    const signed = await repo.plan(['approve', 'p', '--sign'], as('Bob'))
    expect(signed.code, signed.all).toBe(0)
    expect((await repo.plan(['start', 'p'])).code).toBe(0)
  })

  test('still counts in an audit after the policy has changed, by the signers of its time', async ({ repo }) => {
    const bob = withKey(repo, 'bob')
    repo.git(['config', 'gpg.format', 'ssh'])
    repo.git(['config', 'user.signingKey', `${bob}.pub`])
    policy(repo, 'approval: { low: signature }\n')
    await propose(repo)
    // Later than the base of the plan, and than the policy itself.
    repo.write('.plans/allowed_signers', `bob@example.com ${execFileSync('cat', [`${bob}.pub`], { encoding: 'utf8' })}`)
    repo.commit('Signers')
    for (const command of [
      ['approve', 'p', '--sign'],
      ['start', 'p'],
      ['audit', 'p'],
      ['finish', 'p'],
    ]) {
      const ran = await repo.plan(command, as('Bob'))
      expect(ran.code, ran.all).toBe(0)
    }
    policy(repo, 'approval: { low: signature }\nlimits: { steps: 50 }\n')
    const audited = await repo.plan(['audit', 'p'])
    expect(audited.code, audited.all).toBe(0)
  })

  test('in another clone covers the commits of a run that nothing else proves', async ({ repo }) => {
    const bob = withKey(repo, 'bob')
    for (const [key, value] of [
      ['gpg.format', 'ssh'],
      ['user.signingKey', `${bob}.pub`],
    ] as const)
      repo.git(['config', '--file', `${repo.home}/.gitconfig`, key, value])
    repo.write('.plans/allowed_signers', `bob@example.com ${execFileSync('cat', [`${bob}.pub`], { encoding: 'utf8' })}`)
    policy(repo, 'approval: { high: signature }\n')
    await repo.plan(['new', '--from', '-', '--id', 'p'], {
      input: planText(
        '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: "test -e ../../ok && echo 2 > two.txt"}',
      ),
    })
    expect((await repo.plan(['approve', 'p', '--sign'], as('Bob'))).code).toBe(0)
    expect((await repo.plan(['start', 'p'])).code).toBe(1)
    const cwd = repo.path('../clones/bob')
    repo.git(['clone', '-q', '-b', 'main', repo.dir, cwd])
    repo.git(['fetch', '-q', 'origin', 'refs/heads/plan/*:refs/heads/plan/*', 'refs/plan/*:refs/plan/*'], { cwd })
    const inClone = (...args: string[]) => repo.plan(args, { ...as('Bob'), cwd })
    const refused = await inClone('resume', 'p')
    expect([refused.code, refused.all]).toEqual([3, expect.stringContaining('git plan approve p --sign')])
    const again = await inClone('approve', 'p', '--sign')
    expect([again.code, again.all]).toEqual([0, expect.stringContaining('Approved p')])
    repo.write('../ok', '')
    const resumed = await inClone('resume', 'p')
    expect(resumed.code, resumed.all).toBe(0)
  })

  test('one that only says it is signed does not count', async ({ repo }) => {
    policy(repo, 'approval: { low: signature }\n')
    await propose(repo)
    const [policyBlob, base] = [repo.git(['rev-parse', 'main:.plans/config.yml']), repo.git(['rev-parse', 'main'])]
    const digest = JSON.parse((await repo.plan(['status', 'p', '--json'])).stdout).digest as string
    const text = repo.git(['show', 'plan/p:.plans/p.md']).replace('status: proposed', 'status: approved')
    const blob = repo.git(['hash-object', '-w', '--stdin'], { input: `${text}\n` })
    const index = { env: { GIT_INDEX_FILE: repo.path('../index') } }
    repo.git(['read-tree', 'plan/p'], index)
    repo.git(['update-index', '--add', '--cacheinfo', `100644,${blob},.plans/p.md`], index)
    const tree = repo.git(['write-tree'], index)
    const trailers = `Plan-Id: p\nPlan-Event: approved\nPlan-Digest: ${digest}\nPlan-Approved-By: Bob <bob@example.com>\nPlan-Approval: signature\nPlan-Base: ${base}\nPlan-Policy: ${policyBlob}\n`
    repo.git([
      'update-ref',
      'refs/heads/plan/p',
      repo.git(['commit-tree', '-p', 'plan/p', '-F', '-', tree], { input: `Approved: p\n\n${trailers}` }),
    ])
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('it claims to be signed, but is not')
  })
})
