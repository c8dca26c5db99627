// Helpers that all clients share.

import { PlanError } from '../../errors.ts'

/** Calls `ask` on first use and keeps the result; a failure is not kept. */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= ask().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}

/** The same, per name. */
export function onceEach<T>(ask: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const results = new Map<string, () => Promise<T>>()
  return (name) => {
    const cached = results.get(name) ?? once(() => ask(name))
    results.set(name, cached)
    return cached()
  }
}

/** Adds the marker by which the comment is found again. */
export const withMarker = (marker: string, text: string): string =>
  text.includes(marker) ? text : `${marker}\n${text}`

export const headMoved = (number: number, head: string): PlanError =>
  new PlanError('branch-moved', `pull request ${number} is no longer at ${head.slice(0, 12)} and was not merged`, {
    hint: 'git fetch, then review the new commits and have them approved',
  })
