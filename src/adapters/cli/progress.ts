// Prints the progress of a run to stderr as plain lines, for pipes, log files and `--plain`. live-progress.ts is for
// terminals.

import type { RunEvent } from '../../engine/run/events.ts'
import { outputText } from '../terminal/output-text.ts'
import { eventLines } from './event-lines.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import type { Style } from './style.ts'

export interface Progress {
  show(event: RunEvent): void
  /** Other text for the same stream. */
  write(text: string): void
  /** Stops the display; `show` starts it again. */
  end(): void
}

export class PlainProgress implements Progress {
  readonly #style: Style
  readonly #write: (text: string) => void
  readonly #lines = new OutputLines()
  readonly #prefix = new PlanPrefix()
  /** The title of the last step that was shown. */
  #title: string | undefined

  constructor(options: { style: Style; write: (text: string) => void }) {
    this.#style = options.style
    this.#write = options.write
  }

  show(event: RunEvent): void {
    if (event.kind === 'output') {
      const step = `${this.#prefix.of(event)}${event.step}`
      for (const line of this.#lines.add({ ...event, step })) this.#put(step, line)
      return
    }
    if (event.kind === 'plans-started') this.#prefix.use()
    // The unfinished lines of other steps wait: these are still running.
    if (event.worker === undefined) this.end()
    // The title of a gate is its question.
    if (event.kind === 'step-waiting' && event.message === this.#title) return
    if (event.kind === 'step-started') this.#title = event.title
    for (const line of eventLines(event, this.#style)) this.#write(`${this.#prefix.of(event)}${line}\n`)
  }

  write(text: string): void {
    this.#write(text)
  }

  end(): void {
    for (const { step, line } of this.#lines.rest()) this.#put(step, line)
  }

  #put(step: string, line: string): void {
    this.#write(`  ${escapeForTerminal(step)} | ${line}\n`)
  }
}

/** If one command runs several plans, each line begins with the name of its plan. */
export class PlanPrefix {
  #isUsed = false

  use(): void {
    this.#isUsed = true
  }

  of({ plan }: RunEvent): string {
    return this.#isUsed && plan !== undefined ? `${escapeForTerminal(plan)} ` : ''
  }
}

/** Splits chunks of output into lines. Keeps the unfinished last line of each step and stream until it is complete. */
export class OutputLines {
  readonly #open = new Map<string, { step: string; text: string }>()

  add({ step, stream, text }: { readonly step: string; readonly stream: string; readonly text: string }): string[] {
    const key = `${step}\0${stream}`
    const lines = `${this.#open.get(key)?.text ?? ''}${text}`.split('\n')
    const rest = lines.pop() ?? ''
    // A program that redraws its line with carriage returns never ends it, so print it before it grows too long.
    const isLong = rest.length > 4096
    this.#open.set(key, { step, text: isLong ? '' : rest })
    return (isLong ? [...lines, rest] : lines).map(outputText)
  }

  /** The unfinished lines. */
  peek(): { step: string; line: string }[] {
    return [...this.#open.values()]
      .filter(({ text }) => text !== '')
      .map(({ step, text }) => ({ step, line: outputText(text) }))
  }

  rest(): { step: string; line: string }[] {
    const left = this.peek()
    this.#open.clear()
    return left
  }
}
