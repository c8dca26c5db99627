// The relation to the branch on the remote, as last fetched or pushed.

import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { RemoteFacts } from '../../../store/remote-facts.ts'
import { moment, short } from '../../../view/duration.ts'

const relations = { same: 'up to date with', ahead: 'ahead of', behind: 'behind', diverged: 'diverged from' } as const

/** `isWhole`: also shown if up to date, with the tip and the time. */
export function remoteText(remote: RemoteFacts | null, { isWhole = false } = {}): string {
  if (remote === null) return ''
  const { name, relation, isRewritten, tip, holder, until } = remote
  const words = isRewritten ? 'rewritten since it was pushed to' : relations[relation]
  const position =
    relation === 'same' && !isWhole
      ? []
      : [`${words} ${escapeForTerminal(name)}${isWhole ? ` (${short(tip)}, as last fetched or pushed)` : ''}`]
  const held =
    holder === null
      ? []
      : [`run by ${escapeForTerminal(holder)}${isWhole && until !== null ? ` until ${moment(until)}` : ''}`]
  return [...position, ...held].join(', ')
}
