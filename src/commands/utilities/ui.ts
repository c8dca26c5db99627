// `git plan ui`: the plans as a page in a browser. adapters/ui serves it.

import { PlanError } from '../../errors.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'

export interface UiRequest {
  readonly port?: string
  readonly host?: string
  readonly noOpen?: boolean
  readonly metrics?: boolean
}

export async function ui(
  { port = '0', host = '127.0.0.1', noOpen, metrics }: UiRequest,
  context: CommandContext,
): Promise<CommandResult> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new PlanError('usage', `invalid port ${JSON.stringify(port.slice(0, 20))}: it must be a number up to 65535`, {
      hint: 'git plan ui -h',
    })
  await context.serveUi({ port: Number(port), host, isOpened: noOpen !== true, hasOpenMetrics: metrics === true })
  return { kind: 'ui', exitCode: 0, data: {} }
}
