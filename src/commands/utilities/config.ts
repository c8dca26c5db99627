// The settings in force, and where each comes from.

import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { SettingEntry } from '../../operation/settings.ts'
import { withRepository } from '../with-repository.ts'

export interface ConfigData {
  readonly policyRef: string | null
  readonly settings: readonly SettingEntry[]
}

export const config = (_request: object, context: CommandContext): Promise<CommandResult<ConfigData>> =>
  withRepository(context, async ({ settings }) => ({
    kind: 'config',
    exitCode: 0,
    data: { policyRef: settings.policyRef ?? null, settings: settings.entries },
  }))
