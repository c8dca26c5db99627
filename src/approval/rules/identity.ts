// Who somebody is: by address in Git, by name on a forge. What is known of both sides decides whether they are the
// same.

export interface Identity {
  readonly name?: string | undefined
  readonly email?: string | undefined
  /** On the forge. */
  readonly login?: string | undefined
  readonly isBot?: boolean | undefined
  /** Of a bot: on the forge. */
  readonly owner?: string | undefined
}

/** `Name <address>`, or `Name (@login)`, as trailers have it. */
export function identityFrom(text: string): Identity {
  const [, name = '', email] = /^(.*?) ?<([^<>]*)>$/.exec(text) ?? []
  if (email !== undefined) return { name, email, ...(isBotName(email) || isBotName(name) ? { isBot: true } : {}) }
  const [, login] = /@([\w.[\]-]+)\)?$/.exec(text) ?? []
  return login === undefined ? { name: text } : { login, ...(isBotName(login) ? { isBot: true } : {}) }
}

/** Of a line of a commit: `Name <address> seconds zone`. */
export const selfOf = (line: string): Identity => identityFrom(line.replace(/ \d+ [+-]\d{4}$/, ''))

const isBotName = (text: string): boolean => /\[bot\](@|$)/.test(text)

export const nameOf = ({ name, email, login }: Identity): string =>
  login === undefined ? `${name ?? ''} <${email ?? ''}>`.trim() : `@${login}`

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== '' && one.toLowerCase() === other.toLowerCase()

/** GitHub's addresses that hide the real one name the login. */
const loginOf = ({ login, email }: Identity): string | undefined =>
  login ?? /^(?:\d+\+)?([\w.[\]-]+)@users\.noreply\./.exec(email ?? '')?.[1]

/**
 * What stands before the @ of an address is a login often enough: who signs as alice@… and reviews as @alice is taken
 * for one person, who counts once.
 */
const isNamedAlike = (one: Identity, other: Identity): boolean =>
  one.login !== undefined && isSame(one.login, /^([^@]+)@/.exec(other.email ?? '')?.[1])

export const isSamePerson = (one: Identity, other: Identity): boolean =>
  isSame(one.email, other.email) ||
  isSame(loginOf(one), loginOf(other)) ||
  isNamedAlike(one, other) ||
  isNamedAlike(other, one)

/** Of a list of addresses and @logins. */
export const isMember = (list: readonly string[], person: Identity): boolean =>
  list.some((entry) => (entry.startsWith('@') ? isSame(entry.slice(1), loginOf(person)) : isSame(entry, person.email)))
