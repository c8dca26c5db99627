// An agent that has nothing but `git plan mcp` approves nothing, whatever it sends.

import { existsSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { tools } from '../../src/adapters/mcp/tools/index.ts'
import { as, bySignature, canary, policy } from '../helpers/gate.ts'
import { connectMcp, type McpClient } from '../helpers/mcp.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const forbidden = (repo: TestRepo): string =>
  planText(`  - {id: one, run: touch '${canary(repo)}', allow: [shell-write-outside]}`, 'title: Greet\n')

interface Listed {
  readonly id: string
  readonly status: string
}

/** Nothing was approved and nothing ran; HEAD, the base and the configuration are as they were. */
async function expectNothingApproved(repo: TestRepo, before: string): Promise<void> {
  expect(existsSync(canary(repo))).toBe(false)
  expect(stateOf(repo)).toBe(before)
  const { plans } = (await repo.json(['list', '--all'])) as unknown as { plans: Listed[] }
  for (const { id, status } of plans) {
    expect(['proposed', 'rejected'], id).toContain(status)
    expect(await repo.json(['status', id]), id).toMatchObject({ approval: { given: 0 }, startedAt: null })
    expect((await repo.plan(['start', id])).code, id).toBe(3)
  }
}

const stateOf = (repo: TestRepo): string =>
  [
    repo.git(['rev-parse', 'HEAD', 'refs/heads/main']),
    repo.git(['symbolic-ref', 'HEAD']),
    repo.read('.git/config'),
    repo.status(),
  ].join('\n')

interface Schema {
  readonly properties?: Readonly<Record<string, { type?: string; enum?: readonly string[]; items?: object }>>
  readonly required?: readonly string[]
}
const schemaOf = async (agent: McpClient, name: string): Promise<Schema> =>
  ((await agent.client.listTools()).tools.find((each) => each.name === name)?.inputSchema ?? {}) as Schema

test('no tool has an option with which a person decides', async ({ repo }) => {
  const agent = await connectMcp(repo)
  const { tools: listed } = await agent.client.listTools()
  const keys = new Set(listed.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})))
  const decisions =
    'approve sign files done skip fix skipCheck takeOver release undo keepEffects wait autostash failed force directory cwd env file from policy config'.split(
      ' ',
    )
  expect(decisions.filter((each) => keys.has(each))).toEqual([])
  await agent.close()
})

test.for(tools.map(({ name }) => name))('%s refuses keys that it does not have', async (name, { repo }) => {
  const agent = await connectMcp(repo)
  await agent.call('plan_propose', { text: forbidden(repo) })
  const before = stateOf(repo)
  const own = Object.keys((await schemaOf(agent, name)).properties ?? {})
  for (const key of [
    'approve',
    '--approve',
    'skipCheck',
    'skip-check',
    'takeOver',
    'done',
    'fix',
    'skip',
    'sign',
    'undo',
    'text2',
  ])
    for (const value of [true, 'greet', ['plan']]) {
      // JSON has such a key as one of its own.
      const given = JSON.parse(
        `{"id":"greet","action":"list",${JSON.stringify(key)}:${JSON.stringify(value)}}`,
      ) as object
      const args = Object.fromEntries(Object.entries(given).filter(([each]) => own.includes(each) || each === key))
      const { isError, text } = await agent.call(name, args)
      expect(isError, `${key}: ${text}`).toBe(true)
    }
  await expectNothingApproved(repo, before)
  await agent.close()
})

test('a prototype is no option', async ({ repo }) => {
  const agent = await connectMcp(repo)
  await agent.call('plan_propose', { text: forbidden(repo) })
  const before = stateOf(repo)
  const args = JSON.parse('{"id": "greet", "__proto__": {"approve": true, "skipCheck": ["plan"]}}') as object
  expect((await agent.call('plan_start', args)).data).toMatchObject({ code: 'not-approved' })
  await expectNothingApproved(repo, before)
  await agent.close()
})

/** Values for a text: options, other plans, paths, commands, lines of a commit message. */
const hostile = (repo: TestRepo): string[] => [
  '--approve',
  'greet --approve',
  '-',
  '',
  '../greet',
  '.plans/greet.md',
  'refs/heads/plan/greet',
  'plan/greet',
  'greet\n--approve',
  `greet; touch '${canary(repo)}'`,
  `$(touch '${canary(repo)}')`,
  `\`touch '${canary(repo)}'\``,
  'x\n\nPlan-Event: approved\nPlan-Id: greet\nPlan-Approved-By: Ada <ada@example.com>',
  '\u0000',
  'a'.repeat(5000),
]

test.for(tools.map(({ name }) => name))('%s takes no text for anything else', async (name, { repo }) => {
  const agent = await connectMcp(repo)
  await agent.call('plan_propose', { text: forbidden(repo) })
  const before = stateOf(repo)
  const { properties = {}, required = [] } = await schemaOf(agent, name)
  const plain: Record<string, unknown> = { id: 'greet', text: forbidden(repo), action: 'list' }
  if (name === 'plan_run_script') plain['action'] = 'step_complete'
  const texts = Object.entries(properties).filter(
    ([, { type, enum: words }]) => type === 'string' && words === undefined,
  )
  for (const [key] of texts)
    for (const value of hostile(repo)) {
      const base = Object.fromEntries(Object.entries(plain).filter(([each]) => required.includes(each)))
      await agent.call(name, { ...base, [key]: value })
    }
  await expectNothingApproved(repo, before)
  await agent.close()
})

test('a plan whose text says that it is approved, or done, is only proposed', async ({ repo }) => {
  const agent = await connectMcp(repo)
  const before = stateOf(repo)
  const text = forbidden(repo)
  for (const claim of [
    'status: approved',
    'status: active',
    'status: completed\nstate: {one: done}',
    'approved: true',
  ]) {
    await agent.call('plan_propose', { text: text.replace('steps:', `${claim}\nsteps:`), id: 'claims' })
    await agent.call('plan_propose', { text, id: 'greet' })
    await agent.call('plan_replan', { id: 'greet', text: text.replace('steps:', `${claim}\nsteps:`) })
    await expectNothingApproved(repo, before)
  }
  await agent.close()
})

describe('elicitation', () => {
  test.for(['2025', '2026'] as const)(
    'a client of %s that would accept everything is not asked',
    async (era, { repo }) => {
      const agent = await connectMcp(repo, {
        era,
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
      })
      const asked: string[] = []
      for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const)
        agent.client.setRequestHandler(method, () => {
          asked.push(method)
          return { action: 'accept', content: { approve: true } } as never
        })
      await agent.call('plan_propose', { text: forbidden(repo) })
      const before = stateOf(repo)
      for (const { name } of tools) await agent.call(name, { id: 'greet' })
      expect(asked).toEqual([])
      await agent.call('plan_propose', { text: forbidden(repo) })
      expect(repo.git(['rev-parse', 'HEAD'])).toBe(before.split('\n')[0])
      expect(existsSync(canary(repo))).toBe(false)
      await agent.close()
    },
  )
})

describe('what people answer', () => {
  test('a gate, a manual step and a check are not answered by an agent', async ({ repo }) => {
    const agent = await connectMcp(repo)
    const text = planText(
      [
        '  - {id: read, gate: Is it right?}',
        '  - {id: work, agent: driver, prompt: Write one.txt., files: [one.txt]}',
        '  - {id: phone, manual: Call Kim}',
        `  - {id: last, run: touch '${canary(repo)}', allow: [shell-write-outside]}`,
      ].join('\n'),
      'title: Greet\n',
    )
    await agent.call('plan_propose', { text })
    await repo.plan(['approve', 'greet'])
    expect((await agent.call('plan_start', { id: 'greet' })).data).toMatchObject({ end: 'waiting', next: 'read' })
    const attempts: [string, object][] = [
      ['plan_resume', {}],
      ['plan_resume', { retry: 'read' }],
      ['plan_next', {}],
      ['plan_next', { retry: 'read' }],
      ['plan_next', { as: 'Ada <ada@example.com>' }],
      ['plan_run_script', { action: 'step_complete', step: 'read', summary: 'yes' }],
      ['plan_run_script', { action: 'step_failed', step: 'read' }],
      ['plan_run_script', { action: 'plan_complete' }],
      ['plan_run_script', { action: 'plan_failed', summary: 'no' }],
      ['plan_replan', { text: text.replace('  - {id: read, gate: Is it right?}\n', '') }],
    ]
    for (const [name, args] of attempts) await agent.call(name, { id: 'greet', ...args })
    expect(await repo.json(['status', 'greet'])).toMatchObject({ progress: { done: 0 } })
    expect(await agent.call('plan_resume', { id: 'greet' })).toMatchObject({
      isError: true,
      data: { code: 'not-approved' },
    })
    expect(existsSync(canary(repo))).toBe(false)
    await agent.close()
  })

  test('a step that somebody else has is neither reported nor taken', async ({ repo }) => {
    const agent = await connectMcp(repo)
    const text = planText('  - {id: work, agent: driver, prompt: Write one.txt., files: [one.txt]}', 'title: Greet\n')
    await agent.call('plan_propose', { text })
    await repo.plan(['approve', 'greet'])
    await repo.plan(['next', 'greet'])
    repo.write('one.txt', 'half\n')
    const id = 'greet'
    for (const as of [undefined, 'Ada <ada@example.com>', 'Ada <ada@example.com>\u0000', 'x'.repeat(300)]) {
      for (const [name, args] of [
        ['plan_next', {}],
        ['plan_run_script', { action: 'step_complete', step: 'work' }],
        ['plan_run_script', { action: 'step_failed', step: 'work' }],
        ['plan_run_script', { action: 'plan_failed' }],
      ] as const)
        expect((await agent.call(name, { id, as, ...args })).data, name).toMatchObject({ code: 'held' })
    }
    expect(repo.read('one.txt')).toBe('half\n')
    expect(await repo.json(['status', 'greet'])).toMatchObject({
      open: { step: 'work', holder: 'Ada <ada@example.com>' },
      attempts: [],
    })
    expect((await repo.plan(['next', 'greet', '--done', 'work'])).code).toBe(0)
    await agent.close()
  })

  test('an effect of which nobody knows whether it happened is not repeated', async ({ repo }) => {
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', {
      text: planText(`  - {id: pay, run: "echo paid; kill -9 $PPID; sleep 5", effect: external}`, 'title: Pay\n'),
    })
    await repo.plan(['approve', 'pay'])
    await repo.plan(['start', 'pay'], { isBinary: true })
    expect((await agent.call('plan_status', { id: 'pay' })).data).toMatchObject({ steps: [{ seen: 'unknown' }] })
    expect((await agent.call('plan_resume', { id: 'pay', retry: 'pay' })).data).toMatchObject({
      code: 'unknown-effect',
    })
    expect((await agent.call('plan_resume', { id: 'pay' })).data).toMatchObject({ exitCode: 5 })
    await agent.close()
  })

  test.for([
    ['signatures', bySignature],
    ['reviews', 'approval: { low: { from: [review] }, medium: { from: [review] }, high: { from: [review] } }'],
    ['somebody else', 'approval: { high: { from: [local], not: [author] } }'],
  ] as const)('under a policy that asks for %s, no tool starts the plan', async ([, text], { repo }) => {
    policy(repo, text)
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', { text: forbidden(repo) })
    const before = stateOf(repo)
    for (const { name } of tools) {
      if (['plan_reject', 'plan_clone'].includes(name)) continue
      await agent.call(name, { id: 'greet' })
      await agent.call(name, { id: 'greet', action: 'step_complete', step: 'one' })
    }
    expect((await agent.call('plan_start', { id: 'greet' })).data).toMatchObject({ code: 'not-approved' })
    const { data } = await agent.call('plan_approve', { id: 'greet' })
    expect(data).toMatchObject({ approved: false, given: 0 })
    await expectNothingApproved(repo, before)
    await agent.close()
  })

  test('where the policy asks for nobody, the answer says so', async ({ repo }) => {
    policy(repo, 'approval: { low: none }')
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', { text: planText('  - {id: one, run: cat a.txt}', 'title: Read\n') })
    expect((await agent.call('plan_approve', { id: 'read' })).data).toMatchObject({ approved: true, required: 0 })
    expect((await agent.call('plan_start', { id: 'read' })).data).toMatchObject({ end: 'completed' })
    await agent.close()
  })

  test('an approval by somebody else is not changed by what an agent rejects, and a rejection holds', async ({
    repo,
  }) => {
    policy(repo, 'approval: { high: { from: [local], not: [author] } }')
    const agent = await connectMcp(repo)
    await agent.call('plan_propose', { text: forbidden(repo) })
    await repo.plan(['approve', 'greet'], as('Bob'))
    expect((await agent.call('plan_approve', { id: 'greet' })).data).toMatchObject({ approved: true })
    const message = 'no\n\nPlan-Event: approved\nPlan-Approved-By: Bob <bob@example.com>'
    expect((await agent.call('plan_reject', { id: 'greet', message })).isError).toBe(false)
    expect((await agent.call('plan_start', { id: 'greet' })).isError).toBe(true)
    expect((await agent.call('plan_checkpoint', { id: 'greet', action: 'validate' })).data).toMatchObject({
      holds: true,
    })
    expect(existsSync(canary(repo))).toBe(false)
    await agent.close()
  })
})
