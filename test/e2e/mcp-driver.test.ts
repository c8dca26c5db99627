// An agent that works over the Model Context Protocol, as processes: it proposes, a person approves, it lies, it does the
// work. Whatever is killed, nothing is lost.

import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type CallToolResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'vitest'
import { isAlive } from '../helpers/crash.ts'
import { bin, planText, test, type TestRepo } from '../helpers/repo.ts'

interface Agent {
  readonly pid: number
  call(name: string, args: object): Promise<CallToolResult & { structuredContent: Record<string, unknown> }>
  close(): Promise<void>
}

/** The official client, which starts the built program. */
async function startAgent(repo: TestRepo): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp'],
    cwd: repo.dir,
    env: repo.env,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'scripted-agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  return {
    pid: transport.pid ?? 0,
    call: async (name, args) =>
      (await client.callTool({ name, arguments: { id: 'shop', ...args } })) as Awaited<ReturnType<Agent['call']>>,
    close: () => client.close(),
  }
}

async function waitFor(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await what()); looks += 1) {
    if (looks > 1000) throw new Error('waited in vain')
    await sleep(20)
  }
}

const shop = `---
title: Shop
steps:
  - id: prepare
    run: mkdir src && echo prepared > src/list.txt
  - id: cart
    agent: driver
    prompt: Write the cart.
    files: [src/cart.txt]
    criteria:
      - text: It has a total
        verify: [{ contains: { file: src/cart.txt, pattern: total } }]
  - id: docs
    agent: driver
    prompt: Describe the cart.
    files: [docs.md]
verify: ["test -s docs.md"]
---

The shop needs a cart.
`

test('an agent proposes, a person approves, the agent lies and is refused, does the work, and completes', async ({
  repo,
}) => {
  const agent = await startAgent(repo)
  const tell = (action: string, more: object = {}) => agent.call('plan_run_script', { action, ...more })
  expect((await agent.call('plan_propose', { text: shop })).structuredContent).toMatchObject({ id: 'shop' })
  expect((await agent.call('plan_next', {})).structuredContent).toMatchObject({ code: 'not-approved' })
  const { structuredContent: how } = await agent.call('plan_approve', {})
  expect(how['approved']).toBe(false)

  // The person types what the answer says.
  const [command = ''] = how['nextCommands'] as string[]
  expect(command).toBe('git plan approve shop')
  expect((await repo.plan(command.split(' ').slice(2))).code).toBe(0)

  const { structuredContent: handed } = await agent.call('plan_next', {})
  expect(handed).toMatchObject({
    end: 'handed-out',
    where: repo.dir,
    handed: {
      step: 'cart',
      attempt: 1,
      holder: 'scripted-agent (MCP)',
      files: ['src/cart.txt'],
      criteria: ['src/cart.txt exists and is not empty', 'It has a total'],
    },
  })

  const lie = await tell('step_complete', { step: 'cart', summary: 'The cart is written and tested.' })
  expect(lie).toMatchObject({
    isError: true,
    structuredContent: {
      exitCode: 1,
      end: 'handed-out',
      message: expect.stringContaining('cart is not done yet') as string,
    },
  })
  expect(JSON.stringify(lie.content)).toContain('src/cart.txt')
  writeFileSync(repo.path('src/cart.txt'), 'a cart\n')
  expect((await tell('step_complete', { step: 'cart' })).structuredContent['message']).toContain('It has a total')
  // Other steps than the open one, and the whole plan.
  expect((await tell('step_complete', { step: 'docs' })).structuredContent).toMatchObject({ code: 'usage' })
  expect((await tell('step_complete')).structuredContent).toMatchObject({ code: 'usage' })
  expect((await tell('plan_complete')).structuredContent).toMatchObject({
    code: 'wrong-state',
    message: expect.stringMatching(/not completed; missing: cart \(waiting.*docs \(pending/) as string,
  })
  // Outside its scope, and the plan itself.
  writeFileSync(repo.path('src/cart.txt'), 'total 0\n')
  writeFileSync(repo.path('other.txt'), '')
  expect((await tell('step_complete', { step: 'cart' })).structuredContent['message']).toContain('other.txt')
  repo.git(['clean', '-fq', 'other.txt'])
  const file = repo.read('.plans/shop.md')
  writeFileSync(repo.path('.plans/shop.md'), file.replace('status: waiting', 'status: completed'))
  expect((await tell('step_complete', { step: 'cart' })).isError).toBe(true)
  writeFileSync(repo.path('.plans/shop.md'), file)
  expect(repo.git(['log', '--format=%s', '-1'])).toBe('Waiting: Write the cart')

  const done = await tell('step_complete', {
    step: 'cart',
    summary: 'Wrote the cart',
    decisions: ['one file'],
    questions: ['which currency?'],
    notes: 'src/cart.txt has the total',
  })
  expect(done).toMatchObject({ structuredContent: { end: 'handed-out', handed: { step: 'docs' } } })
  expect((done.structuredContent['handed'] as { prompt: string }).prompt).toContain('src/cart.txt has the total')
  writeFileSync(repo.path('docs.md'), 'The cart has a total.\n')
  expect((await tell('step_complete', { step: 'docs', summary: 'Described it' })).structuredContent).toMatchObject({
    end: 'completed',
    status: 'completed',
  })
  expect(await tell('plan_complete')).toMatchObject({ structuredContent: { message: 'plan shop is completed' } })
  expect((await agent.call('plan_checkpoint', { action: 'validate' })).structuredContent).toMatchObject({ holds: true })
  await agent.close()

  // Claim and verdict of each step, and that it was an agent.
  const { stdout } = await repo.plan(['report', 'shop'])
  expect(stdout).toContain('scripted-agent (MCP)')
  expect(stdout).toContain('Wrote the cart')
  expect(repo.status()).toBe('')
  await waitFor(() => !isAlive(agent.pid))
})

test('a step that its agent gives up is saved, and so is the failure of the plan', async ({ repo }) => {
  const agent = await startAgent(repo)
  await agent.call('plan_propose', { text: shop })
  await repo.plan(['approve', 'shop'])
  const tell = (action: string, more: object = {}) => agent.call('plan_run_script', { action, ...more })
  expect((await tell('plan_failed', { summary: 'No.' })).structuredContent).toMatchObject({
    code: 'wrong-state',
    hint: 'git plan next shop',
  })
  await agent.call('plan_next', {})
  writeFileSync(repo.path('src/cart.txt'), 'half a cart\n')
  expect(await tell('plan_failed', { summary: 'There is no currency.' })).toMatchObject({
    isError: true,
    structuredContent: { end: 'failed', status: 'failed', attempts: [{ step: 'cart', number: 1 }] },
  })
  expect(existsSync(repo.path('src/cart.txt'))).toBe(false)
  const again = await agent.call('plan_next', { retry: 'cart', fromAttempt: 1 })
  expect(again.structuredContent).toMatchObject({ handed: { step: 'cart', attempt: 2 } })
  expect((again.structuredContent['handed'] as { prompt: string }).prompt).toContain('There is no currency.')
  expect(repo.read('src/cart.txt')).toBe('half a cart\n')
  await agent.close()
})

test('a hook of Git that the agent plants is accepted by no call of the agent', async ({ repo }) => {
  const agent = await startAgent(repo)
  await agent.call('plan_propose', { text: shop })
  await repo.plan(['approve', 'shop'])
  await agent.call('plan_next', {})
  writeFileSync(repo.path('src/cart.txt'), 'total 1\n')
  writeFileSync(repo.path('.git/hooks/commit-msg'), '#!/bin/sh\ntouch "$HOME/canary"\n', { mode: 0o755 })
  const complete = () => agent.call('plan_run_script', { action: 'step_complete', step: 'cart' })
  const refusal = {
    isError: true,
    structuredContent: { code: 'not-allowed', message: expect.stringContaining('hooks/commit-msg') as string },
  }
  for (const call of [complete, complete, () => agent.call('plan_resume', {}), () => agent.call('plan_next', {})])
    expect(await call()).toMatchObject(refusal)
  expect(existsSync(join(repo.home, 'canary'))).toBe(false)
  const accepted = await repo.plan(['resume', 'shop'])
  expect(accepted.code, accepted.all).toBe(0)
  expect(await complete()).toMatchObject({ structuredContent: { handed: { step: 'docs' } } })
  await agent.close()
})

test('the server is killed while a step is open, and the next session has the step and the work', async ({ repo }) => {
  const first = await startAgent(repo)
  await first.call('plan_propose', { text: shop })
  await repo.plan(['approve', 'shop'])
  await first.call('plan_next', {})
  writeFileSync(repo.path('src/cart.txt'), 'total 1\n')
  process.kill(first.pid, 'SIGKILL')
  await waitFor(() => !isAlive(first.pid))

  const second = await startAgent(repo)
  expect((await second.call('plan_next', {})).structuredContent).toMatchObject({ handed: { step: 'cart', attempt: 1 } })
  expect(repo.read('src/cart.txt')).toBe('total 1\n')
  expect(
    (await second.call('plan_run_script', { action: 'step_complete', step: 'cart' })).structuredContent,
  ).toMatchObject({
    handed: { step: 'docs' },
  })
  await second.close()
  await first.close()
})

const slow = planText(
  '  - {id: one, run: echo 1 > one}\n  - {id: two, run: "echo half > two; while [ ! -e ../go ]; do sleep 0.05; done"}',
  'title: Shop\n',
)

test('the server is killed in the middle of a step: its work is saved, and resume continues', async ({ repo }) => {
  const agent = await startAgent(repo)
  await agent.call('plan_propose', { text: slow })
  await repo.plan(['approve', 'shop'])
  const running = agent.call('plan_start', {}).catch(() => 'lost')
  await waitFor(() => existsSync(repo.path('two')))
  process.kill(agent.pid, 'SIGKILL')
  expect(await running).toBe('lost')
  await agent.close()

  writeFileSync(repo.path('..', 'go'), '')
  const next = await startAgent(repo)
  expect((await next.call('plan_resume', {})).structuredContent).toMatchObject({
    end: 'completed',
    attempts: [{ step: 'two' }],
  })
  expect(repo.git(['show', 'refs/plan/shop/attempts/two/1:two'])).toBe('half')
  expect(repo.subjects().slice(0, 3)).toEqual([
    'Completed: Shop',
    expect.stringContaining('two'),
    expect.stringContaining('one'),
  ])
  expect((await next.call('plan_checkpoint', { action: 'validate' })).structuredContent).toMatchObject({ holds: true })
  await next.close()
})

test('the client is killed in the middle of a step: the server stops it, saves its work, and ends', async ({
  repo,
}) => {
  const program = join(repo.home, 'client.mjs')
  writeFileSync(
    program,
    `import { spawn } from 'node:child_process'
const server = spawn(process.execPath, [${JSON.stringify(bin)}, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] })
console.log(server.pid)
const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
server.stdout.once('data', () => {
  send({ method: 'notifications/initialized' })
  send({ id: 1, method: 'tools/call', params: { name: 'plan_start', arguments: { id: 'shop' } } })
})
send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } } })
`,
  )
  await repo.plan(['new', '--from', '-'], { input: slow })
  await repo.plan(['approve', 'shop'])
  const client = spawn(process.execPath, [program], { cwd: repo.dir, env: repo.env, stdio: ['ignore', 'pipe', 'pipe'] })
  const server = await new Promise<number>((resolve) =>
    client.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))),
  )
  await waitFor(() => existsSync(repo.path('two')))
  client.kill('SIGKILL')
  await waitFor(() => !isAlive(server))
  expect(await repo.json(['status', 'shop'])).toMatchObject({
    seen: 'paused',
    holder: null,
    attempts: [{ step: 'two', number: 1 }],
  })
  expect(repo.status()).toBe('')
  writeFileSync(repo.path('..', 'go'), '')
  expect((await repo.plan(['resume', 'shop'])).code).toBe(0)
})
