// The guard as agents call it: its answers, what it leaves behind, and what becomes of it when it is slow or killed.

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawn } from 'node:child_process'
import { beforeAll, describe, expect } from 'vitest'
import { dialects } from '../helpers/agent-payloads.ts'
import { bin, ended, planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

const payload = (cwd: string, tool = 'Write', input: object = { file_path: 'b.txt', content: 'new\n' }): string =>
  JSON.stringify({ session_id: 's1', hook_event_name: 'PreToolUse', cwd, tool_name: tool, tool_input: input })

const guard = (repo: TestRepo, input: string, agent = 'claude', options: object = {}): Promise<Ran> =>
  repo.plan(['guard', '--agent', agent], { input, ...options })

// Loading the sources takes seconds on a machine that does much else, and the guard has five.
beforeAll(async () => {
  await import('../../src/adapters/agent-guard/answer-guard.ts')
  await import('../../src/judge/agents/judge-command.ts')
})

describe('the answer', () => {
  test.for(dialects.map((each) => [`${each.agent}, ${each.form}`, each] as const))(
    'to %s',
    async ([, { agent, payload, shell, commandKey, writer }], { repo }) => {
      const allowed = { code: 0, stdout: agent === 'cursor' ? '{"permission":"allow"}\n' : '', stderr: '' }
      const write = JSON.stringify(payload(writer[0], writer[1], repo.dir))
      expect(await guard(repo, write, agent)).toMatchObject(allowed)
      await repo.plan(['mode', 'on'])
      const denied = await guard(repo, write, agent)
      expect(denied).toMatchObject({ code: 2, stdout: '' })
      expect(denied.stderr).toMatch(/^plan mode is on: .*git plan new --from -\n$/)
      const read = JSON.stringify(payload(shell, { [commandKey]: 'git log --oneline | head' }, repo.dir))
      expect(await guard(repo, read, agent)).toMatchObject(allowed)
      const touch = JSON.stringify(payload(shell, { [commandKey]: 'touch b.txt' }, repo.dir))
      expect(await guard(repo, touch, agent)).toMatchObject({ code: 2, stdout: '' })
    },
  )

  test('is one line of at most 500 characters, whatever the tool is called', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    const { code, stderr } = await guard(repo, payload(repo.dir, `x\n\x1b[31m${'y'.repeat(2000)}`))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^[\x20-\x7e]{1,500}\n$/)
  })

  test('for people and programs, with --json', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    const ran = await repo.plan(['guard', '--agent', 'claude', '--json'], { input: payload(repo.dir) })
    expect(ran.code).toBe(2)
    expect(JSON.parse(ran.stdout)).toMatchObject({
      kind: 'guard',
      decision: 'deny',
      tool: 'Write',
      toolKind: 'write',
      planMode: true,
    })
  })
})

describe('what cannot be understood is denied in plan mode, and passes without it', () => {
  test.for([
    ['nothing', ''],
    ['half a payload', '{"tool_name":"Wri'],
    ['a payload without a tool', '{"cwd":"/"}'],
    ['bytes', '\xff\xfe\0'],
  ] as const)('%s', async ([, text], { repo }) => {
    expect(await guard(repo, text)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    await repo.plan(['mode', 'on'])
    const denied = await guard(repo, text)
    expect(denied).toMatchObject({ code: 2, stdout: '' })
    expect(denied.stderr).toContain('cannot be read; see: git plan agents status')
  })

  test('an unknown agent, or none', async ({ repo }) => {
    expect(await guard(repo, payload(repo.dir), 'hal')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    await repo.plan(['mode', 'on'])
    const denied = await guard(repo, payload(repo.dir, 'Read'), 'hal')
    expect(denied).toMatchObject({ code: 2, stdout: '' })
    expect(denied.stderr).toContain('not "hal"')
    expect(await repo.plan(['guard'], { input: payload(repo.dir, 'Read') })).toMatchObject({ code: 2 })
    expect(
      await repo.plan(['guard', '--nonsense', '--agent=claude', 'x'], { input: payload(repo.dir, 'Read') }),
    ).toMatchObject({
      code: 0,
    })
  })

  test('a mode file that cannot be read means that the mode is on', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    writeFileSync(repo.path('.git/plan/.tree/mode.json'), '{"left":')
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 2 })
    writeFileSync(repo.path('.git/plan/.tree/mode.json'), '{"left":{"identity":7}}')
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 2 })
  })

  test('an event that is about no tool is not answered', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    const end = JSON.stringify({ hook_event_name: 'SessionEnd', cwd: repo.dir, reason: 'other' })
    expect(await guard(repo, end)).toMatchObject({ code: 0 })
  })
})

describe('the place of the agent', () => {
  test('a directory below the work tree, one that is gone, and a way through a symlink', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    mkdirSync(repo.path('deep/down'), { recursive: true })
    symlinkSync(repo.path('deep'), join(repo.home, 'link'))
    for (const cwd of [repo.path('deep/down'), repo.path('gone/away'), join(repo.home, 'link/down')])
      expect(await guard(repo, payload(cwd), 'claude', { cwd: repo.home }), cwd).toMatchObject({ code: 2 })
  })

  test('another directory does not help: the project of the agent, and the directory of the hook count', async ({
    repo,
  }) => {
    await repo.plan(['mode', 'on'])
    expect(await guard(repo, payload(repo.home))).toMatchObject({ code: 2 })
    const env = { CLAUDE_PROJECT_DIR: repo.dir }
    expect(await guard(repo, payload(repo.home), 'claude', { cwd: repo.home, env })).toMatchObject({ code: 2 })
    expect(await guard(repo, payload(repo.home), 'claude', { cwd: repo.home })).toMatchObject({ code: 0 })
  })

  test('a repository inside: the mode of the one around it counts too', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    mkdirSync(repo.path('inner'))
    repo.git(['init', '-q'], { cwd: repo.path('inner') })
    expect(await guard(repo, payload(repo.path('inner')), 'claude', { cwd: repo.path('inner') })).toMatchObject({
      code: 2,
    })
  })

  test('a linked work tree has a mode of its own', async ({ repo }) => {
    repo.git(['worktree', 'add', '-q', '../other'])
    const other = join(repo.dir, '../other')
    await repo.plan(['mode', 'on'], { cwd: other })
    expect(await guard(repo, payload(other), 'claude', { cwd: other })).toMatchObject({ code: 2 })
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 0 })
  })
})

describe('the configuration', () => {
  const configure = (repo: TestRepo, text: string): void => {
    repo.write('.plans/config.yml', `version: 1\n${text}`)
    repo.commit('Configure')
  }

  test("the user's own programs pass in the forms that only read", async ({ repo }) => {
    configure(repo, "safety:\n  - { tool: npx go-gmail, read: ['* search *'] }\n")
    await repo.plan(['mode', 'on'])
    const run = (command: string) => guard(repo, payload(repo.dir, 'Bash', { command }))
    expect(await run('npx go-gmail a search x')).toMatchObject({ code: 0 })
    expect(await run('npx go-gmail a send x')).toMatchObject({ code: 2 })
  })

  test('guarded tools are logged while no plan runs', async ({ repo }) => {
    configure(repo, "guard: { tools: ['mcp__mail__*'] }\n")
    expect(await guard(repo, payload(repo.dir, 'mcp__mail__send', {}))).toMatchObject({ code: 0 })
    expect(await guard(repo, payload(repo.dir, 'Write'))).toMatchObject({ code: 0 })
    const log = readFileSync(repo.path('.git/plan/.guard/log.jsonl'), 'utf8').trimEnd().split('\n')
    expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([
      { agent: 'claude', session: 's1', tool: 'mcp__mail__send' },
    ])
  })

  test('or denied; a plan that runs uses them', async ({ repo }) => {
    configure(repo, 'guard: { tools: [write], without_plan: deny }\n')
    const denied = await guard(repo, payload(repo.dir))
    expect(denied).toMatchObject({ code: 2 })
    expect(denied.stderr).toContain('git plan new --from -')
    expect(await guard(repo, payload(repo.dir, 'Read', {}))).toMatchObject({ code: 0 })
    writeFileSync(`${repo.home}/payload.json`, payload(repo.dir))
    const asks = 'git plan guard --agent claude < "$HOME/payload.json"'
    repo.write('.plans/p.md', planText(`  - id: one\n    run: ${JSON.stringify(asks)}\n    changes: none\n`))
    const ran = await repo.plan(['start', '.plans/p.md', '--approve'], { env: { PATH: repo.pathForGit() } })
    expect(ran, ran.all).toMatchObject({ code: 0 })
  })

  test('a configuration that is not valid, or not that of the policy branch, allows nothing more', async ({ repo }) => {
    configure(
      repo,
      "safety:\n  - { tool: npx go-gmail, read: ['* search *'], examples: { write: [npx go-gmail a search x] } }\n",
    )
    await repo.plan(['mode', 'on'])
    const run = () => guard(repo, payload(repo.dir, 'Bash', { command: 'npx go-gmail a search x' }))
    expect(await run()).toMatchObject({ code: 2 })
    configure(repo, "safety:\n  - { tool: rm, read: ['*'] }\n")
    expect(await guard(repo, payload(repo.dir, 'Bash', { command: 'rm a.txt' }))).toMatchObject({ code: 2 })
    expect((await repo.plan(['classify', 'ls'])).stderr).toContain('safety: rm is known to git plan')
    configure(repo, 'safety: 7\n')
    expect(await run()).toMatchObject({ code: 2 })
    repo.git(['config', 'plan.policyRef', 'refs/heads/gone'])
    expect(await run()).toMatchObject({ code: 2 })
    expect(await guard(repo, payload(repo.dir, 'Bash', { command: 'ls' }))).toMatchObject({ code: 0 })
  })
})

describe('the heartbeat', () => {
  test('says when, with which version, in which session and how', async ({ repo }) => {
    await guard(repo, payload(repo.dir, 'Read', {}))
    const beat = () => JSON.parse(readFileSync(repo.path('.git/plan/.guard/claude.json'), 'utf8')) as object
    expect(beat()).toMatchObject({
      session: 's1',
      tool: 'Read',
      decision: 'allow',
      version: expect.stringMatching(/./) as string,
    })
    await repo.plan(['mode', 'on'])
    await guard(repo, payload(repo.dir))
    expect(beat()).toMatchObject({ tool: 'Write', decision: 'deny' })
    await guard(repo, payload(repo.dir), 'hal')
    expect(existsSync(repo.path('.git/plan/.guard/hal.json'))).toBe(false)
  })

  test('that cannot be written changes no answer', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    // A file in place of the directory, a directory in place of the file, a pipe that nobody reads, a symlink.
    writeFileSync(repo.path('.git/plan/.guard'), 'x')
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 2 })
    rmSync(repo.path('.git/plan/.guard'))
    mkdirSync(repo.path('.git/plan/.guard/claude.json'), { recursive: true })
    expect(await guard(repo, payload(repo.dir, 'Read', {}))).toMatchObject({ code: 0, stderr: '' })
    await ended(spawn('mkfifo', [repo.path('.git/plan/.guard/codex.json')]))
    expect(await guard(repo, payload(repo.dir), 'codex')).toMatchObject({ code: 2 })
    symlinkSync(repo.path('a.txt'), repo.path('.git/plan/.guard/pi.json'))
    expect(await guard(repo, payload(repo.dir), 'pi')).toMatchObject({ code: 2 })
    expect(repo.read('a.txt')).toBe('hello\n')
  })
})

describe('a guard', () => {
  /** The real program, with a standard input that this test holds. */
  const start = (repo: TestRepo, env: Record<string, string> = {}, cwd = repo.dir) => {
    const child = spawn(process.execPath, [bin, 'guard', '--agent', 'claude'], {
      cwd,
      env: { ...repo.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.on('error', () => {})
    return { child, end: ended(child) }
  }

  test('that gets its payload slowly answers it', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    const { child, end } = start(repo)
    for (const part of payload(repo.dir, 'Read', {}).match(/.{1,20}/gs) ?? []) {
      child.stdin.write(part)
      await sleep(30)
    }
    child.stdin.end()
    expect(await end).toMatchObject({ code: 0, stderr: '' })
  })

  test('whose payload never ends denies after five seconds in plan mode, and allows without it', async ({ repo }) => {
    repo.git(['worktree', 'add', '-q', '../other'])
    await repo.plan(['mode', 'on'])
    const [on, off] = [start(repo), start(repo, {}, join(repo.dir, '../other'))]
    for (const { child } of [on, off]) child.stdin.write(payload(repo.dir).slice(0, 40))
    const denied = await on.end
    expect(denied).toMatchObject({ code: 2, stdout: '' })
    expect(denied.stderr).toContain('did not get an answer in time')
    expect(await off.end).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('that gets %s denies in plan mode', async (signal, { repo }) => {
    await repo.plan(['mode', 'on'])
    // A signal that comes before the program listens kills it. How long that takes depends on the machine.
    for (const delay of [500, 1500, 3000]) {
      const { child, end } = start(repo)
      await sleep(delay)
      child.kill(signal)
      const ran = await end
      if (ran.stderr === '' && delay < 3000) continue
      expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(signal) as string })
      return
    }
  })

  test('without memory gives no answer: the entry of the agent has to deny', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    const { child, end } = start(repo, { NODE_OPTIONS: '--max-old-space-size=1 --max-semi-space-size=1' })
    child.stdin.end(payload(repo.dir, 'Read', { text: 'x'.repeat(20_000_000) }))
    expect([0, 2]).not.toContain((await end).code)
  })

  test('in a repository that Git does not trust, or without Git, still knows the mode', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    const { child, end } = start(repo, { PATH: '/nonexistent' })
    child.stdin.end(payload(repo.dir))
    expect(await end).toMatchObject({ code: 2 })
    const again = start(repo, { PATH: '/nonexistent' })
    again.child.stdin.end(payload(repo.dir, 'Bash', { command: 'ls' }))
    expect(await again.end).toMatchObject({ code: 0 })
  })
})

describe('a step in the hands of a driver', () => {
  const handOut = async (repo: TestRepo, tools = '', ofPlan = ''): Promise<void> => {
    const step = `{id: greet, agent: driver, prompt: Say hello, files: [hello.txt], verify: ["grep -q hello hello.txt"]${tools}}`
    repo.write('../p.md', planText(`  - ${step}`, ofPlan))
    await repo.plan(['new', '--from', '../p.md'])
    await repo.plan(['approve', 'p'])
    await repo.plan(['mode', 'on'])
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 2 })
    const ran = await repo.plan(['next', 'p'])
    expect(ran.code, ran.all).toBe(0)
  }

  test('is done with plan mode left in its work tree alone, and ends it', async ({ repo }) => {
    const other = join(repo.dir, '..', 'other')
    repo.git(['worktree', 'add', '-q', '--detach', other])
    await repo.plan(['mode', 'on'], { cwd: other })
    await handOut(repo)
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 0 })
    expect(await guard(repo, payload(other), 'claude', { cwd: other })).toMatchObject({ code: 2 })
    repo.git(['pack-refs', '--all'])
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 0 })
    repo.write('hello.txt', 'hello\n')
    const done = await repo.plan(['next', 'p', '--done', 'greet'])
    expect(done.code, done.all).toBe(0)
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 2 })
  })

  test('uses only the tools that it names', async ({ repo }) => {
    await handOut(repo, ', tools: [Write, "mcp__docs__*"]')
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 0 })
    expect(await guard(repo, payload(repo.dir, 'mcp__docs__add', {}))).toMatchObject({ code: 0 })
    expect(await guard(repo, payload(repo.dir, 'Bash', { command: 'git log' }))).toMatchObject({ code: 0 })
    const denied = await guard(repo, payload(repo.dir, 'Bash', { command: 'touch x' }))
    expect(denied).toMatchObject({ code: 2 })
    expect(denied.stderr).toContain('step greet of plan p does not allow Bash, only Write, mcp__docs__*')
  })

  test('uses only the tools of the plan, of which it may name fewer', async ({ repo }) => {
    await handOut(repo, '', 'tools: [Write]\n')
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 0 })
    expect(await guard(repo, payload(repo.dir, 'Bash', { command: 'touch x' }))).toMatchObject({ code: 2 })
    expect((await repo.plan(['show', 'p'])).stdout).toContain('tools: Write')
    repo.write(
      '../q.md',
      planText(
        '  - {id: q, agent: claude, prompt: Do it, test: "true", tools: [Write, "Bash(ls)"]}',
        'tools: [Write]\n',
      ),
    )
    const checked = await repo.plan(['check', '../q.md'])
    expect(checked.code, checked.all).toBe(1)
    expect(checked.all).toContain('q names the tool Bash(ls), which `tools` of the plan does not have (agent-tools)')
    repo.write('../q.md', planText('  - {id: q, agent: codex, prompt: Do it, test: "true"}', 'tools: [Write]\n'))
    expect((await repo.plan(['check', '../q.md'])).all).toContain('codex has no option for `tools`')
  })

  test('is what `git plan context` talks about, with the number of the attempt', async ({ repo }) => {
    await handOut(repo, ', tools: [Write]')
    await repo.plan(['next', 'p', '--done', 'greet'])
    await repo.plan(['next', 'p'])
    const during = (await repo.plan(['context'])).stdout
    expect(during).toContain(
      'Step greet of plan p is open in this work tree: you may do this step, with these tools: Write.',
    )
    expect(during).not.toContain('Everything else is denied')
    expect(during).toContain('Open step: greet: Say hello (attempt 2)\n  Ada <ada@example.com> has it until ')
    await repo.plan(['next', 'p', '--release', 'greet'])
    expect((await repo.plan(['context'])).stdout).toContain('Everything else is denied')
  })

  test('counts no longer once it is given back, or its time is over, and a ref without its file allows nothing', async ({
    repo,
  }) => {
    await handOut(repo)
    await repo.plan(['next', 'p', '--release', 'greet'])
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 2 })
    await repo.plan(['next', 'p', '--for', '1ms'])
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 2 })
    await repo.plan(['next', 'p'])
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 0 })
    rmSync(join(repo.dir, '.git/plan/.tree/handed.json'))
    expect(await guard(repo, payload(repo.dir))).toMatchObject({ code: 2 })
  })
})
