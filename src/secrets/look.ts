// Looks for secrets in a text with all rules, those of secretlint and ours. Loaded where there may be some.

import { AnchorScan } from './anchor-scan.ts'
import { decodedText, encodedForms, isEncodedAt, type Encoded } from './encoded.ts'
import { isDrawn } from './plausible.ts'
import type { Rule, Secret } from './rule.ts'
import { isAddress, isKeyBody, rules } from './rules.ts'
import { lintText, type Linted } from './secretlint.ts'
import { isBinaryText, windowsOf } from './windows.ts'

interface Found {
  readonly rule: string
  readonly says: string
  readonly value: string
  readonly from: number
}

/** `isPieces`: it is no text, but pieces of one. */
export async function lookFor(text: string, path: string, { isPieces }: { isPieces: boolean }): Promise<readonly Secret[]> {
  const isBinary = isPieces || isBinaryText(text)
  const found: Found[] = []
  for (const [from, to] of windowsOf(text)) {
    const part = text.slice(from, to)
    const linted = isBinary ? [] : (await lintText(part, path)).filter(isPlausible)
    const ours = rules.filter(({ inBinary, notIn }) => (!isBinary || inBinary === true) && notIn?.test(path) !== true).flatMap((rule) => matchesOf(rule, part))
    found.push(...[...linted.map((each) => placed(each, part)), ...ours, ...encoded(part)].map((each) => ({ ...each, from: each.from + from })))
  }
  return withPlaces(text, withoutOverlaps(found))
}

/** In base64: what is decoded is looked at with the rules for what is no text, and stands in the text as it is encoded. */
function encoded(text: string): Found[] {
  const bytes = Buffer.from(text, 'latin1')
  const found: Found[] = []
  // Of one run each way to decode it is tried once.
  const read = [0, 0, 0, 0]
  scan ??= new AnchorScan(encodedForms().map((each): [string, Encoded] => [each.form.text, each]))
  for (let at = scan.next(bytes, 0); at >= 0; at = scan.next(bytes, at + 1)) {
    for (const each of scan.at(bytes, at) ?? []) {
      const way = (at - each.form.lead) & 3
      if (at < read[way]! || !isEncodedAt(bytes, at, each)) continue
      const { text: decoded, length } = decodedText(bytes, at, each)
      read[way] = at + length
      const [first] = encodedRules.flatMap((rule) => matchesOf(rule, decoded))
      if (first !== undefined) found.push({ ...first, says: `${first.says} in base64`, value: text.slice(at, at + Math.min(length, 200)), from: at })
    }
  }
  return found
}

let scan: AnchorScan<Encoded> | undefined
const encodedRules = rules.filter(({ inBinary, rule }) => inBinary === true || rule === 'url-password' || rule === 'registry-password')

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
