// The server as the protocol sees it: its tools, its resources, and what it tells an agent at first.

import { McpServer } from '@modelcontextprotocol/server'
import { version } from '../../version.ts'
import { callTool } from './call-tool.ts'
import type { Calls } from '../library/calls.ts'
import { offerResources, type Print } from './resources.ts'
import { tools } from './tools/index.ts'

export interface ServerParts {
  readonly calls: Calls
  readonly print: Print
  readonly driver: string | undefined
}

const instructions = [
  'git plan runs multi-step changes that a person has approved: a plan is a branch, a step is a commit.',
  'Propose a change with plan_propose; no file is touched. Only people approve: plan_approve says which command the user',
  'types. Then plan_start runs the plan, or you do its agent steps: plan_next hands you a step, you work in its work tree',
  'without committing, and plan_run_script reports it. git plan checks the result and commits it; what you say is',
  'recorded as a claim. After a failure read plan_status and plan_log, then call plan_resume, or propose other steps with',
  'plan_replan. Errors name the command to type next; commands that approve, declare or skip something are for the user.',
].join(' ')

export function makeServer({ calls, print, driver }: ServerParts): McpServer {
  const server = new McpServer({ name: 'git-plan', title: 'git plan', version }, { instructions })
  for (const tool of tools) {
    const { name, title, description, hints, input, output } = tool
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: output, annotations: { title, ...hints } },
      (args, context) => callTool(tool, args, context, { calls, server, driver }),
    )
  }
  offerResources(server, { calls, print })
  return server
}
