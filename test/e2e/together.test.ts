// One writer at a time, whoever else is there: another executor, the user, a foreign git, or a step that meddles.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { isAlive, Outside, pidIn, until } from '../helpers/crash.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'

const plan = (repo: TestRepo, steps: string): void => repo.write('.plans/demo.md', planText(steps))
const start = ['start', '.plans/demo.md', '--approve']
const ledger = (repo: TestRepo): Outside => new Outside(repo, 'ledger')
const locks = (repo: TestRepo): string[] =>
  readdirSync(repo.path('.git/plan/demo')).filter((name) => name.startsWith('lock-'))
const attempts = (repo: TestRepo): string[] =>
  repo
    .git(['for-each-ref', '--format=%(refname)', 'refs/plan/demo/attempts/'])
    .split('\n')
    .filter((line) => line !== '')

test('of two starts at the same moment one runs, and the other one names it and stops', async ({ repo }) => {
  for (let round = 1; round <= 3; round += 1) {
    const id = `demo-${round}`
    repo.write(`.plans/${id}.md`, planText(`  - {id: one, run: 'echo ${id} >> ${ledger(repo).path}; sleep 1'}`))
    expect((await repo.plan(['new', id, '--from', `.plans/${id}.md`])).code).toBe(0)
    rmSync(repo.path(`.plans/${id}.md`))
    const children = [1, 2].map(() => repo.spawn(['start', id, '--approve']))
    const [a, b] = await Promise.all(children.map(ended))
    if (a === undefined || b === undefined) throw new Error('two were started')
    const [winner, loser] = a.code === 0 ? [a, b] : [b, a]
    expect([winner.code, loser.code], `${a.all}\n${b.all}`).toEqual([0, 4])
    const holder = children[winner === a ? 0 : 1]?.pid
    expect(loser.stderr).toContain(`process ${holder} `)
    expect(ledger(repo).count(id)).toBe(1)
    repo.git(['checkout', '-q', 'main'])
  }
  expect(repo.fsck()).toBe('')
})

test('a start whose plan another start of the same file has just proposed goes on with it: the other one may have stopped because of this one', async ({
  repo,
}) => {
  plan(repo, '  - {id: one, run: echo 1 > one.txt}')
  expect((await repo.plan(['new', '--from', '.plans/demo.md'])).code).toBe(0)
  const other = repo.git(['rev-parse', 'plan/demo'])
  repo.git(['branch', '-D', 'plan/demo'])
  // What signs the proposal is where the other one comes in between.
  const signer = join(repo.home, 'signer')
  const signature = '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'
  const first = `[ -e ${signer}.done ] || { touch ${signer}.done; git -C ${repo.dir} update-ref refs/heads/plan/demo ${other}; }`
  writeFileSync(
    signer,
    `#!/bin/sh\ncat > /dev/null\n${first}\nprintf -- '${signature}'\necho '[GNUPG:] SIG_CREATED ' >&2\n`,
    { mode: 0o755 },
  )
  repo.git(['config', 'gpg.program', signer])
  repo.git(['config', 'commit.gpgSign', 'true'])
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['merge-base', other, 'plan/demo'])).toBe(other)
})

test('the lock of a dead holder is taken over by exactly one of several', async ({ repo }) => {
  const pid = new Outside(repo, 'pid')
  plan(
    repo,
    `  - {id: slow, run: 'echo ran >> ${ledger(repo).path}; if [ -e ${pid.path} ]; then sleep 1; else echo $$ > ${pid.path}; sleep 60; fi; echo 1 > one.txt'}`,
  )
  const child = repo.spawn(start)
  const step = await pidIn(pid.path)
  process.kill(child.pid ?? 0, 'SIGKILL')
  await until('the executor is gone', () => !isAlive(child.pid ?? 0))
  const ran = await Promise.all([1, 2, 3, 4].map(() => repo.plan(['resume', 'demo'])))
  // One that comes after the winner has ended finds a completed plan (2).
  expect(ran.filter(({ code }) => code === 0).length, ran.map(({ all }) => all).join('\n')).toBe(1)
  expect(ran.filter(({ code }) => ![0, 2, 4].includes(code))).toEqual([])
  expect(isAlive(step)).toBe(false)
  expect(ledger(repo).count('ran')).toBe(2)
  expect(locks(repo)).toEqual([])
  expect(repo.status()).toBe('')
})

test('a step that commits by itself stops the plan, and its commit can be kept', async ({ repo }) => {
  plan(
    repo,
    '  - {id: rogue, run: "test -e mine.txt && exit 0; echo 1 > mine.txt; git add mine.txt; git commit -qm Mine; echo 2 > loose.txt"}\n  - {id: after, create: c.txt, content: c}',
  )
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(4)
  expect(ran.stderr).toContain('git plan resume demo --fix')
  expect(repo.subjects('plan/demo')[0]).toBe('Mine')
  expect(repo.status()).toBe('')
  expect(attempts(repo).map((ref) => repo.git(['show', `${ref}:loose.txt`]))).toEqual(['2'])
  const again = await repo.plan(['resume', 'demo', '--fix'])
  expect(again.code, again.all).toBe(0)
  expect(repo.git(['ls-tree', '--name-only', 'plan/demo', 'mine.txt', 'c.txt'])).toBe('c.txt\nmine.txt')
})

test('a step that resets the branch stops the plan, and nothing that was there is lost', async ({ repo }) => {
  plan(
    repo,
    `  - {id: one, create: one.txt, content: "1"}\n  - {id: rogue, allow: [shell-rewrite-history], run: '[ -e ${ledger(repo).path} ] && exit 0; touch ${ledger(repo).path}; echo x > x.txt; git reset -q --hard HEAD~1'}`,
  )
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(4)
  const tip = /git reset --hard ([0-9a-f]+)/.exec(ran.stderr)?.[1] ?? ''
  expect(repo.git(['show', `${tip}:one.txt`])).toBe('1')
  repo.git(['reset', '-q', '--hard', tip])
  const again = await repo.plan(['resume', 'demo'])
  expect(again.code, again.all).toBe(0)
  expect(repo.git(['show', 'plan/demo:one.txt'])).toBe('1')
})

test('a step that switches to another branch stops the plan, which goes on after the way back', async ({ repo }) => {
  plan(
    repo,
    `  - {id: rogue, allow: [shell-rewrite-history], run: '[ -e ${ledger(repo).path} ] && exit 0; touch ${ledger(repo).path}; echo x > x.txt; git checkout -q main'}`,
  )
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(4)
  expect(ran.stderr).toContain('git checkout plan/demo && git plan resume demo')
  expect(repo.git(['rev-parse', 'main'])).toBe(repo.git(['rev-parse', 'plan/demo~2']))
  const saved = attempts(repo).map((ref) => repo.git(['show', `${ref}:x.txt`]))
  expect(saved).toEqual(['x'])
  if (existsSync(repo.path('x.txt'))) rmSync(repo.path('x.txt'))
  repo.git(['checkout', '-q', 'plan/demo'])
  const again = await repo.plan(['resume', 'demo'])
  expect(again.code, again.all).toBe(0)
})

test('a foreign index.lock that stays is named and left alone', async ({ repo }) => {
  plan(
    repo,
    `  - {id: one, allow: [shell-git-directory], run: "[ -e ${ledger(repo).path} ] || touch .git/index.lock ${ledger(repo).path}; echo 1 > one.txt"}`,
  )
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(4)
  expect(ran.stderr).toContain('.git/index.lock')
  expect(existsSync(repo.path('.git/index.lock'))).toBe(true)
  expect(repo.read('one.txt')).toBe('1\n')
  rmSync(repo.path('.git/index.lock'))
  const again = await repo.plan(['resume', 'demo'])
  expect(again.code, again.all).toBe(0)
  expect(repo.status()).toBe('')
})

test('a run waits for a foreign index.lock that goes away', async ({ repo }) => {
  const ready = new Outside(repo, 'ready')
  plan(repo, `  - {id: one, run: 'echo $$ > ${ready.path}; sleep 0.3; echo 1 > one.txt'}`)
  const ran = repo.plan(start)
  await pidIn(ready.path)
  writeFileSync(repo.path('.git/index.lock'), '')
  await sleep(1500)
  rmSync(repo.path('.git/index.lock'))
  const { code, all } = await ran
  expect(code, all).toBe(0)
})

test.for([
  ['the lock', 'rm -f .git/plan/demo/lock-*'],
  ['the intent', 'rm -f .git/plan/demo/intent.json'],
  ['the whole directory', 'rm -rf .git/plan'],
] as const)('a step that removes %s of its run does no harm', async ([, command], { repo }) => {
  plan(
    repo,
    `  - {id: rogue, allow: [shell-delete-repository], run: '${command}; echo 1 > one.txt'}\n  - {id: after, create: c.txt, content: c}`,
  )
  const first = await repo.plan(start)
  const ran = first.code === 0 ? first : await repo.plan(['resume', 'demo'])
  expect(first.all).not.toContain('bug in git plan')
  expect(ran.code, `${first.all}\n${ran.all}`).toBe(0)
  expect(repo.git(['show', 'plan/demo:one.txt'])).toBe('1')
  expect(repo.status()).toBe('')
  expect(repo.fsck()).toBe('')
})

test('without the directory of its runs a plan reads and goes on as before', async ({ repo }) => {
  const isGood = new Outside(repo, 'good')
  plan(
    repo,
    `  - {id: one, run: 'echo one >> ${ledger(repo).path}; echo 1 > one.txt'}\n  - {id: two, run: 'echo 2 > two.txt; test -e ${isGood.path}'}`,
  )
  expect((await repo.plan(start)).code).toBe(1)
  const before = await repo.json(['status', 'demo'])
  rmSync(repo.path('.git/plan'), { recursive: true })
  expect(await repo.json(['status', 'demo'])).toEqual(before)
  isGood.write()
  const ran = await repo.plan(['resume', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect(ledger(repo).count('one')).toBe(1)
  expect((await repo.plan(['finish', 'demo'])).code).toBe(0)
  expect(repo.git(['show', 'main:two.txt'])).toBe('2')
})

test('a work tree that another plan runs in is refused before anything is decided, and the hint names that plan', async ({
  repo,
}) => {
  expect((await repo.plan(['new', 'Other'])).code).toBe(0)
  plan(repo, `  - {id: one, run: 'echo half > half.txt; echo said >> ${ledger(repo).path}; sleep 60'}`)
  const running = repo.spawn(start)
  await until('the step runs', () => ledger(repo).lines().length > 0)
  const refused = await repo.plan(['start', 'other', '--approve'])
  expect(refused.code).toBe(4)
  expect(refused.stderr).toMatch(/the work tree .* is locked by process \d+ on .* \(git plan start of plan demo, since/)
  expect(refused.stderr).toMatch(
    /git plan cancel demo\n.*separate work tree: git plan start other --worktree --approve$/m,
  )
  expect(await repo.json(['status', 'other'])).toMatchObject({ status: 'proposed', approval: { state: 'none' } })
  running.kill('SIGINT')
  await ended(running)
})

test('cancel from a second process ends the running step, saves its files, and goes back', async ({ repo }) => {
  const pid = new Outside(repo, 'pid')
  plan(repo, `  - {id: one, run: 'echo half > one.txt; echo $$ > ${pid.path}; sleep 60'}`)
  const end = ended(repo.spawn(start))
  await pidIn(pid.path)
  expect(await repo.json(['status', 'demo'])).toMatchObject({ seen: 'running' })
  expect((await repo.plan(['resume', 'demo'])).code).toBe(4)
  const ran = await repo.plan(['cancel', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect((await end).code).toBe(143)
  expect([repo.git(['symbolic-ref', '--short', 'HEAD']), repo.status()]).toEqual(['main', '?? .plans/'])
  expect(repo.git(['show', 'refs/plan/demo/attempts/one/1:one.txt'])).toBe('half')
  expect(repo.subjects('plan/demo')[0]).toBe('Cancelled: demo')
})
