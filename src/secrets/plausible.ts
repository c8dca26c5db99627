// Decides whether a value can be a secret, or is a placeholder, a word, a path or an example. A value that is accepted
// here stops a step, so in doubt it is not a secret.

const placeholders =
  /change.?me|replace|placeholder|example|sample|dummy|fake|mock|test|todo|fixme|your|insert|redacted|secret|password|passw0rd|p[a4@]ss.?w|token|hidden|masked|foo.?bar|lorem|letmein|qwerty|hunter2|not.?a|undefined|null|none|default|x{4}|\*{3}|\.{3}|…|0{6}|1234|abcd|asdf|deadbeef|cafebabe|(.)\1{5}/i
/** `${VAR}`, `{{ var }}`, `<token>`, `$VAR`, `%VAR%`, `process.env.X`, `$(command)`, `#{x}`, `@{x}`, `var.x`. */
const variables =
  /\$\{|\{\{|\}\}|<[^>]*>|^\$|\$\(|#\{|@\{|%[A-Z_]+%|%\(|%s|process\.env|os\.environ|getenv|ENV\[|import\.meta|^(?:var|local|data|env|secrets|vars)\./

/** A value that somebody wrote instead of a secret. */
export const isPlaceholder = (value: string): boolean => placeholders.test(value) || variables.test(value)

/** Bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

const isUuid = (value: string): boolean => /^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i.test(value)

/** Words, numbers and versions with separators: a path, a name, a host, a date. */
const isWordy = (value: string): boolean =>
  value
    .split(/[-_./:;,@ +=#?&()[\]|\\]+|(?<=[a-z])(?=[A-Z])/)
    .every((part) => /^(?:[A-Za-z]{0,24}\d{0,4}|\d{1,10}|v?\d+[a-z]?|[A-Z]{2,}[a-z]+)$/.test(part))

const countChanges = (value: string): number => value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0

/** Manifests encode every value, placeholders too, so the decoded text decides. */
function isEncodedWord(value: string): boolean {
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]{8,}={0,2}$/.test(value)) return false
  const text = Buffer.from(value, 'base64').toString('latin1').trim()
  return /^[\x20-\x7e]+$/.test(text) && (isPlaceholder(text) || isWordy(text))
}

/** The rest of a token with a known prefix: it must look random. */
export function isRandom(rest: string): boolean {
  if (isPlaceholder(rest)) return false
  const enough = Math.min(3, Math.log2(Math.max(2, rest.length)) * 0.75)
  return entropyOf(rest) >= enough && /\d/.test(rest) && /[A-Za-z]/.test(rest)
}

/** A key or token in an assignment: long, mixed, and not made of words. */
export function isKey(value: string): boolean {
  if (
    value.length < 16 ||
    value.length > 512 ||
    /[\s<>(){}[\]]/.test(value) ||
    isPlaceholder(value) ||
    isUuid(value) ||
    isWordy(value)
  )
    return false
  if (isEncodedWord(value)) return false
  return entropyOf(value) >= 3 && countChanges(value) >= 3
}

/**
 * A password in an assignment: made up by people, so it is shorter, and has letters and digits or three kinds of
 * characters.
 */
export function isPassword(value: string): boolean {
  if (
    value.length < 8 ||
    value.length > 256 ||
    /\s/.test(value) ||
    isPlaceholder(value) ||
    isUuid(value) ||
    isWordy(value)
  )
    return false
  if (isEncodedWord(value)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length
  return entropyOf(value) >= 2.5 && kinds >= 2 && (/\d/.test(value) || kinds >= 3)
}

/** A password in a URL or `.netrc`: its purpose is known, so any word is enough, except those that everybody uses. */
export const isUrlPassword = (value: string): boolean =>
  value.length >= 4 &&
  !isPlaceholder(value) &&
  !/^(?:pass|pw|pwd|user|admin|root|guest|postgres|mysql|redis|mongo|rabbitmq|\d{1,5}|[*x.]+)$/i.test(value) &&
  !/[{}<>$%]{2}|^[{<$[]/.test(value)
