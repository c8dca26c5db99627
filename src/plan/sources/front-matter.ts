// The front matter of a source text, with edits that leave the rest of the text as it is.

import { splitPlanFile, type Split } from '../file/split.ts'
import { readYaml, writeYaml, type YamlValue } from '../file/yaml.ts'
import type { LocatedEdit, LocatedText, Place } from './located-text.ts'

export interface FrontMatter {
  readonly split: Split
  readonly yaml: YamlValue
  readonly root: Readonly<Record<string, unknown>>
}

/** Undefined if the text is not even a map: the reader then reports why. */
export function readFrontMatter(bytes: Uint8Array): FrontMatter | undefined {
  const cut = splitPlanFile(bytes)
  if (!cut.ok) return undefined
  const read = readYaml(cut.split.matter, { offset: cut.split.matterStart, line: 1 })
  if (!read.ok || read.findings.length > 0 || !isRecord(read.yaml.value)) return undefined
  return { split: cut.split, yaml: read.yaml, root: read.yaml.value }
}

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** One key of a map, as lines that end with LF. */
export function writeKey(key: string, value: unknown, indentation = 0): string {
  const isNames = key === 'needs' && Array.isArray(value)
  const text = isNames ? `needs: [${(value as string[]).join(', ')}]\n` : writeYaml({ [key]: value })
  return text.replace(/^(?=[^\n])/gm, ' '.repeat(indentation))
}

/** Sets a key of the plan: in its place, or above `steps`. */
export function setTopKey(source: LocatedText, { yaml, split }: FrontMatter, key: string, value: unknown): LocatedEdit {
  const text = writeKey(key, value)
  const [name, old] = [yaml.span([key], { key: true }), yaml.span([key])]
  if (name === undefined || old === undefined) {
    const start = yaml.span(['steps'], { key: true })?.start ?? split.matterStart
    return { start, end: start, pieces: [{ text: withEol(text, split), place: source.place(start) }] }
  }
  const end = endOf(source.text, name.start, old.end)
  return { start: name.start, end, pieces: [{ text: withEol(text.trimEnd(), split), place: source.place(name.start) }] }
}

/** Without the line end, which a block includes. */
export const endOf = (text: string, start: number, end: number): number =>
  start + text.slice(start, end).trimEnd().length

export const withEol = (text: string, { eol }: Pick<Split, 'eol'>): string =>
  eol === '\n' ? text : text.replaceAll('\n', eol)

export const placeOf = (source: LocatedText, yaml: YamlValue, path: readonly (string | number)[]): Place => {
  const span = yaml.span(path, { key: true }) ?? yaml.span(path)
  return source.place(span?.start ?? 0)
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
