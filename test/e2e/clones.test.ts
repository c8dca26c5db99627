// Two clones and one remote: what one of them has pushed is never overwritten by the other, and nothing that one has
// finished runs again in the other.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Outside, until } from '../helpers/crash.ts'
import { ended, planText, test } from '../helpers/repo.ts'
import { TwoClones } from '../helpers/two-clones.ts'
import { isWide } from '../helpers/wide.ts'

const failing = '  - {id: one, run: echo 1 | tee one.txt}\n  - {id: two, run: test -e ok.txt}'

test('commits that another clone pushed are not overwritten after a fetch: the user takes theirs, and ours is kept on both sides', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, failing)
  await clones.ada(1, 'start', 'p', '--push')
  await clones.dan(1, 'start', 'p')
  const [theirs, ours] = [clones.at('there'), clones.at('dan')]
  const fetched = await clones.dan(0, 'fetch', 'p')
  expect(fetched.all).toContain('have diverged')
  for (const command of [
    ['resume', 'p', '--skip', 'two', '--push'],
    ['submit', 'p'],
  ]) {
    const refused = await clones.dan(4, ...command)
    expect(refused.all).toContain('git plan fetch p --take theirs')
  }
  // The remote was asked before anything was recorded.
  expect(clones.at('dan')).toBe(ours)
  expect(clones.at('there')).toBe(theirs)
  expect((await clones.dan(0, 'status', 'p')).stdout).toMatch(/remote +diverged from origin/)
  expect((await clones.dan(0, 'list')).stdout).toContain('diverged from origin')

  await clones.dan(0, 'fetch', 'p', '--take', 'theirs')
  expect(clones.at('dan')).toBe(theirs)
  expect(repo.git(['status', '--porcelain'], { cwd: clones.other })).toBe('')
  expect(clones.kept('dan')).toContain(ours)
  expect(clones.kept('there')).toContain(ours)
  // Each has saved an attempt under the same name, and a note on another commit: all of it is here and there.
  for (const place of ['dan', 'there'] as const) {
    expect(clones.at(place, 'refs/plan/p/attempts/two/').split('\n')).toHaveLength(2)
    const cwd = place === 'dan' ? clones.other : clones.bare
    expect(repo.git(['notes', '--ref=refs/notes/plan/p', 'list'], { cwd }).split('\n').length).toBeGreaterThanOrEqual(2)
  }
  await clones.dan(0, 'resume', 'p', '--skip', 'two', '--push')
  expect(clones.at('there')).toBe(clones.at('dan'))
  await clones.dan(0, 'rollback', 'p', '--undo')
  expect(clones.at('dan')).toBe(ours)
})

test('with --take ours the next push replaces what is there, which is kept there too', async ({ repo }) => {
  const clones = await TwoClones.with(repo, failing)
  await clones.ada(1, 'start', 'p', '--push')
  await clones.dan(1, 'start', 'p')
  const theirs = clones.at('there')
  await clones.dan(0, 'fetch', 'p', '--take', 'ours')
  await clones.dan(0, 'fetch', 'p', '--take', 'ours')
  expect(clones.kept('there').filter((commit) => commit === theirs)).toHaveLength(1)
  await clones.dan(0, 'submit', 'p')
  expect(clones.at('there')).toBe(clones.at('dan'))
  // And for the first clone it is the other way round.
  await clones.ada(4, 'resume', 'p', '--skip', 'two', '--push')
  await clones.ada(0, 'fetch', 'p')
  await clones.ada(0, 'fetch', 'p', '--take', 'theirs')
  expect(clones.at('ada')).toBe(clones.at('there'))
})

test('commits that a reset by hand took off the branch are kept here and on the remote by the push that replaces them', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, failing)
  await clones.ada(1, 'start', 'p', '--push')
  const pushed = clones.at('there')
  repo.git(['reset', '-q', '--hard', 'HEAD~1'])
  await clones.ada(0, 'submit', 'p')
  expect(clones.at('there')).toBe(clones.at('ada'))
  for (const place of ['ada', 'there'] as const) expect(clones.kept(place), place).toEqual([pushed])
  // Without the reflog, the record is all that keeps them.
  repo.git(['reflog', 'expire', '--expire=now', '--all'])
  for (const cwd of [repo.dir, clones.bare]) repo.git(['gc', '-q', '--prune=now'], { cwd })
  await clones.ada(0, 'rollback', 'p', '--undo')
  expect(clones.at('ada')).toBe(pushed)
  await clones.ada(0, 'submit', 'p')
  // What is kept already is not kept twice: the tags are those of the reset, its undo and this rollback.
  await clones.ada(0, 'rollback', 'p')
  await clones.ada(0, 'submit', 'p')
  expect(clones.kept('there')).toHaveLength(3)
})

test('a rollback that another clone has pushed is not undone by a push that would only move the branch forward', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, failing)
  await clones.ada(1, 'start', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  await clones.ada(0, 'rollback', 'p', '--all')
  await clones.ada(0, 'submit', 'p')
  const back = clones.at('there')
  await clones.dan(4, 'submit', 'p')
  await clones.dan(0, 'fetch', 'p')
  await clones.dan(4, 'submit', 'p')
  expect(clones.at('there')).toBe(back)
  await clones.dan(0, 'fetch', 'p', '--take', 'theirs')
  expect(clones.at('dan')).toBe(back)
})

test.skipIf(!isWide)(
  'records of two clones under one name both stay, in their order; what git plan would not have pushed is passed over',
  async ({ repo }) => {
    const clones = await TwoClones.with(repo, failing)
    await clones.ada(1, 'start', 'p', '--push')
    await clones.dan(0, 'fetch', 'p')
    await clones.dan(0, 'rollback', 'p')
    await clones.dan(0, 'submit', 'p')
    await clones.ada(0, 'rollback', 'p')
    await clones.ada(0, 'rollback', 'p', '--undo')
    const own = [1, 2].map((number) => repo.git(['cat-file', '-p', `refs/plan/p/rollbacks/${number}`]))
    const cwd = clones.bare
    const blob = repo.git(['hash-object', '-w', '--stdin'], { cwd, input: 'x' })
    for (const name of ['attempts/one/1', 'effects/two/1'])
      repo.git(['update-ref', `refs/plan/p/${name}`, blob], { cwd })
    for (const name of ['rollbacks/999999999', 'rollbacks/7/x', 'final', 'other'])
      repo.git(['update-ref', `refs/plan/p/${name}`, 'main'], { cwd })
    await clones.ada(0, 'fetch', 'p')
    expect(repo.git(['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/plan/p']).split('\n')).toEqual([
      'attempts/two/1',
      'rollbacks/1',
      'rollbacks/3',
      'rollbacks/4',
    ])
    expect(clones.at('ada', 'refs/plan/p/rollbacks/1')).toBe(clones.at('there', 'refs/plan/p/rollbacks/1'))
    const now = [3, 4].map((number) => repo.git(['cat-file', '-p', `refs/plan/p/rollbacks/${number}`]))
    expect(now).toEqual([own[0], own[1]?.replace('Plan-Undoes: 1', 'Plan-Undoes: 3')])
    await clones.ada(0, 'fetch', 'p', '--take', 'theirs')
    expect(clones.at('there', 'refs/plan/p/rollbacks/4')).toBe(clones.at('ada', 'refs/plan/p/rollbacks/4'))
    expect((await clones.ada(0, 'status', 'p')).stdout).not.toContain('merged')
  },
)

test('a file is not started under the name of a plan that the remote has', async ({ repo }) => {
  const steps = '  - {id: one, run: echo 1 > one.txt}'
  const clones = new TwoClones(repo)
  repo.write('../home/p.md', planText(steps))
  await clones.ada(0, 'start', join(repo.home, 'p.md'), '--approve', '--push')
  repo.git(['fetch', '-q', 'origin'], { cwd: clones.other })
  const [tip, refused] = [
    clones.at('there'),
    await clones.dan(2, 'start', join(repo.home, 'p.md'), '--approve', '--push'),
  ]
  expect(refused.all).toContain('Hint: git plan fetch p\n')
  expect(clones.at('there')).toBe(tip)
  expect(clones.at('dan')).toBe('')
})

test('a plan that was finished elsewhere runs no step here: by its final ref, or by its base as it was fetched', async ({
  repo,
}) => {
  const sent = new Outside(repo, 'sent')
  const clones = await TwoClones.with(repo, `  - {id: one, run: "echo x >> ${sent.path}", effect: external}`)
  await clones.ada(0, 'start', 'p', '--push')
  await clones.ada(0, 'finish', 'p', '--squash', '--push', '--delete-branch')
  expect(clones.at('there')).toBe('')
  const finished = async (): Promise<void> => {
    expect((await clones.dan(2, 'start', 'p')).all).toContain('plan p is finished')
    expect((await clones.dan(2, 'start', 'p', '--push')).all).toContain('plan p is finished')
    expect(await repo.json(['status', 'p'], { cwd: clones.other })).toMatchObject({
      seen: 'merged',
      resumable: false,
      next: null,
    })
    expect((await clones.dan(0, 'list')).stdout).toMatch(/p +merged/)
    expect(sent.count('x')).toBe(1)
  }
  repo.git(['fetch', '-q', 'origin'], { cwd: clones.other })
  await finished()
  repo.git(['update-ref', 'refs/remotes/origin/main', 'main'], { cwd: clones.other })
  repo.git(['fetch', '-q', 'origin', 'refs/plan/p/final:refs/plan/p/final'], { cwd: clones.other })
  repo.git(['update-ref', 'refs/remotes/origin/main', 'main'], { cwd: clones.other })
  await finished()
  // With the base, and without the branch that is of no use any more.
  await clones.dan(0, 'fetch', 'p')
  expect(clones.at('dan', 'refs/remotes/origin/main')).toBe(clones.at('there', 'refs/heads/main'))
  expect(clones.at('dan')).toBe('')
  expect(clones.at('dan', 'refs/plan/p/final')).toBe(clones.at('ada', 'refs/plan/p/final'))
})

test('a plan that was finished without --push is published later, and its branch there removed', async ({ repo }) => {
  const clones = await TwoClones.with(repo, '  - {id: one, run: echo 1 > one.txt}')
  await clones.ada(0, 'start', 'p', '--push')
  await clones.ada(0, 'finish', 'p')
  await clones.ada(0, 'finish', 'p', '--push', '--delete-branch')
  expect(clones.at('there', 'refs/heads/main')).toBe(clones.at('ada', 'refs/heads/main'))
  expect(clones.at('there', 'refs/plan/p/final')).toBe(clones.at('ada', 'refs/plan/p/final'))
  expect(clones.at('there')).toBe('')
  await clones.ada(0, 'finish', 'p', '--push')
})

test('who runs a plan elsewhere is in status after a fetch, and can be relieved before the lease ends', async ({
  repo,
}) => {
  const [wait, begun] = [new Outside(repo, 'wait'), new Outside(repo, 'begun')]
  const clones = await TwoClones.with(
    repo,
    `  - {id: one, run: "echo x >> ${begun.path}; while [ -e ${wait.path} ]; do sleep 0.05; done"}`,
  )
  wait.write()
  const child = repo.spawn(['start', 'p', '--push'])
  const first = ended(child)
  await until('the step runs', () => begun.count('x') === 1)
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await first
  wait.remove()
  await clones.dan(0, 'fetch', 'p')
  expect((await clones.dan(0, 'status', 'p')).stdout).toMatch(/remote .*run by Ada/)
  expect((await clones.dan(0, 'list')).stdout).toMatch(/run by Ada/)
  expect((await clones.dan(4, 'start', 'p', '--push')).all).toContain('git plan start p --push --take-over')
  await clones.dan(0, 'start', 'p', '--push', '--take-over')
  expect(clones.at('there')).toBe(clones.at('dan'))
  await clones.ada(4, 'resume', 'p', '--push')
})

test('a push that went through before its command was killed is known to be ours, also if it rewrote the branch', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, failing)
  await clones.ada(1, 'start', 'p', '--push')
  await clones.ada(0, 'rollback', 'p')
  const begun = new Outside(repo, 'begun')
  writeFileSync(
    join(clones.bare, 'hooks/post-receive'),
    `#!/bin/sh\ngrep -q refs/heads/plan/ && echo x >> ${begun.path} && sleep 60\n`,
    { mode: 0o755 },
  )
  const child = repo.spawn(['submit', 'p'])
  const killed = ended(child)
  await until('the remote has it', () => begun.count('x') === 1)
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await killed
  writeFileSync(join(clones.bare, 'hooks/post-receive'), '#!/bin/sh\n', { mode: 0o755 })
  expect(clones.at('there')).toBe(clones.at('ada'))
  await clones.ada(0, 'resume', 'p', '--skip', 'two', '--push')
  expect(clones.at('there')).toBe(clones.at('ada'))
})
