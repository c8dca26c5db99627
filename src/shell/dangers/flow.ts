// What a program puts out, as far as it matters to a shell that reads it, to a program that takes it for paths, or to somebody who should not see it.

import type { Call, Flow, Source } from './call.ts'
import { answerOf, pathsOf } from './answers.ts'
import { marks } from './marks.ts'
import { given } from './options.ts'

export const flow = (from: Source, text?: string): Flow => ({
  from: new Set([from]),
  ...(text === undefined ? {} : { text }),
})
export const nothing = flow('nothing')

/** Two commands one after the other. */
export const joined = (flows: readonly Flow[]): Flow => {
  if (flows.length === 1 && flows[0] !== undefined) return flows[0]
  const texts = flows.map(({ text }) => text)
  const isKnown = flows.length > 0 && texts.every((text) => text !== undefined)
  const paths = flows.flatMap((each) => each.paths ?? [])
  return {
    from: new Set(flows.flatMap(({ from }) => [...from])),
    ...(isKnown ? { text: texts.filter((text) => text !== '').join('\n') } : {}),
    ...(paths.length > 0 ? { paths: paths.slice(0, maxPaths) } : {}),
  }
}

const maxPaths = 100

/** A text that somebody wrote, and what stands in it of others. */
export const written = (text: string): Flow => ({
  from: new Set<Source>([
    'command',
    ...(text.includes(marks.network) ? (['network'] as const) : []),
    ...(text.includes(marks.decoded) ? (['decoded'] as const) : []),
    ...(text.includes(marks.file) ? (['file'] as const) : []),
  ]),
  text,
})

const network = new Set(
  'curl wget wget2 fetch http https xh aria2c axel lynx w3m elinks nc ncat netcat socat ssh telnet ftp lwp-request lwp-download GET rsh s_client'.split(
    ' ',
  ),
)
/** They put out files as they are. */
const dumping = new Set(
  'cat bat batcat tac nl head tail base64 base32 basenc xxd od hexdump gzip bzip2 xz zstd gunzip bunzip2 unxz unzstd zcat bzcat xzcat zstdcat tee pv strings sponge'.split(
    ' ',
  ),
)
/** They put out some of it, or all of it in another form. */
const filtering = new Set(
  'tr sed gsed awk gawk mawk grep egrep fgrep rg sort uniq cut rev iconv dos2unix envsubst jq yq perl paste fold fmt column xargs shuf'.split(
    ' ',
  ),
)

/** They put out nothing, if all goes well. */
const silent = new Set('cd : true false export unset local shift mkdir rm cp mv touch chmod ln sleep test ['.split(' '))

type Decoder = (args: readonly string[]) => boolean
const withDecode: Decoder = (args) => given(args).has('-d', '-D', '--decode', '-di')
const withCode: Decoder = (args) =>
  args.some((arg) => /b64decode|fromhex|unhexlify|\b(un)?pack\b|chr\(|fromCharCode|base64/.test(arg))

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
  age: (args) => given(args).has('-d', '--decrypt'),
  printf: (args) => args.some((arg) => escaped.test(arg)),
  echo: (args) => args.some((arg) => escaped.test(arg)),
  perl: withCode,
  python: withCode,
  python3: withCode,
  ruby: withCode,
  node: withCode,
}
/** Letters as numbers: `\x72`, `\162`. A single `\0` or `\033` is a separator or a colour. */
const escaped = /(\\x[0-9a-f]{1,2}){2}|(\\0?(1[0-7]{2}|[4-7]\d)){2}/i

const isStandardInput = (path: string): boolean => /^(-|\/dev\/stdin|\/(dev|proc\/self)\/fd\/0)$/.test(path)
/** What everybody may know of a repository, and many a command asks for. */
const isVersion = (path: string): boolean => /version|nvmrc|revision|digest|checksum/i.test(path)
const isSecret = (path: string): boolean =>
  /(^|\/)(\.env(?!\.(example|sample|template|dist))(\.[\w-]+)?|\.netrc|\.npmrc|\.pgpass|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519))$|\.(pem|key|p12|pfx|kdbx)$|secret|credential|passw|\/etc\/shadow|\.(ssh|aws|gnupg)\//i.test(
    path,
  ) && !path.endsWith('.pub')

/** What a program reads that opens this path. */
export function contentOf(path: string, { input, files, cwd }: Pick<Call, 'input' | 'files' | 'cwd'>): Flow {
  if (isStandardInput(path)) return input
  const known = files.holds(path, cwd)
  if (known !== undefined) return known
  if (/^\/dev\/(tcp|udp)\//.test(path)) return flow('network')
  return flow(isSecret(path) ? 'secret' : isVersion(path) ? 'command' : 'file')
}

const kept: ReadonlySet<Source> = new Set(['network', 'decoded', 'secret'])
const keptOf = (flows: readonly Flow[]): Source[] =>
  flows.flatMap(({ from }) => [...from].filter((each) => kept.has(each)))

export function outputOf(call: Call): Flow {
  const { name, args, input } = call
  const decodes = Object.hasOwn(decoders, name) ? decoders[name] : undefined
  const isDecoded = decodes?.(args) === true
  if (network.has(name) || (name === 'gh' && args[0] === 'api') || (name === 'openssl' && args[0] === 's_client'))
    return flow('network')
  if ((name === 'echo' || name === 'printf') && !isDecoded)
    return written(
      name === 'echo' ? args.filter((arg, at) => at > 0 || !/^-[neE]+$/.test(arg)).join(' ') : printed(args),
    )
  if (silent.has(name)) return flow('command', '')
  if (name === 'tar' && /^(-?[a-zA-Z]*c|--create)/.test(args[0] ?? '')) return flow('file')
  const known = answerOf(call)
  if (known !== undefined) return written(known)
  if (name === 'env' || name === 'printenv' || (['declare', 'set'].includes(name) && args.every((arg) => arg === '-p')))
    return flow('secret')
  const paths = pathsOf(call)
  if (paths !== undefined) return { from: new Set(['command']), paths }
  const isDumped = dumping.has(name)
  const operands = isDumped || filtering.has(name) || isDecoded ? given(args, '-n -c -w -s -l -e -f').operands : []
  if (isDecoded)
    return { from: new Set<Source>(['decoded', ...keptOf([input, ...operands.map((path) => contentOf(path, call))])]) }
  if (isDumped)
    return operands.length === 0 || name === 'tee' || name === 'sponge'
      ? input
      : joined(operands.map((path) => contentOf(path, call)))
  if (filtering.has(name) && operands.length === 0 && args.every((arg) => /^-[a-zA-Z0-9-]*$/.test(arg))) return input
  const from = new Set<Source>([...keptOf([input, ...operands.map((path) => contentOf(path, call))]), 'command'])
  return {
    from,
    ...(filtering.has(name) && input.paths !== undefined
      ? { paths: input.paths.map((path) => path.replaceAll(marks.glob, marks.some)) }
      : {}),
  }
}

const printed = ([format = '', ...values]: readonly string[]): string => {
  const places = [...format.matchAll(/%[sbq]/g)].length
  // The format is used again until nothing is left.
  const times = places === 0 ? 1 : Math.min(Math.max(Math.ceil(values.length / places), 1), 100)
  let next = 0
  return format
    .repeat(times)
    .replace(/%[sbq]/g, () => values[next++] ?? '')
    .replaceAll('\\n', '\n')
}

const isElsewhere = (path: string): boolean => /^(\/|\.\.|\u{E005})/u.test(path)

/** What a substitution becomes in a word. */
export function textOfFlow({ from, text, paths = [] }: Flow): string {
  if (text !== undefined) return text.replace(/\n+$/, '')
  if (from.has('network')) return marks.network
  if (from.has('decoded')) return marks.decoded
  if (paths.some(isElsewhere)) return paths.join('\n').replaceAll(marks.glob, marks.some)
  return from.has('secret') || from.has('file') ? marks.file : marks.output
}

/** One line of it, as `read` takes it. What is in a file of the repository is only names and numbers, for all we know. */
export function linesOf({ from, text, paths = [] }: Flow): string[] {
  if (text !== undefined) return [text.split('\n', 1)[0] ?? '']
  if (paths.length > 0) return paths.map((path) => path.replaceAll(marks.glob, marks.some))
  return [
    from.has('network')
      ? marks.network
      : from.has('decoded')
        ? marks.decoded
        : from.has('secret')
          ? marks.file
          : marks.variable,
  ]
}
