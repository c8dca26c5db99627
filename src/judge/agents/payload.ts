// Reads the payload of a hook, in each of the forms that agents write. The form is recognized by its keys, not by the
// name of the agent.

type Json = Readonly<Record<string, unknown>>

/** A tool that the agent is about to use. */
export interface ToolCall {
  readonly tool: string
  readonly input: Json
  /** Directories in which the agent works, as far as the payload says. */
  readonly directories: readonly string[]
  readonly session: string | undefined
}

/** `other`: an event before which nothing has to be decided, such as the end of a session. */
export type Payload = ToolCall | 'other' | undefined

/** undefined: it cannot be read. */
export function readPayload(text: string): Payload {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return isObject(value) ? callIn(value) : undefined
}

function callIn(payload: Json): Payload {
  const event = textOf(payload['hook_event_name'] ?? payload['event'] ?? payload['hookName'])
  if (event !== undefined && !/^(pre|before|permission)/i.test(event)) return 'other'
  const found = nested(payload) ?? flat(payload) ?? cursorEvent(payload, event)
  if (found === undefined) return event !== undefined && isBeforeOther.test(event) ? 'other' : undefined
  return {
    ...found,
    directories: directoriesIn(payload),
    session: textOf(
      payload['session_id'] ??
        payload['sessionId'] ??
        payload['conversation_id'] ??
        payload['conversationId'] ??
        (isObject(payload['input']) ? payload['input']['sessionID'] : undefined),
    ),
  }
}

/** Events that begin like those before a tool, and are about something else. */
const isBeforeOther = /^(pre(compact|compress|modelswitch)|before(agent|model|toolselection|submitprompt))$/i

type Named = Pick<ToolCall, 'tool' | 'input'>

/** `tool_name` and `tool_input`: Claude, Codex, Gemini, goose, Cursor, Copilot with the hooks of Claude. */
function flat(payload: Json): Named | undefined {
  const tool = textOf(payload['tool_name'] ?? payload['toolName'])
  const input = inputOf(payload['tool_input'] ?? payload['toolArgs'] ?? payload['toolInput'])
  return tool === undefined || input === undefined ? undefined : { tool, input }
}

/** agy has the call in an object; our plugin for opencode and our extension for pi send what they are given. */
function nested(payload: Json): Named | undefined {
  const { toolCall, input, output, event } = payload
  if (isObject(toolCall)) return named(toolCall['name'], toolCall['args'])
  if (isObject(input) && isObject(output)) return named(input['tool'], output['args'])
  if (isObject(event)) return named(event['toolName'], event['input'])
  return undefined
}

const named = (name: unknown, args: unknown): Named | undefined => {
  const [tool, input] = [textOf(name), inputOf(args)]
  return tool === undefined || input === undefined ? undefined : { tool, input }
}

/** Cursor's events for one kind of tool have no name of the tool. */
function cursorEvent(payload: Json, event: string | undefined): Named | undefined {
  if (event === 'beforeShellExecution') return { tool: 'Shell', input: payload }
  if (event === 'beforeReadFile' || event === 'beforeTabFileRead') return { tool: 'Read', input: payload }
  return undefined
}

/** Earlier versions of Copilot sent the arguments as a text. */
function inputOf(value: unknown): Json | undefined {
  if (isObject(value)) return value
  if (value === undefined || value === null) return {}
  if (typeof value !== 'string') return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function directoriesIn(payload: Json): string[] {
  const single = ['cwd', 'working_dir', 'directory', 'worktree'].map((key) => payload[key])
  const lists = ['workspace_roots', 'workspacePaths'].flatMap((key) => {
    const value = payload[key]
    return Array.isArray(value) ? (value as unknown[]) : []
  })
  return [...single, ...lists].flatMap((each) => textOf(each) ?? [])
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
