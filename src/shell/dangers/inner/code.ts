// Code of other languages in an argument: shell commands in it, where they are written as text.

import type { Call } from '../call.ts'
import { interpreters } from '../executed.ts'
import { command, script, type Inner, type Unwrap, type Unwraps } from './inner.ts'

/** The text that an interpreter is given: in its arguments, or on its input where it reads that. Without long gaps, which cost time and mean nothing. */
export const codeOf = ({ args, input }: Call): string =>
  [...args, ...(args.every((arg) => arg.startsWith('-')) ? [input.text ?? ''] : [])]
    .join('\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\n\s*/g, '\n')

const starting =
  'system|popen|exec|execSync|execFileSync|execFile|spawn|spawnSync|check_call|check_output|run|call|getoutput|shell_exec|passthru|proc_open|execute|execvp|execlp|Popen|capture2e?|capture3'
/** `system("…")`, `system "…"`. */
const called = new RegExp(
  String.raw`\b(?:${starting})\b\s*\(?\s*(["'\`])((?:\\.|(?!\1)[^\\]){0,2000})\1(?=\s*[,)\]};]|\s*(?:$|\n|if\b|unless\b|or\b))`,
  'gs',
)
/** `run(["rm", "-rf", x])`, `spawnSync("rm", ["-rf", x])`, `system "rm", "-rf", x`. */
const listed = new RegExp(String.raw`\b(?:${starting})\b\s*\(?\s*(\[?\s*(?:["'][^"'\n]*["'])\s*,[^)\n;]*)`, 'g')
/** `exec qw(rm -rf x)`. */
const quotedWords = new RegExp(
  String.raw`\b(?:${starting})\b\s*\(?\s*qw\s*(?:\(([^)]{0,2000})\)|\{([^}]{0,2000})\}|\[([^\]]{0,2000})\]|([/|!])(.{0,2000}?)\4)`,
  'gs',
)
/** Quotes that run what is between them, in the languages that have them. */
const backquoted =
  /`([^`]{0,2000})`|(?:%x|\bqx)\s*(?:\{([^}]{0,2000})\}|\(([^)]{0,2000})\)|\[([^\]]{0,2000})\]|([/|!])(.{0,2000}?)\5)/gs
/** `print | "cmd"`, `"cmd" | getline`. */
const piped = /\|&?\s*"((?:\\.|[^"\\]){0,2000})"|"((?:\\.|[^"\\]){0,2000})"\s*\|&?\s*getline/g
/** `open(F, "| cmd")`, `open(F, "cmd |")`, `open("| cmd")`. */
const opened =
  /\bopen\b[^;\n"']{0,100}["'](?:[^"'\n]{0,20}["'],\s*["'])?(?:\|\s*([^"']{1,2000})|([^"']{1,2000}?)\s*\|)["']/g

const unescaped = (text: string): string => text.replace(/\\(["'`\\])/g, '$1')
const stringsIn = (text: string): string[] =>
  [...text.matchAll(/(["'])((?:\\.|(?!\1)[^\\]){0,2000})\1/gs)].map(([, , each = '']) => unescaped(each))

const all = (pattern: RegExp, text: string): Inner[] =>
  [...text.matchAll(pattern)].flatMap(([, ...groups]) =>
    script(groups.findLast((each) => each !== undefined && each.length > 1)),
  )

const code: Unwrap = (_, call) => {
  const text = codeOf(call)
  return [
    ...[...text.matchAll(called)].flatMap(([, , each = '']) => script(unescaped(each))),
    ...[...text.matchAll(listed)].flatMap(([, words = '']) => command(stringsIn(words))),
    ...[...text.matchAll(quotedWords)].flatMap((groups) =>
      command((groups.slice(1).findLast((each) => each !== undefined) ?? '').trim().split(/\s+/)),
    ),
  ]
}
const withBackquotes: Unwrap = (args, call) => [
  ...code(args, call),
  ...all(backquoted, codeOf(call)),
  ...all(opened, codeOf(call)),
]

const sedAddress = String.raw`(?:\d+|\$|\/(?:\\.|[^/\\])*\/[IM]*)`
const sedStart = String.raw`(?:^|[;{}\n])\s*(?:${sedAddress}(?:\s*,\s*[+~]?${sedAddress})?\s*!?\s*)?`
const sedReplacing = String.raw`s([/|,#@!:%+_~])(?:\\.|(?!\1)[^\\]){0,2000}\1(?:\\.|(?!\1)[^\\]){0,2000}\1[gpiImM0-9]*`
const running = new RegExp(String.raw`${sedStart}e(?:\s+([^\n]*)|(?=\s*(?:$|[;}\n])))`, 'g')
const replacingAndRunning = new RegExp(String.raw`${sedStart}${sedReplacing}e`, 's')
const writing = new RegExp(String.raw`${sedStart}(?:${sedReplacing})?[wW]\s+([^\s;}]+)`, 'gs')

const tight = (text: string): string => text.replace(/[^\S\n]+/g, ' ').replace(/[\s;{}]*([;{}\n])/g, '$1')

/** Commands that sed runs: those behind `e`; an empty one stands for what it reads. */
export const sedRuns = (args: readonly string[]): string[] =>
  args
    .map(tight)
    .flatMap((arg) => [
      ...[...arg.matchAll(running)].map(([, each]) => each ?? ''),
      ...(replacingAndRunning.test(arg) ? [''] : []),
    ])
/** Files that sed writes by `w`. */
export const sedWrites = (args: readonly string[]): string[] =>
  args.map(tight).flatMap((arg) => [...arg.matchAll(writing)].map(([, , path = '']) => path))

export const interpreted: Unwraps = {
  [interpreters]: code,
  'perl ruby php': withBackquotes,
  'awk gawk mawk nawk': (args, call) => [...code(args, call), ...all(piped, codeOf(call))],
  'sed gsed': (args) => sedRuns(args).flatMap((text) => script(text)),
}
