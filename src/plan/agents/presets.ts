// The agents that we know how to start, as data: the command line of each, and where its events tell what it did. A
// preset is ours, or comes from the user's git config; never from a plan.

/** An event of the agent, one line of JSON, and the place in it; `[]` in the place stands for every entry. */
export interface Place {
  readonly when?: Readonly<Record<string, string | number | boolean>>
  readonly at: string
  /** Only values of which `at` or this other place matches. */
  readonly matches?: { readonly at: string; readonly pattern: RegExp }
}

export interface AgentPreset {
  readonly argv: readonly string[]
  /** How it gets the prompt: on standard input, or as the last argument. */
  readonly prompt: 'stdin' | 'argument'
  readonly env?: Readonly<Record<string, string>>
  /** The options for the values of a step. */
  readonly options: {
    readonly model?: string
    readonly turns?: string
    readonly cost?: string
    /** Takes all names, joined with commas. */
    readonly tools?: string
    /** Beside it: takes the names without the arguments that they allow, as `Bash` of `Bash(npm test)`. */
    readonly toolNames?: string
    /** Continues a session; words before its name, after all options. */
    readonly session?: readonly string[]
  }
  /** Options with which it changes files without asking. */
  readonly writing?: readonly string[]
  /** Gets the scope of the step in `PLAN_AGENT_SCOPE`, and enforces it. */
  readonly isScoped?: boolean
  /** Options that keep it from changing anything, for `new --agent`. */
  readonly readOnly?: readonly string[]
  /** The last words. */
  readonly end?: readonly string[]
  /** Directories of its own agent definitions for `as`. */
  readonly roles: readonly string[]
  /** undefined: what it prints is its report. */
  readonly events?: {
    /** Each distinct value is a turn. */
    readonly turn?: readonly Place[]
    readonly turnCount?: readonly Place[]
    /** The last one is its report; `isDelta`: they are joined. */
    readonly text: readonly Place[]
    readonly isDelta?: boolean
    /** Added up, if there are several; `isCostTotal`: each is the cost so far. */
    readonly cost?: readonly Place[]
    readonly isCostTotal?: boolean
    readonly session?: readonly Place[]
    readonly denied?: readonly Place[]
    /** The names of tools by the ids of their calls, where `denied` has only the id. */
    readonly calls?: readonly { readonly when: Place['when']; readonly id: string; readonly name: string }[]
    /** In what it prints on standard error. */
    readonly deniedLine?: RegExp
    /** Why it failed, if it says so. */
    readonly failure?: readonly Place[]
  }
}

/** Directories of agent definitions, for every agent. They are part of the task: no agent reads them reliably. */
export const commonRoles = ['.claude/agents', '.agents/agents']

const refusal = /permission|rejected|denied|not allowed|blocked|plan mode/i

export const agentPresets: Readonly<Record<string, AgentPreset>> = {
  claude: {
    argv: [
      'claude',
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--permission-mode',
      'acceptEdits',
      '--permission-prompts',
      'none',
      '--setting-sources',
      'user',
      '--strict-mcp-config',
    ],
    prompt: 'stdin',
    env: { DISABLE_AUTOUPDATER: '1' },
    options: {
      model: '--model',
      turns: '--max-turns',
      cost: '--max-budget-usd',
      // What `acceptEdits` permits needs no rule that allows it: so the tools that there are get fewer.
      tools: '--allowedTools',
      toolNames: '--tools',
      session: ['--resume'],
    },
    readOnly: ['--tools', 'Read,Glob,Grep'],
    roles: [],
    events: {
      turn: [{ when: { type: 'assistant' }, at: 'message.id' }],
      turnCount: [{ when: { type: 'result' }, at: 'num_turns' }],
      text: [{ when: { type: 'result' }, at: 'result' }],
      cost: [{ when: { type: 'result' }, at: 'total_cost_usd' }],
      session: [{ at: 'session_id' }],
      denied: [{ when: { type: 'result' }, at: 'permission_denials[].tool_name' }],
      failure: [
        { when: { type: 'result', is_error: true }, at: 'errors[]' },
        { when: { type: 'result', is_error: true }, at: 'result' },
        { when: { type: 'result', is_error: true }, at: 'terminal_reason' },
      ],
    },
  },
  codex: {
    argv: ['codex', 'exec', '--json', '--skip-git-repo-check'],
    prompt: 'stdin',
    options: { model: '-m', session: ['resume'] },
    // `resume` is a command, which does not know the options of `exec`.
    writing: ['-s', 'workspace-write'],
    readOnly: ['-s', 'read-only'],
    end: ['-'],
    roles: ['.codex/agents'],
    events: {
      turn: [{ when: { type: 'item.completed' }, at: 'item.id', matches: { at: 'item.type', pattern: /^(?!error$)/ } }],
      text: [{ when: { type: 'item.completed', 'item.type': 'agent_message' }, at: 'item.text' }],
      session: [{ when: { type: 'thread.started' }, at: 'thread_id' }],
      denied: [{ when: { type: 'item.completed', 'item.status': 'declined' }, at: 'item.type' }],
      deniedLine: /blocked by PreToolUse hook|approval policy is Never; reject/,
      failure: [{ when: { type: 'turn.failed' }, at: 'error.message' }],
    },
  },
  gemini: {
    argv: ['gemini', '-o', 'stream-json'],
    prompt: 'stdin',
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    options: { model: '-m' },
    writing: ['--approval-mode', 'yolo'],
    readOnly: ['--approval-mode', 'default'],
    roles: ['.gemini/agents'],
    events: {
      turn: [{ when: { type: 'tool_use' }, at: 'tool_id' }],
      text: [{ when: { type: 'message', role: 'assistant' }, at: 'content' }],
      isDelta: true,
      session: [{ when: { type: 'init' }, at: 'session_id' }],
      calls: [{ when: { type: 'tool_use' }, id: 'tool_id', name: 'tool_name' }],
      denied: [
        {
          when: { type: 'tool_result', status: 'error' },
          at: 'tool_id',
          matches: { at: 'error.type', pattern: /policy_violation|stop_execution/ },
        },
      ],
      failure: [{ when: { type: 'result', status: 'error' }, at: 'error.message' }],
    },
  },
  opencode: {
    argv: ['opencode', 'run', '--format', 'json'],
    prompt: 'stdin',
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    options: { model: '-m', session: ['-s'] },
    writing: ['--auto'],
    readOnly: [],
    roles: ['.opencode/agents', '.opencode/agent'],
    events: {
      turn: [{ when: { type: 'step_finish' }, at: 'part.id' }],
      text: [{ when: { type: 'text' }, at: 'part.text' }],
      cost: [{ when: { type: 'step_finish' }, at: 'part.cost' }],
      session: [{ at: 'sessionID' }],
      denied: [
        {
          when: { type: 'tool_use', 'part.state.status': 'error' },
          at: 'part.tool',
          matches: { at: 'part.state.error', pattern: refusal },
        },
      ],
      failure: [{ when: { type: 'error' }, at: 'error.data.message' }],
    },
  },
  copilot: {
    argv: ['copilot', '--output-format', 'json', '--no-ask-user', '--no-auto-update'],
    prompt: 'stdin',
    options: { model: '--model', session: ['--resume'] },
    writing: ['--allow-all-tools'],
    readOnly: [],
    roles: ['.github/agents'],
    events: {
      turn: [{ when: { type: 'assistant.turn_start' }, at: 'data.turnId' }],
      text: [{ when: { type: 'assistant.message' }, at: 'data.content' }],
      session: [{ when: { type: 'result' }, at: 'sessionId' }],
      calls: [{ when: { type: 'tool.execution_start' }, id: 'data.toolCallId', name: 'data.toolName' }],
      denied: [
        {
          when: { type: 'tool.execution_complete' },
          at: 'data.toolCallId',
          matches: { at: 'data.error.code', pattern: /^(denied|rejected)$/ },
        },
      ],
      failure: [{ when: { type: 'session.error' }, at: 'data.message' }],
    },
  },
  goose: {
    argv: ['goose', 'run', '-i', '-', '-q', '--output-format', 'stream-json'],
    prompt: 'stdin',
    env: { GOOSE_MODE: 'auto' },
    options: { model: '--model', turns: '--max-turns' },
    writing: ['--no-session'],
    readOnly: ['--no-session', '--no-profile'],
    roles: [],
    events: {
      turn: [{ when: { type: 'message', 'message.role': 'assistant' }, at: 'message.id' }],
      text: [{ when: { type: 'message', 'message.role': 'assistant' }, at: 'message.content[].text' }],
      cost: [{ when: { type: 'complete' }, at: 'cost_usd' }],
      calls: [{ when: { type: 'message' }, id: 'message.content[].id', name: 'message.content[].toolCall.value.name' }],
      denied: [
        {
          when: { type: 'message', 'message.role': 'user' },
          at: 'message.content[].id',
          matches: { at: 'message.content[].toolResult.error', pattern: refusal },
        },
      ],
      failure: [{ when: { type: 'complete', total_tokens: 0 }, at: 'type' }],
    },
  },
  pi: {
    argv: ['pi', '--mode', 'json'],
    prompt: 'stdin',
    env: { PI_TELEMETRY: '0' },
    options: { model: '--model', tools: '--tools' },
    writing: ['--no-session'],
    readOnly: ['--no-session', '--tools', 'read,grep,find,ls'],
    roles: [],
    events: {
      turn: [{ when: { type: 'turn_end' }, at: 'message.timestamp' }],
      text: [{ when: { type: 'message_end', 'message.role': 'assistant' }, at: 'message.content[].text' }],
      cost: [{ when: { type: 'message_end', 'message.role': 'assistant' }, at: 'message.usage.cost.total' }],
      session: [{ when: { type: 'session' }, at: 'id' }],
      denied: [
        {
          when: { type: 'tool_execution_end', isError: true },
          at: 'toolName',
          matches: { at: 'result.content[].text', pattern: refusal },
        },
      ],
      failure: [{ when: { type: 'message_end', 'message.stopReason': 'error' }, at: 'message.errorMessage' }],
    },
  },
  cursor: {
    argv: ['cursor-agent', '-p', '--force', '--trust', '--output-format', 'stream-json'],
    prompt: 'argument',
    options: { model: '--model', session: ['--resume'] },
    readOnly: ['--mode', 'plan'],
    roles: ['.cursor/agents'],
    events: {
      text: [{ when: { type: 'result' }, at: 'result' }],
      session: [{ at: 'session_id' }],
      failure: [{ when: { type: 'result', is_error: true }, at: 'result' }],
    },
  },
}

/** The preset of a command from git config: it reads the prompt, and what it prints is its report. */
export const commandPreset = (command: string): AgentPreset => ({
  argv: ['/bin/sh', '-c', command],
  prompt: 'stdin',
  options: {},
  roles: [],
})

/** A command from a setting that speaks the Agent Client Protocol; `client`: the words that start our side of it. */
export const acpPreset = (client: readonly string[], command: string): AgentPreset => ({
  argv: [...client, command],
  prompt: 'stdin',
  options: {},
  roles: [],
  isScoped: true,
  events: {
    turn: [{ when: { type: 'turn' }, at: 'id' }],
    text: [{ when: { type: 'text' }, at: 'text' }],
    isDelta: true,
    // The cost so far, so the last one is the whole.
    cost: [{ when: { type: 'cost' }, at: 'usd' }],
    isCostTotal: true,
    session: [{ when: { type: 'session' }, at: 'id' }],
    denied: [{ when: { type: 'denied' }, at: 'tool' }],
    failure: [{ when: { type: 'error' }, at: 'message' }],
  },
})
