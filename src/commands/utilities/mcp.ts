// `git plan mcp`: the commands as tools for an agent that starts this program. adapters/mcp serves them.

import type { CommandContext, CommandResult } from '../../operation/context.ts'

export async function mcp(_request: object, context: CommandContext): Promise<CommandResult> {
  await context.serveMcp()
  return { kind: 'mcp', exitCode: 0, data: {} }
}
