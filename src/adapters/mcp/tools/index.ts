// All tools, in the order of a plan's life.

import { commandNamed } from '../../../commands/table/index.ts'
import { agentTools } from './agent.ts'
import { inspectingTools } from './inspect.ts'
import { proposingTools } from './propose.ts'
import { runningTools } from './run.ts'
import type { Tool } from './tool.ts'

export const tools: readonly Tool[] = [...agentTools, ...proposingTools, ...inspectingTools, ...runningTools].filter(
  ({ command }) => commandNamed(command) !== undefined,
)
