// The events of a run as lines for people. Text that we did not write is escaped.

import { escapeForTerminal } from '../plan/display.ts'
import type { RunEvent } from '../run/events.ts'
import { duration, short } from './print/duration.ts'
import type { Style } from './style.ts'

export function eventLines(event: Exclude<RunEvent, { kind: 'output' }>, style: Style): string[] {
  const safe = (text: string): string => escapeForTerminal(text)
  const lines = foldedText
  switch (event.kind) {
    case 'run-started':
      return [`${style.bold(safe(event.title))} (${safe(event.plan)}), ${event.done} of ${event.total} steps done, in ${safe(event.where)}`]
    case 'recovered':
      return [`${style.yellow('recovered:')} ${lines(event.what)}`]
    case 'notice':
      return [`${style.yellow('note:')} ${lines(event.message)}`, ...(event.hint === undefined ? [] : [`  ${style.bold('Hint:')} ${lines(event.hint)}`])]
    case 'phase':
      return [`${event.step === undefined ? '' : `${safe(event.step)}: `}${event.name}: ${safe(event.command)}`]
    case 'step-started':
      return [`[${event.number}/${event.total}] ${style.bold(safe(event.step))}: ${safe(event.title)}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ''}`]
    case 'check':
      return [
        `  ${event.ok ? style.green(style.signs.done) : style.red(style.signs.failed)} ${safe(event.name)}${event.detail === undefined ? '' : `: ${lines(event.detail)}`}`,
      ]
    case 'step-done':
      return [`${style.green(style.signs.done)} done in ${duration(event.durationMs)} ${style.dim(short(event.commit))}`]
    case 'step-failed':
      return failureLines(event, style).map((line, at) => (at === 0 ? `${style.red(style.signs.failed)} ${line}` : line))
    case 'step-skipped':
      return [`${style.yellow(style.signs.skipped)} ${safe(event.step)} skipped ${style.dim(short(event.commit))}`]
    case 'step-waiting':
      return [
        `${style.yellow(style.signs.waiting)} ${safe(event.step)} waits for ${event.for === 'pause' ? 'you to go on' : `a ${event.for}`}: ${lines(event.message)}`,
      ]
    case 'step-unknown':
      return [`${style.yellow(style.signs.unknown)} ${safe(event.step)}: nobody knows whether it happened: ${lines(event.message)}`]
    case 'rolled-back':
      return [`rolled back to ${safe(event.to)}`]
    case 'run-ended':
      return [
        `${event.status === 'completed' ? style.green(event.status) : event.status === 'failed' ? style.red(event.status) : style.yellow(event.status)}: ${event.done} of ${event.total} steps done ${style.dim(short(event.tip))}`,
      ]
  }
}

export function failureLines(event: Extract<RunEvent, { kind: 'step-failed' }>, style: Style): string[] {
  const [step, saved] = [escapeForTerminal(event.step), escapeForTerminal(event.saved ?? '')]
  return [
    `${event.status === 'timeout' ? 'timed out' : 'failed'}: ${foldedText(event.message)} ${style.dim(`(after ${duration(event.durationMs)})`)}`,
    ...(saved === '' ? [] : [`  what it left is saved as ${saved}`, `  git plan attempts ${saved.split('/')[2] ?? ''} --show ${step} ${event.attempt}`]),
    ...(event.retrying ? ['  trying again'] : []),
  ]
}

/** Text of others below the first line gets a mark: a line of its own could pass for one of ours, or for a command to the program that collects these lines. */
export const foldedText = (text: string): string => escapeForTerminal(text.trimEnd(), { multiline: true }).replaceAll('\n', '\n  | ')

/** Of what a carriage return overwrote, only the last is left, as on a terminal. */
export function outputText(line: string): string {
  const shown = line.replace(/\r+$/, '').split('\r').at(-1) ?? ''
  return escapeForTerminal(withoutColours(shown), { multiline: true })
}

// oxlint-disable-next-line no-control-regex -- colours begin with one
const withoutColours = (text: string): string => text.replace(/\u001b\[[0-9;]*[mK]/g, '')
