// Front matter of other tools: YAML, and if that cannot be read, the lines that look like `key: value`.

import { readYaml } from '../../file/yaml.ts'
import { isMap, type Json } from './json.ts'
import type { Markdown } from './markdown.ts'
import type { Notes } from './notes.ts'

export interface FrontMatter {
  readonly value: Json
  line(path: readonly (string | number)[]): number | undefined
}

export function readFrontMatter({ front }: Markdown, notes: Notes, file?: string): FrontMatter {
  if (front === undefined) return { value: {}, line: () => undefined }
  // Backlog.md and others write names such as `@ada` without quotes.
  const text = front.map((line) => line.replace(/^(\s*(?:- )?(?:[\w-]+:\s+)?)(@[^\s"',[\]]+)\s*$/, '$1"$2"')).join('\n')
  const read = readYaml(text, { offset: 0, line: 1 })
  if (!read.ok || !isMap(read.yaml.value)) {
    const problem = read.ok ? undefined : read.findings[0]
    if (read.ok && read.yaml.value === null) return { value: {}, line: () => 1 }
    notes.unknown(`the front matter is not YAML (${problem?.message ?? 'not a map'}); its lines were read one by one`, {
      line: problem?.line ?? 1,
      file,
    })
    return readLines(front)
  }
  for (const { message, line } of read.findings) notes.lost(message, { line, file })
  const { yaml } = read
  return { value: yaml.value as Json, line: (path) => yaml.position(path).line }
}

/** Keys at the start of a line, lists of texts, lists of maps with texts and lists of texts, and continued lines. */
function readLines(front: readonly string[]): FrontMatter {
  const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const lines = new Map<string, number>()
  let list: { readonly key: string; readonly entries: unknown[]; indent?: number } | undefined
  let item: Record<string, unknown> | undefined
  let nested: unknown[] | undefined
  /** Continues the text that was read last. */
  let more: ((text: string) => void) | undefined
  const put = (map: Record<string, unknown>, key: string, text: string): void => {
    map[key] = listIn(text) ?? unquote(text)
    more = (rest) => (map[key] = unquote(`${text} ${rest}`))
  }
  for (const [index, line] of front.entries()) {
    const [, key, text = ''] = /^([\w.-]+):\s*(.*)$/.exec(line) ?? []
    if (key !== undefined) {
      item = nested = more = undefined
      list = text === '' ? { key, entries: [] } : undefined
      if (list === undefined) put(value, key, text)
      else value[key] = list.entries
      lines.set(key, index + 2)
      continue
    }
    const [, space = '', dash, rest = ''] = /^(\s*)(-\s+)?(.*?)\s*$/.exec(line) ?? []
    const [, name, content = ''] = /^([\w.-]+):(?:\s+(.*))?$/.exec(rest) ?? []
    const isInner = list?.indent !== undefined && space.length > list.indent
    if (dash !== undefined && isInner && nested !== undefined) nested.push(unquote(rest))
    else if (dash !== undefined && list !== undefined) {
      list.indent = space.length
      item = name === undefined ? undefined : {}
      nested = more = undefined
      lines.set(`${list.key} ${list.entries.length}`, index + 2)
      list.entries.push(item ?? unquote(rest))
      if (item !== undefined && name !== undefined) put(item, name, content)
    } else if (name !== undefined && item !== undefined && isInner) {
      nested = content === '' ? [] : undefined
      if (nested === undefined) put(item, name, content)
      else item[name] = nested
    } else if (rest !== '') more?.(rest)
  }
  return {
    value: { ...value },
    line: ([key, entry]) => lines.get(`${key} ${entry}`) ?? lines.get(String(key)),
  }
}

/** `[a, "b"]` */
const listIn = (text: string): string[] | undefined =>
  /^\[([^[\]{}]*)\]$/
    .exec(text.trim())?.[1]
    ?.split(',')
    .map(unquote)
    .filter((each) => each !== '')

const unquote = (text: string): string => text.trim().replace(/^"(.*)"$|^'(.*)'$/, '$1$2')
