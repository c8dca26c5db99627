// Plan mode with the real agents: what `git plan agents install` writes is what each of them runs, and what the guard
// denies is not done: every row of the table of commands, and every tool that writes.

import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sample } from '../helpers/shell-commands.ts'
import { bin, TestRepo } from '../helpers/repo.ts'
import type { Said } from './fake-model.ts'
import { AgentHome, type AgentRun } from './harness.ts'
import { commandOf, realAgents, type RealAgent } from './packages.ts'
import { toolsOf } from './tools.ts'

const writing = sample.filter(({ expected }) => expected === 'WRITE').map(({ command }) => command)
const reading = sample
  .filter(({ expected, command }) => expected === 'READ' && !/a\.tar|jq/.test(command))
  .map(({ command }) => command)

interface Outcome extends AgentRun {
  /** The files that there are afterwards, without our own. */
  readonly files: readonly string[]
  /** Whatever else a command may change: before the agent, and after it. */
  readonly states: readonly [before: string, after: string]
  /** Everything that the model was told. */
  readonly told: string
  readonly status: string
}

async function inRepository(
  agent: RealAgent,
  turns: (repo: TestRepo) => readonly Said[],
  options: {
    readonly isPlanMode?: boolean
    readonly isInstalled?: boolean
    /** In place of the program. */
    readonly gitPlan?: string
    readonly args?: readonly string[]
    readonly words?: readonly string[]
    readonly env?: Record<string, string>
  } = {},
): Promise<Outcome> {
  const repo = new TestRepo()
  const home = await AgentHome.make(agent, { turns: [...turns(repo), { text: 'All done.' }] })
  try {
    repo.git(['config', 'user.name', 'Ada'])
    if (options.isInstalled !== false) expect(await repo.plan(['agents', 'install', agent])).toMatchObject({ code: 0 })
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '--allow-empty', '-m', 'Set up'])
    if (options.isPlanMode !== false) await repo.plan(['mode', 'on'])
    const before = stateOf(repo)
    if (options.gitPlan !== undefined) home.replaceGitPlan(options.gitPlan)
    const ran = await home.run({
      cwd: repo.dir,
      timeoutMs: 500_000,
      ...(options.args === undefined ? {} : { args: options.args }),
      ...(options.words === undefined ? {} : { words: options.words }),
      ...(options.env === undefined ? {} : { env: options.env }),
    })
    return {
      ...ran,
      files: readdirSync(repo.dir)
        .filter((name) => !name.startsWith('.') && name !== 'opencode.json')
        .toSorted(),
      states: [before, stateOf(repo)],
      told: home.model.requests.join('\n'),
      status: (await repo.plan(['agents', 'status', agent])).stdout,
    }
  } finally {
    await home.remove()
    repo.remove()
  }
}

/** The repository around its files, and the directory above it. */
const stateOf = (repo: TestRepo): string =>
  [
    repo.git(['for-each-ref']),
    repo.git(['symbolic-ref', 'HEAD']),
    repo.git(['ls-files', '--stage']),
    repo.git(['status', '--porcelain', '--untracked-files=no']),
    repo.read('.git/config'),
    ...readdirSync(repo.path('..')).filter((name) => name !== 'bin'),
  ].join('\n')

/** How the model is told. Copilot does not pass the reason on, and Claude asks no hook about a carriage return. */
const denial = /plan mode is on: |hook exited with code 2|control characters that would be hidden/
/** The denials that the model was told of: each request repeats those before it. */
const denials = (told: string): number =>
  Math.max(...told.split('\n').map((request) => request.split(denial).length - 1))

/** The name says what to do if the agent is not installed: a skipped test has no other message. */
function testWith(agent: RealAgent, name: string, body: () => Promise<void>): void {
  const command = commandOf(agent)
  const run = 'missing' in command ? test.skip : test
  run('missing' in command ? `${name}: ${command.missing}` : name, body)
}

describe.each(realAgents)('%s', (agent) => {
  const { writers, shell, reader } = toolsOf[agent]

  testWith(agent, 'writes without plan mode: the hooks are not in its way', async () => {
    const { files, status } = await inRepository(
      agent,
      (repo) => [writers(repo.path('b.txt'))[0]!, shell('touch c.txt')],
      {
        isPlanMode: false,
      },
    )
    expect(files).toEqual(['a.txt', 'b.txt', 'c.txt'])
    expect(status).toMatch(/: installed, fired \d+ /)
  })

  testWith(agent, 'in plan mode: every tool that writes is denied, with the reason', async () => {
    const { files, told, status, code } = await inRepository(agent, (repo) => writers(repo.path('b.txt')))
    expect(code).toBe(0)
    expect(files).toEqual(['a.txt'])
    expect(denials(told), told.slice(-3000)).toBeGreaterThanOrEqual(1)
    if (agent !== 'copilot') expect(told).toContain('git plan new --from -')
    expect(status).toMatch(/: installed, fired \d+ /)
  })

  testWith(agent, 'in plan mode: every command that may write is denied', async () => {
    expect(writing.length).toBeGreaterThanOrEqual(100)
    const { files, states, told } = await inRepository(agent, () => writing.map(shell))
    expect(files).toEqual(['a.txt'])
    expect(states[1]).toBe(states[0])
    expect(denials(told)).toBeGreaterThanOrEqual(writing.length)
  })

  testWith(agent, 'in plan mode: reading is allowed', async () => {
    const { told } = await inRepository(agent, (repo) => [reader(repo.path('a.txt')), ...reading.map(shell)])
    expect(denials(told)).toBeLessThanOrEqual(reading.length / 10)
    // `git log` and `cat` have printed something.
    expect(told).toContain('hello')
    expect(told).toContain('Set up')
  })

  testWith(agent, 'in plan mode: a plan is proposed, and not approved', async () => {
    const plan = 'title: Greet\nsteps:\n  - { id: one, create: b.txt, content: hi }\n'
    const { files, told } = await inRepository(agent, () => [
      shell(`git plan new --from - <<'PLAN'\n---\n${plan}---\nPLAN`),
      shell('git plan approve greet'),
      shell('git plan start greet --approve --no-input'),
      shell('git plan mode off'),
      shell('git plan start greet --no-input'),
      shell('git plan mode status'),
    ])
    expect(files).toEqual(['a.txt'])
    expect(told).toContain('Proposed plan/greet')
    if (agent !== 'copilot') expect(told).toContain('a person decides this, not an agent')
    expect(told).toContain('plan greet is not approved')
    expect(told).toContain('Plan mode is on in')
  })

  testWith(agent, 'is told the state of the plan at the start of a session', async () => {
    const { told } = await inRepository(agent, () => [])
    // goose takes no text from its hooks.
    expect(told.includes('Plan mode is on in this work tree')).toBe(agent !== 'goose')
  })
})

describe('walls without a hook', () => {
  testWith('codex', 'codex -s read-only writes nothing, whatever happens to the hooks', async () => {
    const { files } = await inRepository(
      'codex',
      (repo) => [...toolsOf.codex.writers(repo.path('b.txt')), toolsOf.codex.shell('touch c.txt')],
      { isInstalled: false, words: ['exec', '--json', '-s', 'read-only', '-'] },
    )
    expect(files).toEqual(['a.txt'])
  })

  testWith('opencode', 'opencode --agent git-plan writes nothing without the plugin', async () => {
    const { files } = await inRepository(
      'opencode',
      (repo) => [...toolsOf.opencode.writers(repo.path('b.txt')), toolsOf.opencode.shell('touch c.txt')],
      { args: ['--agent', 'git-plan', '--pure'] },
    )
    expect(files).toEqual(['a.txt'])
  })

  testWith('gemini', 'gemini --policy writes nothing where the hooks do not load', async () => {
    const { files } = await inRepository(
      'gemini',
      (repo) => [...toolsOf.gemini.writers(repo.path('b.txt')), toolsOf.gemini.shell('touch c.txt')],
      { args: ['--skip-trust', '--policy', '.gemini/git-plan-policy.toml'], env: { GEMINI_CLI_TRUST_WORKSPACE: '' } },
    )
    expect(files).toEqual(['a.txt'])
  })
})

describe('what fails open', () => {
  describe.each([
    ['is killed', 'kill -9 $$'],
    ['hangs', 'exec sleep 60'],
    ['gets no memory', `ulimit -v 100000; exec '${process.execPath}' '${bin}' "$@"`],
    ['is slow', `sleep 3; exec '${process.execPath}' '${bin}' "$@"`],
  ])('a guard that %s', (_, script) => {
    for (const agent of realAgents)
      testWith(agent, `is denied, ${agent}`, async () => {
        const { files, told } = await inRepository(agent, () => [toolsOf[agent].shell('touch c.txt')], {
          gitPlan: `#!/bin/sh\ntest "$1" = guard || exit 0\n${script}\n`,
        })
        expect(told).not.toBe('')
        expect(files).toEqual(['a.txt'])
      })
  })

  testWith('codex', 'a project that Codex does not trust: status says that nothing fired', async () => {
    const repo = new TestRepo()
    const home = await AgentHome.make('codex', { turns: [toolsOf.codex.shell('touch c.txt'), { text: 'Done.' }] })
    try {
      await repo.plan(['agents', 'install', 'codex'])
      await repo.plan(['mode', 'on'])
      // Sandboxes other than `read-only`, and the options that bypass them, trust the project on the way.
      await home.run({ cwd: repo.dir, isTrusted: false, words: ['exec', '--json', '-'] })
      expect(existsSync(repo.path('.git/plan/.guard/codex.json'))).toBe(false)
      const { code, stdout } = await repo.plan(['agents', 'status', 'codex'])
      expect(code).toBe(1)
      expect(stdout).toContain('codex: installed, never seen to fire')
    } finally {
      await home.remove()
      repo.remove()
    }
  })
})
