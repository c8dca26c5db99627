// The payloads of the hooks of all agents, in every form in which they come.

import { describe, expect, test } from 'vitest'
import { readPayload } from '../../../../src/judge/agents/payload.ts'
import { dialects, recorded, recordedAgents } from '../../../helpers/agent-payloads.ts'

const read = (payload: object) => readPayload(JSON.stringify(payload))

describe('what was recorded from the real agents', () => {
  const found = recordedAgents.map((agent) => [agent, recorded(agent).map(read)] as const)

  test('is read: a tool, or an event that is about none', () => {
    // Copilot names no event in its own form: its other events cannot be told from a broken payload.
    for (const [agent, payloads] of found) expect(payloads.includes(undefined), agent).toBe(agent === 'copilot')
    expect(
      recorded('copilot')
        .filter((each) => 'toolName' in each)
        .map(read),
    ).not.toContain(undefined)
  })

  test.each([
    ['claude', 'Write', ['/home/ada/hello'], 'caa6519e-5b3f-45ce-96ea-dc6587561a14'],
    ['codex', 'Bash', ['/home/ada/hello'], '01a1e7ce-19c7-78a2-a2aa-8148d2fdc74b'],
    ['gemini', 'write_file', ['/home/ada/hello'], '3c09d856-c9c6-41e7-972b-6d5cced3d6c2'],
    ['opencode', 'write', ['/home/ada/hello', '/home/ada/hello'], 'ses_e1842e4baffeqtqYtRHmo55UM6'],
    ['copilot', 'bash', ['/home/ada/hello'], '6d2ebdee-5265-4aab-ac68-9b6a6f8ecdcb'],
    ['goose', 'write', ['/home/ada/hello'], '20261117_16'],
    ['pi', 'write', ['/home/ada/hello'], undefined],
  ])('%s: the tool, its input, the directory and the session', (agent, tool, directories, session) => {
    const calls = recorded(agent).map(read)
    const call = calls.find((each) => typeof each === 'object')
    expect(call).toMatchObject({ tool, directories })
    expect((call as { session?: string }).session).toBe(session)
    expect(JSON.stringify(call)).toContain('b.txt')
  })

  test('an event after a tool, or about the session, asks for no answer', () => {
    for (const agent of ['claude', 'codex', 'gemini', 'goose'])
      expect(
        recorded(agent)
          .map(read)
          .filter((each) => each === 'other').length,
        agent,
      ).toBeGreaterThanOrEqual(4)
  })
})

test.each(dialects.map((each) => [`${each.agent}, ${each.form}`, each] as const))('%s', (_, dialect) => {
  const [tool, input] = dialect.writer
  expect(read(dialect.payload(tool, input, '/home/ada/hello'))).toMatchObject({ tool, input })
})

test("Cursor's events for one kind of tool", () => {
  expect(read({ hook_event_name: 'beforeShellExecution', command: 'ls', cwd: '/x' })).toMatchObject({
    tool: 'Shell',
    input: { command: 'ls' },
    directories: ['/x'],
  })
  expect(read({ hook_event_name: 'beforeReadFile', file_path: '/x/a' })).toMatchObject({ tool: 'Read' })
})

test.each([
  ['nothing', ''],
  ['no JSON', '{"tool_name":"Write","tool_'],
  ['a list', '[]'],
  ['a text', '"Write"'],
  ['no tool', '{"session_id":"s","cwd":"/x"}'],
  ['an empty name', '{"tool_name":"","tool_input":{}}'],
  ['a name that is no text', '{"tool_name":["Write"],"tool_input":{}}'],
  ['an input that is no object', '{"tool_name":"Write","tool_input":7}'],
  ['an input that is a broken text', '{"toolName":"create","toolArgs":"{"}'],
  ['an event before a tool without one', '{"hook_event_name":"PreToolUse"}'],
])('%s cannot be read', (_, text) => {
  expect(readPayload(text)).toBeUndefined()
})
