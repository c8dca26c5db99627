// Values assigned to a name of a secret: `password = "…"`, `api_key: '…'`, `<token>…</token>`, `export SECRET=…`.

import { isKey, isPassword } from './plausible.ts'
import type { Rule } from './rule.ts'

/** A variable name must end with one of these, so `tokenType`, `passwordField` and `secretName` do not match. */
const keyNames =
  'secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|auth[_-]?key|account[_-]?key|credentials?|secret[_-]?key[_-]?base'
const passwordNames = 'password|passwd|passwort|passphrase|pwd|_auth|passw'
const type = String.raw`(?:[ \t]{0,40}:[ \t]{0,40}[A-Za-z][\w<>|.[\]? ]{0,40})?`
const operator = String.raw`[ \t\r\n]{0,200}(?::=|=>|==?|:)[ \t\r\n]{0,200}`

const quotedValue = (names: string): RegExp =>
  new RegExp(
    String.raw`(?:${names})\d{0,2}\\?["'\`]?\]?${type}${operator}[rbfuLR@]{0,2}(?<quote>\\?["'\`])(?<value>[^"'\`\s\\]{8,512})\k<quote>`,
    'gi',
  )
const plainValue = (names: string): RegExp =>
  new RegExp(
    String.raw`(?:${names})\d{0,2}["']?(?:[ \t]*=[ \t]*|:[ \t]+)(?<value>[^\s"'\`,;<>(){}[\]]{8,512})(?=[\s,;]|$)`,
    'gim',
  )
const elementValue = (names: string): RegExp =>
  new RegExp(String.raw`<(?:[\w.:-]{0,40})(?:${names})>\s*(?<value>[^<\s]{8,512})\s*</`, 'gi')

/** Source files, in which an unquoted value is an expression. */
const code =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|pyi|rb|go|rs|java|kt|kts|scala|groovy|c|h|cc|cpp|cxx|hpp|hh|m|mm|cs|fs|php|swift|dart|lua|pl|pm|r|jl|ex|exs|erl|hs|ml|clj|zig|nim|css|scss|less|html?|map|svg|sql|proto|graphql|tf|hcl|cmake)$/i

export const assignmentRules: readonly Rule[] = [
  { rule: 'assigned-key', says: 'a key or token as a plain value', pattern: quotedValue(keyNames), accept: isKey },
  {
    rule: 'assigned-password',
    says: 'a password as a plain value',
    pattern: quotedValue(passwordNames),
    accept: isPassword,
  },
  { rule: 'assigned-key', says: 'a key or token as a plain value', pattern: elementValue(keyNames), accept: isKey },
  {
    rule: 'assigned-password',
    says: 'a password as a plain value',
    pattern: elementValue(passwordNames),
    accept: isPassword,
  },
  {
    rule: 'assigned-key',
    says: 'a key or token as a plain value',
    pattern: plainValue(keyNames),
    accept: isKey,
    notIn: code,
  },
  {
    rule: 'assigned-password',
    says: 'a password as a plain value',
    pattern: plainValue(passwordNames),
    accept: isPassword,
    notIn: code,
  },
]
