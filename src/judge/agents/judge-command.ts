// Judges the command of a shell tool. Apart from judge-call.ts, since the classifier is large and most calls are about
// files.

import { callsOf } from '../shell/calls.ts'
import { classifyCommand } from '../shell/classify.ts'
import type { SafetyEntry } from '../shell/registry.ts'
import { planModeRules, takesDecision } from './own-commands.ts'
import type { ToolCall } from './payload.ts'

export interface JudgedCommand {
  readonly reads: boolean
  /** In plan mode it passes too: it proposes plans, or runs what is approved. */
  readonly isOwn: boolean
  /** It would take a decision that is a person's. */
  readonly isDecision: boolean
  readonly why: string
  /** As the agent gave it; undefined: there is none. */
  readonly text: string | undefined
  /** The names of the programs that it calls. */
  readonly programs: readonly string[]
}

const commandKeys = ['command', 'cmd', 'CommandLine', 'script']
/** Which program runs the command, and with which variables: they may start others. */
const aroundKeys = ['shell', 'env', 'environment', 'environment_variables']
const isUsual = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^(\/(usr\/)?bin\/)?(ba|da|z|k)?sh$/.test(value)
    : value === null || (typeof value === 'object' && Object.keys(value).length === 0)
const directoryKeys = ['cwd', 'Cwd', 'workdir', 'working_directory', 'dir_path', 'directory']

export function judgeCommand(
  { tool, input, directories }: ToolCall,
  safety: readonly SafetyEntry[] = [],
): JudgedCommand {
  const judged = { reads: false, isOwn: false, isDecision: false, text: undefined, programs: [] }
  // Which one counts is up to the agent.
  const given = new Set(
    commandKeys.flatMap((key) => {
      const text = input[key]
      return text === undefined ? [] : [Array.isArray(text) ? wordsOf(text) : text]
    }),
  )
  const [command] = given
  if (typeof command !== 'string' || given.size > 1) {
    const isDecision = [...given].some((each) => typeof each === 'string' && takesDecision(each))
    return { ...judged, isDecision, why: `${tool} was called without a command, or with several` }
  }
  const around = aroundKeys.find((key) => input[key] !== undefined && !isUsual(input[key]))
  if (around !== undefined)
    return { ...judged, isDecision: takesDecision(command), why: `${tool} was called with ${around} of its own` }
  const directory = directoryKeys
    .map((key) => input[key])
    .find((each) => typeof each === 'string' && !['', '.', ...directories].includes(each))
  // As if it had been typed, so that the rules about `cd` apply.
  const whole = typeof directory === 'string' ? `cd ${quote(directory)} && ${command}` : command
  const { class: found, reason } = classifyCommand(whole, safety)
  const programs = callsOf(command).calls.map(({ program }) => program)
  if (found === 'READ') return { ...judged, text: command, programs, reads: true, why: reason }
  const inPlanMode = classifyCommand(whole, safety, planModeRules)
  return {
    reads: false,
    text: command,
    programs,
    isOwn: inPlanMode.class === 'READ',
    isDecision: takesDecision(command),
    why: inPlanMode.reason,
  }
}

const wordsOf = (words: readonly unknown[]): string | undefined =>
  words.every((word) => typeof word === 'string') ? words.map(quote).join(' ') : undefined
const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
