// One call of a tool: arguments in, the result of the protocol out.

import {
  CLIENT_INFO_META_KEY,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { singleLine } from '../../plan/text/display.ts'
import { maskTokens } from '../../secrets/mask.ts'
import { maskValues } from '../../secrets/masked.ts'
import type { Calls } from '../library/calls.ts'
import { refusalOf } from '../library/refusal.ts'
import { Progress } from './progress.ts'
import type { Answer, Tool } from './tools/tool.ts'

export interface ToolCalls {
  readonly calls: Calls
  readonly server: McpServer
  /** The name of the driver, if the environment has one. */
  readonly driver: string | undefined
}

export async function callTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ServerContext,
  { calls, server, driver }: ToolCalls,
): Promise<CallToolResult> {
  const { signal, _meta, notify } = context.mcpReq
  const progressToken = _meta?.progressToken
  const progress = new Progress((notice) => {
    if (progressToken === undefined || signal.aborted) return
    // A client that has gone is noticed elsewhere.
    notify({ method: 'notifications/progress', params: { progressToken, ...notice } }).catch(() => {})
  })
  try {
    const answer = await tool.call(args, {
      run: (command, request) => calls.run(command, request, { signal, onEvent: (event) => progress.show(event) }),
      driver: (as) => driverName(as ?? driver ?? clientName(context, server)),
    })
    return resultOf(answer, tool)
  } catch (error) {
    return refusedCall(error)
  } finally {
    progress.end()
  }
}

/** A step that failed, or is not done yet, is an error for the agent; one that waits for a person is not. */
const isFailure = ({ exitCode }: Answer, { hints }: Tool): boolean =>
  !hints.readOnlyHint && exitCode !== 0 && exitCode !== 5

/** The text is the same as JSON: some agents read only that. */
function resultOf(answer: Answer, tool: Tool): CallToolResult {
  const { kind, exitCode, data, nextCommands } = answer
  const structuredContent = maskValues({ schemaVersion: 1, kind, exitCode, ...data, nextCommands })
  const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(structuredContent) }]
  return { content, structuredContent, ...(isFailure(answer, tool) ? { isError: true } : {}) }
}

function refusedCall(error: unknown): CallToolResult {
  const refusal = refusalOf(error)
  const { code, message, hint, findings } = refusal
  const lines = [
    `${code}: ${message}`,
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(code === 'not-approved' ? ['Only people approve: show the user the command, or call plan_approve.'] : []),
    ...(findings === undefined ? [] : [JSON.stringify(findings)]),
  ]
  return {
    isError: true,
    structuredContent: maskValues({ ...refusal }),
    content: [{ type: 'text', text: maskTokens(lines.join('\n')) }],
  }
}

/** Clients of 2026 name themselves in each request, those of 2025 at the beginning. */
function clientName({ mcpReq }: ServerContext, { server }: McpServer): string {
  const envelope: { readonly [CLIENT_INFO_META_KEY]?: { readonly name: string } } | undefined = mcpReq.envelope
  // oxlint-disable-next-line typescript/no-deprecated -- there is no other way for clients of 2025
  return envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name ?? 'agent'
}

/** Reports show who did a step: nobody who came this way is taken for a person. */
const driverName = (name: string): string => {
  const known = singleLine(name).slice(0, 180)
  return known.endsWith(mark) ? known : `${known}${mark}`
}
const mark = ' (MCP)'
