// What happens during a run, as plain lines on stderr: they read the same in a terminal, a log file and a pull request.

import { escapeForTerminal } from '../plan/display.ts'
import type { RunEvent } from '../run/events.ts'
import { duration, short } from './print/duration.ts'
import type { Style } from './style.ts'

/** Keeps the unfinished last line of each step's output until its end comes. */
export class Progress {
  readonly #style: Style
  readonly #write: (text: string) => void
  readonly #open = new Map<string, string>()

  constructor(options: { style: Style; write: (text: string) => void }) {
    this.#style = options.style
    this.#write = options.write
  }

  show(event: RunEvent): void {
    if (event.kind === 'output') {
      this.#output(event.step, event.stream, event.text)
      return
    }
    this.#flush()
    for (const line of eventLines(event, this.#style)) this.#write(`${line}\n`)
  }

  end(): void {
    this.#flush()
  }

  #output(step: string, stream: string, text: string): void {
    const key = `${step}\0${stream}`
    const lines = `${this.#open.get(key) ?? ''}${text}`.split('\n')
    const rest = lines.pop() ?? ''
    // A program that draws with carriage returns never ends its line: show what there is before it grows without end.
    const isLong = rest.length > 4096
    for (const line of isLong ? [...lines, rest] : lines) this.#write(`${outputLine(step, line)}\n`)
    this.#open.set(key, isLong ? '' : rest)
  }

  #flush(): void {
    for (const [key, text] of this.#open) if (text !== '') this.#write(`${outputLine(key.split('\0')[0] ?? '', text)}\n`)
    this.#open.clear()
  }
}

/** Of what a carriage return overwrote, only the last is left, as on a terminal. */
function outputLine(step: string, line: string): string {
  const shown = line.replace(/\r+$/, '').split('\r').at(-1) ?? ''
  return `  ${escapeForTerminal(step)} | ${escapeForTerminal(withoutColours(shown)).replaceAll('\\t', '\t')}`
}

// oxlint-disable-next-line no-control-regex -- colours begin with one
const withoutColours = (text: string): string => text.replace(/\u001b\[[0-9;]*[mK]/g, '')

function eventLines(event: Exclude<RunEvent, { kind: 'output' }>, style: Style): string[] {
  const safe = (text: string): string => escapeForTerminal(text)
  const lines = (text: string): string => escapeForTerminal(text, { multiline: true })
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
      return [`  ${event.ok ? style.green('✓') : style.red('✗')} ${safe(event.name)}${event.detail === undefined ? '' : `: ${lines(event.detail)}`}`]
    case 'step-done':
      return [`${style.green('✓')} done in ${duration(event.durationMs)} ${style.dim(short(event.commit))}`]
    case 'step-failed':
      return [
        `${style.red('✗')} ${event.status === 'timeout' ? 'timed out' : 'failed'}: ${lines(event.message)} ${style.dim(`(after ${duration(event.durationMs)})`)}`,
        ...(event.saved === undefined
          ? []
          : [
              `  what it left is saved as ${safe(event.saved)}: git plan attempts ${safe(event.saved.split('/')[2] ?? '')} --show ${safe(event.step)} ${event.attempt}`,
            ]),
        ...(event.retrying ? ['  trying again'] : []),
      ]
    case 'step-skipped':
      return [`${style.yellow('-')} ${safe(event.step)} skipped ${style.dim(short(event.commit))}`]
    case 'step-waiting':
      return [`${style.yellow('‖')} ${safe(event.step)} waits for ${event.for === 'pause' ? 'you to go on' : `a ${event.for}`}: ${lines(event.message)}`]
    case 'step-unknown':
      return [`${style.yellow('?')} ${safe(event.step)}: nobody knows whether it happened: ${lines(event.message)}`]
    case 'rolled-back':
      return [`rolled back to ${safe(event.to)}`]
    case 'run-ended':
      return [
        `${event.status === 'completed' ? style.green(event.status) : event.status === 'failed' ? style.red(event.status) : style.yellow(event.status)}: ${event.done} of ${event.total} steps done ${style.dim(short(event.tip))}`,
      ]
  }
}
