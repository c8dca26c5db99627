// Steps of a plan that the real agents do: whatever they do or say, the executor decides.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { planText, TestRepo } from '../helpers/repo.ts'
import { agentPresets } from '../../src/plan/agents/presets.ts'
import type { ModelOptions, Said } from './fake-model.ts'
import { AgentHome } from './harness.ts'
import { commandOf, realAgents, type RealAgent } from './packages.ts'
import { toolsOf } from './tools.ts'

interface Ended {
  readonly code: number
  readonly output: string
  readonly status: string
  /** What the failed step left behind is saved as an attempt, and not in the work tree. */
  readonly changes: string
  /** The files in which the branch of the plan differs from its base. */
  readonly changed: readonly string[]
  /** The plan file, as approved and at the end. */
  readonly planBefore: string
  readonly planAfter: string
  readonly repo: TestRepo
}

/** Models that the agents know how to ask for, where they want one by name. */
const models: Partial<Record<RealAgent, string>> = { opencode: 'mock/m1', pi: 'mock/m1' }

async function inStep(
  agent: RealAgent,
  turns: (repo: TestRepo) => readonly Said[],
  {
    keys = '',
    verify = '',
    files = {},
    before,
    look,
    ...model
  }: {
    /** More keys of the step. */
    readonly keys?: string
    readonly verify?: string
    /** Files of the repository, by path. */
    readonly files?: Readonly<Record<string, string>>
    readonly before?: (home: AgentHome) => Promise<void> | void
    /** Before the repository is removed. */
    readonly look?: (ended: Ended, home: AgentHome) => Promise<void> | void
  } & Omit<ModelOptions, 'turns'> = {},
): Promise<Ended> {
  const repo = new TestRepo()
  const home = await AgentHome.make(agent, {
    turns: [...turns(repo), ...(model.isEndless === true ? [] : [{ text: 'I wrote b.txt as asked.' }])],
    ...model,
  })
  try {
    for (const [path, text] of Object.entries(files)) repo.write(path, text)
    if (Object.keys(files).length > 0) repo.commit('Set up')
    home.installProgram()
    const name = models[agent] === undefined ? '' : `, model: ${models[agent]}`
    const step = `{id: work, agent: ${agent}, prompt: Write b.txt, files: ["b*"]${name}${keys}${verify}}`
    repo.write('../p.md', planText(`  - ${step}`))
    const made = await repo.plan(['new', '--from', '../p.md'])
    if (made.code !== 0)
      return {
        code: made.code,
        output: made.all,
        status: '',
        changes: '',
        changed: [],
        planBefore: '',
        planAfter: '',
        repo,
      }
    await repo.plan(['approve', 'p'])
    const planBefore = repo.git(['show', 'plan/p:.plans/p.md'])
    await before?.(home)
    const ran = await repo.plan(['start', 'p', '--no-input'], { env: home.env })
    const ended = {
      code: ran.code,
      output: ran.all,
      status: JSON.stringify(await repo.json(['status', 'p'])),
      changes: repo.git(['status', '--porcelain', '--ignored']),
      changed: repo.git(['diff', '--name-only', 'main', 'plan/p']).split('\n'),
      planBefore,
      planAfter: repo.git(['show', 'plan/p:.plans/p.md']),
      repo,
    }
    await look?.(ended, home)
    return ended
  } finally {
    await home.remove()
    repo.remove()
  }
}

/** The part of a plan file that no run changes. */
const withoutState = (text: string): string => text.replace(/^status:[\s\S]*?^---$/m, '---')

/** A file in which the agent looks for its hooks. */
const ownHooks: Readonly<Record<RealAgent, string>> = {
  claude: '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  opencode: '.opencode/plugins/own.js',
  copilot: '.github/hooks/own.json',
  goose: '.agents/plugins/own/hooks/hooks.json',
  pi: '.pi/extensions/own.ts',
}

const deny = 'echo Not this tool. >&2; exit 2'
const hook = { matcher: '.*', hooks: [{ type: 'command', command: deny }] }

/** A file in the home of the agent. */
const inHome =
  (path: string, change: (text: string) => string) =>
  ({ directory }: AgentHome): void => {
    const file = join(directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, change(existsSync(file) ? readFileSync(file, 'utf8') : ''))
  }
const withKeys = (keys: object) => (text: string) =>
  JSON.stringify({ ...(JSON.parse(text === '' ? '{}' : text) as object), ...keys })

/** How each is kept from using a tool, by what its user has set up. */
const denials: Readonly<
  Record<
    RealAgent,
    {
      readonly files?: Readonly<Record<string, string>>
      readonly before?: (home: AgentHome) => void
      readonly call?: (path: string) => Said
    }
  >
> = {
  claude: { before: inHome('.claude/settings.json', withKeys({ permissions: { deny: ['Edit(b.txt)'] } })) },
  // Outside its sandbox, which nobody is there to allow.
  codex: {
    call: (path) => ({
      tool: 'exec_command',
      args: { cmd: `echo new > ${path}`, sandbox_permissions: 'require_escalated', justification: 'To write it.' },
    }),
  },
  gemini: { before: inHome('.gemini/settings.json', withKeys({ hooks: { BeforeTool: [hook] } })) },
  opencode: { before: inHome('opencode.json', withKeys({ permission: { edit: { '*': 'allow', 'b.txt': 'deny' } } })) },
  // Outside the directory of the project.
  copilot: { call: () => toolsOf.copilot.writers('/var/b.txt')[0]! },
  goose: {
    files: {
      '.agents/plugins/deny/plugin.json': JSON.stringify({ name: 'deny', version: '1.0.0', description: 'Denies' }),
      '.agents/plugins/deny/hooks/hooks.json': JSON.stringify({ hooks: { PreToolUse: [hook] } }),
    },
  },
  pi: {
    before: inHome(
      '.pi/agent/extensions/deny.ts',
      () =>
        `export default (pi) => pi.on('tool_call', async () => ({ block: true, reason: 'Not this tool: denied.' }))\n`,
    ),
  },
}

/** Each is run in the directory of the step, which is the repository's root. */
describe.each(realAgents)('%s', (agent) => {
  const command = commandOf(agent)
  const run = 'missing' in command ? test.skip : test
  const named = (name: string): string => ('missing' in command ? `${name}: ${command.missing}` : name)
  const { writers, shell } = toolsOf[agent]
  const writes = (path: string): Said => writers(path)[0]!

  run(named('does its step'), async () => {
    await inStep(agent, (repo) => [writes(repo.path('b.txt'))], {
      verify: ', verify: [{exists: b.txt}]',
      look: ({ code, output, status, repo }) => {
        expect(code, output).toBe(0)
        expect(repo.read('b.txt')).toBe('new\n')
        expect(status).toContain('I wrote b.txt as asked')
      },
    })
  })

  run(named('says that it is done, and has changed nothing'), async () => {
    const { code, output, status } = await inStep(agent, () => [])
    expect(code, output).toBe(1)
    expect(output).toContain('changed none')
    expect(status).toContain('I wrote b.txt as asked')
  })

  run(named('writes what its scope does not hold'), async () => {
    const { code, output, changes } = await inStep(agent, (repo) => [
      writes(repo.path('b.txt')),
      writes(repo.path('other.txt')),
    ])
    expect(code, output).toBe(1)
    expect(output).toContain('other.txt')
    expect(changes).toBe('')
  })

  run(named('edits its plan, and its own hooks'), async () => {
    for (const path of ['.plans/p.md', ownHooks[agent]]) {
      const { code, output, changes, changed, planBefore, planAfter } = await inStep(agent, (repo) => [
        writes(repo.path('b.txt')),
        shell(`mkdir -p ${dirname(path)} && echo '{}' >> ${path}`),
      ])
      // Some agents refuse it by themselves: then the step has only done what it should.
      if (code === 0) expect(changed, output).toEqual(['.plans/p.md', 'b.txt'])
      else expect(output, path).toContain(path)
      expect(withoutState(planAfter), path).toBe(withoutState(planBefore))
      expect(changes).toBe('')
    }
  })

  run(named('never ends'), async () => {
    const { code, output, changes } = await inStep(agent, () => [shell('echo again')], {
      keys: ', turns: 4, timeout: 100s',
      isEndless: true,
    })
    expect(code, output).toBe(1)
    expect(output).toMatch(/turns|changed none|longer than/)
    expect(changes).toBe('')
  })

  run(named('starts a command that prints without end'), async () => {
    const { code, output, changes, changed, status } = await inStep(
      agent,
      (repo) => [writes(repo.path('b.txt')), shell('yes')],
      { keys: ', timeout: 30s' },
    )
    // An agent that ends such a command by itself has done its step.
    const [step] = (JSON.parse(status) as { steps: readonly { status: string; error: string | null }[] }).steps
    if (code === 0) {
      expect(step, output).toMatchObject({ status: 'done', error: null })
      expect(changed).toEqual(['.plans/p.md', 'b.txt'])
    } else {
      expect(step?.status, output).toMatch(/^(timeout|failed)$/)
      expect(step?.error).toMatch(/took longer than|timed out|exceeded its output limit/)
      expect(changed).toEqual(['.plans/p.md'])
    }
    expect(changes).toBe('')
    expect(output.length).toBeLessThan(2_000_000)
  })

  if (agentPresets[agent]?.options.session !== undefined)
    run(named('continues its session'), async () => {
      await inStep(agent, () => [], {
        verify: ', verify: [{exists: b.txt}]',
        look: async ({ code, output, repo }, home) => {
          expect(code, output).toBe(1)
          const asked = home.model.requests.length
          const ran = await repo.plan(['resume', 'p', '--retry', 'work', '--continue-session', '--no-input'], {
            env: home.env,
          })
          // The model has nothing more to say, so the step fails as before; but it was asked in the same conversation.
          expect(ran.all).toContain('b.txt does not exist')
          const again = home.model.requests.slice(asked).join('\n')
          expect(again, ran.all).toContain('I wrote b.txt as asked')
        },
      })
    })

  run(named('is denied its tool, and says that it is done'), async () => {
    const { files, before, call } = denials[agent]
    const { code, output, status } = await inStep(
      agent,
      (repo) => [call?.(repo.path('b.txt')) ?? writes(repo.path('b.txt'))],
      {
        ...(files === undefined ? {} : { files }),
        ...(before === undefined ? {} : { before }),
      },
    )
    expect(code, output).toBe(1)
    expect(output).toContain('changed none')
    expect(status).toContain('I wrote b.txt as asked')
    expect(status).toMatch(/"denied":\["/)
  })

  run(named('cannot reach its model'), async () => {
    const { code, output, changes } = await inStep(agent, () => [], {
      keys: ', timeout: 45s, idle: 20s',
      before: (home) => home.model.close(),
    })
    expect(code, output).toBe(1)
    expect(changes).toBe('')
  })

  run(named('leaves a process behind'), async () => {
    const seconds = `3${String(process.pid).padStart(7, '0')}`
    const ended = await inStep(agent, (repo) => [
      writes(repo.path('b.txt')),
      shell(`nohup setsid sleep ${seconds} >/dev/null 2>&1 & echo started`),
    ])
    expect(ended.code, ended.output).toBe(0)
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`sleep ${seconds}`)
  })

  run(named('is held to the tools of its step, or refuses them'), async () => {
    const reader = agent === 'claude' ? 'Read' : 'read'
    const { code, output } = await inStep(agent, (repo) => [writes(repo.path('b.txt')), shell('echo hi > b.txt')], {
      keys: `, tools: [${reader}]`,
    })
    expect(code, output).toBe(agent === 'claude' || agent === 'pi' ? 1 : 2)
    expect(output).toMatch(agent === 'claude' || agent === 'pi' ? /changed none/ : /`tools`/)
  })
})
