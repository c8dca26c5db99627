// A clone without the whole history: nothing is merged on guesses.

import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

async function completed(repo: TestRepo): Promise<void> {
  repo.write('.plans/demo.md', planText(`  - {id: one, title: Step one, run: echo 1 > one.txt}`, 'title: Demo plan\n'))
  const ran = await repo.plan(['start', '.plans/demo.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
}

/** Moves main without touching the checkout, which the plan has. */
function moveMain(repo: TestRepo, path: string, text: string): void {
  const other = repo.path('../other')
  repo.git(['worktree', 'add', '-q', other, 'main'])
  repo.write(`../other/${path}`, text)
  repo.git(['add', '-A'], { cwd: other })
  repo.git(['commit', '-q', '-m', 'Meanwhile'], { cwd: other })
  repo.git(['worktree', 'remove', other])
}

test.for([
  ['all commits of the plan', '2', 2],
  ['the commits between the plan and its base', '5', 3],
] as const)(
  'finish refuses in a shallow clone without %s, and works after the command of the hint',
  async ([, depth, code], { repo }) => {
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
    for (const command of ['diff', 'report'])
      expect((await repo.plan([command, 'demo'], at)).code, command).toBe(code === 2 ? 2 : 0)
    expect(repo.git(['for-each-ref'], at)).toBe(before)
    repo.git(['fetch', '-q', '--unshallow'], at)
    const ran = await repo.plan(['finish', 'demo'], at)
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['show', 'main:one.txt'], at)).toBe('1')
  },
)
