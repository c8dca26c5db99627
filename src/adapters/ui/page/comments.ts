// Comments of the person on lines of the plan. They stay in this browser until they become the reason of a rejection, or
// the task of an agent that plans again.

import { useEffect, useState } from 'preact/hooks'

export interface LineComment {
  readonly line: number
  /** The line, as it was when the comment was written. */
  readonly quoted: string
  readonly text: string
}

const changed = 'git-plan-comments'
const keyOf = (plan: string, digest: string): string => `comments ${plan} ${digest}`

function read(plan: string, digest: string): readonly LineComment[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(plan, digest)) ?? '[]') as LineComment[]
  } catch {
    return []
  }
}

/** They are about this text: another digest has none. */
export function useComments(
  plan: string,
  digest: string | undefined,
): readonly [comments: readonly LineComment[], keep: (comments: readonly LineComment[]) => void] {
  const [comments, setComments] = useState<readonly LineComment[]>([])
  useEffect(() => {
    if (digest === undefined) return undefined
    const load = (): void => setComments(read(plan, digest))
    load()
    addEventListener(changed, load)
    return () => removeEventListener(changed, load)
  }, [plan, digest])
  return [
    comments,
    (next) => {
      if (digest === undefined) return
      sessionStorage.setItem(keyOf(plan, digest), JSON.stringify(next))
      dispatchEvent(new Event(changed))
    },
  ]
}

/** `line 7, "run: npm test": use the fake server` */
export const commentsText = (comments: readonly LineComment[]): string =>
  comments
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, quoted, text }) => `line ${line}, ${JSON.stringify(quoted.trim().slice(0, 80))}: ${text.trim()}`)
    .join('\n')
