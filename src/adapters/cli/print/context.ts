// The state of the active plan, for agents.

import type { CommandResult } from '../../../operation/context.ts'
import type { ContextData } from '../../../commands/agents/context.ts'

export const printContext = ({ data }: CommandResult<ContextData>): string => data.answer
