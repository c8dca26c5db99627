// The end of a plan: merged into its base in each way, refused without a trace where that cannot be, deleted, pruned.

import { existsSync, utimesSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

async function completed(repo: TestRepo, run = 'echo 1 > one.txt'): Promise<string> {
  repo.write('.plans/demo.md', planText(`  - {id: one, title: Step one, run: ${run}}`, 'title: Demo plan\n'))
  const ran = await repo.plan(['start', '.plans/demo.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  return tip(repo)
}

const tip = (repo: TestRepo, ref = 'plan/demo'): string => repo.git(['rev-parse', ref])
const head = (repo: TestRepo): string => repo.git(['symbolic-ref', '--short', 'HEAD'])
const treeOf = (repo: TestRepo, ref: string): string => repo.git(['rev-parse', `${ref}^{tree}`])

/** Moves main without touching the checkout, which the plan has. */
function moveMain(repo: TestRepo, path: string, text: string): string {
  const other = repo.path('../other')
  repo.git(['worktree', 'add', '-q', other, 'main'])
  repo.write(`../other/${path}`, text)
  repo.git(['add', '-A'], { cwd: other })
  repo.git(['commit', '-q', '-m', 'Meanwhile'], { cwd: other })
  repo.git(['worktree', 'remove', other])
  return tip(repo, 'main')
}

describe('finish', () => {
  test('merges with a merge commit, goes back to the base, and keeps the tip when the branch is gone', async ({ repo }) => {
    const end = await completed(repo)
    const base = tip(repo, 'main')
    const ran = await repo.plan(['finish'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['log', '-1', '--format=%P', 'main'])).toBe(`${base} ${end}`)
    expect([head(repo), repo.status()]).toEqual(['main', ''])
    expect(repo.read('one.txt')).toBe('1\n')
    expect(repo.git(['for-each-ref', '--format=%(refname)', 'refs/heads/plan/', 'refs/plan-local/'])).toBe('')
    expect(tip(repo, 'refs/plan/demo/final')).toBe(end)
    expect(await repo.json(['status', 'demo'])).toMatchObject({ status: 'completed', seen: 'merged' })
    const again = await repo.plan(['finish', 'demo'])
    expect(again.code).toBe(2)
    expect(repo.fsck()).toBe('')
  })

  test('merges with a base that has moved on', async ({ repo }) => {
    const end = await completed(repo)
    const base = moveMain(repo, 'other.txt', 'other\n')
    const ran = await repo.plan(['finish', '--merge'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['log', '-1', '--format=%P', 'main'])).toBe(`${base} ${end}`)
    expect(repo.git(['ls-tree', '-r', '--name-only', 'main']).split('\n')).toEqual(['.plans/demo.md', 'a.txt', 'one.txt', 'other.txt'])
    expect([head(repo), repo.status()]).toEqual(['main', ''])
  })

  test('squashes to one commit on the base, with --keep-branch leaving the branch', async ({ repo }) => {
    const end = await completed(repo)
    const base = tip(repo, 'main')
    const ran = await repo.plan(['finish', '--squash', '--keep-branch'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['log', '-1', '--format=%P %s', 'main'])).toBe(`${base} Demo plan`)
    expect(treeOf(repo, 'main')).toBe(treeOf(repo, end))
    expect(tip(repo)).toBe(end)
  })

  test('--ff moves the base to the tip, or refuses where the base has moved on', async ({ repo }) => {
    const end = await completed(repo)
    expect((await repo.plan(['finish', '--ff', '--squash'])).code).toBe(2)
    const base = tip(repo, 'main')
    const moved = moveMain(repo, 'other.txt', 'other\n')
    const refused = await repo.plan(['finish', '--ff'])
    expect(refused.code).toBe(1)
    expect(refused.all).toContain('git plan finish demo --merge')
    expect(tip(repo, 'main')).toBe(moved)
    repo.git(['update-ref', 'refs/heads/main', base])
    const ran = await repo.plan(['finish', '--ff'])
    expect(ran.code, ran.all).toBe(0)
    expect(tip(repo, 'main')).toBe(end)
    expect([head(repo), repo.status()]).toEqual(['main', ''])
  })

  test('--dry-run changes nothing, and neither does a conflict, which exits 1 and names the file', async ({ repo }) => {
    await completed(repo, 'echo plan > a.txt')
    const refs = repo.git(['for-each-ref'])
    const dry = await repo.plan(['finish', '--dry-run'])
    expect([dry.code, dry.all]).toEqual([0, expect.stringContaining('would merge plan/demo into main')])
    expect([repo.git(['for-each-ref']), head(repo)]).toEqual([refs, 'plan/demo'])
    moveMain(repo, 'a.txt', 'somebody else\n')
    const before = repo.git(['for-each-ref'])
    const ran = await repo.plan(['finish'])
    expect(ran.code).toBe(1)
    expect(ran.all).toContain('conflict in a.txt')
    expect(ran.all).toContain('git plan rebase demo')
    expect([repo.git(['for-each-ref']), head(repo), repo.status()]).toEqual([before, 'plan/demo', ''])
  })

  test.for([
    ['all commits of the plan', '2', 2],
    ['the commits between the plan and its base', '5', 3],
  ] as const)('refuses in a shallow clone without %s, and works after the command of the hint', async ([, depth, code], { repo }) => {
    await completed(repo)
    for (let number = 1; number <= 5; number++) moveMain(repo, 'other.txt', `${number}\n`)
    const at = { cwd: `${repo.home}/shallow` }
    repo.git(['clone', '-q', '--depth', depth, '--no-single-branch', '-b', 'main', `file://${repo.dir}`, at.cwd])
    for (const args of [
      ['config', 'user.name', 'Eve'],
      ['config', 'user.email', 'eve@example.com'],
      ['remote', 'set-head', 'origin', 'main'],
      ['branch', '-q', 'plan/demo', 'origin/plan/demo'],
    ])
      repo.git(args, at)
    const before = repo.git(['for-each-ref'], at)
    for (const way of ['--merge', '--squash', '--ff', '--dry-run']) {
      const ran = await repo.plan(['finish', 'demo', way], at)
      expect([ran.code, ran.all]).toEqual([code, expect.stringMatching(/^Hint: .*git fetch --unshallow$/m)])
    }
    for (const command of ['diff', 'report']) expect((await repo.plan([command, 'demo'], at)).code, command).toBe(code === 2 ? 2 : 0)
    expect(repo.git(['for-each-ref'], at)).toBe(before)
    repo.git(['fetch', '-q', '--unshallow'], at)
    const ran = await repo.plan(['finish', 'demo'], at)
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['show', 'main:one.txt'], at)).toBe('1')
  })

  test('refuses a plan that is not completed, and commits above the completion', async ({ repo }) => {
    const end = await completed(repo)
    repo.write('late.txt', 'late\n')
    repo.commit('Late')
    const late = await repo.plan(['finish'])
    expect(late.code).toBe(3)
    expect(late.all).toContain('git reset --hard')
    repo.git(['reset', '-q', '--hard', `${end}^`])
    const open = await repo.plan(['finish'])
    expect(open.code).toBe(2)
    expect(open.all).toContain('git plan resume demo')
    expect(repo.subjects('main')).toEqual(['First'])
  })
})

describe('delete and prune', () => {
  test('delete refuses an open plan, removes a cancelled one with all its refs, and says how to get it back', async ({ repo }) => {
    repo.write('.plans/demo.md', planText('  - {id: one, run: exit 1}'))
    expect((await repo.plan(['start', '.plans/demo.md', '--approve'])).code).toBe(1)
    const checkedOut = await repo.plan(['delete', 'demo'])
    expect(checkedOut.code).toBe(2)
    expect((await repo.plan(['cancel', 'demo'])).code).toBe(0)
    const end = tip(repo)
    const ran = await repo.plan(['delete', 'demo'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
    expect(existsSync(repo.path('.git/plan/demo'))).toBe(false)
    const [, back = ''] = /(git branch plan\/demo [0-9a-f]+)/.exec(ran.all) ?? []
    repo.git(back.split(' ').slice(1))
    expect(tip(repo)).toBe(end)
  })

  test("delete --force of a plan that still holds what was put aside keeps it in git's stash", async ({ repo }) => {
    repo.write('a.txt', 'mine\n')
    repo.write('.plans/demo.md', planText('  - {id: one, run: echo 1 > one.txt}'))
    expect((await repo.plan(['start', '.plans/demo.md', '--approve', '--autostash'])).code).toBe(0)
    repo.git(['checkout', '-q', 'main'])
    const refused = await repo.plan(['delete', 'demo'])
    expect(refused.code).toBe(2)
    const ran = await repo.plan(['delete', 'demo', '--force'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['show', 'stash@{0}:a.txt'])).toBe('mine')
    expect(repo.git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main\nrefs/stash')
  })

  test('prune removes old attempts of plans that are over and old logs, and --dry-run only says so', async ({ repo }) => {
    repo.write('.plans/demo.md', planText('  - {id: one, retries: 1, run: echo said; test $PLAN_ATTEMPT = 2}'))
    expect((await repo.plan(['start', '.plans/demo.md', '--approve'])).code).toBe(0)
    const log = repo.path('.git/plan/demo/logs/one-1.log')
    utimesSync(log, 0, 0)
    const dry = await repo.plan(['prune', '--dry-run'])
    expect(dry.all).toContain('refs/plan/demo/attempts/one/1')
    expect(existsSync(log)).toBe(true)
    expect((await repo.plan(['prune'])).code).toBe(0)
    expect(repo.git(['for-each-ref', 'refs/plan/demo/attempts/'])).toBe('')
    expect(existsSync(log)).toBe(false)
    expect(existsSync(repo.path('.git/plan/demo/logs/one-2.log'))).toBe(true)
    expect((await repo.json(['status', 'demo']))['status']).toBe('completed')
  })
})
