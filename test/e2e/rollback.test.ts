// Going back: by hand with git, by rollback, and forward again with --undo. Every place is exact, and everything left behind is kept.

import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

interface Rollback {
  readonly number: number
  readonly event: string
  readonly from: string
  readonly to: string
  readonly step: string | null
  readonly reason: string | null
  readonly undoes: number | null
}

const steps = ['one', 'two', 'three', 'four'].map((id, at) => `  - {id: ${id}, title: Step ${id}, run: echo ${at + 1} > ${id}.txt}`).join('\n')

async function completed(repo: TestRepo): Promise<string> {
  repo.write('.plans/demo.md', planText(steps))
  const ran = await repo.plan(['start', '.plans/demo.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  return tip(repo)
}

const tip = (repo: TestRepo): string => repo.git(['rev-parse', 'plan/demo'])
const commitOf = (repo: TestRepo, step: string, from = 'plan/demo'): string => repo.git(['log', '-1', '--format=%H', `--grep=^Plan-Step: ${step}$`, from])
/** Branch, index and files are those of one commit. */
function isExactly(repo: TestRepo, commit: string): void {
  expect(tip(repo)).toBe(commit)
  expect(repo.git(['rev-parse', 'HEAD'])).toBe(commit)
  expect(repo.git(['write-tree'])).toBe(repo.git(['rev-parse', `${commit}^{tree}`]))
  expect(repo.status()).toBe('')
}
const rollbacks = async (repo: TestRepo): Promise<Rollback[]> => (await repo.json(['log', 'demo']))['rollbacks'] as unknown as Rollback[]
const done = async (repo: TestRepo): Promise<string[]> =>
  ((await repo.json(['status', 'demo']))['steps'] as unknown as { id: string; status: string }[])
    .filter((step) => step.status === 'done')
    .map((step) => step.id)

test('after git reset --hard by hand status, rollback and resume agree with where the branch is', async ({ repo }) => {
  const end = await completed(repo)
  const two = commitOf(repo, 'two')
  repo.git(['reset', '-q', '--hard', two])
  const status = await repo.json(['status', 'demo'])
  expect(status).toMatchObject({ tip: two, status: 'active', next: 'three', progress: { done: 2, total: 4 } })
  expect(await done(repo)).toEqual(['one', 'two'])
  expect((await repo.json(['rollback', 'demo', '--dry-run']))['to']).toBe(commitOf(repo, 'one'))
  const resumed = await repo.plan(['resume'])
  expect(resumed.code, resumed.all).toBe(0)
  expect(repo.git(['rev-parse', 'plan/demo^{tree}'])).toBe(repo.git(['rev-parse', `${end}^{tree}`]))
  expect(await rollbacks(repo)).toEqual([])

  repo.git(['reset', '-q', '--hard', commitOf(repo, 'one')])
  const back = await repo.plan(['rollback', 'demo'])
  expect(back.code, back.all).toBe(0)
  expect(repo.subjects()[0]).toBe('Approved: demo')
  expect(await done(repo)).toEqual([])
  expect(existsSync(repo.path('one.txt'))).toBe(false)
})

test('two rollbacks and two --undo visit exact tips, and the log lists all four', async ({ repo }) => {
  const end = await completed(repo)
  const [three, one] = [commitOf(repo, 'three'), commitOf(repo, 'one')]
  const first = await repo.plan(['rollback', 'demo', '-m', 'four was wrong'])
  expect(first.code, first.all).toBe(0)
  isExactly(repo, three)
  expect((await repo.plan(['rollback', '--to', 'one'])).code).toBe(0)
  isExactly(repo, one)
  expect(await repo.json(['status', 'demo'])).toMatchObject({ seen: 'rolled-back', rolledBackTo: 'one', resumable: true })
  expect((await repo.plan(['rollback', '--undo'])).code).toBe(0)
  isExactly(repo, three)
  expect((await repo.plan(['rollback', '--undo'])).code).toBe(0)
  isExactly(repo, end)
  expect((await repo.plan(['rollback', '--undo'])).code).toBe(2)

  const all = await rollbacks(repo)
  expect(all.map(({ number, event, from, to, step, undoes }) => ({ number, event, from, to, step, undoes }))).toEqual([
    { number: 1, event: 'rollback', from: end, to: three, step: 'three', undoes: null },
    { number: 2, event: 'rollback', from: three, to: one, step: 'one', undoes: null },
    { number: 3, event: 'undo', from: one, to: three, step: null, undoes: 2 },
    { number: 4, event: 'undo', from: three, to: end, step: null, undoes: 1 },
  ])
  expect(all[0]?.reason).toBe('four was wrong')
  expect(repo.git(['rev-parse', 'refs/plan/demo/rollbacks/1^{commit}'])).toBe(end)
  expect(repo.fsck()).toBe('')
})

test('--dry-run says what would go out of view and changes nothing', async ({ repo }) => {
  const end = await completed(repo)
  const refs = repo.git(['for-each-ref'])
  const said = await repo.plan(['rollback', '--to', 'two', '--dry-run'])
  expect(said.code).toBe(0)
  for (const subject of ['Completed: demo', 'Step four', 'Step three']) expect(said.all).toContain(subject)
  expect(said.all).not.toContain('Step two')
  expect(repo.git(['for-each-ref'])).toBe(refs)
  isExactly(repo, end)
})

test('--all goes back to the approved commit, and resume makes the same tree again', async ({ repo }) => {
  const end = await completed(repo)
  expect((await repo.plan(['rollback', '--all'])).code).toBe(0)
  isExactly(repo, repo.git(['rev-parse', `${commitOf(repo, 'one', end)}^`]))
  expect(repo.subjects()).toEqual(['Approved: demo', 'Plan: demo', 'First'])
  const resumed = await repo.plan(['resume'])
  expect(resumed.code, resumed.all).toBe(0)
  expect(repo.git(['rev-parse', 'HEAD^{tree}'])).toBe(repo.git(['rev-parse', `${end}^{tree}`]))
})

test('a rollback below a replan gives the old text and its approval back, and --undo the new ones', async ({ repo }) => {
  repo.write(
    '.plans/demo.md',
    planText(
      '  - {id: one, title: Step one, run: echo 1 > one.txt}\n  - {id: two, title: Step two, pause: true, run: echo 2 > two.txt}\n  - {id: three, title: Step three, run: echo old > three.txt}',
    ),
  )
  expect((await repo.plan(['start', '.plans/demo.md', '--approve'])).code).toBe(5)
  const oldDigest = (await repo.json(['status', 'demo']))['digest']
  const text = repo.git(['show', 'plan/demo:.plans/demo.md']).replace('echo old', 'echo new')
  expect((await repo.plan(['replan', 'demo', '--from', '-'], { input: text })).code).toBe(0)
  expect((await repo.plan(['resume', '--approve'])).code).toBe(0)
  const end = tip(repo)
  const one = commitOf(repo, 'one')
  const back = await repo.plan(['rollback', '--to', 'one'])
  expect(back.code, back.all).toBe(0)
  isExactly(repo, one)
  expect(await repo.json(['status', 'demo'])).toMatchObject({ digest: oldDigest, approval: { state: 'approved' }, progress: { done: 1, total: 3 } })
  expect((await repo.plan(['rollback', '--undo'])).code).toBe(0)
  isExactly(repo, end)
  expect((await rollbacks(repo)).map(({ event, from, to }) => [event, from, to])).toEqual([
    ['rollback', end, one],
    ['undo', one, end],
  ])
  expect(repo.read('three.txt')).toBe('new\n')
  // The old text, approved, can be carried out from where it is.
  expect((await repo.plan(['rollback', '--to', 'one'])).code).toBe(0)
  expect((await repo.plan(['resume'])).code).toBe(5)
  expect((await repo.plan(['resume'])).code).toBe(0)
  expect(repo.read('three.txt')).toBe('old\n')
})

test('what was committed after a rollback stays reachable through a tag when the rollback is undone', async ({ repo }) => {
  const end = await completed(repo)
  expect((await repo.plan(['rollback', '--to', 'two'])).code).toBe(0)
  expect((await repo.plan(['resume'])).code).toBe(0)
  const other = tip(repo)
  expect(other).not.toBe(end)
  const undone = await repo.plan(['rollback', '--undo'])
  expect(undone.code, undone.all).toBe(0)
  isExactly(repo, end)
  expect(undone.all).toContain('refs/plan/demo/rollbacks/2')
  expect(repo.git(['rev-parse', 'refs/plan/demo/rollbacks/2^{commit}'])).toBe(other)
})

test("a rollback while the plan's branch is not checked out moves the branch and no file", async ({ repo }) => {
  await completed(repo)
  const three = commitOf(repo, 'three')
  repo.git(['checkout', '-q', 'main'])
  repo.write('a.txt', 'my own work\n')
  const ran = await repo.plan(['rollback', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect(tip(repo)).toBe(three)
  expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  expect(repo.status()).toBe('M a.txt'.padStart(8))
  expect(repo.read('a.txt')).toBe('my own work\n')
})

test('a rollback refuses to take away changes that are not committed, and says what to do with them', async ({ repo }) => {
  const end = await completed(repo)
  repo.write('four.txt', 'edited\n')
  repo.write('new.txt', 'new\n')
  const ran = await repo.plan(['rollback'])
  expect(ran.code).toBe(2)
  expect(ran.all).toContain('four.txt')
  expect(ran.all).toContain('git stash')
  expect(tip(repo)).toBe(end)
  expect(repo.read('four.txt')).toBe('edited\n')
  expect(repo.read('new.txt')).toBe('new\n')
})

test.for([
  ['app/x.lock', '["**/*.lock"]', true],
  ['app/[id]/x.lock', '["app/[id]/x.lock"]', true],
  ['\u00e9t\u00e9/x.lock', '["\u00e9*/x.lock"]', true],
  ['app/x.txt', '["**/*.lock"]', false],
] as const)('a rollback that changes %s runs setup again with the inputs %s: %s', async ([file, inputs, isRun], { repo }) => {
  const ready = `${repo.home}/ready`
  const text = `  - {id: one, create: "${file}", content: "1"}\n  - {id: two, edit: "${file}", append: "2"}`
  const ran = await repo.plan(['start', '-', '--approve'], { input: planText(text, `plan: demo\nsetup: touch '${ready}'\nsetup_inputs: ${inputs}\n`) })
  expect(ran.code, ran.all).toBe(0)
  expect(existsSync(ready)).toBe(false)
  const back = await repo.plan(['rollback', 'demo'])
  expect(back.code, back.all).toBe(0)
  expect(existsSync(ready)).toBe(isRun)
})
