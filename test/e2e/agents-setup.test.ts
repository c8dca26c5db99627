// Setting up agents: what is written, that it is removed again byte for byte, and what is said about it.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { parse as parseJsonc } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { installable } from '../../src/commands/agents/agent-status.ts'
import { guardCommand } from '../../src/commands/agents/setup/pieces.ts'
import { recorded } from '../helpers/agent-payloads.ts'
import { test, type TestRepo } from '../helpers/repo.ts'

/** Every file below, with its bytes. */
function contents(top: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(top, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('.git/') && name !== '.git' && lstatSync(join(top, name)).isFile())
      .toSorted()
      .map((name) => [name, readFileSync(join(top, name), 'latin1')]),
  )
}

const put = (top: string, name: string, text: string | Uint8Array): void => {
  mkdirSync(dirname(join(top, name)), { recursive: true })
  writeFileSync(join(top, name), text)
}

/** Files as people have them, and as nobody should. Each agent reads some of them. */
const existing: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  none: {},
  plain: {
    '.claude/settings.json':
      '{\n  "model": "opus",\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./check" }] }\n    ]\n  }\n}\n',
    '.mcp.json': '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n',
    '.codex/hooks.json': '{"hooks":{"Stop":[]}}',
    '.codex/config.toml': '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x"\n',
    '.gemini/settings.json': '{\n\t"theme": "x",\n\t"mcpServers": {}\n}\n',
    'opencode.json': '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {}\n}\n',
    '.cursor/hooks.json': '{\n  "version": 1,\n  "hooks": { "stop": [] }\n}\n',
    '.cursor/mcp.json': '{ "mcpServers": {} }\n',
    '.pi/mcp.json': '{}',
    '.claude/commands/mine.md': 'mine\n',
    '.agents/plugins/mine/plugin.json': '{}\n',
  },
  unusual: {
    '.claude/settings.json': '\uFEFF{\r\n    "env": {\r\n        "A": "ä 🦄"\r\n    }\r\n}',
    '.mcp.json': '{}',
    '.codex/hooks.json': '{ }',
    '.codex/config.toml': 'a = 1\r\n[b]\r\nc = "x"',
    '.gemini/settings.json': '// mine\n{\n  "theme": "x", // good\n  /* none */\n}\n',
    'opencode.json': '{\n  // mine\n  "mcp": {\n    "other": {"type": "local", "command": ["x"]}, // last\n  },\n}\n',
    '.cursor/hooks.json': '{"hooks":{"preToolUse":[]}}',
    '.cursor/mcp.json': '{\n}\n',
    '.pi/mcp.json': '\n\n{"mcpServers":{"other":{}}}\n\n',
  },
}

describe.each(installable)('%s', (agent) => {
  test.for(Object.entries(existing))(
    'over %s files: installed once, and removed byte for byte',
    async ([, files], { repo }) => {
      for (const [name, text] of Object.entries(files)) put(repo.dir, name, text)
      const before = contents(repo.dir)
      const installed = await repo.plan(['agents', 'install', agent])
      expect(installed, installed.all).toMatchObject({ code: 0 })
      const after = contents(repo.dir)
      expect(after).not.toEqual(before)

      expect((await repo.plan(['agents', 'install', agent])).stdout).toContain('Nothing to change')
      expect(contents(repo.dir)).toEqual(after)
      for (const [name, text] of Object.entries(after)) {
        const decoded = Buffer.from(text, 'latin1')
          .toString()
          .replace(/^\uFEFF/, '')
        const errors: object[] = []
        if (name.endsWith('.json')) parseJsonc(decoded, errors as never, { allowTrailingComma: true })
        if (name.endsWith('.toml')) parseToml(decoded)
        expect(errors, name).toEqual([])
      }

      expect(await repo.plan(['agents', 'uninstall', agent])).toMatchObject({ code: 0 })
      expect(contents(repo.dir)).toEqual(before)
      expect((await repo.plan(['agents', 'uninstall', agent])).stdout).toContain('Nothing to change')
    },
  )

  test('a dry run shows the changes and makes none', async ({ repo }) => {
    for (const [name, text] of Object.entries(existing['plain'] ?? {})) put(repo.dir, name, text)
    const before = contents(repo.dir)
    const shown = (await repo.plan(['agents', 'install', agent, '--dry-run'])).stdout
    expect(contents(repo.dir)).toEqual(before)
    await repo.plan(['agents', 'install', agent])
    const after = contents(repo.dir)
    // Our own diff, read by another program.
    const copy = join(repo.home, 'copy')
    for (const [name, text] of Object.entries(before)) put(copy, name, Buffer.from(text, 'latin1'))
    writeFileSync(join(repo.home, 'diff'), shown)
    execFileSync('git', ['apply', '--unidiff-zero', join(repo.home, 'diff')], { cwd: copy, env: repo.env })
    expect(contents(copy)).toEqual(after)
  })

  test('for the user: in the home directory, and nowhere else', async ({ repo }) => {
    put(repo.home, '.claude/settings.json', '{"model": "opus"}')
    put(repo.home, '.codex/config.toml', 'model = "o"\n')
    const [home, here] = [contents(repo.home), contents(repo.dir)]
    const ran = await repo.plan(['agents', 'install', agent, '--user'])
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(contents(repo.dir)).toEqual(here)
    expect(contents(repo.home)).not.toEqual(home)
    // Found without the option too.
    expect((await repo.plan(['agents', 'status', agent])).stdout).not.toContain('not installed')
    const { agents } = (await repo.json(['agents', 'status', agent, '--user'])) as unknown as {
      agents: { state: string }[]
    }
    expect(agents[0]?.state).toBe('installed')
    expect(await repo.plan(['agents', 'uninstall', agent, '--user'])).toMatchObject({ code: 0 })
    expect(contents(repo.home)).toEqual(home)
  })
})

describe('the entries', () => {
  test('all agents at once, and one removed: what the others share stays', async ({ repo }) => {
    const before = contents(repo.dir)
    await repo.plan(['agents', 'install', 'claude', 'codex', 'copilot', 'pi'])
    expect(existsSync(repo.path('.agents/skills/git-plan/SKILL.md'))).toBe(true)
    await repo.plan(['agents', 'uninstall', 'codex'])
    expect(existsSync(repo.path('.agents/skills/git-plan/SKILL.md'))).toBe(true)
    const removed = await repo.plan(['agents', 'uninstall', 'claude'])
    expect(removed.stdout).toContain('copilot was guarded by the hook of Claude, and has no guard now')
    expect(removed.all).toContain('git plan agents install copilot')
    await repo.plan(['agents', 'install', 'copilot'])
    expect(existsSync(repo.path('.github/hooks/git-plan.json'))).toBe(true)
    expect(JSON.parse(repo.read('.mcp.json'))).toHaveProperty('mcpServers.git-plan')
    await repo.plan(['agents', 'uninstall', 'pi', 'copilot'])
    expect(contents(repo.dir)).toEqual(before)
  })

  test('Copilot and Cursor run the hook of Claude, and get none of their own', async ({ repo }) => {
    await repo.plan(['agents', 'install', 'claude'])
    for (const agent of ['copilot', 'cursor']) {
      const ran = await repo.plan(['agents', 'install', agent])
      expect(ran.stdout).toContain(`${agent} runs the hook of Claude in .claude/settings.json`)
      expect((await repo.plan(['agents', 'status', agent])).stdout).toContain(`${agent}: installed, never seen to fire`)
    }
    expect(existsSync(repo.path('.github/hooks/git-plan.json'))).toBe(false)
    expect(existsSync(repo.path('.cursor/hooks.json'))).toBe(false)
    await repo.plan(['agents', 'uninstall', 'claude'])
    expect((await repo.plan(['agents', 'status', 'copilot'])).stdout).not.toContain('copilot: installed')
  })

  test('what Copilot and Cursor had before Claude is removed: the guard is asked once', async ({ repo }) => {
    await repo.plan(['agents', 'install', 'copilot', 'cursor'])
    expect(existsSync(repo.path('.github/hooks/git-plan.json'))).toBe(true)
    const ran = await repo.plan(['agents', 'install', 'claude'])
    expect(ran.stdout).toContain('Removed .github/hooks/git-plan.json')
    expect(existsSync(repo.path('.github/hooks/git-plan.json'))).toBe(false)
    expect(existsSync(repo.path('.cursor/hooks.json'))).toBe(false)
    expect((await repo.plan(['agents', 'status', 'cursor'])).stdout).toContain('cursor: installed, never seen to fire')
    const removed = await repo.plan(['agents', 'uninstall', 'claude'])
    expect(removed.all).toContain('git plan agents install cursor')
  })

  test('an entry of another version is replaced in its place, and what the user has set beside it stays', async ({
    repo,
  }) => {
    await repo.plan(['agents', 'install', 'claude'])
    const settings = repo.read('.claude/settings.json')
    const old = settings.replace(JSON.stringify(guardCommand('claude')), '"git plan guard --agent claude"')
    expect(old).not.toBe(settings)
    repo.write('.claude/settings.json', old)
    expect((await repo.plan(['agents', 'status', 'claude'])).stdout).toContain('written by another version of git plan')
    await repo.plan(['agents', 'install', 'claude'])
    expect(repo.read('.claude/settings.json')).toBe(settings)
    const slower = settings.replace('"timeout": 10', '"timeout": 60')
    repo.write('.claude/settings.json', slower)
    expect((await repo.plan(['agents', 'install', 'claude'])).stdout).toContain('Nothing to change')
    expect(repo.read('.claude/settings.json')).toBe(slower)
  })

  test('files that were edited are neither replaced nor removed', async ({ repo }) => {
    await repo.plan(['agents', 'install', 'claude'])
    repo.write('.claude/commands/plan.md', `${repo.read('.claude/commands/plan.md')}Mine.\n`)
    const again = await repo.plan(['agents', 'install', 'claude'])
    expect(again).toMatchObject({ code: 2 })
    expect(again.stderr).toContain('.claude/commands/plan.md was not changed: it was edited since git plan wrote it')
    const removed = await repo.plan(['agents', 'uninstall', 'claude'])
    expect(removed.stdout).toContain('.claude/commands/plan.md was edited by hand and is left alone')
    expect(contents(repo.dir)).toEqual({
      'a.txt': 'hello\n',
      '.claude/commands/plan.md': expect.stringContaining('Mine.') as string,
    })
  })

  test('a file of the same name that is not ours is refused, and then nothing is written', async ({ repo }) => {
    repo.write('.claude/commands/plans.md', 'My own plans.\n')
    const before = contents(repo.dir)
    const ran = await repo.plan(['agents', 'install', 'claude'])
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain('git plan did not write it')
    expect(contents(repo.dir)).toEqual(before)
  })

  test.for([
    ['claude', '.mcp.json', '{"mcpServers": {"git-plan": {"command": "./evil"}}}'],
    ['claude', '.mcp.json', '{"mcpServers": {"git-plan": {"command": "./evil", "args": ["git", "mcp"]}}}'],
    ['codex', '.codex/config.toml', '[mcp_servers.git-plan]\ncommand = "./evil"\n'],
  ] as const)(
    '%s: a server of our name that is another program is refused and named: %j',
    async ([agent, file, text], { repo }) => {
      repo.write(file, text)
      const before = contents(repo.dir)
      const ran = await repo.plan(['agents', 'install', agent])
      expect(ran.code, ran.all).toBe(2)
      expect(ran.stderr).toContain(`${file} was not changed: its MCP server git-plan is another program: ./evil`)
      expect(contents(repo.dir)).toEqual(before)
      for (const words of [['agents', 'status'], ['agents', 'status', agent], ['doctor']])
        expect((await repo.plan(words)).stdout, words.join(' ')).toContain(
          `${file}: its MCP server git-plan is another program: ./evil`,
        )
      await repo.plan(['agents', 'uninstall', agent])
      expect(contents(repo.dir)).toEqual(before)
    },
  )

  test('an MCP server that starts git plan in another way stays as it is', async ({ repo }) => {
    repo.write(
      '.mcp.json',
      '{"mcpServers": {"git-plan": {"command": "git", "args": ["plan", "mcp"], "env": {"A": "b"}}}}',
    )
    repo.write('.codex/config.toml', '[mcp_servers.git-plan]\ncommand = "git-plan"\nargs = ["mcp"]\n')
    const before = [repo.read('.mcp.json'), repo.read('.codex/config.toml')]
    const ran = await repo.plan(['agents', 'install', 'claude', 'codex'])
    expect(ran.code, ran.all).toBe(0)
    expect([repo.read('.mcp.json'), repo.read('.codex/config.toml')]).toEqual(before)
  })
})

describe('a file that cannot be used is refused, with what is wrong, and nothing is written', () => {
  test.for([
    ['.claude/settings.json', '{"model": 42}', '`model` is 42, not a text'],
    [
      '.claude/settings.json',
      '{"permissions": {"defaultMode": "yolo"}}',
      '`permissions.defaultMode` is "yolo", not one of',
    ],
    [
      '.claude/settings.json',
      '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command"}]}]}}',
      '`hooks.PreToolUse[0].hooks[0]` has no `type`, or no `command`',
    ],
    [
      '.claude/settings.json',
      '{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}',
      '`hooks.PreToolUse[0]` has no list of',
    ],
    ['.claude/settings.json', '{"cleanupPeriodDays": "30"}', '`cleanupPeriodDays` is "30", not a number'],
    ['.claude/settings.json', '{\n  "a": 1,\n}\n', 'it is not valid JSON'],
    ['.claude/settings.json', '// x\n{}\n', 'it is not valid JSON'],
    ['.claude/settings.json', '{"hooks": []}', 'hooks is not an object'],
    ['.claude/settings.json', '', 'it is not valid JSON'],
    ['.claude/settings.json', '{"a": "\xff"}', 'is not valid UTF-8'],
    ['.mcp.json', '{"mcpServers": [}', 'it is not valid JSON (line 1)'],
    ['.mcp.json', '<<<<<<< HEAD\n{}\n', 'it is not valid JSON (line 1)'],
    ['.codex/config.toml', 'a = \n', 'it is not valid TOML'],
    ['.codex/hooks.json', '{"hooks": {"PreToolUse": {}}}', 'hooks.PreToolUse is not a list'],
    ['opencode.json', '[]', 'it does not contain a JSON object'],
  ] as const)('%s: %s', async ([name, text, problem], { repo }) => {
    put(repo.dir, name, Buffer.from(text, 'latin1'))
    const before = contents(repo.dir)
    const agent = name.startsWith('.codex') ? 'codex' : name.startsWith('open') ? 'opencode' : 'claude'
    const ran = await repo.plan(['agents', 'install', agent])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(problem)
    expect(ran.stderr).toContain(name)
    expect(contents(repo.dir)).toEqual(before)
    const status = await repo.plan(['agents', 'status', agent])
    expect(status).toMatchObject({ code: 1 })
  })

  test('a symlink is followed within the repository, and not out of it', async ({ repo }) => {
    put(repo.dir, 'shared/settings.json', '{"model": "opus"}')
    chmodSync(repo.path('shared/settings.json'), 0o600)
    mkdirSync(repo.path('.claude'))
    symlinkSync('../shared/settings.json', repo.path('.claude/settings.json'))
    expect(await repo.plan(['agents', 'install', 'claude'])).toMatchObject({ code: 0 })
    expect(lstatSync(repo.path('.claude/settings.json')).isSymbolicLink()).toBe(true)
    expect(statSync(repo.path('shared/settings.json')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(repo.read('shared/settings.json'))).toHaveProperty('hooks')
    await repo.plan(['agents', 'uninstall', 'claude'])
    expect(repo.read('shared/settings.json')).toBe('{"model": "opus"}')

    put(repo.home, 'settings.json', '{}')
    rmSync(repo.path('.claude/settings.json'))
    symlinkSync(join(repo.home, 'settings.json'), repo.path('.claude/settings.json'))
    const ran = await repo.plan(['agents', 'install', 'claude'])
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain('.claude/settings.json leads to')
    expect(readFileSync(join(repo.home, 'settings.json'), 'utf8')).toBe('{}')

    rmSync(repo.path('.claude'), { recursive: true })
    symlinkSync(repo.home, repo.path('.claude'))
    expect(await repo.plan(['agents', 'install', 'claude'])).toMatchObject({ code: 2 })
    symlinkSync('/nonexistent', repo.path('.mcp.json'))
    expect(await repo.plan(['agents', 'install', 'copilot'])).toMatchObject({ code: 2 })
  })

  test('a directory in place of a file', async ({ repo }) => {
    mkdirSync(repo.path('.mcp.json'))
    expect(await repo.plan(['agents', 'install', 'claude'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('.mcp.json is not a file') as string,
    })
  })
})

describe('status', () => {
  test('believes the heartbeat, not the files', async ({ repo }) => {
    expect(await repo.plan(['agents', 'status'])).toMatchObject({ code: 0 })
    const absent = await repo.plan(['agents', 'status', 'codex'])
    expect(absent).toMatchObject({ code: 1, stdout: expect.stringContaining('codex: not installed') as string })

    await repo.plan(['agents', 'install', 'codex'])
    const silent = await repo.plan(['agents', 'status'])
    expect(silent).toMatchObject({ code: 1 })
    expect(silent.stdout).toContain('codex: installed, never seen to fire')
    expect(silent.stdout).toContain('trust the project, and the hooks with /hooks')
    expect(silent.stdout).toContain('codex -s read-only')

    const call = recorded('codex').find((each) => each['hook_event_name'] === 'PreToolUse')
    await repo.plan(['guard', '--agent', 'codex'], { input: JSON.stringify({ ...call, cwd: repo.dir }) })
    const fired = await repo.plan(['agents', 'status', 'codex'])
    expect(fired).toMatchObject({ code: 0 })
    expect(fired.stdout).toMatch(/^codex: installed, fired \d+ seconds? ago\n/)
    const { agents } = (await repo.json(['agents', 'status', 'codex'])) as unknown as { agents: object[] }
    expect(agents).toMatchObject([
      { agent: 'codex', state: 'installed', fired: { decision: 'allow', tool: 'Bash', session: call?.['session_id'] } },
    ])
  })

  test('a hook of Claude that Copilot runs is the heartbeat of Copilot', async ({ repo }) => {
    await repo.plan(['agents', 'install', 'claude', 'copilot'])
    const payload = JSON.stringify({ hook_event_name: 'PreToolUse', cwd: repo.dir, tool_name: 'view', tool_input: {} })
    await repo.plan(['guard', '--agent', 'claude'], { input: payload, env: { COPILOT_CLI: '1' } })
    expect((await repo.plan(['agents', 'status'])).stdout).toMatch(
      /claude: installed, never seen to fire[\s\S]*copilot: installed, fired/,
    )
  })

  test('says that hooks are turned off, and that a file was broken later', async ({ repo }) => {
    await repo.plan(['agents', 'install', 'claude'])
    const settings = repo.read('.claude/settings.json')
    repo.write('.claude/settings.json', settings.replace('{', '{"disableAllHooks": true,'))
    expect((await repo.plan(['agents', 'status'])).stdout).toContain('`disableAllHooks`')
    repo.write('.claude/settings.json', settings.replace('{', '{"model": 42,'))
    const ran = await repo.plan(['agents', 'status', 'claude'])
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.stdout).toContain('.claude/settings.json: `model` is 42, not a text')
  })

  test('wrong words are refused', async ({ repo }) => {
    expect(await repo.plan(['agents', 'instal', 'claude'])).toMatchObject({
      code: 2,
      all: expect.stringContaining('did you mean') as string,
    })
    expect(await repo.plan(['agents', 'install', 'claud'])).toMatchObject({
      code: 2,
      all: expect.stringContaining('did you mean') as string,
    })
    expect(await repo.plan(['agents', 'install'])).toMatchObject({ code: 2 })
  })
})

describe('the command in the hooks, as a shell runs it', () => {
  const shell = (
    repo: TestRepo,
    input: string,
    env: Record<string, string> = {},
    agent: 'claude' | 'cursor' = 'claude',
  ) => {
    try {
      const stdout = execFileSync('sh', ['-c', guardCommand(agent)], {
        cwd: repo.dir,
        env: { ...repo.env, PATH: repo.pathForGit(), ...env },
        input,
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      return { code: 0, stdout, stderr: '' }
    } catch (error) {
      const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string }
      return { code: status, stdout, stderr }
    }
  }
  const payload = (repo: TestRepo, tool: string) =>
    JSON.stringify({ hook_event_name: 'PreToolUse', cwd: repo.dir, tool_name: tool, tool_input: {} })
  /** A git-plan that ends in another way. */
  const broken = (repo: TestRepo, script: string): Record<string, string> => {
    const programs = join(repo.home, 'broken')
    put(programs, 'git-plan', `#!/bin/sh\n${script}\n`)
    chmodSync(join(programs, 'git-plan'), 0o755)
    return { PATH: `${programs}:${repo.env['PATH']}` }
  }

  test('passes the answer of the guard on', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    expect(shell(repo, payload(repo, 'Read'))).toEqual({ code: 0, stdout: '', stderr: '' })
    const denied = shell(repo, payload(repo, 'Write'))
    expect(denied).toMatchObject({ code: 2, stdout: '' })
    expect(denied.stderr).toMatch(/^plan mode is on: Write may change files\..*\n$/)
    expect(shell(repo, payload(repo, 'Read'), {}, 'cursor').stdout).toBe('{"permission":"allow"}\n')
  })

  test.for([
    ['is killed', 'kill -9 $$'],
    ['is out of memory', 'kill -ABRT $$'],
    ['crashes', 'exit 70'],
    ['is not installed', 'exit 127'],
    ['fails', 'exit 1'],
  ] as const)('a guard that %s denies in plan mode, and allows without it', async ([, script], { repo }) => {
    const env = broken(repo, script)
    expect(shell(repo, payload(repo, 'Write'), env)).toMatchObject({ code: 0, stdout: '' })
    expect(shell(repo, payload(repo, 'Write'), env, 'cursor')).toMatchObject({
      code: 0,
      stdout: '{"permission":"allow"}\n',
    })
    await repo.plan(['mode', 'on'])
    for (const agent of ['claude', 'cursor'] as const) {
      const denied = shell(repo, payload(repo, 'Read'), env, agent)
      expect(denied).toMatchObject({ code: 2, stdout: '' })
      expect(denied.stderr).toContain('plan mode is on, and git plan guard failed: git plan doctor')
    }
  })

  test('without git-plan at all', async ({ repo }) => {
    expect(shell(repo, payload(repo, 'Write'), { PATH: '/usr/bin:/bin' })).toMatchObject({ code: 0 })
    await repo.plan(['mode', 'on'])
    expect(shell(repo, payload(repo, 'Write'), { PATH: '/usr/bin:/bin' })).toMatchObject({ code: 2 })
  })
})
