// The branch on the remote next to the one here, as it was last seen.

import { escapeForTerminal } from '../../plan/display.ts'
import type { RemoteFacts } from '../../report/remote-facts.ts'
import { moment, short } from './duration.ts'

const words = { same: 'up to date with', ahead: 'ahead of', behind: 'behind', diverged: 'diverged from' } as const

/** `isWhole`: also that it is up to date, and where it is. */
export function remoteText(remote: RemoteFacts | null, { isWhole = false } = {}): string {
  if (remote === null) return ''
  const { name, relation, tip, holder, until } = remote
  const place =
    relation === 'same' && !isWhole ? [] : [`${words[relation]} ${escapeForTerminal(name)}${isWhole ? ` (${short(tip)}, when last fetched or pushed)` : ''}`]
  const held = holder === null ? [] : [`run by ${escapeForTerminal(holder)}${isWhole && until !== null ? ` until ${moment(until)}` : ''}`]
  return [...place, ...held].join(', ')
}
