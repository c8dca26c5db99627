// Identities in Gitea and Forgejo.

import type { Person } from './forge.ts'
import type { User } from './gitea-answers.ts'

/** Users without an account have negative ids: -1 is a deleted user, lower ones are the forge's own. */
export const personOf = (given: User): Person => {
  if (given === null || given.id === -1) return { login: 'Ghost', isBot: false, isGhost: true }
  return { login: given.login, isBot: given.id < 0 || given.login.endsWith('[bot]'), isGhost: false }
}
