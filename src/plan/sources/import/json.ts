// JSON files with the lines of their values, and values of unknown shape read leniently.

import { readYaml } from '../../file/yaml.ts'
import { UnreadableSource, type ImportedFile } from './format.ts'

export type Json = Readonly<Record<string, unknown>>

export interface JsonSource {
  readonly value: unknown
  /** The line of the value at a path; undefined if it cannot be told. */
  line(path: readonly (string | number)[]): number | undefined
}

/** Every JSON text is YAML, whose reader knows positions; JSON itself says whether the text is valid. */
export function readJson({ path, text }: ImportedFile): JsonSource {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UnreadableSource(`not valid JSON: ${(error as Error).message.split('\n', 1)[0]?.slice(0, 160)}`, {
      file: path,
      line: lineOfError(text, error as Error),
    })
  }
  let positions: ReturnType<typeof readYaml> | undefined
  return {
    value,
    line(at) {
      positions ??= readYaml(text, { offset: 0, line: 0 })
      return positions.ok ? positions.yaml.position(at).line : undefined
    },
  }
}

function lineOfError(text: string, { message }: Error): number | undefined {
  const at = /position (\d+)/.exec(message)?.[1]
  return at === undefined ? undefined : text.slice(0, Number(at)).split('\n').length
}

/** The value of a text that may be JSON, without an opinion on what is wrong with it. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Text and numbers as text; undefined for anything else, and for empty text. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export const textsIn = (value: unknown): string[] => {
  const one = textIn(value)
  return one === undefined ? listIn(value).flatMap((each) => textIn(each) ?? []) : [one]
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isMap(value) && Object.keys(value).length === 0)

/** The keys of a map that nobody has read and that say something. */
export const restKeys = (value: Json, read: readonly string[]): string[] =>
  Object.keys(value).filter((key) => !read.includes(key) && !isEmpty(value[key]))

/** Keys and values as lines of text. */
export const keysAsText = (value: Json, keys: readonly string[]): string =>
  keys.map((key) => `${key}: ${typeof value[key] === 'string' ? value[key] : JSON.stringify(value[key])}`).join('\n')

/** The same as a Markdown list. */
export const keysAsList = (value: Json, keys: readonly string[]): string =>
  keys
    .map((key) => {
      const text = typeof value[key] === 'string' ? value[key] : JSON.stringify(value[key])
      return `- \`${key}\`: ${text.replaceAll('\n', '\n  ')}`
    })
    .join('\n')
