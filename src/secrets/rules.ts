// Our rules: tokens by their shape, keys, URLs with passwords, and contents of some files.

import { assignmentRules } from './assignments.ts'
import { entropyOf, isRandom, isPlaceholder, isUrlPassword } from './plausible.ts'
import type { Rule } from './rule.ts'
import { keyHead, matchesOf, tokenPattern, tokenShapes, webToken, type TokenShape } from './tokens.ts'

function ruleOf(shape: TokenShape): Rule {
  const { rule, says, prefixes } = shape
  const lengthOf = (value: string): number => prefixes.find((prefix) => value.startsWith(prefix))?.length ?? 0
  return {
    rule,
    says,
    pattern: new RegExp(tokenPattern(shape), 'g'),
    accept: (value) => isRandom(value.slice(lengthOf(value))),
    inBinary: true,
  }
}

/** The part between `BEGIN` and `END`, verbatim, in a string literal, or truncated. */
const privateKey = new RegExp(String.raw`${keyHead}(?<value>(?:[^-]|-(?!----)){1,16384})`, 'g')
/** A real key begins with long base64 text; one that was shortened for a reader does not. */
export const isKeyBody = (body: string): boolean => {
  const text = body
    .replace(/\\[nrt]|["'+,\s\\|>]/g, '')
    .replace(/^(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):.{0,200}?)+(?=M[IHGFC]|l[A-Z]|x[A-Z])/, '')
  const [run = ''] = /[A-Za-z0-9+/=]{60,}/.exec(text) ?? []
  return entropyOf(run) > 4 && !/(.)\1{19}/.test(run)
}

/** Examples from the JSON Web Token documentation, and variations of them. */
const isExampleJwt = (value: string): boolean => {
  const [, payload = ''] = value.split('.')
  return /1234567890|John Doe|example|payload|hello|"test/i.test(Buffer.from(payload, 'base64url').toString())
}

/** This machine, a service in the same compose file (a name without a dot), or a reserved name. */
const isExampleHost = (host: string): boolean =>
  /^(?:127\.|0\.0\.0\.0|\[|[^.:]+(?::|$))|^(?:host|hostname|server|db|database|my-?host|your-?host|domain|site|some\w*)\.(?:com|org|net|tld|domain|name)(?::|$)|\bexample\b|\.(?:test|invalid|local|localhost|internal|lan|domain|tld)(?::|$)|\byour\b|\bmy-?(?:host|server|domain|site|db|database|registry|proxy)\b/i.test(
    host,
  )
const isExampleUser = (user: string): boolean =>
  /^(?:user(?:name)?|login|me|name|u|foo|bar|bob|alice|joe|john|anonymous|anoncvs|guest)$/i.test(user)
const isPasswordOf = (value: string, match: RegExpExecArray): boolean => {
  const { user = '', host = '' } = match.groups ?? {}
  if (!isUrlPassword(value) || isPlaceholder(user) || value === user || (user === '' && value.includes(':')))
    return false
  // A word is a password if it gives access to something; on this machine, or in an example, it is a developer's
  // setting.
  return isExampleHost(host) || isExampleUser(user) ? isRandom(value) && value.length >= 12 : value.length >= 6
}

const address =
  /\b[a-z][a-z0-9+.-]{1,30}:\/\/(?<user>[^\s:/@"'`<>()[\]{}?#]{0,256}):(?<value>[^\s/"'`<>\\]{1,256})@(?<host>[A-Za-z0-9[][A-Za-z0-9.:_-]{0,255})/gi
/** True if a URL contains a real password. */
export const hasUrlPassword = (url: string): boolean =>
  matchesOf(address, url).some((match) => isPasswordOf(match.groups?.['value'] ?? '', match))

/** A user and password in base64. */
function isBasic(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('latin1')
  return /^[\x21-\x7e]+:[\x20-\x7e]{4,}$/.test(text) && !isPlaceholder(text)
}

/** Telegram, Discord and other tokens without a prefix. */
const rulesWithoutPrefix: readonly Rule[] = [
  {
    rule: 'telegram-token',
    says: 'a Telegram bot token',
    pattern: /(?<![\d:])(?<value>\d{8,10}:AA[\w-]{33})(?![\w-])/g,
    accept: isRandom,
    inBinary: true,
  },
  {
    rule: 'discord-token',
    says: 'a Discord bot token',
    pattern: /discord[^\n]{0,100}?(?<![\w.-])(?<value>[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/gi,
    accept: (value) => /^\d{17,20}$/.test(Buffer.from(value.split('.')[0] ?? '', 'base64').toString('latin1')),
    inBinary: true,
  },
  {
    rule: 'twilio-key',
    says: 'a Twilio key',
    pattern: /twilio[^\n]{0,100}?\b(?<value>SK[0-9a-f]{32})\b/gi,
    accept: isRandom,
  },
  {
    rule: 'crates-token',
    says: 'a crates.io token',
    pattern: /(?:cargo|crates)[^\n]{0,100}?\b(?<value>cio[A-Za-z0-9]{32})\b/gi,
    accept: isRandom,
  },
  {
    rule: 'webhook',
    says: 'a webhook URL',
    pattern:
      /(?<value>(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com\/webhookb2)\/(?<rest>[\w@/-]{24,}))/gi,
    accept: (_, match) => isRandom((match.groups?.['rest'] ?? '').split('/').at(-1) ?? ''),
    inBinary: true,
  },
  {
    rule: 'jwt',
    says: 'a JSON Web Token',
    pattern: new RegExp(String.raw`(?<value>${webToken}\.[\w-]{20,4096})`, 'g'),
    accept: (value) => !isExampleJwt(value) && entropyOf(value) > 4,
    inBinary: true,
  },
  { rule: 'private-key', says: 'a private key', pattern: privateKey, accept: isKeyBody, inBinary: true },
  {
    rule: 'private-key',
    says: 'a PuTTY private key',
    pattern: /PuTTY-User-Key-File-\d:[\s\S]{1,1500}?Private-Lines: \d+\s+(?<value>[A-Za-z0-9+/=\s]{40,4000})/g,
    inBinary: true,
  },
  {
    rule: 'authorization',
    says: 'an authorization header with credentials',
    pattern: /\bbearer\s+(?<value>[A-Za-z0-9._~+/-]{20,1024}=*)/gi,
    accept: isRandom,
  },
  {
    rule: 'authorization',
    says: 'an authorization header with credentials',
    pattern: /authorization["']?\s*[:=,]\s*["'`]?basic\s+(?<value>[A-Za-z0-9+/]{12,512}={0,2})/gi,
    accept: isBasic,
  },
  {
    rule: 'registry-password',
    says: 'a container registry password',
    pattern: /"auth"\s*:\s*"(?<value>[A-Za-z0-9+/]{12,512}={0,2})"/g,
    accept: isBasic,
  },
  {
    rule: 'azure-key',
    says: 'an Azure storage key',
    pattern: /AccountKey\s*=\s*(?<value>[A-Za-z0-9+/]{86}==)/gi,
    accept: (value) => !value.startsWith('Eby8vdM02xNO') && isRandom(value),
  },
  {
    rule: 'azure-key',
    says: 'an Azure access key',
    pattern: /SharedAccessKey\s*=\s*(?<value>[A-Za-z0-9+/]{43}=)/gi,
    accept: isRandom,
  },
  {
    rule: 'kubeconfig',
    says: 'a Kubernetes client key',
    pattern: /client-key-data["']?\s*:\s*["']?(?<value>[A-Za-z0-9+/]{40,}={0,2})/g,
    accept: isRandom,
  },
  {
    rule: 'netrc',
    says: 'a host password',
    pattern:
      /\bmachine\s{1,20}(?<host>[^\s]{1,256})\s{1,20}(?:login\s{1,20}[^\s]{1,256}\s{1,20})?password\s{1,20}(?<value>[^\s"'`()<>{}]{4,256})(?=\s|$)/g,
    accept: isPasswordOf,
  },
  {
    rule: 'url-password',
    says: 'a URL with a password',
    pattern: address,
    accept: isPasswordOf,
  },
  {
    rule: 'heroku-key',
    says: 'a Heroku key',
    pattern:
      /heroku[\w.-]{0,20}(?:key|token|secret)["']?\s*[:=]\s*["']?(?<value>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi,
    accept: isRandom,
  },
  {
    // The id of a long-lived key. It is base32, which most examples are not. In a signed URL it is public.
    rule: 'aws-access-key-id',
    says: 'an AWS key id',
    pattern:
      /(?<=^|[^A-Za-z0-9_]|\\[nrt])(?<!(?:Credential|AccessKeyId)(?:=|%3D))(?<value>AKIA[A-Z2-7]{16})(?![A-Za-z0-9])/gm,
    accept: (value) => isRandom(value.slice(4)),
    inBinary: true,
  },
  {
    rule: 'aws-secret-key',
    says: 'an AWS secret key next to its id',
    pattern:
      /(?<=[^A-Z0-9]|^)(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])[\s\S]{1,200}?(?<![A-Za-z0-9/+])(?<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/g,
    accept: (value) => isRandom(value) && entropyOf(value) > 4 && !/^[0-9a-f]+$/i.test(value),
  },
]

export const rules: readonly Rule[] = [
  ...tokenShapes.filter(({ isName }) => isName !== true).map(ruleOf),
  ...rulesWithoutPrefix,
  ...assignmentRules,
]
