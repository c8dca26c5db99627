// Records that another clone has pushed, under a policy for which a push is no approval: whoever can push can write
// them.

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { canary, signedPolicy } from '../helpers/gate.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { TwoClones } from '../helpers/two-clones.ts'

/** The plan `p`, approved by Ada's signature. */
async function signed(repo: TestRepo, steps: string): Promise<TwoClones> {
  signedPolicy(repo)
  const clones = new TwoClones(repo)
  await clones.ada(0, 'new', '--from', '-', '--id', 'p', { input: planText(steps) })
  await clones.ada(0, 'approve', 'p', '--sign')
  await clones.ada(0, 'submit', 'p')
  return clones
}

/** A commit that Dan pushes as a record: with the files of `parent` and one more, or another text of one. */
function pushRecord(
  { repo, other }: TwoClones,
  ref: string,
  parent: string,
  { message, file, text }: { message: string; file?: string; text?: string },
): string {
  const at = { cwd: other, env: { GIT_INDEX_FILE: `${repo.home}/index` } }
  repo.git(['fetch', '-q', repo.dir, parent], at)
  repo.git(['read-tree', parent], at)
  const input = text ?? ''
  if (file !== undefined)
    repo.git(
      [
        'update-index',
        '--add',
        '--cacheinfo',
        `100644,${repo.git(['hash-object', '-w', '--stdin'], { ...at, input })},${file}`,
      ],
      at,
    )
  const oid = repo.git(['commit-tree', repo.git(['write-tree'], at), '-p', parent, '-m', message], at)
  repo.git(['push', '-q', 'origin', `${oid}:${ref}`], at)
  return oid
}

test('an attempt of another clone is not where a step begins; one of this clone is', async ({ repo }) => {
  repo.write('gen.sh', 'test -e ok.txt\n')
  repo.commit('Generator')
  const clones = await signed(repo, '  - {id: one, run: sh gen.sh}')
  await clones.ada(1, 'start', 'p')
  pushRecord(clones, 'refs/plan/p/attempts/one/2', repo.git(['rev-parse', 'plan/p']), {
    message: 'Attempt 2 of one',
    file: 'gen.sh',
    text: `touch '${canary(repo)}'\n`,
  })
  await clones.ada(0, 'fetch', 'p')
  const ran = await clones.ada(3, 'resume', 'p', '--retry', 'one', '--from-attempt', '2')
  expect(ran.all).toMatch(/of one was made in another clone\nHint: git plan resume p --retry one --push\n/)
  expect(existsSync(canary(repo))).toBe(false)
  expect(repo.status()).toBe('')
  await clones.ada(1, 'resume', 'p', '--retry', 'one', '--from-attempt', '1')
  await clones.ada(1, 'resume', 'p', '--retry', 'one')
})

describe('the record of an effect that another clone has pushed', () => {
  const paying = (repo: TestRepo, more = ''): string =>
    `  - {id: pay, effect: external, run: "echo paid >> '${repo.home}/sent'", undo: "echo undone >> '${repo.home}/sent'"${more}}`
  const sent = (repo: TestRepo): string =>
    existsSync(`${repo.home}/sent`) ? readFileSync(`${repo.home}/sent`, 'utf8') : ''
  const says = (state: string): string =>
    `Effect 1 of pay: ${state}\n\nPlan-Id: p\nPlan-Step: pay\nPlan-Effect: ${state}`
  const ref = 'refs/plan/p/effects/pay/1'

  /** As if Dan had paid, and his command had left a file. */
  function claimPaid(clones: TwoClones): void {
    const intended = pushRecord(clones, ref, clones.at('ada'), { message: says('intended') })
    clones.repo.git(['update-ref', 'refs/heads/record', intended], { cwd: clones.other })
    pushRecord(clones, ref, intended, { message: says('happened'), file: 'evil.txt', text: 'x' })
  }

  test('that it happened leaves it unknown: a person says what came of it, and its files are not taken', async ({
    repo,
  }) => {
    const clones = await signed(repo, paying(repo))
    claimPaid(clones)
    await clones.ada(0, 'fetch', 'p')
    expect((await clones.ada(5, 'start', 'p')).all).toContain('the external effect of pay may or may not have happened')
    const claimed = clones.at('ada', ref)
    await clones.ada(0, 'resume', 'p', '--retry', 'pay')
    // The retry does not replace what Dan has recorded: he may have paid.
    expect(clones.at('ada', ref)).toBe(claimed)
    expect(sent(repo)).toBe('paid\n')
    expect(existsSync(repo.path('evil.txt'))).toBe(false)
  })

  test.for([
    ['the probe', ', probe: "true"', ['start', 'p']],
    ['a person', '', ['resume', 'p', '--done', 'pay']],
  ] as const)('is confirmed by %s without the files that it brings', async ([, more, args], { repo }) => {
    const clones = await signed(repo, paying(repo, `${more}, verify: [test -e ok.txt]`))
    claimPaid(clones)
    await clones.ada(0, 'fetch', 'p')
    if (args[0] === 'resume') await clones.ada(5, 'start', 'p')
    // It is recorded here now; the checks of the step fail.
    await clones.ada(1, ...args)
    await clones.ada(1, 'resume', 'p')
    // By Dan's record alone: neither an attempt nor a record of this clone has it.
    expect(repo.git(['log', '--all', '--diff-filter=A', '--format=%s', '--', 'evil.txt'])).toBe(
      'Effect 1 of pay: happened',
    )
    expect(repo.git(['ls-tree', '--name-only', ref])).not.toContain('evil.txt')
    expect(sent(repo)).toBe('')
  })

  test('that it is undone, above what this clone has recorded, does not let a rollback pass over it', async ({
    repo,
  }) => {
    const clones = await signed(repo, paying(repo))
    await clones.ada(0, 'start', 'p', '--push')
    pushRecord(clones, ref, clones.at('ada', ref), { message: says('undone') })
    await clones.ada(0, 'fetch', 'p')
    const tip = clones.at('ada')
    expect((await clones.ada(5, 'rollback', 'p', '--all')).all).toContain('git plan rollback p --keep-effects')
    expect(clones.at('ada')).toBe(tip)
    expect(sent(repo)).toBe('paid\n')
  })
})
