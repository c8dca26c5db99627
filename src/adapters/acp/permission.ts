// Answers a permission request of an agent from the scope of its step. Whatever is not clearly allowed is rejected; the
// executor checks the result all the same.

import { isAbsolute, relative, resolve, sep } from 'node:path'
import { isAgentConfiguration } from '../../plan/agents/configuration.ts'
import { globMatcher } from '../../plan/text/glob.ts'

export interface Scope {
  /** Globs; undefined: every file but those that decide what agents may do. */
  readonly files: readonly string[] | undefined
  /** Kinds of the protocol, such as `execute`, that the step allows besides reading and editing in scope. */
  readonly tools: readonly string[]
}

type Json = Readonly<Record<string, unknown>>
const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])
const isText = (value: unknown): value is string => typeof value === 'string'

/** Nothing is allowed if the scope cannot be read. */
export function readScope(text: string | undefined): Scope {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (isRecord(value)) {
      const files = value['files'] === null ? undefined : list(value['files']).filter(isText)
      return { files, tools: list(value['tools']).filter(isText) }
    }
  } catch {
    // Falls through.
  }
  return { files: [], tools: [] }
}

const reading = new Set(['read', 'search', 'think'])
const editing = new Set(['edit', 'delete', 'move'])

export function answerPermission(
  { toolCall, options }: Json,
  scope: Scope,
  root: string,
): { readonly outcome: Json; readonly denied: string | undefined } {
  const call = isRecord(toolCall) ? toolCall : {}
  const isAllowed = allows(call, scope, root)
  // Always allowing would leave the next decision to the agent.
  const wanted = isAllowed ? ['allow_once'] : ['reject_once', 'reject_always']
  const option = list(options).find((each) => isRecord(each) && wanted.includes(String(each['kind'])))
  const name = isText(call['title']) ? call['title'] : isText(call['kind']) ? call['kind'] : 'a tool'
  const outcome = isRecord(option) ? { outcome: 'selected', optionId: option['optionId'] } : { outcome: 'cancelled' }
  return { outcome, denied: isAllowed && isRecord(option) ? undefined : name.slice(0, 100) }
}

function allows({ kind, locations, content, rawInput }: Json, { files, tools }: Scope, root: string): boolean {
  if (!isText(kind)) return false
  if (reading.has(kind) || tools.includes(kind)) return true
  if (!editing.has(kind)) return false
  const places = [
    ...[...list(locations), ...list(content)].flatMap((each) =>
      isRecord(each) && isText(each['path']) ? [each['path']] : [],
    ),
    ...pathsIn(rawInput),
  ]
  const isInScope = files === undefined ? () => true : globMatcher(files)
  return (
    places.length > 0 &&
    places.every((place) => {
      const path = relative(root, resolve(root, place)).split(sep).join('/')
      const isInside = path !== '' && !path.startsWith('..') && !isAbsolute(path)
      return isInside && isAgentConfiguration(path) === undefined && !/^\.git(\/|$)/.test(path) && isInScope(path)
    })
  )
}

const namesPath = /path|^(file|filename|from|to|source|destination|target|uri|url)s?$/i

/** The paths in the arguments of the tool itself: what is shown as its location may leave some out. */
function pathsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(pathsIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, each]) => [
    ...(namesPath.test(key) ? [each].flat().filter(isText) : []).map((text) => text.replace(/^file:\/\//, '')),
    ...pathsIn(each),
  ])
}
