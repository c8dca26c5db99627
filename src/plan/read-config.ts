// Bytes of .plans/config.yml → the configuration. As with plans: what is written plainly needs no parser, all else is for parse-config.ts.

import { entriesOf, isBasePattern, maxConfigBytes, requirements, withDefaults, type ConfigEntries, type ConfigResult } from './config.ts'
import { isFlag, isListOf, isMap, isOneOf, isText, isWithout, isWords, keepsTable, type Judge, type Table } from './plain.ts'
import { readPlainYaml } from './plain-yaml.ts'
import { globProblem } from './repo-path.ts'
import { parseSize, subjectProblem } from './text-problems.ts'
import { parseDuration } from './values.ts'

export async function readConfig(bytes: Uint8Array, file: string): Promise<ConfigResult> {
  return plainConfig(bytes) ?? (await import('./parse-config.ts')).parseConfig(bytes, file)
}

/** Undefined where anything is wrong or unusual. */
export function plainConfig(bytes: Uint8Array): Extract<ConfigResult, { ok: true }> | undefined {
  if (bytes.byteLength > maxConfigBytes || bytes[0] === 0xef) return undefined
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  const yaml = readPlainYaml(text)
  if (yaml === undefined || !keepsTable(yaml.value, table)) return undefined
  const entries = yaml.value as ConfigEntries
  return { ok: true, config: withDefaults(entries), entries: entriesOf(entries) }
}

const isDuration = isWithout((text) => (parseDuration(text) === undefined ? 'not one' : undefined))
const isGlob = isWithout(globProblem)
const isSize = isWithout((text) => (parseSize(text) === undefined ? 'not one' : undefined))
const isSection =
  (section: Table): Judge =>
  (value) =>
    isMap(value) && keepsTable(value, section)
const isCount =
  (least: number): Judge =>
  (value) =>
    typeof value === 'number' && value >= least && value <= 1000

const table: Table = {
  version: (value) => value === 1,
  limits: isSection({ steps: isCount(1), timeout: isDuration, output: isSize, pause_every: isCount(0) }),
  stale_after: isDuration,
  stalled_after: isDuration,
  commit: isSection({ subject: isWithout(subjectProblem) }),
  rollback: isSection({ automatic: isFlag, keep: isDuration }),
  require: (value) => isListOf(value, isOneOf(requirements), { max: requirements.length }),
  risk: isSection({ critical: (value) => isListOf(value, isGlob, { max: 100 }) }),
  bases: (value) => isListOf(value, (base) => isText(base) && isBasePattern(base) && isWords(base), { max: 100 }),
}
