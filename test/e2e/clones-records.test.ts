// Two clones that have recorded the same thing of one plan under the same names: effects, rollbacks, its end.

import { renameSync } from 'node:fs'
import { expect } from 'vitest'
import { Outside, until } from '../helpers/crash.ts'
import { ended, test } from '../helpers/repo.ts'
import { TwoClones } from '../helpers/two-clones.ts'

const failing = '  - {id: one, run: echo 1 | tee one.txt}\n  - {id: two, run: test -e ok.txt}'
const fine = '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt}'
const paying = (sent: Outside): string =>
  [
    `  - {id: pay, run: "echo paid >> ${sent.path}", undo: "echo undone >> ${sent.path}", effect: external}`,
    '  - {id: two, run: test -e ok.txt}',
  ].join('\n')

for (const side of ['theirs', 'ours'] as const)
  test(`an effect that happened in both clones is kept on the side that is not taken (${side})`, async ({ repo }) => {
    const sent = new Outside(repo, 'sent')
    const clones = await TwoClones.with(repo, paying(sent))
    await clones.ada(1, 'start', 'p', '--push')
    await clones.dan(1, 'start', 'p')
    expect(sent.count('paid')).toBe(2)
    const taken = await clones.dan(0, 'fetch', 'p', '--take', side)
    const other = side === 'theirs' ? 2 : 1
    expect(taken.all).toContain(`effect ${other} of pay happened on the discarded side`)
    const effects = repo
      .git(['for-each-ref', '--format=%(refname:lstrip=5) %(subject)', 'refs/plan/p/effects/'], { cwd: clones.other })
      .split('\n')
    expect(effects.map((line) => line.replace(/ .* /, ' '))).toEqual(
      [1, 2].map((number) => `${number} ${number === other ? 'kept' : 'happened'}`),
    )
    // Once: nothing is left to be said.
    expect((await clones.dan(0, 'fetch', 'p', '--take', side)).all).not.toContain('not taken')
    await clones.dan(0, 'resume', 'p', '--skip', 'two', '--push')
    await clones.dan(0, 'finish', 'p', '--push')
    await clones.ada(0, 'fetch', 'p', '--take', 'theirs')
    await clones.ada(0, 'audit', 'p')
  })

test('a rollback undoes every effect of a step that has happened, not only the newest', async ({ repo }) => {
  const sent = new Outside(repo, 'sent')
  const clones = await TwoClones.with(repo, paying(sent))
  await clones.ada(1, 'start', 'p')
  // As an earlier version left it after a fetch.
  repo.git(['update-ref', 'refs/plan/p/effects/pay/2', 'refs/plan/p/effects/pay/1'])
  await clones.ada(0, 'rollback', 'p', '--all')
  expect(sent.count('undone')).toBe(2)
})

test('the end of a plan is published with its base or not at all, and colliding records are merged where the branch is gone', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, fine)
  await clones.ada(0, 'start', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  await clones.dan(0, 'rollback', 'p')
  await clones.dan(0, 'submit', 'p')
  await clones.ada(0, 'rollback', 'p')
  await clones.ada(0, 'rollback', 'p', '--undo')
  await clones.ada(0, 'finish', 'p')
  expect((await clones.ada(0, 'finish', 'p', '--push', '--dry-run')).all).toContain('would push p and main')

  expect((await clones.ada(4, 'finish', 'p', '--push')).all).toContain('Hint: git plan fetch p --take ours\n')
  expect(clones.at('there', 'refs/plan/p/final')).toBe('')
  // An end without its merge takes nobody's branch away.
  repo.git(['push', '-q', 'origin', 'refs/plan/p/final'])
  await clones.dan(0, 'fetch', 'p')
  expect(clones.at('dan')).not.toBe('')
  repo.git(['update-ref', '-d', 'refs/plan/p/final'], { cwd: clones.bare })
  repo.git(['update-ref', '-d', 'refs/plan/p/final'], { cwd: clones.other })

  await clones.ada(0, 'fetch', 'p', '--take', 'ours')
  expect(clones.at('ada')).toBe('')
  expect(clones.at('ada', 'refs/plan/p/rollbacks/1')).toBe(clones.at('there', 'refs/plan/p/rollbacks/1'))
  await clones.ada(0, 'finish', 'p', '--push')
  for (const ref of ['refs/plan/p/final', 'refs/heads/main', 'refs/plan/p/rollbacks/4']) {
    expect(clones.at('there', ref), ref).toBe(clones.at('ada', ref))
    expect(clones.at('there', ref), ref).not.toBe('')
  }
  await clones.dan(0, 'fetch', 'p')
  expect(clones.at('dan')).toBe('')
})

test('a finished plan that cannot be pushed says why: the remote is away, the base has moved on, or the server has no atomic pushes', async ({
  repo,
}) => {
  const clones = await TwoClones.with(repo, fine)
  await clones.ada(0, 'start', 'p', '--push')
  await clones.ada(0, 'finish', 'p')
  renameSync(clones.bare, `${clones.bare}-away`)
  const away = await clones.ada(3, 'finish', 'p', '--push')
  expect(away.all).not.toContain('git pull')
  renameSync(`${clones.bare}-away`, clones.bare)

  repo.git(['commit', '-q', '--allow-empty', '-m', 'Meanwhile'], { cwd: clones.other })
  repo.git(['push', '-q', 'origin', 'HEAD:main'], { cwd: clones.other })
  expect((await clones.ada(4, 'finish', 'p', '--push')).all).toContain(
    'git pull --no-rebase origin main && git plan finish p --push',
  )
  expect(clones.at('there', 'refs/plan/p/final')).toBe('')
  repo.git(['pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main'])
  repo.git(['config', 'receive.advertiseAtomic', 'false'], { cwd: clones.bare })
  await clones.ada(0, 'finish', 'p', '--push')
  expect(clones.at('there', 'refs/plan/p/final')).toBe(clones.at('ada', 'refs/plan/p/final'))
  expect(clones.at('there', 'refs/heads/main')).toBe(clones.at('ada', 'refs/heads/main'))
})

test('a number that no plan reaches, planted on the remote, stops neither fetch nor push', async ({ repo }) => {
  const clones = await TwoClones.with(repo, failing)
  await clones.ada(1, 'start', 'p', '--push')
  await clones.dan(0, 'fetch', 'p')
  await clones.dan(0, 'rollback', 'p')
  repo.git(['update-ref', 'refs/plan/p/rollbacks/999999', 'main'], { cwd: clones.bare })
  repo.git(['update-ref', 'refs/plan/p/rollbacks/1', 'main'], { cwd: clones.bare })
  await clones.dan(0, 'fetch', 'p')
  expect(
    repo
      .git(['for-each-ref', '--format=%(refname:lstrip=4)', 'refs/plan/p/rollbacks/'], { cwd: clones.other })
      .split('\n'),
  ).toEqual(['1', '2'])
  await clones.dan(0, 'submit', 'p')
  expect(clones.at('there')).toBe(clones.at('dan'))
})

test('a fetch leaves branch and records alone while a command of this clone runs the plan', async ({ repo }) => {
  const [wait, begun] = [new Outside(repo, 'wait'), new Outside(repo, 'begun')]
  const clones = await TwoClones.with(
    repo,
    `  - {id: one, run: "echo x >> ${begun.path}; while [ -e ${wait.path} ]; do sleep 0.05; done; test -e ok.txt"}`,
  )
  await clones.ada(1, 'start', 'p', '--push')
  wait.write()
  const child = repo.spawn(['start', 'p'], { cwd: clones.other })
  const ran = ended(child)
  await until('the step runs', () => begun.count('x') === 2)
  expect((await clones.dan(4, 'fetch', 'p')).all).toContain('plan p is locked by')
  expect(clones.at('dan', 'refs/plan/p/')).toBe('')
  wait.remove()
  expect((await ran).code).toBe(1)
})

test('--take-over without --push names the command for a plan that has not begun', async ({ repo }) => {
  const clones = await TwoClones.with(repo, failing)
  expect((await clones.dan(2, 'start', 'p', '--take-over')).all).toContain(
    'Hint: git plan start p --push --take-over\n',
  )
})

test('a setting that is not the name of a remote is refused, also where it leads out of refs/remotes', async ({
  repo,
}) => {
  repo.git(['config', 'plan.remote', 'origin/../../heads'])
  const ran = await repo.plan(['fetch', 'p'])
  expect(ran.code, ran.all).toBe(2)
  expect(ran.all).toContain('which is not the name of a remote')
})
