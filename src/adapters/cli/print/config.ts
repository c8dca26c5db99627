// Settings with their values and sources.

import type { ConfigData } from '../../../commands/utilities/config.ts'
import type { CommandResult } from '../../../operation/context.ts'
import type { SettingEntry } from '../../../operation/settings.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'
import { table } from '../../terminal/table.ts'

const formatItem = (item: string | object): string => (typeof item === 'string' ? item : JSON.stringify(item))

function formatValue(value: SettingEntry['value']): string {
  if (value === null) return 'none'
  if (Array.isArray(value)) return `[${value.map(formatItem).join(', ')}]`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export function printConfig({ data }: CommandResult<ConfigData>, style: Style): string {
  return table(
    data.settings.map((entry) => [
      { text: entry.name, paint: style.bold },
      escapeForTerminal(formatValue(entry.value)),
      { text: escapeForTerminal(entry.source), paint: style.dim },
    ]),
    style,
  )
}
