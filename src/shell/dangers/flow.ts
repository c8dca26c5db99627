// What a program puts out, as far as it matters to a shell that reads it.

import type { Call, Flow } from './call.ts'
import { marks } from './marks.ts'
import { given } from './options.ts'

type From = Flow['from'] extends ReadonlySet<infer Each> ? Each : never

export const flow = (from: From, text?: string): Flow => ({ from: new Set([from]), ...(text === undefined ? {} : { text }) })
export const nothing = flow('nothing')

/** Two commands one after the other. */
export const joined = (flows: readonly Flow[]): Flow => {
  const texts = flows.map(({ text }) => text)
  const isKnown = flows.length > 0 && texts.every((text) => text !== undefined)
  return { from: new Set(flows.flatMap(({ from }) => [...from])), ...(isKnown ? { text: texts.join('\n') } : {}) }
}

const network = new Set('curl wget wget2 fetch http https xh aria2c lynx w3m nc ncat netcat socat ssh telnet ftp lwp-request GET'.split(' '))
const passing = new Set(
  'tee gunzip zcat gzip bunzip2 bzip2 bzcat xz unxz xzcat zstd unzstd zstdcat tr sed awk gawk grep head tail sort uniq cut rev tac iconv dos2unix envsubst pv jq perl'.split(
    ' ',
  ),
)

type Decoder = (args: readonly string[], call: Call) => boolean
const withDecode: Decoder = (args) => given(args).has('-d', '-D', '--decode', '-di')

const decoders: Readonly<Record<string, Decoder>> = {
  base64: withDecode,
  base32: withDecode,
  basenc: withDecode,
  gbase64: withDecode,
  uudecode: () => true,
  rev: () => true,
  // rot13: a range that does not begin where the other one does.
  tr: ([from = '', to = '']) => /^\[?[A-Za-z]-[A-Za-z]/.test(from) && /^\[?([b-zB-Z])-/.test(to),
  xxd: (args) => given(args).has('-r', '--revert'),
  openssl: (args) => given(args).has('-d', '-decrypt') || args.includes('-d'),
  gpg: (args) => given(args).has('-d', '--decrypt'),
  printf: (args) => args.some((arg) => escaped.test(arg)),
  echo: (args) => args.some((arg) => escaped.test(arg)),
  perl: (args) => args.some((arg) => /\b(un)?pack\b|chr\(/.test(arg)),
  python: (args) => args.some((arg) => /b64decode|fromhex|chr\(/.test(arg)),
  python3: (args) => args.some((arg) => /b64decode|fromhex|chr\(/.test(arg)),
}
/** Letters as numbers: `\x72`, `\162`. A single `\0` or `\033` is a separator or a colour. */
const escaped = /(\\x[0-9a-f]{1,2}){2}|(\\0?(1[0-7]{2}|[4-7]\d)){2}/i

export function outputOf(call: Call): Flow {
  const { name, args, input } = call
  const decodes = Object.hasOwn(decoders, name) ? decoders[name] : undefined
  if (decodes?.(args, call) === true) return { from: new Set(['decoded', ...(input.from.has('network') ? (['network'] as const) : [])]) }
  if (network.has(name) || (name === 'gh' && args[0] === 'api')) return flow('network')
  if (name === 'echo') return flow('command', args.filter((arg, at) => at > 0 || !/^-[neE]+$/.test(arg)).join(' '))
  if (name === 'printf') return flow('command', printed(args))
  const known = Object.hasOwn(answers, name) ? answers[name]?.(args) : undefined
  if (known !== undefined) return flow('command', known)
  if (name === 'cat') return args.some((arg) => arg !== '-') ? (args.some((arg) => arg.includes(marks.network)) ? flow('network') : flow('file')) : input
  if (passing.has(name)) return args.some((arg) => !arg.startsWith('-')) && name !== 'tee' ? { from: new Set([...input.from, 'command']) } : input
  return { from: new Set([...[...input.from].filter((each) => each === 'network' || each === 'decoded'), 'command']) }
}

/** What is known well enough of an answer to say where a path lies, or which program is meant. */
const answers: Readonly<Record<string, (args: readonly string[]) => string | undefined>> = {
  pwd: () => '.',
  mktemp: (args) => (args.some((arg) => arg.startsWith('/') && !arg.startsWith('/tmp/')) ? undefined : `/tmp/${marks.some}`),
  git: (args) => (args.includes('--show-toplevel') ? '.' : args.includes('--git-dir') ? '.git' : undefined),
  which: ([program]) => program,
  command: ([flag, program]) => (/^-[vV]$/.test(flag ?? '') ? program : undefined),
  basename: () => marks.some,
  date: () => marks.some,
  nproc: () => marks.some,
  uname: () => marks.some,
  whoami: () => marks.some,
  dirname: ([path]) => (path === undefined || path.startsWith('/') ? undefined : marks.some),
}

const printed = ([format = '', ...values]: readonly string[]): string => {
  let next = 0
  const text = format.replace(/%[sbq]/g, () => values[next++] ?? '')
  return (next === 0 && values.length > 0 ? format : text).replaceAll('\\n', '\n')
}

/** What a substitution becomes in a word. */
export function textOfFlow({ from, text }: Flow): string {
  if (text !== undefined) return text.replace(/\n+$/, '')
  return from.has('network') ? marks.network : from.has('decoded') ? marks.decoded : marks.output
}
