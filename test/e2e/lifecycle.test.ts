// From a proposal to its end: new, edit, decisions, replan, rebase, clone, cancel, and the steps that wait for people.

import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'

const two = '  - {id: one, title: Step one, run: echo 1 > one.txt}\n  - {id: two, title: Step two, run: echo 2 > two.txt}'

async function propose(repo: TestRepo, steps = two, more = ''): Promise<void> {
  const ran = await repo.plan(['new', 'Demo', '--from', '-', '--id', 'demo'], { input: planText(steps, more) })
  expect(ran.code, ran.all).toBe(0)
}

const tip = (repo: TestRepo, ref = 'plan/demo'): string => repo.git(['rev-parse', ref])
const head = (repo: TestRepo): string => repo.git(['symbolic-ref', '--short', 'HEAD'])
const events = (repo: TestRepo): string[] =>
  repo.git(['log', '--reverse', '--format=%(trailers:key=Plan-Event,valueonly,separator=)', 'main..plan/demo']).split('\n')

describe('new', () => {
  test('writes a plan from a title, from a file and from standard input, and touches neither checkout nor index', async ({ repo }) => {
    repo.write('a.txt', 'being edited\n')
    repo.write('notes/limits.md', planText(two, 'title: Rate limits\n'))
    const before = [repo.status(), tip(repo, 'HEAD')]
    expect((await repo.plan(['new', 'Upgrade the "API", v2'])).code).toBe(0)
    expect((await repo.plan(['new', '--from', 'notes/limits.md'])).code).toBe(0)
    await propose(repo)
    expect(repo.git(['for-each-ref', '--format=%(refname:short)', 'refs/heads/plan/']).split('\n')).toEqual([
      'plan/demo',
      'plan/limits',
      'plan/upgrade-the-api-v2',
    ])
    expect([repo.status(), tip(repo, 'HEAD')]).toEqual(before)
    expect(repo.git(['show', 'plan/upgrade-the-api-v2:.plans/upgrade-the-api-v2.md'])).toContain('title: "Upgrade the \\"API\\", v2"')
    expect(repo.git(['diff', '--name-only', 'main', 'plan/limits'])).toBe('.plans/limits.md')
    const again = await repo.plan(['new', '--from', 'notes/limits.md'])
    expect(again.code).toBe(2)
    expect(again.all).toContain('git plan show limits')
  })

  test('refuses a plan that is not valid, and says where', async ({ repo }) => {
    const ran = await repo.plan(['new', 'Demo', '--from', '-'], { input: '---\nsteps:\n  - {runn: x}\n---\n' })
    expect(ran.code).toBe(2)
    expect(ran.all).toMatch(/3:\d+/)
    expect(repo.git(['for-each-ref', 'refs/heads/plan/'])).toBe('')
  })
})

describe('edit', () => {
  const editor = (repo: TestRepo, script: string): Record<string, string> => {
    const file = join(dirname(repo.dir), 'editor.sh')
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return { EDITOR: file }
  }

  test('commits what the editor saved as the new proposal', async ({ repo }) => {
    await propose(repo)
    const ran = await repo.plan(['edit', 'demo'], { env: editor(repo, 'sed -i "s/echo 2/echo II/" "$1"') })
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['show', 'plan/demo:.plans/demo.md'])).toContain('echo II > two.txt')
    expect(events(repo)).toEqual(['proposed', 'proposed'])
    const unchanged = await repo.plan(['edit', 'demo'], { env: editor(repo, 'true') })
    expect(unchanged.all).toContain('unchanged')
    expect(events(repo)).toHaveLength(2)
  })

  test('keeps a text with a mistake in it, commits nothing, and says how to go on', async ({ repo }) => {
    await propose(repo)
    const ran = await repo.plan(['edit', 'demo'], { env: editor(repo, 'sed -i "s/run:/runn:/" "$1"') })
    expect(ran.code).toBe(2)
    const file = /replan demo --from (\S+)/.exec(ran.all)?.[1] ?? ''
    expect(existsSync(file)).toBe(true)
    expect(events(repo)).toEqual(['proposed'])
  })
})

describe('decisions', () => {
  test('start without an approval exits 3 and changes nothing; neither does a decision about another digest', async ({ repo }) => {
    await propose(repo)
    const refs = repo.git(['for-each-ref'])
    const ran = await repo.plan(['start', 'demo'])
    expect(ran.code).toBe(3)
    expect(ran.all).toContain('git plan approve demo')
    for (const command of ['approve', 'reject']) {
      const other = await repo.plan([command, 'demo', '--digest', '0123456789abcdef'])
      expect(other.code).toBe(3)
      expect(other.all).toContain('git plan show demo')
    }
    expect(repo.git(['for-each-ref'])).toBe(refs)
    expect([head(repo), repo.status()]).toEqual(['main', ''])
  })

  test('a rejected plan does not run, an approval of its digest lets it', async ({ repo }) => {
    await propose(repo)
    expect((await repo.plan(['reject', 'demo', '-m', 'too early'])).code).toBe(0)
    expect((await repo.plan(['start', 'demo', '--approve'])).code).toBe(3)
    const status = await repo.json(['status', 'demo'])
    expect(status).toMatchObject({ status: 'rejected', approval: { state: 'rejected' } })
    expect((await repo.plan(['approve', 'demo', '--digest', String(status['digest']).slice(0, 12), '-m', 'after all'])).code).toBe(0)
    expect(repo.git(['log', '-1', '--format=%(trailers:key=Plan-Approved-By,valueonly)', 'plan/demo']).trim()).toBe('Ada <ada@example.com>')
    expect((await repo.plan(['start', 'demo'])).code).toBe(0)
    expect(events(repo)).toEqual(['proposed', 'rejected', 'approved', 'step', 'step', 'completed'])
  })

  test("a commit of somebody else's on the branch voids the approval", async ({ repo }) => {
    await propose(repo)
    expect((await repo.plan(['approve', 'demo'])).code).toBe(0)
    repo.git(['checkout', '-q', 'plan/demo'])
    repo.write('extra.txt', 'not approved\n')
    repo.commit('Extra')
    const ran = await repo.plan(['start', 'demo'])
    expect(ran.code).toBe(3)
    expect(ran.all).toContain('Extra')
    expect(existsSync(repo.path('one.txt'))).toBe(false)
  })
})

test('replan keeps what is done, needs a new approval, and resume completes it', async ({ repo }) => {
  await propose(repo, two.replace('title: Step two, run: echo 2 > two.txt', 'run: exit 1'))
  expect((await repo.plan(['start', 'demo', '--approve'])).code).toBe(1)
  const text = repo.git(['show', 'plan/demo:.plans/demo.md'])
  const refused = await repo.plan(['replan', 'demo', '--from', '-'], { input: text.replace('echo 1', 'echo other') })
  expect(refused.code).toBe(2)
  expect(refused.all).toContain('step one is done')
  const ran = await repo.plan(['replan', 'demo', '--from', '-'], { input: text.replace('run: exit 1', 'run: echo better > two.txt') })
  expect(ran.code, ran.all).toBe(0)
  expect(ran.stderr).toContain('step two is still called')
  expect(await repo.json(['status', 'demo'])).toMatchObject({ status: 'proposed', approval: { state: 'outdated' }, progress: { done: 1 } })
  expect((await repo.plan(['resume', 'demo'])).code).toBe(3)
  expect((await repo.plan(['approve', 'demo'])).code).toBe(0)
  const resumed = await repo.plan(['resume', 'demo'])
  expect(resumed.code, resumed.all).toBe(0)
  expect(events(repo)).toEqual(['proposed', 'approved', 'step', 'failed', 'replanned', 'approved', 'step', 'completed'])
  expect(repo.read('two.txt')).toBe('better\n')
})

test('replan takes the plan file that was edited in its own work tree; a mistake in it leaves it as it is', async ({ repo }) => {
  await propose(repo, two.replace('run: echo 2 > two.txt', 'run: exit 1'))
  expect((await repo.plan(['start', 'demo', '--approve'])).code).toBe(1)
  const text = repo.read('.plans/demo.md')
  repo.write('.plans/demo.md', text.replace('exit 1', 'exit 1, rum: x'))
  const edited = repo.read('.plans/demo.md')
  const before = tip(repo)
  expect((await repo.plan(['replan', '--from', '.plans/demo.md'])).code).toBe(2)
  expect([repo.read('.plans/demo.md'), tip(repo)]).toEqual([edited, before])
  repo.write('.plans/demo.md', text.replace('exit 1', 'echo better > two.txt'))
  const refused = await repo.plan(['resume'])
  expect([refused.code, refused.all]).toEqual([3, expect.stringContaining('git plan replan demo --from .plans/demo.md')])
  const ran = await repo.plan(['replan', 'demo', '--from', '.plans/demo.md'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.status()).toBe('')
  expect(repo.read('.plans/demo.md')).toContain('echo better')
  const resumed = await repo.plan(['resume', '--approve'])
  expect(resumed.code, resumed.all).toBe(0)
  expect(repo.read('two.txt')).toBe('better\n')
  const back = await repo.plan(['rollback', '--all'])
  expect(back.all).toContain("the plan's text is again the one with digest")
})

test('a plan shows all that it would run, with nothing hidden', async ({ repo }) => {
  await propose(
    repo,
    `  - id: one
    create: one.sh
    content: |
${Array.from({ length: 20 }, (_, at) => `      line ${at}`).join('\n')}
    verify: [sh check-one, {exists: one.sh}]
    criteria: [{text: It is short, verify: sh short}]
    test: sh test-one
    timeout: 90s
    retries: 2
    files: [one.*]
    env: {LEVEL: "9"}
    secrets: [TOKEN]
  - {id: two, run: "true", effect: external, probe: sh probe-two, undo: sh undo-two}`,
    'setup: sh set-up\npreflight: [sh look]\nverify: [sh whole]\non_failure: rollback-all\n',
  )
  const { stdout } = await repo.plan(['show', 'demo'])
  for (const part of [
    'create: one.sh',
    'line 19',
    'run: sh check-one',
    'exists one.sh',
    'It is short',
    'run: sh short',
    'test: sh test-one',
    'timeout: 1m30s',
    'retries: 2',
    'files: one.*',
    'env: LEVEL=9',
    'secrets: TOKEN',
    'probe: sh probe-two',
    'undo: sh undo-two',
    'setup: sh set-up',
    'preflight: sh look',
    'run: sh whole',
    'on_failure: rollback-all',
  ])
    expect(stdout).toContain(part)
  expect(await repo.json(['show', 'demo'])).toMatchObject({
    steps: [{ risk: 'HIGH', test: 'sh test-one' }, { undo: 'sh undo-two' }],
    onFailure: 'rollback-all',
  })
})

test('delete needs no force for a proposal, and leaves the work tree of a completed plan by itself', async ({ repo }) => {
  await propose(repo)
  expect((await repo.plan(['delete', 'demo'])).code).toBe(0)
  await propose(repo)
  expect((await repo.plan(['start', 'demo', '--approve'])).code).toBe(0)
  const refused = await repo.plan(['delete', 'demo'])
  expect([refused.code, refused.all]).toEqual([2, expect.stringContaining('git plan delete demo --force')])
  const { workTree } = await repo.json(['status', 'demo'])
  expect(workTree).toBe(repo.git(['rev-parse', '--show-toplevel']))
  const ran = await repo.plan(['delete', 'demo', '--force'])
  expect(ran.code, ran.all).toBe(0)
  expect([head(repo), repo.status(), repo.git(['for-each-ref', 'refs/heads/plan', 'refs/plan', 'refs/plan-local'])]).toEqual(['main', '', ''])
})

test('a finished plan says how it is taken back', async ({ repo }) => {
  await propose(repo)
  expect((await repo.plan(['start', 'demo', '--approve'])).code).toBe(0)
  expect((await repo.plan(['finish'])).code).toBe(0)
  for (const command of ['rollback', 'resume']) {
    const ran = await repo.plan([command, 'demo'])
    expect([ran.code, ran.all]).toEqual([2, expect.stringMatching(/plan demo is finished[^]*git revert -m 1 [0-9a-f]{12}; do it again: git plan clone demo/)])
  }
})

test('rebase runs the steps again on the moved base and keeps the old tip', async ({ repo }) => {
  await propose(repo, '  - {id: one, run: cp a.txt copy.txt}')
  expect((await repo.plan(['start', 'demo', '--approve'])).code).toBe(0)
  const old = tip(repo)
  repo.git(['checkout', '-q', 'main'])
  repo.write('a.txt', 'moved on\n')
  const base = repo.commit('Move on')
  const unapproved = await repo.plan(['rebase', 'demo'])
  expect(unapproved.code).toBe(3)
  const ran = await repo.plan(['rebase', 'demo', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  expect(repo.git(['show', 'plan/demo:copy.txt'])).toBe('moved on')
  expect(repo.git(['merge-base', 'main', 'plan/demo'])).toBe(base)
  expect(repo.git(['rev-parse', 'refs/plan/demo/rollbacks/1^{commit}'])).toBe(old)
  expect(repo.fsck()).toBe('')
})

test('clone proposes the plan again with nothing done', async ({ repo }) => {
  await propose(repo)
  expect((await repo.plan(['start', 'demo', '--approve'])).code).toBe(0)
  expect((await repo.plan(['clone', 'demo', 'again'])).code).toBe(0)
  expect(await repo.json(['status', 'again'])).toMatchObject({ status: 'proposed', progress: { done: 0, total: 2 }, approval: { state: 'none' } })
  expect(repo.git(['rev-parse', 'plan/again^'])).toBe(tip(repo, 'main'))
  expect((await repo.plan(['clone', 'demo', 'again'])).code).toBe(2)
})

describe('waiting', () => {
  test('a pause, a manual step and a gate each stop with exit 5, and resume goes on', async ({ repo }) => {
    await propose(
      repo,
      '  - {id: one, pause: true, run: echo 1 > one.txt}\n  - {id: hand, manual: Turn the key, verify: {exists: key.txt}}\n  - {id: go, gate: Ship it?}\n  - {id: last, run: echo 9 > last.txt}',
    )
    const paused = await repo.plan(['start', 'demo', '--approve'])
    expect([paused.code, existsSync(repo.path('one.txt'))]).toEqual([5, true])
    const manual = await repo.plan(['resume'])
    expect(manual.code).toBe(5)
    expect(manual.all).toContain('Turn the key')
    expect(manual.all).toContain('git plan resume demo --done hand')
    expect(await repo.json(['status', 'demo'])).toMatchObject({ status: 'waiting', next: 'hand' })
    const again = tip(repo)
    expect((await repo.plan(['resume'])).code).toBe(5)
    expect(tip(repo)).toBe(again)
    repo.write('key.txt', 'turned\n')
    const gate = await repo.plan(['resume', '--done', 'hand'])
    expect(gate.code, gate.all).toBe(5)
    expect(gate.all).toContain('Ship it?')
    const end = await repo.plan(['resume', '--done', 'go', '-m', 'yes'])
    expect(end.code, end.all).toBe(0)
    expect(repo.git(['show', 'plan/demo:key.txt'])).toBe('turned')
    expect(events(repo).filter((event) => event === 'waiting')).toHaveLength(3)
  })
})

describe('cancel', () => {
  test('stops a failed plan for good and goes back to the branch of the user', async ({ repo }) => {
    repo.git(['checkout', '-q', '-b', 'work'])
    repo.write('.plans/demo.md', planText('  - {id: one, run: "echo half > one.txt; exit 1"}'))
    expect((await repo.plan(['start', '.plans/demo.md', '--approve', '--keep-tree'])).code).toBe(1)
    repo.write('mine.txt', 'typed meanwhile\n')
    const ran = await repo.plan(['cancel', '-m', 'not needed'])
    expect(ran.code, ran.all).toBe(0)
    expect([head(repo), repo.status()]).toEqual(['work', '?? .plans/'])
    expect(await repo.json(['status', 'demo'])).toMatchObject({ status: 'cancelled' })
    const saved = /saved as ([^\s:]+)/.exec(ran.all)?.[1] ?? ''
    expect(ran.all).toMatch(/mine\.txt[^]*git restore --source=refs\/plan\/demo\/attempts\/one\/2 -- \S+/)
    expect(repo.git(['show', `${saved}:mine.txt`])).toBe('typed meanwhile')
    const resumed = await repo.plan(['resume', 'demo'])
    expect(resumed.code).toBe(2)
    expect(resumed.all).toContain('git plan clone demo')
  })

  test('from a second process ends the running step, saves what it left, and goes back', async ({ repo }) => {
    await propose(repo, '  - {id: one, run: "echo half > one.txt; echo $$ > \\"$PIDFILE\\"; sleep 60"}')
    const pidFile = join(dirname(repo.dir), 'pid')
    const running = repo.spawn(['start', 'demo', '--approve'], { env: { PIDFILE: pidFile } })
    const end = ended(running)
    for (let waited = 0; !existsSync(pidFile) && waited < 20_000; waited += 50) await sleep(50)
    expect(await repo.json(['status', 'demo'])).toMatchObject({ seen: 'running' })
    const second = await repo.plan(['resume', 'demo'])
    expect(second.code).toBe(4)
    const ran = await repo.plan(['cancel', 'demo'])
    expect(ran.code, ran.all).toBe(0)
    expect((await end).code).toBe(143)
    expect([head(repo), repo.status()]).toEqual(['main', ''])
    expect(repo.git(['show', 'refs/plan/demo/attempts/one/1:one.txt'])).toBe('half')
    expect(events(repo).at(-1)).toBe('cancelled')
  })
})
