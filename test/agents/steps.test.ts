// Steps of a plan that the real agents do: whatever they do or say, the executor decides.

import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { planText, TestRepo } from '../helpers/repo.ts'
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
    before,
    look,
    ...model
  }: {
    /** More keys of the step. */
    readonly keys?: string
    readonly verify?: string
    readonly before?: (home: AgentHome) => Promise<void>
    /** Before the repository is removed. */
    readonly look?: (ended: Ended) => Promise<void> | void
  } & Omit<ModelOptions, 'turns'> = {},
): Promise<Ended> {
  const repo = new TestRepo()
  const home = await AgentHome.make(agent, {
    turns: [...turns(repo), ...(model.isEndless === true ? [] : [{ text: 'I wrote b.txt as asked.' }])],
    ...model,
  })
  try {
    home.installProgram()
    const name = models[agent] === undefined ? '' : `, model: ${models[agent]}`
    const step = `{id: work, agent: ${agent}, prompt: Write b.txt, files: ["b*"]${name}${keys}${verify}}`
    repo.write('../p.md', planText(`  - ${step}`))
    const made = await repo.plan(['new', '--from', '../p.md'])
    if (made.code !== 0) return { code: made.code, output: made.all, status: '', changes: '', repo }
    await repo.plan(['approve', 'p'])
    await before?.(home)
    const ran = await repo.plan(['start', 'p', '--no-input'], { env: home.env })
    const ended = {
      code: ran.code,
      output: ran.all,
      status: JSON.stringify(await repo.json(['status', 'p'])),
      changes: repo.git(['status', '--porcelain', '--ignored']),
      repo,
    }
    await look?.(ended)
    return ended
  } finally {
    await home.remove()
    repo.remove()
  }
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

  run(named('edits its plan, and the hooks of an agent'), async () => {
    for (const path of ['.plans/p.md', '.claude/settings.json']) {
      const { code, output, changes } = await inStep(agent, (repo) => [
        writes(repo.path('b.txt')),
        shell(`mkdir -p .claude && echo '{}' >> ${path}`),
      ])
      // Some agents refuse it by themselves: then the step has only done what it should.
      if (code === 0) expect(output).toContain('work')
      else expect(output, path).toContain(path)
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
