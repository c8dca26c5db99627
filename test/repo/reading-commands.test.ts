import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { printLog } from '../../src/adapters/cli/print/log.ts'
import { noStyle } from '../../src/adapters/cli/style.ts'
import { attempts } from '../../src/commands/inspect/attempts.ts'
import { check } from '../../src/commands/propose/check.ts'
import { config } from '../../src/commands/utilities/config.ts'
import { diff } from '../../src/commands/inspect/diff.ts'
import { doctor } from '../../src/commands/utilities/doctor.ts'
import { init } from '../../src/commands/propose/init.ts'
import { list } from '../../src/commands/inspect/list.ts'
import { log, type LogData } from '../../src/commands/inspect/log.ts'
import { report } from '../../src/commands/inspect/report.ts'
import { readSettings, runSettings } from '../../src/operation/settings.ts'
import { show } from '../../src/commands/inspect/show.ts'
import { status } from '../../src/commands/inspect/status.ts'
import type { CommandResult } from '../../src/operation/context.ts'
import { identityOf } from '../../src/process/identity.ts'
import { choosePlan } from '../../src/operation/choose-plan.ts'
import { PlanRepo, planText } from '../helpers/plan-repo.ts'

let repo: PlanRepo
beforeEach(() => {
  repo = new PlanRepo()
})
afterEach(() => repo.remove())

function failed(): { one: string; attempt: string } {
  repo.approved()
  const one = repo.oneDone()
  repo.git('notes', '--ref=refs/notes/plan/demo', 'add', '-m', 'hello from one', one)
  repo.write('two.txt', 'half\n')
  const attempt = repo.commit('attempt', { Id: 'demo', Step: 'two', Reason: 'exit 3' })
  repo.git('update-ref', 'refs/plan/demo/attempts/two/1', attempt)
  repo.git('reset', '-q', '--hard', one)
  repo.event('failed', {
    status: 'failed',
    state: '  one: done\n  two: failed',
    trailers: { Step: 'two', Reason: 'exit 3' },
  })
  return { one, attempt }
}

describe('which plan is meant', () => {
  test('the one that is checked out, else the only open one, else the list', async () => {
    repo.approved()
    expect((await status({}, repo.context())).data).toMatchObject({ id: 'demo' })
    repo.git('checkout', '-q', 'main')
    expect((await status({}, repo.context())).data).toMatchObject({ id: 'demo' })
    repo.git('branch', 'plan/other', 'main')
    expect(await status({}, repo.context())).toMatchObject({
      kind: 'list',
      data: { plans: [{ id: 'demo' }], unreadable: [{ id: 'other', code: 'invalid-plan' }] },
    })
  })

  test('writers are told what to type', async () => {
    repo.approved()
    repo.git('checkout', '-q', 'main')
    repo.git('branch', 'plan/other', 'main')
    const opened = await repo.open()
    await expect(
      choosePlan(opened, { plan: undefined, dir: '.plans', command: 'rollback' }, repo.context()),
    ).rejects.toMatchObject({
      code: 'usage',
      hint: 'git plan rollback demo\ngit plan rollback other',
    })
    // Not even readers guess where a file is to be written, or a step is meant.
    await expect(report({}, repo.context())).rejects.toMatchObject({
      code: 'usage',
      hint: 'git plan report demo\ngit plan report other',
    })
    await expect(log({ output: 'one' }, repo.context())).rejects.toMatchObject({ code: 'usage' })
    const asked: string[] = []
    const choose = (question: string, choices: readonly { value: string }[]) => (
      asked.push(question, ...choices.map(({ value }) => value)),
      Promise.resolve('other')
    )
    expect(
      await choosePlan(
        opened,
        { plan: undefined, dir: '.plans', command: 'rollback' },
        repo.context({ isInteractive: true, choose }),
      ),
    ).toBe('other')
    expect(asked).toEqual(['Which plan for git plan rollback?', 'demo', 'other'])
    expect(await choosePlan(opened, { plan: 'plan/demo', dir: '.plans', command: 'rollback' }, repo.context())).toBe(
      'demo',
    )
    opened.close()
  })

  test.each(['demp', '--upload-pack=x', '../demo', 'refs/heads/main', 'demo^{/x}', 'a\nb'])(
    'an unknown name is refused: %j',
    async (name) => {
      repo.approved()
      await expect(status({ plan: name }, repo.context())).rejects.toMatchObject({
        code: 'unknown-plan',
        hint: expect.stringMatching(/`demo`|known: demo/) as string,
      })
    },
  )
})

describe('list', () => {
  test('a plan whose objects are damaged stops nothing', async () => {
    repo.approved()
    const tree = repo.git('rev-parse', 'plan/demo^{tree}')
    const path = join(repo.root, '.git/objects', tree.slice(0, 2), tree.slice(2))
    rmSync(path)
    writeFileSync(path, '')
    const { data } = await list({}, repo.context())
    expect(data).toMatchObject({ plans: [], unreadable: [{ id: 'demo', code: 'git-failed' }] })
  })

  test('newest first, filtered by what is written or seen, and an unreadable plan stops nothing', async () => {
    failed()
    repo.git('checkout', '-q', 'main')
    repo.git('checkout', '-q', '-b', 'plan/later')
    repo.write('.plans/later.md', planText({ title: 'Later' }).replace('plan: demo', 'plan: later'))
    repo.commit('Propose', { Id: 'later', Event: 'proposed' })
    repo.git('branch', 'plan/Not-An-Id', 'main')
    repo.git('checkout', '-q', '-b', 'plan/bad', 'main')
    repo.write('.plans/bad.md', '---js\nthrow 1\n---\n')
    repo.commit('Bad', { Id: 'bad', Event: 'proposed' })
    const all = await list({}, repo.context())
    expect(all.data.plans.map((plan) => [plan.id, plan.seen, plan.resumable])).toEqual([
      ['later', 'proposed', false],
      // A branch that was made by hand, and not by the executor.
      ['demo', 'failed', false],
    ])
    expect(all.data.unreadable).toMatchObject([{ id: 'bad', code: 'invalid-plan' }])
    expect((await list({ status: 'failed' }, repo.context())).data.plans.map((plan) => plan.id)).toEqual(['demo'])
    expect((await list({ resumable: true }, repo.context())).data.plans).toEqual([])
    await expect(list({ status: 'fialed' }, repo.context())).rejects.toMatchObject({ code: 'usage' })
  })

  test('of a repository without plans or commits is empty', async () => {
    expect((await list({}, repo.context())).data).toEqual({ plans: [], unreadable: [], hidden: 0 })
    repo.git('update-ref', '-d', 'HEAD')
    expect((await list({}, repo.context())).data).toEqual({ plans: [], unreadable: [], hidden: 0 })
  })
})

describe('log, diff, attempts, report, show', () => {
  test('the log puts an attempt between the commits it belongs to', async () => {
    failed()
    const result = (await log({ plan: 'demo' }, repo.context())) as CommandResult<LogData>
    const words = printLog(result, noStyle)
      .split('\n')
      .map((line) => line.split(/ +/)[3])
    expect(words).toEqual(['failed', 'attempt', 'step', 'approved', 'proposed', undefined])
  })

  test('--output prints the note of a step, and says when there is none', async () => {
    const { one } = failed()
    expect((await log({ output: 'one' }, repo.context())).data).toEqual({
      id: 'demo',
      step: 'one',
      commit: one,
      output: 'hello from one\n',
    })
    await expect(log({ output: 'three' }, repo.context())).rejects.toMatchObject({ code: 'wrong-state' })
    await expect(log({ output: 'tow' }, repo.context())).rejects.toMatchObject({ code: 'unknown-step' })
  })

  test('diff leaves the plan file out unless asked, of a step or of the whole', async () => {
    failed()
    const step = (await diff({ plan: 'demo', step: 'one' }, repo.context())).data as { diff: string }
    expect(step.diff).toContain('+++ b/one.txt')
    expect(step.diff).not.toContain('.plans')
    const bare = (await diff({ plan: 'one' }, repo.context())).data as { diff: string; step: string }
    expect(bare).toMatchObject({ step: 'one', diff: step.diff })
    const whole = (await diff({ all: true }, repo.context())).data as { diff: string }
    expect(whole.diff).toContain('+++ b/.plans/demo.md')
    expect(whole.diff).toContain('+++ b/one.txt')
  })

  test('attempts are listed, and one is shown with the number in either place', async () => {
    const { attempt } = failed()
    expect((await attempts({}, repo.context())).data).toMatchObject({
      attempts: [{ step: 'two', number: 1, commit: attempt }],
    })
    for (const request of [{ show: 'two' }, { show: 'two', plan: '1' }, { show: 'two', plan: 'demo', number: '1' }]) {
      expect((await attempts(request, repo.context())).data).toMatchObject({
        diff: expect.stringContaining('+half') as string,
      })
    }
    await expect(attempts({ show: 'two', plan: '7' }, repo.context())).rejects.toMatchObject({ code: 'unknown-step' })
  })

  test('the report counts files and lines against the base', async () => {
    failed()
    expect((await report({}, repo.context())).data).toMatchObject({
      files: [{ path: 'one.txt', change: 'created', added: 1, removed: 0 }],
      totals: { created: 1, modified: 0, deleted: 0, added: 1, removed: 0 },
      steps: [{ id: 'one', failures: 0, totals: { created: 1, added: 1 } }, { id: 'two', failures: 1, files: [] }, {}],
    })
  })

  test('show has the waves and draws them', async () => {
    repo.approved()
    expect((await show({}, repo.context())).data).toMatchObject({ waves: [['one'], ['two'], ['three']] })
    expect((await show({ mermaid: true }, repo.context())).data).toMatchObject({
      drawing: expect.stringContaining('s0 --> s1') as string,
    })
  })

  test('no diff driver, text conversion or pager of the repository runs', async () => {
    failed()
    const trap = join(repo.home, 'trap')
    writeFileSync(trap, '#!/bin/sh\ntouch "$HOME/sprung"\ncat "$1"\n', { mode: 0o755 })
    for (const name of ['core.fsmonitor', 'diff.external', 'core.pager', 'diff.x.textconv', 'diff.x.command'])
      repo.git('config', name, trap)
    writeFileSync(join(repo.root, '.git/info/attributes'), '* diff=x\n')
    for (const run of [
      () => diff({}, repo.context()),
      () => attempts({ show: 'two' }, repo.context()),
      () => report({}, repo.context()),
      () => log({ output: 'one' }, repo.context()),
      () => list({}, repo.context()),
      () => doctor({}, repo.context()),
    ])
      await run()
    expect(existsSync(join(repo.home, 'sprung'))).toBe(false)
  })
})

describe('check', () => {
  test('a valid file is 0, an invalid one 2 with its place', async () => {
    writeFileSync(join(repo.root, 'limits.md'), '---\nsteps:\n  - run: npm test\n---\n')
    expect(await check({ target: 'limits.md' }, repo.context())).toMatchObject({
      exitCode: 0,
      data: { valid: true, id: 'limits' },
    })
    writeFileSync(join(repo.root, 'limits.md'), '---\nsteps:\n  - rum: npm test\n---\n')
    expect(await check({ target: 'limits.md' }, repo.context())).toMatchObject({
      exitCode: 2,
      data: { valid: false, findings: [{ file: 'limits.md', line: 3 }] },
    })
  })

  test('reads a plan from its branch, and standard input', async () => {
    repo.approved()
    repo.git('checkout', '-q', 'main')
    expect(await check({ target: 'demo' }, repo.context())).toMatchObject({
      exitCode: 0,
      data: { id: 'demo', file: '.plans/demo.md' },
    })
    const input = { readInput: () => Promise.resolve(Buffer.from('---\nplan: x\nsteps: [{run: a}]\n---\n')) }
    expect(await check({ target: '-' }, repo.context(input))).toMatchObject({ exitCode: 0, data: { id: 'x' } })
    await expect(check({ target: 'no/such.md' }, repo.context())).rejects.toMatchObject({ code: 'usage' })
  })

  test('a file can be judged outside any repository', async () => {
    writeFileSync(join(repo.home, 'a.md'), '---\nsteps: [{run: a}]\n---\n')
    expect(await check({ target: 'a.md' }, repo.context({ cwd: repo.home }))).toMatchObject({ exitCode: 0 })
    await expect(check({ target: 'b.md' }, repo.context({ cwd: repo.home }))).rejects.toMatchObject({
      code: 'not-a-repository',
    })
  })

  test('the limits and bases of the policy are findings', async () => {
    repo.write('.plans/config.yml', 'limits: { steps: 2 }\nbases: [release/*]\n')
    repo.commit('Policy')
    repo.write('demo.md', planText())
    const { exitCode, data } = await check({ target: 'demo.md' }, repo.context())
    expect(exitCode).toBe(1)
    expect(data.findings.map((finding) => [finding.rule, finding.line])).toEqual([
      ['base-not-allowed', 4],
      ['too-many-steps', 5],
    ])
  })
})

describe('settings', () => {
  test('come from git config, the policy ref and the defaults, each with its source', async () => {
    repo.write('.plans/config.yml', 'limits: { timeout: 5m }\ncommit: { subject: "chore(plan): {title}" }\n')
    repo.commit('Policy')
    repo.git('config', 'plan.worktree', 'yes')
    const { data } = await config({}, repo.context())
    const entry = (name: string) => data.settings.find((each) => each.name === name)
    expect(entry('plan.worktree')).toMatchObject({ value: true, source: 'git config (local)' })
    expect(entry('limits.timeout')).toMatchObject({ value: '5m', source: '.plans/config.yml on refs/heads/main' })
    expect(entry('limits.steps')).toMatchObject({ value: 100, source: 'default' })
    const opened = await repo.open()
    expect(runSettings(await readSettings(opened))).toMatchObject({
      timeoutMs: 300_000,
      subject: 'chore(plan): {title}',
      worktree: true,
    })
    opened.close()
  })

  test("a plan's own branch is never read for policy", async () => {
    repo.approved()
    repo.write('.plans/config.yml', 'limits: { steps: 1000 }\n')
    repo.commit('Sneaky')
    expect((await config({}, repo.context())).data).toMatchObject({ policyRef: 'refs/heads/main' })
  })

  test("the remote's default branch comes before the one that is checked out, with packed refs and on a detached HEAD too", async () => {
    const policyRef = async (): Promise<unknown> => (await config({}, repo.context())).data.policyRef
    repo.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD')
    expect(await policyRef()).toBe('refs/heads/main')
    repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
    expect(await policyRef()).toBe('refs/remotes/origin/trunk')
    repo.git('pack-refs', '--all')
    repo.git('checkout', '-q', '--detach')
    expect(await policyRef()).toBe('refs/remotes/origin/trunk')
    repo.git('symbolic-ref', '-d', 'refs/remotes/origin/HEAD')
    expect(await policyRef()).toBe('refs/heads/main')
  })

  test('plan.policyRef wins, and must name a commit', async () => {
    repo.git('branch', 'policy')
    repo.git('config', 'plan.policyRef', 'refs/heads/policy')
    expect((await config({}, repo.context())).data.policyRef).toBe('refs/heads/policy')
    repo.git('config', 'plan.policyRef', 'refs/heads/none')
    await expect(config({}, repo.context())).rejects.toMatchObject({ code: 'usage' })
  })

  test('a broken file is an error with its line', async () => {
    repo.write('.plans/config.yml', 'version: 1\nlimit: { steps: 2 }\n')
    repo.commit('Policy')
    await expect(config({}, repo.context())).rejects.toMatchObject({
      code: 'invalid-plan',
      facts: { findings: [{ file: '.plans/config.yml', line: 2 }] },
    })
  })

  test.each(['../x', '/etc', '.git/plans'])('plan.dir may not be %s', async (dir) => {
    repo.git('config', 'plan.dir', dir)
    await expect(config({}, repo.context())).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('init', () => {
  test('writes the defaults once, commits nothing and overwrites nothing', async () => {
    const head = repo.git('rev-parse', 'HEAD')
    expect((await init({}, repo.context())).data).toMatchObject({ created: true, file: '.plans/config.yml' })
    writeFileSync(join(repo.root, '.plans/config.yml'), 'version: 1\n')
    expect((await init({}, repo.context())).data.created).toBe(false)
    expect(readFileSync(join(repo.root, '.plans/config.yml'), 'utf8')).toBe('version: 1\n')
    expect(repo.git('rev-parse', 'HEAD')).toBe(head)
  })

  test('follows no link out of the repository', async () => {
    symlinkSync(repo.home, join(repo.root, '.plans'))
    await expect(init({}, repo.context())).rejects.toMatchObject({ code: 'path-refused' })
    expect(existsSync(join(repo.home, 'config.yml'))).toBe(false)
  })
})

describe('doctor', () => {
  const named = async (name: string) =>
    (await doctor({}, repo.context())).data.diagnoses.filter((each) => each.name === name)

  test('is content with a healthy repository, and names what is not', async () => {
    const { exitCode, data } = await doctor({}, repo.context())
    expect(exitCode).toBe(0)
    expect(data.diagnoses.every((each) => each.state === 'ok')).toBe(true)
    repo.git('branch', 'plan/bad')
    repo.git('branch', 'plan/Odd')
    expect(await named('plan')).toMatchObject([{ state: 'fail', remedy: 'git plan check bad' }])
    expect(await named('branch')).toMatchObject([{ state: 'warn' }])
    expect((await doctor({}, repo.context({ cwd: repo.home }))).exitCode).toBe(1)
  })

  test('an identity that is missing fails', async () => {
    const { GIT_COMMITTER_NAME: _, GIT_COMMITTER_EMAIL: __, ...env } = repo.env
    expect(
      (await doctor({}, repo.context({ env }))).data.diagnoses.find((each) => each.name === 'identity')?.state,
    ).toBe('fail')
  })

  test('--unlock removes only the lock of a holder elsewhere', async () => {
    const directory = join(repo.root, '.git/plan/demo')
    mkdirSync(directory, { recursive: true })
    const own = await identityOf(process.pid)
    const lock = (identity: object): void =>
      writeFileSync(join(directory, 'lock-1'), JSON.stringify({ ...identity, run: 'r', command: 'start', since: 'x' }))
    lock(own)
    await expect(doctor({ unlock: 'demo' }, repo.context())).rejects.toMatchObject({ code: 'held' })
    lock({ ...own, host: 'elsewhere' })
    expect(await named('lock')).toMatchObject([
      { state: 'warn', remedy: expect.stringContaining('--unlock demo') as string },
    ])
    await expect(doctor({ unlock: 'demo' }, repo.context({ isInteractive: true }))).rejects.toMatchObject({
      code: 'held',
    })
    const said: string[] = []
    await doctor({ unlock: 'demo' }, repo.context({ emit: (event) => said.push(event.kind) }))
    expect(said).toEqual(['notice'])
    expect(existsSync(join(directory, 'lock-1'))).toBe(false)
  })
})
