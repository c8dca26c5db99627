// Looks for secrets in a text with all rules, those of secretlint and ours. Loaded where there may be some.

import { isBinaryText, windowsOf } from './windows.ts'
import { isDrawn } from './plausible.ts'
import type { Rule, Secret } from './rule.ts'
import { isAddress, isKeyBody, rules } from './rules.ts'
import { lintText, type Linted } from './secretlint.ts'

interface Found {
  readonly rule: string
  readonly says: string
  readonly value: string
  readonly from: number
}

export async function lookFor(text: string, path: string): Promise<readonly Secret[]> {
  const isBinary = isBinaryText(text)
  const found: Found[] = []
  for (const [from, to] of windowsOf(text)) {
    const part = text.slice(from, to)
    const linted = isBinary ? [] : (await lintText(part, path)).filter(isPlausible)
    const ours = rules.filter(({ inBinary, notIn }) => (!isBinary || inBinary === true) && notIn?.test(path) !== true).flatMap((rule) => matchesOf(rule, part))
    found.push(...[...linted.map((each) => placed(each, part)), ...ours].map((each) => ({ ...each, from: each.from + from })))
  }
  return withPlaces(text, withoutOverlaps(found))
}

function matchesOf({ rule, says, pattern, accept }: Rule, text: string): Found[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = match.groups?.['value'] ?? match[0]
    if (accept?.(value, match) === false) return []
    return [{ rule, says, value, from: match.index + Math.max(0, match[0].lastIndexOf(value)) }]
  })
}

/** Its rules take some placeholders for secrets. */
function isPlausible({ rule, value }: Linted): boolean {
  if (rule === 'secretlint-privatekey') return isKeyBody(value.replace(/-----[A-Z ]+-----/g, ''))
  // `npm_config_…` is a variable.
  if (value.startsWith('npm_') && value.includes('_', 4)) return false
  if (value.includes('://')) return isAddress(value)
  return value.length >= 10 && !/\s/.test(value) && isDrawn(value.replace(/^[A-Za-z]{2,6}[_.-](?:(?:pat|api|proj|ant)[_-])?/, ''))
}

const placed = (linted: Linted, text: string): Found => ({ ...linted, from: Math.max(linted.from, text.indexOf(linted.value, linted.from)) })

/** Of two that found the same the first one is named: the more special rules come first. */
function withoutOverlaps(found: readonly Found[]): Found[] {
  const kept: Found[] = []
  for (const each of found) if (!kept.some(({ from, value }) => each.from < from + value.length && from < each.from + each.value.length)) kept.push(each)
  return kept.toSorted((a, b) => a.from - b.from)
}

function withPlaces(text: string, found: readonly Found[]): Secret[] {
  let line = 1
  let lineStart = 0
  return found.map(({ rule, says, value, from }) => {
    for (let next = text.indexOf('\n', lineStart); next >= 0 && next < from; next = text.indexOf('\n', lineStart)) {
      line += 1
      lineStart = next + 1
    }
    return { rule, message: `it looks like ${says}`, line, column: from - lineStart + 1, value }
  })
}
