// `git plan config`: the settings in force with their sources.

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
