// The output of a program, as far as it matters to a shell or xargs after it.

import { baseName, nothing, readArguments, type Call, type Output, type Source } from './call.ts'
import { maxLine, unknown } from './marks.ts'

const fromNetwork = 'curl|wget|wget2|fetch|http|https|xh|aria2c|lynx|w3m|nc|ncat|netcat|socat|ssh|telnet|ftp'
const network = new RegExp(`^(${fromNetwork}|gh api|openssl s_client)( |$)`)
/** Programs that print files, or their input, unchanged. */
const printing = /^(cat|bat|tac|nl|head|tail|tee|sponge|pv|strings|gunzip|bunzip2|unxz|zcat|bzcat|xzcat)$/

/**
 * Matched against the whole call. `tr` with shifted ranges is rot13; `echo` and `printf` may spell letters as numbers:
 * `\x72`.
 */
const decoders = [
  /^base(64|32|nc) (.* )?(-\w*[dD]|--decode)/,
  /^xxd (.* )?-\w*r/,
  /^(openssl|gpg|age) (.* )?(-d|--decrypt)( |$)/,
  /^(rev|uudecode)\b/,
  /^tr \[?[A-Za-z]-[A-Za-z]\S* \[?[b-zB-Z]-/,
  /^(echo|printf) .*((\\x[0-9a-f]{1,2}){2}|(\\0?(1[0-7]{2}|[4-7]\d)){2})/is,
]

/** An unknown substitution that contains one of these programs. */
export const substitution = (programs: string): RegExp =>
  new RegExp(`[${unknown}<]\\((?:[^)]*[|;&(][\\s_]*|[\\s_]*)(?:${programs})`, 'u')
const networkText = substitution(`(?:${fromNetwork})\\s`)
const decodedText = substitution('base(?:64|32)\\s[^|)]*-(?:d|-dec)|xxd -r|openssl \\w+ -d|(?:gpg|age) -d|rev\\b')

/** Origin of a text, by the substitutions in it. */
export function sourceOfText(text: string): Source {
  const start = text.slice(0, maxLine)
  return networkText.test(start) ? 'network' : decodedText.test(start) ? 'decoded' : 'command'
}

/** Origin of the content of a file. */
export function sourceOfFile(path: string, fetched: Call['fetched']): Source {
  const source = /^\/dev\/(tcp|udp)\//.test(path) ? 'network' : sourceOfText(path)
  return source === 'command' ? (fetched.get(baseName(path)) ?? 'file') : source
}

const order: readonly Source[] = ['nothing', 'file', 'command', 'decoded', 'network']

/** Output of several commands: it has the worst of their origins. */
export function joinOutputs(all: readonly Output[]): Output {
  const outputs = all.filter((output) => output !== nothing)
  if (outputs.length <= 1) return outputs[0] ?? nothing
  const source = order.findLast((each) => outputs.some((output) => output.source === each)) ?? 'nothing'
  const texts = outputs.map(({ text }) => text)
  return texts.every((text) => text !== undefined) ? { source, text: texts.join('\n') } : { source }
}

/** True if tests of find exclude some files. */
export const isNarrow = (args: readonly string[]): boolean =>
  args.some((arg) => /^-(i?(name|path|wholename|regex)|empty|size|[acm](time|min)|newer.*|perm|user|group)$/.test(arg))

/** The directories that find searches. */
export function rootsOf(args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !/^-([HLPD]|O\d)$/.test(arg))
  const first = words.findIndex((arg) => /^[-(!]/.test(arg))
  return first === 0 || words.length === 0 ? ['.'] : words.slice(0, first < 0 ? undefined : first)
}

/** Paths that a program prints, one per line. */
function foundPaths(name: string, args: readonly string[]): readonly string[] {
  if (name === 'find') return rootsOf(args).map((root) => `${root}/${isNarrow(args) ? 'name' : '*'}`)
  if (name === 'locate') return ['/name']
  // The first operand of the search programs is a pattern.
  const at = /^(ls|du)$/.test(name) ? 0 : /^(fd|fdfind|[ef]?grep|rg|ag)$/.test(name) ? 1 : Infinity
  return readArguments(args)
    .operands.slice(at)
    .map((path) => `${path}/name`)
}

export function outputOf({ name, args, input, fetched }: Call): Output {
  const line = args.join(' ')
  const called = `${name} ${line}`.slice(0, maxLine)
  if (network.test(called)) return { source: 'network' }
  if (input.source === 'network' || input.source === 'decoded') return { source: input.source }
  if (decoders.some((decoder) => decoder.test(called))) return { source: 'decoded' }
  if (name === 'echo') return { source: sourceOfText(line), text: line.replace(/^-[neE]+ /, '') }
  if (name === 'printf') {
    const text = (args[0] ?? '').replace(/%[sbq]/g, () => args.slice(1).join(' ')).replaceAll('\\n', '\n')
    return { source: sourceOfText(line), text }
  }
  const { operands } = readArguments(args, '-n= -c=')
  if (printing.test(name) && (operands.length === 0 || name === 'tee' || name === 'sponge')) return input
  if (printing.test(name)) return joinOutputs(operands.map((path) => ({ source: sourceOfFile(path, fetched) })))
  const own = foundPaths(name, args)
  const paths = own.length > 0 ? own : (input.paths ?? []).map((path) => path.replaceAll('*', 'name'))
  return paths.length === 0 ? { source: 'command' } : { source: 'command', paths }
}
