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

/** Keys at the start of a line, lists of texts, and lists of maps. */
function readLines(front: readonly string[]): FrontMatter {
  const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const lines = new Map<string, number>()
  let list: unknown[] | undefined
  let item: Record<string, unknown> | undefined
  for (const [index, line] of front.entries()) {
    const [, key, text = ''] = /^([\w.-]+):\s*(.*)$/.exec(line) ?? []
    if (key !== undefined) {
      list = text === '' ? [] : undefined
      item = undefined
      value[key] = list ?? unquote(text)
      lines.set(key, index + 2)
      continue
    }
    const [, entry] = /^\s*-\s+(.*)$/.exec(line) ?? []
    const [, name, content = ''] = /^\s*(?:-\s+)?([\w.-]+):\s+(.*)$/.exec(line) ?? []
    if (list === undefined) continue
    if (entry !== undefined) {
      item = name === undefined ? undefined : {}
      list.push(item ?? unquote(entry))
    }
    if (name !== undefined && item !== undefined) item[name] = unquote(content)
  }
  return { value: { ...value }, line: ([key]) => lines.get(String(key)) }
}

const unquote = (text: string): string => text.trim().replace(/^"(.*)"$|^'(.*)'$/, '$1$2')
