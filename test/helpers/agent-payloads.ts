// The payloads of agents' hooks: those that were recorded from the real agents, and the same with other tools.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AgentName } from '../../src/judge/agents/tools.ts'

type Json = Readonly<Record<string, unknown>>

/** Every payload that was recorded from this agent, in the order of the events. */
export const recorded = (agent: string): Json[] =>
  readFileSync(fileURLToPath(new URL(`../fixtures/agents/${agent}-hooks.jsonl`, import.meta.url)), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)

export const recordedAgents = ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'goose', 'pi'] as const

/** The forms in which each agent reports a tool, and how it calls its shell and its writer there. */
interface Dialect {
  readonly agent: AgentName
  /** For the name of a test. */
  readonly form: string
  readonly payload: (tool: string, input: Json, cwd: string) => object
  readonly shell: string
  readonly commandKey: string
  readonly writer: readonly [tool: string, input: Json]
}

const claudeForm = (tool: string, input: Json, cwd: string): object => ({
  session_id: 's1',
  transcript_path: '/home/ada/t.jsonl',
  cwd,
  permission_mode: 'acceptEdits',
  hook_event_name: 'PreToolUse',
  tool_name: tool,
  tool_input: input,
  tool_use_id: 'call_1',
})
const copilotForm = (toolName: string, toolArgs: Json, cwd: string): object => ({
  sessionId: 's1',
  timestamp: 1794890502777,
  cwd,
  toolName,
  toolArgs,
})
const cursorForm = (tool: string, input: Json, cwd: string): object => ({
  conversation_id: 'c1',
  generation_id: 'g1',
  model: 'mock',
  hook_event_name: 'preToolUse',
  tool_name: tool,
  tool_input: input,
  tool_use_id: 'call_1',
  cwd,
  session_id: 's1',
  cursor_version: '3.0.0',
  workspace_roots: [cwd],
})
const file = { file_path: '/home/ada/hello/b.txt', content: 'new\n' }
const path = { path: '/home/ada/hello/b.txt', content: 'new\n' }

export const dialects: readonly Dialect[] = [
  {
    agent: 'claude',
    form: 'its own',
    payload: claudeForm,
    shell: 'Bash',
    commandKey: 'command',
    writer: ['Write', file],
  },
  {
    agent: 'claude',
    form: "Copilot's tools",
    payload: claudeForm,
    shell: 'bash',
    commandKey: 'command',
    writer: ['create', { path: 'b.txt', file_text: 'new\n' }],
  },
  {
    agent: 'claude',
    form: "Cursor's tools",
    payload: cursorForm,
    shell: 'Shell',
    commandKey: 'command',
    writer: ['Delete', { path: 'b.txt' }],
  },
  {
    agent: 'codex',
    form: 'its own',
    payload: claudeForm,
    shell: 'Bash',
    commandKey: 'command',
    writer: ['apply_patch', { command: '*** Begin Patch\n*** Add File: b.txt\n+new\n*** End Patch\n' }],
  },
  {
    agent: 'gemini',
    form: 'its own',
    payload: (tool, input, cwd) => ({ ...claudeForm(tool, input, cwd), hook_event_name: 'BeforeTool' }),
    shell: 'run_shell_command',
    commandKey: 'command',
    writer: ['write_file', file],
  },
  {
    agent: 'opencode',
    form: 'of the plugin',
    payload: (tool, args, cwd) => ({
      input: { tool, sessionID: 's1', callID: 'call_1' },
      output: { args },
      directory: cwd,
      worktree: cwd,
    }),
    shell: 'bash',
    commandKey: 'command',
    writer: ['write', { filePath: 'b.txt', content: 'new\n' }],
  },
  {
    agent: 'copilot',
    form: 'its own',
    payload: copilotForm,
    shell: 'bash',
    commandKey: 'command',
    writer: ['create', { path: 'b.txt', file_text: 'new\n' }],
  },
  {
    agent: 'copilot',
    form: 'arguments as a text',
    payload: (tool, input, cwd) => ({ ...copilotForm(tool, input, cwd), toolArgs: JSON.stringify(input) }),
    shell: 'bash',
    commandKey: 'command',
    writer: ['edit', { path: 'b.txt' }],
  },
  {
    agent: 'cursor',
    form: 'its own',
    payload: cursorForm,
    shell: 'Shell',
    commandKey: 'command',
    writer: ['Write', { path: 'b.txt', contents: 'new\n' }],
  },
  {
    agent: 'goose',
    form: 'its own',
    payload: (tool, input, cwd) => ({
      event: 'PreToolUse',
      session_id: 's1',
      matcher_context: tool,
      tool_call_id: 'call_1',
      tool_name: tool,
      tool_input: input,
      working_dir: cwd,
    }),
    shell: 'shell',
    commandKey: 'command',
    writer: ['write', path],
  },
  {
    agent: 'pi',
    form: 'of the extension',
    payload: (toolName, input, cwd) => ({ event: { type: 'tool_call', toolName, toolCallId: 'call_1', input }, cwd }),
    shell: 'bash',
    commandKey: 'command',
    writer: ['write', path],
  },
  {
    agent: 'agy',
    form: 'its own',
    payload: (name, args, cwd) => ({
      conversationId: 'c1',
      stepIdx: 3,
      toolCall: { name, args },
      transcriptPath: '/home/ada/t.jsonl',
      workspacePaths: [cwd],
    }),
    shell: 'run_command',
    commandKey: 'CommandLine',
    writer: ['write_to_file', { TargetFile: 'b.txt' }],
  },
]
