// A template for people: its title, parameters and what it says about itself.

import type { Declaration } from './declarations.ts'
import { readDeclarations } from './declarations.ts'
import { readFrontMatter } from './front-matter.ts'

export interface TemplateFacts {
  /** With the names of its parameters in capitals. */
  readonly title: string
  /** The first paragraph of the prose. */
  readonly about: string
  readonly params: readonly Declaration[]
  /** The first mistake, if it cannot be used. */
  readonly problem?: string
}

export function describeTemplate(bytes: Uint8Array): TemplateFacts {
  const matter = readFrontMatter(bytes)
  if (matter === undefined) return { title: '', about: '', params: [], problem: 'its front matter is not valid' }
  const { declarations, findings } = readDeclarations(matter.yaml)
  const title = typeof matter.root['title'] === 'string' ? matter.root['title'] : ''
  const problem = findings[0]?.message
  return {
    title: title.replace(/\$\{\{\s*params\.([A-Za-z0-9_-]+)\s*\}\}/g, (_, name: string) => name.toUpperCase()),
    about: (matter.split.prose.trim().split(/\n\s*\n/, 1)[0] ?? '').replace(/\s+/g, ' '),
    params: declarations,
    ...(problem === undefined ? {} : { problem }),
  }
}

/** `string, matching [a-z]+, default x`. */
export function paramNote({ type, choices, pattern, fixed, ...declared }: Declaration): string {
  const value = declared.default
  return [
    choices === undefined ? type : choices.join('|'),
    ...(pattern === undefined ? [] : [`matching ${pattern}`]),
    fixed !== undefined
      ? `always ${JSON.stringify(fixed)}`
      : value === undefined
        ? 'required'
        : `default ${JSON.stringify(value)}`,
  ].join(', ')
}
