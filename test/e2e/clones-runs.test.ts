// Two clones that run, roll back, cancel and finish one plan: no step and no undo runs in both.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Outside, until } from '../helpers/crash.ts'
import { ended, planText, test } from '../helpers/repo.ts'
import { TwoClones } from '../helpers/two-clones.ts'

const payment = (sent: Outside): string =>
  `  - {id: pay, run: "echo x >> ${sent.path}", undo: "echo u >> ${sent.path}", effect: external}\n  - {id: two, run: test -e ok.txt}`

test('a clone that has fetched the run of another one does not run its steps again without --push', async ({
  repo,
}) => {
  const sent = new Outside(repo, 'sent')
  const clones = await TwoClones.with(repo, payment(sent))
  await clones.ada(1, 'start', 'p', '--push')
  repo.git(['fetch', '-q', 'origin'], { cwd: clones.other })
  expect((await clones.dan(4, 'start', 'p')).all).toContain('Hint: git plan fetch p\n')
  expect(sent.count('x')).toBe(1)
  await clones.dan(0, 'fetch', 'p')
  await clones.dan(0, 'resume', 'p', '--skip', 'two')
  await clones.ada(0, 'resume', 'p', '--skip', 'two', '--push')
  repo.git(['fetch', '-q', 'origin'], { cwd: clones.other })
  // Nothing is undone here either while both sides differ; what runs nothing works.
  expect((await clones.dan(4, 'rollback', 'p', '--all')).all).toContain('git plan fetch p --take theirs')
  await clones.dan(0, 'rollback', 'p', '--all', '--keep-effects')
  expect(sent.count('u')).toBe(0)
})

test('rollback --push asks the remote first, and another clone finds the undone effect undone', async ({ repo }) => {
  const sent = new Outside(repo, 'sent')
  const clones = await TwoClones.with(repo, payment(sent))
  await clones.ada(1, 'start', 'p', '--push')
  await clones.dan(4, 'rollback', 'p', '--all', '--push')
  await clones.dan(0, 'fetch', 'p')
  repo.git(['checkout', '-q', 'plan/p'], { cwd: clones.other })
  await clones.dan(0, 'rollback', 'p', '--all', '--push')
  expect(sent.count('u')).toBe(1)
  expect(clones.at('there')).toBe(clones.at('dan'))
  expect(clones.at('there', 'refs/plan-lease/')).toBe('')
  await clones.ada(4, 'rollback', 'p', '--all', '--push')
  await clones.ada(0, 'fetch', 'p')
  await clones.ada(0, 'fetch', 'p', '--take', 'theirs')
  expect(sent.count('u')).toBe(1)
})

test('a run that another clone has taken over stops at its next push, before its next effect', async ({ repo }) => {
  const sent = new Outside(repo, 'sent')
  const go = join(repo.home, 'go')
  const clones = await TwoClones.with(
    repo,
    `  - {id: slow, run: "touch ${go}.begun; until test -e ${go}; do sleep 0.05; done"}\n  - {id: pay, run: "echo x >> ${sent.path}", effect: external}`,
  )
  const run = ended(repo.spawn(['start', 'p', '--push']))
  await until('the step has begun', () => existsSync(`${go}.begun`))
  const lease = clones.at('there', 'refs/plan-lease/p')
  // Another clone takes the lease and has not pushed anything else yet.
  const other = repo.git(['hash-object', '-w', '--stdin'], {
    cwd: clones.bare,
    input: '{"holder":"Dan","until":"2099-01-01T00:00:00Z"}',
  })
  repo.git(['update-ref', 'refs/plan-lease/p', other, lease], { cwd: clones.bare })
  writeFileSync(go, '')
  const ran = await run
  expect(ran.all).toContain('another clone has taken over plan p')
  expect(ran.code).toBe(4)
  expect(sent.count('x')).toBe(0)
  expect(clones.at('there', 'refs/plan-lease/p')).toBe(other)
})

test('cancel --push ends the plan for every clone; a clone that is behind fetches first', async ({ repo }) => {
  const clones = await TwoClones.with(repo, '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e ok.txt}')
  await clones.ada(1, 'start', 'p', '--push')
  const before = clones.at('dan')
  await clones.dan(4, 'cancel', 'p', '--push')
  expect(clones.at('dan')).toBe(before)
  await clones.dan(0, 'fetch', 'p')
  await clones.dan(0, 'cancel', 'p', '--push')
  expect(clones.at('there')).toBe(clones.at('dan'))
  await clones.ada(4, 'resume', 'p', '--skip', 'two', '--push')
  await clones.ada(0, 'fetch', 'p')
  expect((await clones.ada(2, 'resume', 'p')).all).toContain('plan p is cancelled')
})

test('the undo of a cancellation is pushed like a rollback: not over what another clone has pushed', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e ok.txt}')
  await clones.ada(1, 'start', 'p', '--push')
  await clones.ada(0, 'cancel', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  const cancelled = clones.at('there')
  await clones.ada(0, 'rollback', 'p', '--undo')
  expect((await clones.ada(0, 'status', 'p')).stdout).toContain('rewritten since it was pushed to origin')
  await clones.dan(0, 'rollback', 'p', '--undo', '--push')
  expect(clones.at('there')).toBe(clones.at('dan'))
  expect(clones.kept('there')).toContain(cancelled)
  await clones.dan(0, 'cancel', 'p', '--push')
  await clones.ada(0, 'cancel', 'p')
  await clones.ada(4, 'rollback', 'p', '--undo', '--push')
  expect(clones.at('there')).toBe(clones.at('dan'))
})

test('a plan that is finished on the remote is not submitted or rolled back by another clone', async ({ repo }) => {
  const sent = new Outside(repo, 'sent')
  const clones = await TwoClones.with(
    repo,
    `  - {id: pay, run: "echo x >> ${sent.path}", undo: "echo u >> ${sent.path}", effect: external}`,
  )
  await clones.ada(0, 'start', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  await clones.ada(0, 'finish', 'p', '--push', '--delete-branch')
  // Only the remote knows.
  expect((await clones.dan(2, 'submit', 'p')).all).toContain('plan p is finished on origin')
  repo.git(['fetch', '-q', 'origin'], { cwd: clones.other })
  repo.git(['checkout', '-q', 'plan/p'], { cwd: clones.other })
  for (const command of [['submit'], ['rollback', '--all'], ['rollback', '--all', '--push']])
    expect((await clones.dan(2, ...command, 'p')).all).toContain('plan p is finished')
  expect(sent.count('u')).toBe(0)
  expect(clones.at('there')).toBe('')
})

test('a file whose plan was finished on the remote leads to a command that is accepted', async ({ repo }) => {
  const clones = new TwoClones(repo)
  const file = join(repo.home, 'p.md')
  writeFileSync(file, planText('  - {id: one, run: echo 1 > one.txt}'))
  await clones.ada(0, 'start', file, '--approve', '--push')
  await clones.ada(0, 'finish', 'p', '--push', '--delete-branch')
  expect((await clones.dan(2, 'start', file, '--approve', '--push')).all).toContain('Hint: git plan fetch p\n')
  await clones.dan(0, 'fetch', 'p')
  expect((await clones.dan(2, 'start', file, '--approve', '--push')).all).not.toContain('git plan fetch p')
})

test('commits of others that --done takes over are named, with their authors', async ({ repo }) => {
  const clones = await TwoClones.with(repo, '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e ok.txt}')
  await clones.ada(1, 'start', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  repo.git(['checkout', '-q', 'plan/p'], { cwd: clones.other })
  writeFileSync(join(clones.other, 'ok.txt'), '')
  repo.git(['add', 'ok.txt'], { cwd: clones.other })
  repo.git(['commit', '-q', '-m', 'All is well', '--author=Mallory <m@example.com>'], { cwd: clones.other })
  expect((await clones.dan(0, 'resume', 'p', '--done', 'two')).all).toMatch(
    /adopted as the result of two: \w{10} All is well \(Mallory/,
  )
})

test('a lease that could not be given back is still known as ours, and a holder is not shown after a take-over', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e ok.txt}')
  const hook = join(clones.bare, 'hooks', 'update')
  // The server refuses to delete a lease.
  writeFileSync(hook, '#!/bin/sh\ncase "$1 $3" in refs/plan-lease/*" 0000"*) exit 1;; esac\n', { mode: 0o755 })
  await clones.ada(1, 'start', 'p', '--push')
  expect(clones.at('there', 'refs/plan-lease/p')).not.toBe('')
  await clones.ada(1, 'resume', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  expect((await clones.dan(0, 'status', 'p')).stdout).toContain('run by')
  expect((await clones.dan(4, 'resume', 'p')).all).toContain('--take-over')
  await clones.dan(1, 'resume', 'p', '--push', '--take-over')
  expect((await clones.dan(0, 'status', 'p')).stdout).not.toContain('run by')
})

test('a merge that is not pushed yet is said in status, with the command that pushes it', async ({ repo }) => {
  const clones = await TwoClones.with(repo, '  - {id: one, run: echo 1 > one.txt}')
  await clones.ada(0, 'start', 'p', '--push')
  await clones.ada(0, 'finish', 'p')
  const { all } = await clones.ada(0, 'status', 'p')
  expect(all).toContain('the merge is not pushed')
  expect(all).toContain('git plan finish p --push')
  await clones.ada(0, 'finish', 'p', '--push')
  expect((await clones.ada(0, 'status', 'p')).stdout).not.toContain('not pushed')
})

const effect = (sent: Outside): string =>
  `  - {id: pay, run: "echo x >> ${sent.path}", undo: "echo u >> ${sent.path}", effect: external}`

test('rebase runs no step of a plan that another clone has run, runs or has finished', async ({ repo }) => {
  const sent = new Outside(repo, 'sent')
  const clones = await TwoClones.with(repo, `${effect(sent)}\n  - {id: two, run: test -e ok.txt}`)
  await clones.ada(1, 'start', 'p', '--push')
  repo.git(['fetch', '-q', 'origin'], { cwd: clones.other })
  writeFileSync(join(clones.other, 'b.txt'), '')
  repo.git(['add', 'b.txt'], { cwd: clones.other })
  repo.git(['commit', '-q', '-m', 'The base moves on'], { cwd: clones.other })
  expect((await clones.dan(4, 'rebase', 'p', '--approve')).all).toContain('git plan fetch p')
  await clones.ada(0, 'resume', 'p', '--skip', 'two', '--push')
  await clones.ada(0, 'finish', 'p', '--push', '--delete-branch')
  repo.git(['fetch', '-q', 'origin'], { cwd: clones.other })
  expect((await clones.dan(2, 'rebase', 'p', '--approve')).all).toContain('plan p is finished')
  expect(sent.count('x')).toBe(1)
})

test('finish --push merges nothing into a base that lacks commits of the remote, and its hint leads to the end', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, '  - {id: one, run: echo 1 > one.txt}')
  await clones.ada(0, 'start', 'p', '--push')
  writeFileSync(join(clones.other, 'b.txt'), '')
  repo.git(['add', 'b.txt'], { cwd: clones.other })
  repo.git(['commit', '-q', '-m', 'The base moves on'], { cwd: clones.other })
  repo.git(['push', '-q', 'origin', 'main'], { cwd: clones.other })
  const before = clones.at('ada', 'refs/heads/main')
  const refused = await clones.ada(4, 'finish', 'p', '--push')
  expect(refused.all).toContain('Hint: git fetch origin main:main\n')
  expect(clones.at('ada', 'refs/heads/main')).toBe(before)
  repo.git(['fetch', '-q', 'origin', 'main:main'])
  await clones.ada(0, 'finish', 'p', '--push')
  expect(clones.at('there', 'refs/heads/main')).toBe(clones.at('ada', 'refs/heads/main'))
})

test('a plan that another clone has finished at the same commit is not merged a second time', async ({ repo }) => {
  const clones = await TwoClones.with(repo, '  - {id: one, run: echo 1 > one.txt}')
  await clones.ada(0, 'start', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  await clones.dan(0, 'finish', 'p', '--squash', '--push')
  const before = clones.at('ada', 'refs/heads/main')
  expect((await clones.ada(2, 'finish', 'p', '--push')).all).toContain('plan p is finished on origin')
  repo.git(['fetch', '-q', 'origin'])
  expect((await clones.ada(4, 'finish', 'p')).all).toContain('Hint: git fetch origin main:main\n')
  expect(clones.at('ada', 'refs/heads/main')).toBe(before)
  await clones.ada(0, 'fetch', 'p', '--take', 'theirs')
  expect(repo.git(['branch', '--show-current'])).toBe('main')
})

test('a rollback of another clone is not overruled by a finish in two parts', async ({ repo }) => {
  const clones = await TwoClones.with(
    repo,
    '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt}',
  )
  await clones.ada(0, 'start', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  await clones.dan(0, 'rollback', 'p', '--push')
  const theirs = clones.at('there')
  await clones.ada(0, 'finish', 'p')
  expect((await clones.ada(4, 'finish', 'p', '--push')).all).toContain('Hint: git plan fetch p --take ours\n')
  expect(clones.at('there', 'refs/heads/main')).not.toBe(clones.at('ada', 'refs/heads/main'))
  await clones.ada(0, 'fetch', 'p', '--take', 'ours')
  await clones.ada(0, 'finish', 'p', '--push')
  expect(clones.at('there', 'refs/heads/main')).toBe(clones.at('ada', 'refs/heads/main'))
  expect((await clones.ada(0, 'fetch', 'p')).all).not.toContain('not on origin')
  expect(theirs).not.toBe('')
})

test('after a run with --push was killed, nothing runs here without asking the remote', async ({ repo }) => {
  const sent = new Outside(repo, 'sent')
  const clones = await TwoClones.with(repo, `${effect(sent)}\n  - {id: slow, run: "touch ${sent.path}.slow; sleep 60"}`)
  const child = repo.spawn(['start', 'p', '--push'])
  await until('the slow step has begun', () => existsSync(`${sent.path}.slow`))
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await ended(child)
  await clones.dan(0, 'fetch', 'p')
  repo.git(['checkout', '-q', 'plan/p'], { cwd: clones.other })
  await clones.dan(0, 'rollback', 'p', '--all', '--push', '--take-over')
  expect((await clones.ada(4, 'rollback', 'p', '--all')).all).toContain('Hint: git plan rollback p --all --push\n')
  expect(sent.count('u')).toBe(1)
  await clones.ada(0, 'fetch', 'p', '--take', 'theirs')
  expect(sent.count('u')).toBe(1)
})

test('an effect that was undone under a step that is done is said in status, and the hint of finish is accepted', async ({
  repo,
}) => {
  const sent = new Outside(repo, 'sent')
  const clones = await TwoClones.with(repo, effect(sent))
  await clones.ada(0, 'start', 'p')
  await clones.ada(0, 'rollback', 'p', '--all')
  await clones.ada(0, 'rollback', 'p', '--undo')
  expect((await clones.ada(0, 'status', 'p')).all).toMatch(
    /external effect was undone[^]*git plan rollback p --all --push && git plan resume p --push/,
  )
  expect((await clones.ada(3, 'finish', 'p')).all).toContain(
    'Hint: git plan rollback p --all --push && git plan resume p --push\n',
  )
  await clones.ada(0, 'rollback', 'p', '--all', '--push')
  await clones.ada(0, 'resume', 'p', '--push')
  await clones.ada(0, 'finish', 'p', '--push')
  expect([sent.count('x'), sent.count('u')]).toEqual([2, 1])
})
