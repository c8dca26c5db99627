// The events of a run as lines of text. Text from plans, commands and commits is escaped.

import { escapeForTerminal } from '../../plan/text/display.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import { duration, short } from '../../view/duration.ts'
import { findingLines } from './print/findings.ts'
import type { Style } from './style.ts'

export function eventLines(event: Exclude<RunEvent, { kind: 'output' }>, style: Style): string[] {
  const safe = (text: string): string => escapeForTerminal(text)
  const lines = prefixContinuations
  switch (event.kind) {
    case 'run-started':
      return [
        `${style.bold(safe(event.title))} (${safe(event.plan)}), ${event.done} of ${event.total} steps done, in ${safe(event.where)}`,
      ]
    case 'plans-started':
      return []
    case 'recovered':
      return [`${style.yellow('recovered:')} ${lines(event.what)}`]
    case 'notice':
      return [
        `${style.yellow('note:')} ${lines(event.message)}`,
        ...(event.hint === undefined ? [] : [`  ${style.bold('Hint:')} ${indentContinuations(event.hint)}`]),
      ]
    case 'warnings':
      return findingLines(event.findings, style)
    case 'phase':
      // The result of a check names it.
      if (event.name === 'verify') return []
      return [`${event.step === undefined ? '' : `${safe(event.step)}: `}${event.name}: ${safe(event.command)}`]
    case 'step-started':
      return [
        `[${event.number}/${event.total}] ${style.bold(safe(event.step))}: ${safe(event.title)}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ''}`,
      ]
    case 'check':
      // The failure of the step, or the result of the run, says which check failed.
      return event.ok
        ? [
            `  ${style.green(style.signs.done)} ${inPool(event)}${safe(event.name)}${event.detail === undefined ? '' : `: ${safe(event.detail)}`}`,
          ]
        : []
    case 'step-ran':
      return [`${style.green(style.signs.done)} ${inPool(event)}${doneText(event).replace('done', 'ran')}`]
    case 'step-done':
      return [
        event.integrated === true
          ? `${style.green(style.signs.done)} ${safe(event.step)}: committed ${style.dim(short(event.commit))}`
          : `${style.green(style.signs.done)} ${doneText(event)} ${style.dim(short(event.commit))}`,
      ]
    case 'step-failed':
      return failureLines(event, style).map((line, at) =>
        at === 0 ? `${style.red(style.signs.failed)} ${inPool(event)}${line}` : line,
      )
    case 'step-skipped':
      return [`${style.yellow(style.signs.skipped)} ${safe(event.step)} skipped ${style.dim(short(event.commit))}`]
    case 'step-waiting':
      return [`${style.yellow(style.signs.waiting)} ${safe(event.step)}: ${lines(event.message)}`]
    case 'step-unknown':
      // The error that follows says so.
      return []
    case 'rolled-back':
      return [`rolled back to ${safe(event.to)}`]
    case 'notification':
      // For the terminal itself; see terminal-signals.ts.
      return []
    case 'fleet-target': {
      const sign = targetSigns[event.state] ?? 'waiting'
      const at = event.step === null ? '' : ` at ${safe(event.step)}`
      const line = event.line === null ? '' : `: ${lines(event.line)}`
      return [
        `[${event.ended}/${event.total}] ${signColors[sign](style)(style.signs[sign])} ${safe(event.address)} ${event.state}${at}${line}`,
      ]
    }
    case 'fleet':
    case 'run-ended':
      // The result of the command says so.
      return []
  }
}

const signColors = {
  done: (style: Style) => style.green,
  failed: (style: Style) => style.red,
  waiting: (style: Style) => style.yellow,
} as const

const targetSigns: Readonly<Record<string, keyof typeof signColors>> = {
  completed: 'done',
  merged: 'done',
  failed: 'failed',
  refused: 'failed',
  parked: 'failed',
  unreachable: 'failed',
}

const doneText = ({ durationMs, replayed }: Extract<RunEvent, { kind: 'step-done' | 'step-ran' }>): string =>
  replayed === undefined ? `done in ${duration(durationMs)}` : `replayed from ${short(replayed)}, not run`

/** Steps that run side by side are named in each of their lines. */
const inPool = ({ worker, step }: { readonly worker?: number; readonly step: string }): string =>
  worker === undefined ? '' : `${escapeForTerminal(step)}: `

export function failureLines(event: Extract<RunEvent, { kind: 'step-failed' }>, style: Style): string[] {
  const saved = escapeForTerminal(event.saved ?? '')
  return [
    `${event.allowed ? 'failed, allowed: ' : event.status === 'timeout' ? '' : 'failed: '}${prefixContinuations(event.message)} ${style.dim(`(${duration(event.durationMs)})`)}`,
    ...(saved === '' || !event.changed ? [] : [`  its changes are saved in ${saved}`]),
    ...(event.retrying ? ['  retrying'] : event.advice === undefined ? [] : [`  ${escapeForTerminal(event.advice)}`]),
  ]
}

/**
 * Prefixes all lines but the first: untrusted text on its own line could pass for a message of git plan, or for a
 * command to a log collector.
 */
export const prefixContinuations = (text: string): string =>
  escapeForTerminal(text.trimEnd(), { multiline: true }).replaceAll('\n', '\n  | ')

/** Aligns the commands of a hint below each other. */
const indentContinuations = (hint: string): string =>
  escapeForTerminal(hint, { multiline: true }).replaceAll('\n', '\n        ')
