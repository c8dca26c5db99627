// `git plan schema`: the JSON Schema of the plan file, for editors.

import { planJsonSchema } from '../../plan/file/json-schema.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'

export const schema = async (
  _request: object,
  _context: CommandContext,
): Promise<CommandResult<{ schema: Record<string, unknown> }>> => ({
  kind: 'schema',
  exitCode: 0,
  data: { schema: planJsonSchema() },
})
