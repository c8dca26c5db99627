// The formats of our predecessors: plan-mode-runner, TinyCode, phases, pi-planner, autonomous-dev.

import { describe, expect, test } from 'vitest'
import { imported, needsOf } from './import-helper.ts'

const json = (value: unknown): string => JSON.stringify(value, null, 2)

describe('plan-mode-runner', () => {
  const step = (step_id: number, status: string, logs: string[] = []) => ({
    step_id,
    description: `Do ${step_id}`,
    status,
    started_at: null,
    ended_at: null,
    logs,
  })

  test('keeps the state of each step, and names a failed step that a resume has skipped', () => {
    const made = imported({
      '7d0c.json': json({
        plan_id: '7d0c',
        status: 'failed',
        steps: [step(1, 'done'), step(2, 'failed', ['ERROR: no table']), step(3, 'done'), step(4, 'pending')],
        history: [],
      }),
    })
    expect(made.title).toBe('7d0c')
    expect(made.states).toEqual(['step-1 done', 'step-2 failed', 'step-3 done', 'step-4 pending'])
    // The last step must not overtake the failed one, and what is done waits for nothing.
    expect(needsOf(made)).toEqual({ 'step-1': [], 'step-2': ['step-1'], 'step-3': ['step-1'], 'step-4': ['step-2'] })
    expect(made.plan.steps[0]!.spec).toMatchObject({ done: 'in plan-mode-runner, before the import: done' })
    expect(made.text).toContain('It failed in plan-mode-runner: failed; ERROR: no table')
    expect(made.messages).toEqual([
      '23 contradiction: step 3 is done although step 2 before it failed: a resume has skipped the failed step',
    ])
  })

  test('an unknown or missing status is unknown, never done', () => {
    const made = imported({
      'a.json': json({ plan_id: 'a', status: 'failed', steps: [step(1, 'in_progress'), { step_id: 2 }, 'x'] }),
    })
    expect(made.states).toEqual(['step-1 unknown', 'step-2 unknown'])
    expect(made.messages.map((each) => each.replace(/^\d+ /, ''))).toEqual([
      'unknown: step 1 is "in_progress": it may or may not be done',
      'unknown: step 2 has no status',
      'lost: entry 3 of `steps` is not a step',
    ])
  })

  test('broken JSON is refused with its line', () => {
    expect(() => imported({ 'a.json': '{\n  "plan_id": 1,\n  oops' }, { as: 'plan-mode-runner' })).toThrow(
      'not valid JSON',
    )
    expect(() => imported({ 'a.json': '{}' }, { as: 'plan-mode-runner' })).toThrow('there is no list `steps`')
  })
})

describe('TinyCode', () => {
  const plan = (status: string, actions: object[]) =>
    json({ id: 'ab12', title: 'Health', user_request: 'Add it', status, actions, requires_backup: true })
  const action = (id: string, action_type: string, more: object = {}) => ({
    id,
    action_type,
    description: `Do ${id}`,
    target_path: null,
    content: null,
    command: null,
    dependencies: [],
    ...more,
  })

  test('file actions become file steps, and commands wait for a person', () => {
    const made = imported({
      'ab12.json': plan('approved', [
        action('a_1', 'create_file', { target_path: 'src/a.py', content: 'x = 1\n', risk_level: 'HIGH' }),
        action('a_2', 'modify_file', { target_path: 'src/b.py', content: 'cost = "$1"' }),
        action('a_3', 'delete_file', { target_path: 'src/c.py', dependencies: ['a_4', 'zz'] }),
        action('a_4', 'run_command', { command: 'rm -rf build' }),
        action('a_5', 'create_directory', { target_path: 'src/d' }),
        action('a_6', 'create_file', { target_path: '/etc/passwd', content: 'x' }),
        action('a_7', 'create_file', { target_path: '.plans/config.yml', content: 'x' }),
      ]),
    })
    expect(made.plan.request).toBe('Add it')
    expect(made.plan.steps.map(({ id, verb, spec }) => [id, verb, spec])).toMatchObject([
      ['a-1', 'create', { create: 'src/a.py', content: 'x = 1\n' }],
      ['a-2', 'edit', { edit: 'src/b.py', match: '^[\\s\\S]*$', with: 'cost = "$$1"' }],
      ['a-3', 'delete', { delete: 'src/c.py' }],
      ['a-4', 'manual', { manual: 'Do a_4\ncommand: rm -rf build' }],
      ['a-6', 'manual', {}],
      ['a-7', 'manual', {}],
    ])
    expect(made.plan.steps[0]).toMatchObject({ risk: 'HIGH', meta: { source: 'a_1' } })
    expect(made.messages.join('\n')).toMatch(/approval: the plan is approved in TinyCode/)
    expect(made.messages.join('\n')).toMatch(/a_3 depends on a_4, which comes after it/)
    expect(made.messages.join('\n')).toMatch(/a_3 depends on zz, which is not in the plan/)
    expect(made.messages.join('\n')).toMatch(/a_4: a command of another tool does not run/)
    expect(made.messages.join('\n')).toMatch(/a_5 \(Do a_5\) is left out: Git has no directories/)
    expect(made.messages.join('\n')).not.toMatch(/a_5.* left to a person/)
    expect(made.messages.join('\n')).toMatch(/a_6 names the path \/etc\/passwd/)
    expect(made.plan.prose).toContain('`requires_backup`: true')
  })

  test('the last log of each action decides, and contradictions are named', () => {
    const log = (results: object[]) => json({ plan_id: 'ab12', status: 'failed', action_results: results })
    const made = imported({
      'ab12.json': plan('executed', [
        action('a', 'execute_code'),
        action('b', 'execute_code'),
        action('c', 'execute_code'),
      ]),
      '../execution_logs/ab12_20260101_000000_summary.json': log([{ action_id: 'a', result: 'failed' }]),
      '../execution_logs/ab12_20260102_000000_summary.json': log([
        { action_id: 'a', result: 'success' },
        { action_id: 'b', result: 'failed', error: 'no disk' },
      ]),
    })
    expect(made.states).toEqual(['a done', 'b failed', 'c pending'])
    expect(made.messages.join('\n')).toMatch(/contradiction: the plan is executed, but the log/)
  })

  test('results of unknown actions, errors of the execution and unknown risks are named', () => {
    const made = imported({
      'ab12.json': plan('failed', [action('a', 'execute_code', { risk_level: 'EXTREME' })]),
      '../execution_logs/ab12_20260101_000000_summary.json': json({
        plan_id: 'ab12',
        error_message: 'the disk is full',
        action_results: [
          { action_id: 'a', result: 'failed' },
          { action_id: 'ghost', result: 'success' },
        ],
      }),
    })
    const notes = made.messages.join('\n')
    expect(notes).toMatch(/contradiction: the log has a result of "ghost" \(success\), which is not in the plan/)
    expect(notes).toMatch(/unknown: the execution has an error: the disk is full/)
    expect(notes).toMatch(/unknown: a has the risk "EXTREME", which is unknown; kept as text/)
    expect(made.text).toContain('risk_level: EXTREME')
  })

  test('without a log only the status of the plan speaks', () => {
    const two = [action('a', 'execute_code'), action('b', 'execute_code')]
    expect(imported({ 'x.json': plan('executed', two) }).states).toEqual(['a done', 'b done'])
    expect(imported({ 'x.json': plan('failed', two) }).states).toEqual(['a unknown', 'b unknown'])
    expect(imported({ 'x.json': plan('rejected', two) }).refused).toBe('rejected in TinyCode, before the import')
  })

  test('the shape of the documentation is read too', () => {
    const made = imported({
      'p.json': json({
        id: 'plan_2026',
        description: 'Add health\nmore',
        status: 'active',
        steps: [
          { type: 'create_file', target: 'a.py', content: 'x\n', rollback: { enabled: true } },
          { type: 'modify_file', target: 'b.py', content: 'y', line_range: [2, 2] },
          { type: 'teleport', target: 'c.py' },
        ],
        metadata: { execution: { steps_completed: 1, steps_total: 3 } },
      }),
    })
    expect(made.title).toBe('Add health')
    expect(made.states).toEqual(['step-1 done', 'step-2 pending', 'step-3 pending'])
    expect(made.plan.steps.map(({ verb }) => verb)).toEqual(['manual', 'manual', 'manual'])
    expect(made.messages.join('\n')).toMatch(/unknown: the plan has the status "active"/)
    expect(made.messages.join('\n')).toMatch(/step 2: no counterpart, kept as text: line_range/)
    expect(made.messages.join('\n')).toMatch(/the type "teleport" is not one of TinyCode/)
  })
})

describe('pi-planner', () => {
  const plan = (status: string) => `---
id: PLAN-a1b2c3d4
title: "Send the \\"last\\" reminder"
status: ${status}
version: 2
tools_required:
  - odoo
---

## Steps
1. Query invoices (odoo: search → account.move (posted))
2. Send mail (go-easy: gmail send)
- Log it
   with care
4. Close (odoo: write)

## Context
30 days overdue.
`
  const log = `{"type":"execution_start","plan_id":"PLAN-a1b2c3d4"}
{"step":0,"tool":"PLAN-a1b2c3d4","operation":"step_failed","status":"failed","error":"no net"}
oops
{"step":0,"tool":"PLAN-a1b2c3d4","operation":"step_complete","status":"success","timestamp":"2026"}
{"step":1,"operation":"step_failed","status":"failed","error":"locked"}
{"step":7,"status":"success"}
`

  test('reads the lines that the tool itself drops, and says so', () => {
    const made = imported({ 'PLAN-a1b2c3d4.md': plan('approved') })
    expect(made.title).toBe('Send the "last" reminder')
    expect(made.plan.steps.map(({ title }) => title)).toEqual([
      'Query invoices',
      'Send mail (go-easy: gmail send)',
      'Log it',
      'Close',
    ])
    expect(made.states.every((each) => each.endsWith('pending'))).toBe(true)
    expect(made.plan.steps[0]!.spec).toMatchObject({
      manual: 'Query invoices\nTool: odoo, operation: search, target: account.move (posted)',
    })
    expect(made.messages.map((each) => each.slice(0, 40))).toEqual([
      '4 approval: the plan is approved in pi-p',
      '12 lost: pi-planner does not read this l',
      '13 lost: pi-planner does not read this l',
      '14 lost: pi-planner does not read this l',
    ])
    expect(made.plan.prose).toContain('30 days overdue.')
    expect(made.plan.status).toBe('proposed')
  })

  test('the last entry of the log counts, from 0, over the steps that the tool reads', () => {
    const made = imported({ 'PLAN-a1b2c3d4.md': plan('failed'), 'sessions/PLAN-a1b2c3d4.jsonl': log })
    expect(made.states).toEqual(['step-1 done', 'step-2 unknown', 'step-3 unknown', 'step-4 failed'])
    expect(made.messages.join('\n')).toMatch(/3 lost: this line of the log is not JSON/)
    expect(made.messages.join('\n')).toMatch(/6 contradiction: the log names step 7/)
  })

  test('the rest of a value with a line break, and the summary of an execution, are named', () => {
    const text = plan('completed').replace('version: 2\n', 'version: 2\nresult_summary: "Sent three.\nOne bounced."\n')
    const made = imported({
      'PLAN-a1b2c3d4.md': text,
      'sessions/PLAN-a1b2c3d4.jsonl': '{"type":"execution_end","status":"completed","summary":"two calls left"}\n',
    })
    const notes = made.messages.join('\n')
    expect(notes).toMatch(/7 lost: a line of the front matter that belongs to no key; kept as text: "One bounced/)
    expect(notes).toMatch(/1 lost: the summary of the execution is not carried over: two calls left/)
    expect(made.plan.prose).toContain('One bounced.')
  })

  test('completed is done, rejected must not run, and CRLF is read and reported', () => {
    expect(imported({ 'PLAN-a1b2c3d4.md': plan('completed') }).states).toEqual(
      [1, 2, 3, 4].map((n) => `step-${n} done`),
    )
    expect(imported({ 'PLAN-a1b2c3d4.md': plan('cancelled') }).refused).toMatch(/^cancelled/)
    const made = imported({ 'PLAN-a1b2c3d4.md': plan('proposed').replaceAll('\n', '\r\n') })
    expect(made.steps).toHaveLength(4)
    expect(made.messages[0]).toMatch(/CRLF/)
  })
})

describe('autonomous-dev', () => {
  const manifest = json({
    version: '2.0',
    agent: 'orchestrator',
    workflow_id: 'w',
    status: 'in_progress',
    request: 'Add sign-on',
    workflow_plan: { parallel_validators: ['reviewer'] },
  })
  const checkpoint = (completed: string[]) =>
    json({
      version: '2.0',
      workflow_id: 'w',
      completed_agents: completed,
      current_agent: 'planner',
      artifacts_created: ['manifest.json', 'research.json'],
      metadata: { error: 'out of tokens' },
    })
  const artifact = (status: string) => json({ version: '2.0', agent: 'x', workflow_id: 'w', status })

  test('checkpoint and artifacts that disagree make a step unknown', () => {
    const made = imported({
      'checkpoint.json': checkpoint(['orchestrator', 'researcher']),
      'manifest.json': manifest,
      'architecture.json': artifact('completed'),
      'tests.json': artifact('failed'),
      'notes.txt': 'free',
    })
    expect(made.title).toBe('Add sign-on')
    expect(made.states.slice(0, 5)).toEqual([
      'orchestrator done',
      'researcher done',
      'planner unknown',
      'test-master failed',
      'implementer pending',
    ])
    const notes = made.messages.join('\n')
    expect(notes).toMatch(/researcher is completed, but its artifact is not there/)
    expect(notes).toMatch(/the checkpoint names research.json, which is not there/)
    expect(notes).toMatch(/the artifact of planner is completed, but the checkpoint does not list/)
    expect(notes).toMatch(/out of tokens/)
    expect(notes).toMatch(/called parallel/)
  })

  test('other workflows, other versions and extra files are named', () => {
    const made = imported({
      'checkpoint.json': checkpoint(['orchestrator']).replace('"w"', '"other"'),
      'manifest.json': manifest,
      'research.json': artifact('completed').replace('2.0', '1.3'),
      'summary.txt': 'free',
    })
    const notes = made.messages.join('\n')
    expect(notes).toMatch(/its workflow_id is "w", but that of the checkpoint or manifest is "other"/)
    expect(notes).toMatch(/its version is "1.3"; autonomous-dev itself reads 2/)
    expect(made.notes.map(({ file }) => file)).toContain('summary.txt')
  })

  test('a manifest alone is a plan; an unknown agent is named', () => {
    expect(imported({ 'manifest.json': manifest }, { location: '/r/20260101_000000' }).states[1]).toBe(
      'researcher pending',
    )
    const made = imported({ 'checkpoint.json': checkpoint(['wizard']) }, { location: '/r/20260101_000000' })
    expect(made.title).toBe('20260101_000000')
    expect(made.states.at(-1)).toBe('wizard done')
    expect(made.messages.join('\n')).toMatch(/"wizard" is not an agent/)
    expect(made.messages.join('\n')).toMatch(/there is no manifest.json/)
  })
})
