// `git plan mcp` with the official client, in both revisions of the protocol, and with what the clients of agents send.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { tools } from '../../src/adapters/mcp/tools/index.ts'
import { connectMcp, eras, serveInProcess, type Era, type McpClient } from '../helpers/mcp.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const each = Object.keys(eras) as Era[]

const driven = `---
title: Greet
steps:
  - id: prepare
    run: mkdir src && echo prepared > src/list.txt
  - id: hello
    agent: driver
    prompt: Write hello.txt.
    files: [hello.txt]
    verify: ["grep -q hello hello.txt"]
  - id: docs
    agent: driver
    prompt: Describe it.
    files: [docs.md]
---

A greeting was asked for.
`

async function waitFor(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await what()); looks += 1) {
    if (looks > 1000) throw new Error('waited in vain')
    await sleep(20)
  }
}

/** Refs, the index and the files of the work tree. */
const treeOf = (repo: TestRepo): unknown => [
  repo.git(['rev-parse', 'HEAD', 'refs/heads/main']),
  repo.git(['symbolic-ref', 'HEAD']),
  readFileSync(repo.path('.git/index')).toString('base64'),
  readdirSync(repo.dir).toSorted(),
  repo.status(),
]

describe.each(each)('with a client of %s', (era) => {
  test('every tool is listed with its schemas and hints, and every one answers', async ({ repo }) => {
    const agent = await connectMcp(repo, { era })
    const called = new Set<string>()
    const call: McpClient['call'] = (name, args, options) => {
      called.add(name)
      return agent.call(name, args, options)
    }
    const { tools: listed } = await agent.client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    for (const { name, title, description, inputSchema, outputSchema, annotations } of listed) {
      expect(title, name).toBeTruthy()
      expect(description, name).toBeTruthy()
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema, name).toMatchObject({ type: 'object' })
      expect(typeof annotations?.readOnlyHint, name).toBe('boolean')
    }
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'git-plan' })
    expect(agent.client.getInstructions()).toContain('Only people approve')

    expect((await call('plan_check', { text: driven })).data).toMatchObject({
      kind: 'check',
      valid: true,
      risk: 'HIGH',
    })
    const wrong = await call('plan_check', { text: 'Buy milk' })
    expect(wrong).toMatchObject({
      isError: false,
      data: { valid: false, exitCode: 2, findings: [{ rule: 'bad-fence' }] },
    })
    expect((await call('plan_propose', { text: driven })).data).toMatchObject({ kind: 'proposed', id: 'greet' })
    expect((await call('plan_list')).data).toMatchObject({ plans: [{ id: 'greet', seen: 'proposed' }] })
    const shown = await call('plan_get', { id: 'greet', graph: true })
    expect(shown.data).toMatchObject({
      kind: 'plan',
      risk: 'HIGH',
      text: repo.git(['show', 'plan/greet:.plans/greet.md']) + '\n',
    })
    expect(JSON.parse(shown.text)).toEqual(shown.data)
    expect((await call('plan_approve', { id: 'greet' })).data).toMatchObject({
      approved: false,
      required: 1,
      nextCommands: ['git plan approve greet', 'git plan start greet --approve'],
    })
    expect((await call('plan_reject', { id: 'greet', message: 'not yet' })).data).toMatchObject({ kind: 'rejected' })
    expect((await call('plan_replan', { id: 'greet', text: driven.replace('Greet', 'Greet all') })).data).toMatchObject(
      {
        kind: 'replanned',
        changed: true,
        status: 'proposed',
      },
    )
    expect((await call('plan_clone', { id: 'greet', newId: 'again' })).data).toMatchObject({ id: 'again' })
    expect(await call('plan_submit', { id: 'again' })).toMatchObject({
      isError: true,
      data: { kind: 'error', code: 'forge' },
    })
    expect(await call('plan_start', { id: 'greet', dryRun: true })).toMatchObject({ data: { kind: 'dry-run' } })

    if (tools.some(({ name }) => name === 'plan_mode')) {
      expect((await call('plan_mode')).data).toMatchObject({ state: 'off' })
      expect((await call('plan_mode', { action: 'on' })).data).toMatchObject({ state: 'on', workTree: repo.dir })
      const off = { code: 'not-allowed', hint: 'git plan mode off' }
      expect((await call('plan_mode', { action: 'off' })).data).toMatchObject(off)
      expect((await call('plan_mode')).data).toMatchObject({ state: 'on' })
    }
    if (tools.some(({ name }) => name === 'plan_skill_safety')) {
      const asked = { action: 'add', tool: 'npx go-gmail', read: ['* search *'], session: 's1' }
      const { data } = await call('plan_skill_safety', asked)
      expect(data).toMatchObject({ entries: [{ state: 'waiting' }] })
      const [{ id } = { id: '' }] = data['entries'] as { id: string }[]
      expect(data['nextCommands']).toEqual([`git plan safety allow ${id}`])
      expect((await call('plan_skill_safety', { action: 'allow', id })).isError).toBe(true)
      expect((await call('plan_skill_safety')).data).toMatchObject({ entries: [{ id, state: 'waiting' }] })
      expect((await call('plan_skill_safety', { action: 'remove', id })).isError).toBe(false)
      expect((await call('plan_skill_safety')).data).toMatchObject({ entries: [] })
    }

    await repo.plan(['approve', 'greet'])
    expect((await call('plan_approve', { id: 'greet' })).data).toMatchObject({ approved: true })
    expect(await call('plan_start', { id: 'greet' })).toMatchObject({
      // The agents of these steps drive.
      data: { kind: 'report', end: 'waiting', exitCode: 5, next: 'hello' },
      isError: false,
    })
    expect((await call('plan_next', { id: 'greet', peek: true })).data).toMatchObject({ next: 'hello' })
    expect((await call('plan_next', { id: 'greet' })).data).toMatchObject({
      end: 'handed-out',
      handed: { step: 'hello', holder: 'test-agent (MCP)', files: ['hello.txt'] },
    })
    expect(
      await call('plan_run_script', { id: 'greet', action: 'step_failed', step: 'hello', summary: 'No pen.' }),
    ).toMatchObject({
      isError: true,
      data: { end: 'failed', status: 'failed' },
    })
    expect((await call('plan_log', { id: 'greet' })).data).toMatchObject({ kind: 'log', attempts: [] })
    expect((await call('plan_log', { id: 'greet', step: 'prepare' })).data).toMatchObject({
      kind: 'output',
      output: '',
    })
    expect((await call('plan_resume', { id: 'greet' })).data).toMatchObject({ end: 'waiting', next: 'hello' })
    expect((await call('plan_checkpoint', { id: 'greet' })).data).toMatchObject({
      kind: 'checkpoints',
      last: { step: 'prepare' },
      resumable: true,
    })
    expect((await call('plan_checkpoint', { id: 'greet', action: 'validate' })).data).toMatchObject({ holds: true })
    expect((await call('plan_rollback', { id: 'greet', dryRun: true })).data).toMatchObject({
      lost: expect.any(Array) as [],
    })
    expect((await call('plan_rollback', { id: 'greet', all: true, message: 'again' })).data).toMatchObject({
      step: null,
    })
    expect((await call('plan_status', { id: 'greet' })).data).toMatchObject({
      seen: 'rolled-back',
      progress: { done: 0 },
    })

    expect([...called].toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
    expect(await agent.close()).toBe(0)
    expect(agent.server.stderr.text).toBe('')
  })

  test('plan files, reports and histories are resources', async ({ repo }) => {
    const agent = await connectMcp(repo, { era })
    await agent.call('plan_propose', { text: driven })
    const { resources } = await agent.client.listResources()
    expect(resources.map(({ uri }) => uri).toSorted()).toEqual(['git-plan://plans/greet', 'git-plan://schema'])
    const { resourceTemplates } = await agent.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'git-plan://plans/{id}',
      'git-plan://plans/{id}/report',
      'git-plan://plans/{id}/log',
    ])
    const read = async (uri: string): Promise<string> => {
      const [content] = (await agent.client.readResource({ uri })).contents
      return content !== undefined && 'text' in content ? content.text : ''
    }
    expect(await read('git-plan://plans/greet')).toBe(`${repo.git(['show', 'plan/greet:.plans/greet.md'])}\n`)
    expect(await read('git-plan://plans/greet/report')).toBe((await repo.plan(['report', 'greet'])).stdout)
    expect(await read('git-plan://plans/greet/log')).toBe((await repo.plan(['log', 'greet'])).stdout)
    expect(JSON.parse(await read('git-plan://schema'))).toMatchObject({ type: 'object' })
    const completed = await agent.client.complete({
      ref: { type: 'ref/resource', uri: 'git-plan://plans/{id}' },
      argument: { name: 'id', value: 'gr' },
    })
    expect(completed.completion.values).toEqual(['greet'])
    await expect(read('git-plan://plans/nope')).rejects.toThrow('there is no plan')
    await expect(read('git-plan://plans/..%2F..%2Fa.txt')).rejects.toThrow('is not a valid plan id')
    await agent.close()
  })
})

test('the documentation lists the tools, their commands and which of them read', () => {
  const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(plan_\w+)` \| `(\w+)`.*? \| (yes|–) \|/gm)].map(([, ...cells]) => cells)
  // Other commands may not be there yet.
  const optional = ['plan_mode', 'plan_skill_safety'].filter((name) => !tools.some((tool) => tool.name === name))
  expect(rows.filter(([name = '']) => !optional.includes(name)).toSorted()).toEqual(
    tools.map(({ name, command, hints }) => [name, command, hints.readOnlyHint ? 'yes' : '–']).toSorted(),
  )
})

test('the example in plan_propose is a valid plan', async ({ repo }) => {
  const { description = '' } = tools.find(({ name }) => name === 'plan_propose') ?? {}
  const [text] = /---\n[\s\S]*---\n.*/.exec(description) ?? []
  repo.write('README.md', 'Shop\n')
  repo.commit('README')
  const agent = await connectMcp(repo)
  const { data } = await agent.call('plan_check', { text })
  expect(data['findings']).toEqual([])
  await agent.close()
})

test('what may be called while an agent only plans changes neither HEAD nor index nor files', async ({ repo }) => {
  repo.write('dirty.txt', 'mine\n')
  repo.write('a.txt', 'changed\n')
  repo.git(['add', 'a.txt'])
  repo.write('a.txt', 'changed again\n')
  const before = treeOf(repo)
  const agent = await connectMcp(repo)
  const reading = tools.filter(({ hints }) => hints.readOnlyHint).map(({ name }) => name)
  expect(reading).toEqual([
    'plan_propose',
    'plan_check',
    'plan_approve',
    'plan_list',
    'plan_get',
    'plan_status',
    'plan_log',
    'plan_checkpoint',
  ])
  await agent.call('plan_propose', { text: driven })
  const refs = repo.git(['for-each-ref'])
  for (const name of reading)
    if (name !== 'plan_propose') {
      const id = name === 'plan_list' ? {} : { id: 'greet' }
      expect((await agent.call(name, id)).isError, name).toBe(false)
    }
  expect((await agent.call('plan_propose', { text: driven })).data).toMatchObject({ code: 'plan-exists' })
  expect(repo.git(['for-each-ref'])).toBe(refs)
  expect(treeOf(repo)).toEqual(before)
  await agent.close()
})

describe('errors', () => {
  test('carry the code, the message and the command to type', async ({ repo }) => {
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', { text: driven })
    const refused = await agent.call('plan_status', { id: 'nope' })
    expect(refused).toMatchObject({
      isError: true,
      data: {
        kind: 'error',
        code: 'unknown-plan',
        hint: expect.stringContaining('git plan list') as string,
        exitCode: 2,
      },
    })
    expect(refused.text).toMatch(/^unknown-plan: there is no plan .*\nHint: /)
    const invalid = await agent.call('plan_propose', { text: planText('  - run: 1\n    runs: 2') })
    expect(invalid.data).toMatchObject({
      code: 'invalid-plan',
      findings: [{ rule: 'wrong-type' }, { rule: 'unknown-key' }],
    })
    expect(invalid.text).toContain('unknown key `runs`')
    const unapproved = await agent.call('plan_start', { id: 'greet' })
    expect(unapproved.data).toMatchObject({
      code: 'not-approved',
      hint: expect.stringContaining('git plan approve greet') as string,
    })
    expect(unapproved.text).toContain('Only people approve')
    await agent.close()
  })

  test('outside a repository, each tool says so, and the server keeps running', async ({ repo }) => {
    const outside = Object.create(repo, { dir: { value: repo.home } }) as TestRepo
    const agent = await connectMcp(outside)
    expect((await agent.call('plan_list')).data).toMatchObject({ code: 'not-a-repository' })
    expect((await agent.call('plan_check', { text: driven })).data).toMatchObject({ valid: true })
    await agent.close()
  })

  test('a secret in a result is masked', async ({ repo }) => {
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', { text: planText('  - id: one\n    manual: Do it'), id: 'one' })
    const { text, data } = await agent.call('plan_reject', { id: 'one', message: `leaked ${token}` })
    const status = await agent.call('plan_status', { id: 'one' })
    for (const each of [text, JSON.stringify(data), status.text, JSON.stringify(status.data)])
      expect(each).not.toContain(token)
    await agent.close()
  })
})

describe('while a plan runs', () => {
  const slow = planText(
    '  - id: one\n    run: echo 1 > one\n  - id: two\n    run: while [ ! -e ../go ]; do sleep 0.05; done',
    'title: Slow\n',
  )
  const begun = (agent: McpClient): Promise<void> =>
    waitFor(async () => {
      const { data } = await agent.call('plan_status', { id: 'slow' })
      return (data as unknown as { steps: { seen: string }[] }).steps[1]?.seen === 'running'
    })

  test('progress is reported, reading works, and a second run is refused with a hint', async ({ repo }) => {
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', { text: slow })
    await repo.plan(['approve', 'slow'])
    const notices: { progress: number; message?: string | undefined }[] = []
    const running = agent.call('plan_start', { id: 'slow' }, { onprogress: (notice) => notices.push(notice) })
    await begun(agent)
    expect((await agent.call('plan_status', { id: 'slow' })).data).toMatchObject({ seen: 'running' })
    expect((await agent.call('plan_list')).data).toMatchObject({ plans: [{ seen: 'running' }] })
    expect((await agent.call('plan_log', { id: 'slow' })).isError).toBe(false)
    for (const name of ['plan_start', 'plan_resume', 'plan_next', 'plan_rollback'])
      expect(await agent.call(name, { id: 'slow' }), name).toMatchObject({
        isError: true,
        data: { code: 'held', hint: expect.stringMatching(/^git plan|: +git plan/) as string },
      })
    repo.write('../go', '')
    expect((await running).data).toMatchObject({ end: 'completed' })
    expect(notices.map(({ message }) => message)).toEqual([
      'Slow: 0 of 2 steps done',
      expect.stringContaining('[1/2] one: ') as string,
      'one: done',
      expect.stringContaining('[2/2] two: ') as string,
      'two: done',
    ])
    const values = notices.map(({ progress }) => progress)
    expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b))
    await agent.close()
  })

  test.for(['2025', '2026'] as const)(
    'a cancelled call of %s stops it, and resume continues',
    async (era, { repo }) => {
      const agent = await connectMcp(repo, { era })
      await agent.call('plan_propose', { text: slow })
      await repo.plan(['approve', 'slow'])
      const cancel = new AbortController()
      const running = agent.call('plan_start', { id: 'slow' }, { signal: cancel.signal })
      await begun(agent)
      cancel.abort('enough')
      await expect(running).rejects.toThrow()
      await waitFor(async () => (await agent.call('plan_status', { id: 'slow' })).data['seen'] === 'paused')
      repo.write('../go', '')
      expect((await agent.call('plan_resume', { id: 'slow' })).data).toMatchObject({ end: 'completed' })
      await agent.close()
    },
  )

  test('a client that leaves ends the run as Ctrl-C does, and the server after it', async ({ repo }) => {
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', { text: slow })
    await repo.plan(['approve', 'slow'])
    const running = agent.call('plan_start', { id: 'slow' }).catch(() => 'gone')
    await begun(agent)
    expect(await agent.close()).toBe(0)
    expect(await running).toBe('gone')
    expect(await repo.json(['status', 'slow'])).toMatchObject({ seen: 'paused', holder: null })
    expect(repo.status()).toBe('')
  })

  test('what a step reads and prints is not the protocol', async ({ repo }) => {
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', {
      text: planText('  - id: one\n    run: cat; echo "{}"; echo noise >&2', 'title: Noise\n'),
    })
    await repo.plan(['approve', 'noise'])
    expect((await agent.call('plan_start', { id: 'noise' })).data).toMatchObject({ end: 'completed' })
    expect((await agent.call('plan_log', { id: 'noise', step: 'one' })).data['output']).toBe('{}\nnoise\n')
    await agent.close()
  })
})

describe('the clients of agents', () => {
  const directory = fileURLToPath(new URL('../fixtures/mcp/', import.meta.url))
  const names = readdirSync(directory).map((name) => name.replace('.jsonl', ''))

  test.for(names)('%s: what it sends is answered', async (name, { repo }) => {
    await repo.plan(['new', 'Greet', '--id', 'greet'])
    const { stdin, stdout, ended, stderr } = serveInProcess(repo)
    const answers = new Map<unknown, Record<string, unknown>>()
    let rest = ''
    stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const message = JSON.parse(line) as Record<string, unknown>
        if ('id' in message) answers.set(message['id'], message)
      }
    })
    const sent = readFileSync(join(directory, `${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: unknown; method: string; params?: { name?: string } })
    for (const message of sent) {
      stdin.write(`${JSON.stringify(message)}\n`)
      // A subscription is answered by notifications.
      if (message.id !== undefined && message.method !== 'subscriptions/listen')
        await waitFor(() => answers.has(message.id))
    }
    for (const { id, method, params } of sent) {
      const answer = answers.get(id)
      const result = answer?.['result'] as Record<string, unknown> | undefined
      if (method === 'initialize') expect(result).toMatchObject({ serverInfo: { name: 'git-plan' } })
      if (method === 'server/discover') expect(result).toMatchObject({ capabilities: { tools: {} } })
      if (method === 'tools/list') expect(result?.['tools']).toHaveLength(tools.length)
      if (method === 'resources/list') expect(result?.['resources']).toHaveLength(2)
      // There are none, as the server has said; these clients ask all the same.
      if (method === 'prompts/list') expect(answer).toMatchObject({ error: { code: -32601 } })
      if (params?.name === 'plan_status') expect(result).toMatchObject({ structuredContent: { id: 'greet' } })
      // Nobody is asked, and an answer that nobody asked for approves nothing.
      if (params?.name === 'plan_approve')
        expect(result).toMatchObject({ structuredContent: { kind: 'approval', approved: false } })
    }
    stdin.end()
    expect(await ended).toBe(0)
    expect(stderr.text).toBe('')
    expect(await repo.json(['status', 'greet'])).toMatchObject({ status: 'proposed', approval: { given: 0 } })
  })
})

test('a message that is none is ignored, and one that is too large ends the connection', async ({ repo }) => {
  const { stdin, stdout, stderr, ended } = serveInProcess(repo)
  let answered = ''
  stdout.on('data', (chunk: Buffer) => (answered += chunk.toString()))
  stdin.write('hello\n{"jsonrpc":"1.0"}\n[]\n{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n')
  await waitFor(() => answered.includes('"id":7'))
  expect(stderr.text).toMatch(/^git plan mcp: /)
  for (const line of stderr.text.trimEnd().split('\n')) expect(line.length).toBeLessThan(230)
  stdin.write(`${'x'.repeat(11_000_000)}\n`)
  expect(await ended).toBe(0)
})
