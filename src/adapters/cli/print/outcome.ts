// Prints the result of commands that write: `data.findings`, then `data.message` (a string or lines). All other data is
// for `--json`. A result without a message is printed as `key: value`.

import type { CommandResult } from '../../../operation/context.ts'
import type { Finding } from '../../../plan/model/finding.ts'
import { prefixContinuations } from '../event-lines.ts'
import type { Style } from '../style.ts'
import { findingLines } from './findings.ts'

export function printOutcome(result: CommandResult, style: Style): string {
  const data = result.data as Readonly<Record<string, unknown>>
  const findings = Array.isArray(data['findings']) ? findingLines(data['findings'] as Finding[], style) : []
  const { message } = data
  const lines = typeof message === 'string' ? [message] : Array.isArray(message) ? message.map(String) : pairs(data)
  return [...findings, ...lines.map(prefixContinuations)].map((line) => `${line}\n`).join('')
}

const pairs = (data: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(data).flatMap(([name, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value)
      ? [`${name}: ${String(value)}`]
      : Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
        ? [`${name}:`, ...value.map((each) => `  ${each}`)]
        : [],
  )
