// Commands and scripts that a call runs in turn.

import { literalArgument } from '../argument.ts'
import { endOfCommand } from '../programs/find.ts'
import { runnerOf, xargsUsage } from '../programs/runners.ts'
import { readArguments, type Call } from './call.ts'
import { gitCallOf } from './git-call.ts'
import { rootsOf } from './outputs.ts'

export const shells = /^(sh|bash|dash|zsh|ksh|ash|mksh|fish|tcsh|csh)$/

export type Inner =
  | { readonly words: readonly string[]; readonly env?: ReadonlyMap<string, string> }
  /** `args`: the script's `$1`, `$2` and so on. */
  | { readonly script: string; readonly args?: readonly string[] }

const scripts = (texts: readonly string[]): Inner[] => texts.map((script) => ({ script }))

/** A single word with spaces is a script: `nix-shell --command 'make test'`. */
const command = (words: readonly string[]): Inner[] =>
  words.length === 0 ? [] : words.length === 1 && /\s/.test(words[0] ?? '') ? scripts(words) : [{ words }]

/** Words after which a package manager does not run a program: `npm run exec`. */
const otherWork = /^(run|test|install|add|i|ci|remove)$/

/** Commands in the arguments of a runner. */
function ofRunner(name: string, args: readonly string[]): readonly Inner[] {
  const runner = runnerOf(name)
  if (runner === undefined) return []
  const { usage = '', own = 0, after, runs } = runner
  const options = runner.scripts?.split(' ') ?? []
  const at = after === undefined ? -1 : args.findIndex((arg) => after.split(' ').includes(arg))
  const before = args.slice(0, Math.max(at, 0)).filter((arg) => !arg.startsWith('-'))
  const words = args.slice(at + 1)
  const valued = `${usage} ${options.map((option) => `${option}=`).join(' ')}`
  const { operands, values } = readArguments(words, valued, runs === 'nothing' ? 'end' : 'first')
  const inOptions = scripts(values(...options))
  const rest = operands.slice(own)
  if (options.includes(rest[0] ?? '')) return scripts(rest.slice(1, 2))
  const isOther = after !== undefined && (at < 0 || before.length > 2 || before.some((word) => otherWork.test(word)))
  if (runs === 'nothing' || isOther || rest.length === 0) return inOptions
  if (runs !== undefined) return [...inOptions, ...scripts(runs === 'script' ? [rest.join(' ')] : rest)]
  // `mise exec node@20 -- PROGRAM`.
  const dashes = after === undefined ? -1 : words.indexOf('--')
  return [...inOptions, ...command(rest), ...(dashes > 0 ? command(words.slice(dashes + 1)) : [])]
}

/** `sh -c 'script' NAME ARGUMENT…`, or the script on its input. */
function ofShell({ args, input }: Call): readonly Inner[] {
  const { operands, has } = readArguments(args, '-o= -O= --rcfile= --init-file=', 'first')
  const [text = '', , ...more] = operands
  if (has('-c')) return [{ script: text, args: more }]
  const isInput = operands.length === 0 || has('-s') || /^(-|\/dev\/stdin)$/.test(text)
  return isInput && input.text !== undefined ? [{ script: input.text }] : []
}

const assignment = /^([A-Za-z_]\w*)=(.*)$/s

/** `env A=1 PROGRAM …`. */
function ofEnv({ args }: Call): readonly Inner[] {
  const { operands, values } = readArguments(args, '-u= --unset= -C= --chdir= -S= --split-string= -e= -f=', 'first')
  const first = operands.findIndex((word) => !assignment.test(word))
  const pairs = operands.slice(0, first).map((word) => /^([^=]*)=(.*)$/s.exec(word) ?? [])
  const env = new Map(pairs.map(([, name = '', value = '']) => [name, value]))
  return [...scripts(values('-S', '--split-string')), ...(first < 0 ? [] : [{ words: operands.slice(first), env }])]
}

const fill = (words: readonly string[], mark: string, values: readonly string[]): string[] =>
  words.flatMap((word) => (word.includes(mark) ? values.map((value) => word.replaceAll(mark, () => value)) : [word]))

/** xargs with the words of its input, or a placeholder name if they are unknown. */
function ofXargs({ args, input }: Call): readonly Inner[] {
  const { operands, values, has } = readArguments(args, `${xargsUsage} -J= -E= --replace=`, 'first')
  const mark = has('-i') ? '{}' : values('-I', '-J', '--replace')[0]
  const read = input.text?.split(/\s+/).filter((word) => word !== '') ?? input.paths ?? ['name']
  return operands.length === 0 ? [] : command(mark === undefined ? [...operands, ...read] : fill(operands, mark, read))
}

const ofFind = ({ args }: Call): readonly Inner[] =>
  args.flatMap((arg, at) => {
    if (!/^-(exec|ok)(dir)?$/.test(arg)) return []
    const end = endOfCommand(args.map(literalArgument), at)
    const paths = rootsOf(args).map((root) => `${root}/name`)
    const words = args.slice(at + 1, end < 0 ? undefined : end)
    return command(fill(words, '{}', paths))
  })

/** Settings of git whose value is a command. */
const gitPrograms =
  /^((core|sequence)\.(editor|pager|sshcommand|fsmonitor)|\w+\..*(external|textconv|driver|clean|smudge|program))$/i

function ofSetting(key: string, value: string): Inner[] {
  if (value.startsWith('!')) return scripts([value.slice(1)])
  return gitPrograms.test(key) ? scripts([value]) : /^alias\./i.test(key) ? scripts([`git ${value}`]) : []
}

function ofGit(call: Call): readonly Inner[] {
  const { sub, args, settings } = gitCallOf(call)
  const [key = '', value = ''] = readArguments(args, '-f= --file= --type=').operands.filter((word) => word !== 'set')
  return [
    ...settings.flatMap((each) => ofSetting(each.replace(/=.*$/s, ''), each.replace(/^[^=]*=/s, ''))),
    ...(sub === 'config' ? ofSetting(key, value) : []),
    ...ofRunner(`git-${sub}`, args),
  ]
}

/** Variables that name a program to start. */
const programVariables =
  /^(GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PAGER)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER)$/

const ofPrograms: readonly (readonly [programs: RegExp, inner: (call: Call) => readonly Inner[]])[] = [
  [shells, ofShell],
  [/^(env|cross-env|dotenv)$/, ofEnv],
  [/^xargs$/, ofXargs],
  [/^find$/, ofFind],
  [/^git$/, ofGit],
  [/^git-/, ({ name, args }) => [{ words: ['git', name.slice('git-'.length), ...args] }]],
  [/^trap$/, ({ args }) => (args.length > 1 ? scripts(args.slice(0, 1)) : [])],
  [/^alias$/, ({ args, env }) => scripts([...env.values(), ...args.map((arg) => arg.replace(/^[^=]*=?/s, ''))])],
  [/^/, ({ name, args }) => ofRunner(name, args)],
]

export const innerOf = (call: Call): readonly Inner[] => [
  ...scripts([...call.env].flatMap(([name, value]) => (programVariables.test(name) ? [value] : []))),
  ...(ofPrograms.find(([programs]) => programs.test(call.name))?.[1](call) ?? []),
]
