// Commands that a session wants to have treated as reading: asked for by an agent, allowed by a person, for this session,
// this tool, and nothing that the tables know.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { declarationProblem } from '../../src/judge/shell/declarable.ts'
import { classifyCommand } from '../../src/judge/shell/classify.ts'
import { canaries, sample, writers } from '../helpers/shell-commands.ts'
import { test, type TestRepo } from '../helpers/repo.ts'

const run = (repo: TestRepo, command: string, session = 's1') =>
  repo.plan(['guard', '--agent', 'claude'], {
    input: JSON.stringify({
      session_id: session,
      hook_event_name: 'PreToolUse',
      cwd: repo.dir,
      tool_name: 'Bash',
      tool_input: { command },
    }),
  })

const add = (repo: TestRepo, ...words: string[]) => repo.plan(['safety', 'add', ...words, '--session', 's1'])
const idIn = (text: string): string => /\b[0-9a-f]{8}\b/.exec(text)?.[0] ?? ''

test('asked for, allowed, used, and taken back', async ({ repo }) => {
  await repo.plan(['mode', 'on'])
  expect(await repo.plan(['safety'])).toMatchObject({ code: 0, stdout: 'No entries\n' })
  const asked = await add(repo, 'npx', 'go-gmail', '--read', '* search *', '-m', 'look up the request')
  expect(asked, asked.all).toMatchObject({ code: 0 })
  const id = idIn(asked.stdout)
  expect(asked.all).toContain(`git plan safety allow ${id}`)
  expect((await repo.plan(['safety', 'list'])).stdout).toBe(
    `${id} session s1, waits for a person: npx go-gmail * search * (look up the request)\n`,
  )
  expect(await run(repo, 'npx go-gmail a search x')).toMatchObject({ code: 2 })

  expect(await repo.plan(['safety', 'allow', id])).toMatchObject({ code: 0 })
  const entries = (await repo.json(['safety', 'list'])) as unknown as { entries: object[] }
  expect(entries.entries).toMatchObject([{ source: 'session', id, session: 's1', state: 'active' }])
  expect(await run(repo, 'npx go-gmail a search x')).toMatchObject({ code: 0 })
  expect(await run(repo, 'npx go-gmail a search x | head -3')).toMatchObject({ code: 0 })
  for (const command of [
    'npx go-gmail a send x',
    'npx go-gmail a search x > out.txt',
    'npx go-gmail a search x; touch y',
    'npx go-gmail a search --delete x',
    'npx other a search x',
    'npx go-gmail a search $(touch y)',
    'FOO=1 npx go-gmail a send x',
  ])
    expect(await run(repo, command), command).toMatchObject({ code: 2 })
  expect(await run(repo, 'npx go-gmail a search x', 's2'), 'another session').toMatchObject({ code: 2 })

  expect(await repo.plan(['safety', 'remove', id])).toMatchObject({ code: 0 })
  expect(await run(repo, 'npx go-gmail a search x')).toMatchObject({ code: 2 })
  expect(await repo.plan(['safety', 'allow', id])).toMatchObject({ code: 2 })
})

test('an agent asks, and does not allow', async ({ repo }) => {
  await repo.plan(['mode', 'on'])
  expect(await run(repo, "git plan safety add npx go-gmail --read '* search *' --session s1")).toMatchObject({
    code: 0,
  })
  expect(await run(repo, 'git plan safety list')).toMatchObject({ code: 0 })
  expect(await run(repo, 'git plan safety allow 12345678')).toMatchObject({ code: 2 })
  await repo.plan(['mode', 'off'])
  expect(await run(repo, 'git plan safety allow 12345678')).toMatchObject({ code: 2 })
  const id = idIn((await add(repo, 'npx', 'go-gmail', '--read', '* search *')).stdout)
  const typed = await repo.plan(['safety', 'allow', id], { env: { GEMINI_CLI: '1' } })
  expect(typed).toMatchObject({ code: 3, stderr: expect.stringContaining('only a person can allow') as string })
})

test('the entries of the project are listed too, and are not to be removed here', async ({ repo }) => {
  repo.write('.plans/config.yml', "version: 1\nsafety:\n  - { tool: npx go-gmail, read: ['* search *'] }\n")
  repo.commit('Configure')
  expect((await repo.plan(['safety', 'list'])).stdout).toBe('project: npx go-gmail * search *\n')
  expect(await repo.plan(['safety', 'remove', 'npx'])).toMatchObject({ code: 2 })
})

test('without a session it is that of Claude, or the last one that called the guard', async ({ repo }) => {
  expect(await repo.plan(['safety', 'add', 'mytool', '--read', 'show *'])).toMatchObject({ code: 2 })
  await run(repo, 'ls', 's7')
  expect((await repo.plan(['safety', 'add', 'mytool', '--read', 'show *'])).stdout).toContain('session s7')
  const env = { CLAUDE_CODE_SESSION_ID: 's8' }
  expect((await repo.plan(['safety', 'add', 'mytool', '--read', 'show *'], { env })).stdout).toContain('session s8')
})

test('an entry of last month is forgotten, one that cannot be read has no effect', async ({ repo }) => {
  const id = idIn((await add(repo, 'mytool', '--read', 'show *')).stdout)
  await repo.plan(['safety', 'allow', id])
  const path = repo.path('.git/plan/.guard/safety', `${id}.json`)
  const entry = JSON.parse(readFileSync(path, 'utf8')) as object
  writeFileSync(path, JSON.stringify({ ...entry, askedAt: '2020-01-01T00:00:00Z' }))
  writeFileSync(repo.path('.git/plan/.guard/safety/00000000.json'), '{')
  await add(repo, 'other', '--read', 'show *')
  expect(readdirSync(repo.path('.git/plan/.guard/safety'))).not.toContain(`${id}.json`)
  expect((await repo.plan(['safety', 'list'])).stdout.trimEnd().split('\n')).toHaveLength(1)
})

describe('no entry turns what the tables call WRITE into READ', () => {
  test('by the refusal when it is added', async ({ repo }) => {
    for (const tool of [
      'rm',
      'git',
      'git plan',
      'sh',
      'bash -c',
      'npx',
      'sudo',
      'env',
      'xargs',
      'python3',
      './tool',
      'curl',
      'make',
      'npx rm',
      'git-plan',
    ]) {
      const ran = await add(repo, ...tool.split(' '), '--read', '**')
      expect([2, 3], tool).toContain(ran.code)
    }
    expect(await add(repo, '--', '$(touch x)', '--read', '*')).toMatchObject({ code: 2 })
    expect(await repo.plan(['safety', 'add', 'a;b', '--read', '*', '--session', 's1'])).toMatchObject({ code: 3 })
  })

  test('by the refusal when it is used: a file that somebody wrote counts as little', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    const id = idIn((await add(repo, 'mytool', '--read', 'show *')).stdout)
    await repo.plan(['safety', 'allow', id])
    const path = repo.path('.git/plan/.guard/safety', `${id}.json`)
    const entry = JSON.parse(readFileSync(path, 'utf8')) as object
    writeFileSync(path, JSON.stringify({ ...entry, tool: 'touch', read: ['**'] }))
    expect(await run(repo, 'touch x')).toMatchObject({ code: 2 })
  })

  test('whatever tool is taken from the commands that write', () => {
    const commands = [
      ...writers,
      ...canaries,
      ...sample.filter(({ expected }) => expected === 'WRITE').map(({ command }) => command),
    ]
    const tools = new Set(
      commands.flatMap((command) => [command.split(/\s+/)[0] ?? '', command.split(/\s+/, 2).join(' ')]),
    )
    const accepted = [...tools].filter((tool) => declarationProblem({ tool, read: ['**'] }) === undefined)
    const entries = accepted.map((tool) => ({ tool, read: ['**'] }))
    // What is left are names that no table has: a person may know them. Nothing else in the command gets through.
    const changed = commands.filter((command) => classifyCommand(command, entries).class === 'READ')
    for (const command of changed)
      expect(
        accepted.some((tool) => command.includes(tool)),
        command,
      ).toBe(true)
    expect(
      accepted.filter((tool) => /^(rm|git|sh|mv|cp|touch|tee|dd|sed|find|tar|curl|env|npm|docker)\b/.test(tool)),
    ).toEqual([])
  })
})
