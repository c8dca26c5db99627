// Settings, values and where they come from.

import type { ConfigData } from '../../commands/config.ts'
import type { CommandResult } from '../../commands/context.ts'
import type { SettingEntry } from '../../commands/settings.ts'
import { escapeForTerminal } from '../../plan/display.ts'
import type { Style } from '../style.ts'
import { table } from './table.ts'

export function printConfig({ data }: CommandResult<ConfigData>, style: Style): string {
  const shown = (value: SettingEntry['value']): string => (value === null ? 'none' : Array.isArray(value) ? `[${value.join(', ')}]` : String(value))
  return table(
    data.settings.map((entry) => [
      { text: entry.name, paint: style.bold },
      escapeForTerminal(shown(entry.value)),
      { text: escapeForTerminal(entry.source), paint: style.dim },
    ]),
    style,
  )
}
