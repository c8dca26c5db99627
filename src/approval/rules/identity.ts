// The identity of a person: an address in Git, a login on a forge. Two identities are compared by whatever both sides
// have.

export interface Identity {
  readonly name?: string | undefined
  readonly email?: string | undefined
  /** On the forge. */
  readonly login?: string | undefined
  readonly isBot?: boolean | undefined
  /** The owner of a bot account on the forge. */
  readonly owner?: string | undefined
}

/** Parses `Name <address>` or `Name (@login)`, as written in trailers. */
export function identityFrom(text: string): Identity {
  const [, name = '', email] = /^(.*?) ?<([^<>]*)>$/.exec(text) ?? []
  if (email !== undefined) return { name, email, ...(isBotName(email) || isBotName(name) ? { isBot: true } : {}) }
  const [, login] = /@([\w.[\]-]+)\)?$/.exec(text) ?? []
  return login === undefined ? { name: text } : { login, ...(isBotName(login) ? { isBot: true } : {}) }
}

/** Parses the committer line of a commit: `Name <address> seconds zone`. */
export const selfOf = (line: string): Identity => identityFrom(line.replace(/ \d+ [+-]\d{4}$/, ''))

const isBotName = (text: string): boolean => /\[bot\](@|$)/.test(text)

export const nameOf = ({ name, email, login }: Identity): string =>
  login === undefined ? `${name ?? ''} <${email ?? ''}>`.trim() : `@${login}`

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== '' && one.toLowerCase() === other.toLowerCase()

/** GitHub's noreply addresses contain the login. */
const loginOf = ({ login, email }: Identity): string | undefined =>
  login ?? /^(?:\d+\+)?([\w.[\]-]+)@users\.noreply\./.exec(email ?? '')?.[1]

/**
 * The local part of an address often is a login: alice@… and @alice are taken for one person, whose approval is counted
 * once.
 */
const isLoginInAddress = (one: Identity, other: Identity): boolean =>
  one.login !== undefined && isSame(one.login, /^([^@]+)@/.exec(other.email ?? '')?.[1])

export const isSamePerson = (one: Identity, other: Identity): boolean =>
  isSame(one.email, other.email) ||
  isSame(loginOf(one), loginOf(other)) ||
  isLoginInAddress(one, other) ||
  isLoginInAddress(other, one)

/** `list` holds addresses and @logins. */
export const isMember = (list: readonly string[], person: Identity): boolean =>
  list.some((entry) => (entry.startsWith('@') ? isSame(entry.slice(1), loginOf(person)) : isSame(entry, person.email)))
