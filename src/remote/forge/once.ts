// Small things that every client does alike.

import { PlanError } from '../../errors.ts'

/** Asked for at its first use, and kept; what failed is asked for again. */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined
  return () => {
    kept ??= ask().catch((error: unknown) => {
      kept = undefined
      throw error
    })
    return kept
  }
}

/** The same for many, each under its name. */
export function onceEach<T>(ask: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const kept = new Map<string, () => Promise<T>>()
  return (name) => {
    const asked = kept.get(name) ?? once(() => ask(name))
    kept.set(name, asked)
    return asked()
  }
}

/** A comment is found again by its marker, so it has it. */
export const withMarker = (marker: string, text: string): string =>
  text.includes(marker) ? text : `${marker}\n${text}`

export const headMoved = (number: number, head: string): PlanError =>
  new PlanError('branch-moved', `pull request ${number} is no longer at ${head.slice(0, 12)} and was not merged`, {
    hint: 'git fetch, then review the new commits and have them approved',
  })
