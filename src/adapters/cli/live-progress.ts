// Live progress on a terminal. Completed steps stay as lines; below them the running step, with its time and its last
// lines of output, and the pending steps are redrawn.

import type { RunEvent } from '../../engine/run/events.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import { eventLines, failureLines } from './event-lines.ts'
import { pluralize, duration, elapsed, short } from './print/duration.ts'
import { clip, widthOf } from './print/width.ts'
import { OutputLines, type Progress } from './progress.ts'
import type { Style } from './style.ts'

/** Replaces the last drawn text; `clear` removes it. */
export interface Canvas {
  (text: string): void
  clear(): void
}

interface Running {
  readonly label: string
  readonly since: number
  readonly tail: string[]
  /** Number of lines that were dropped from the tail. */
  gone: number
}

interface Options {
  /** Called for each frame, since the window may be resized. */
  style(): Style
  readonly rows: () => number
  readonly write: (text: string) => void
  readonly canvas: Canvas
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
}

const tailLines = 5
/** Shown if the step fails. */
const tailKept = 20

export class LiveProgress implements Progress {
  readonly #options: Options
  readonly #output = new OutputLines()
  #running: Running | undefined
  #pending: { readonly id: string; readonly title: string; readonly number: number }[] = []
  #total = 0
  #timer: NodeJS.Timeout | undefined
  #drawn = false

  constructor(options: Options) {
    this.#options = options
  }

  show(event: RunEvent): void {
    if (event.kind === 'output') return this.#takeOutput(event)
    const lines = this.#linesOf(event)
    this.#erase()
    for (const line of lines) this.#options.write(`${line}\n`)
    this.#follow(event)
    this.#draw()
  }

  write(text: string): void {
    this.#erase()
    this.#options.write(text)
    this.#draw()
  }

  end(): void {
    this.#stop()
    this.#pending = []
    this.#erase()
  }

  /**
   * The lines that stay on the screen: one for a step that succeeded, and the last lines of output for one that failed.
   */
  #linesOf(event: Exclude<RunEvent, { kind: 'output' }>): string[] {
    const style = this.#options.style()
    const running = this.#running
    switch (event.kind) {
      case 'step-started':
      case 'check':
        return []
      case 'step-done':
        return [
          `${style.green(style.signs.done)} ${this.#line(running?.label ?? event.step, `${duration(event.durationMs)} ${short(event.commit)}`, style)}`,
        ]
      case 'step-failed': {
        const [first = '', ...rest] = failureLines(event, style)
        const all = [...(running?.tail ?? []), ...this.#output.rest().map(({ line }) => line)]
        const tail = all.slice(-tailKept)
        const left = (running?.gone ?? 0) + all.length - tail.length
        const gone = left === 0 ? [] : [style.dim(`${style.signs.more} ${pluralize(left, 'line')} before these`)]
        const shown = [...gone, ...tail.map((line) => clip(line, 500, style.signs.more))].map(
          (line) => `  ${style.dim('|')} ${line}`,
        )
        return [`${style.red(style.signs.failed)} ${running?.label ?? event.step}`, ...shown, `  ${first}`, ...rest]
      }
      default:
        return eventLines(event, style)
    }
  }

  /** Updates the running and pending steps. */
  #follow(event: Exclude<RunEvent, { kind: 'output' }>): void {
    switch (event.kind) {
      case 'run-started':
        this.#total = event.total
        this.#pending = event.steps.flatMap(({ id, title, status }, at) =>
          status === 'done' || status === 'skipped' ? [] : [{ id, title, number: at + 1 }],
        )
        return this.#stop()
      case 'step-started':
        this.#pending = this.#pending.filter(({ id }) => id !== event.step)
        return this.#begin(
          `${this.#labelOf({ id: event.step, title: event.title, number: event.number }, event.total)}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ''}`,
        )
      case 'phase':
        return this.#begin(
          `${event.step === undefined ? '' : `${escapeForTerminal(event.step)}: `}${event.name}: ${escapeForTerminal(event.command)}`,
        )
      case 'check':
      case 'notice':
      case 'recovered':
        return
      default:
        return this.#stop()
    }
  }

  #begin(label: string): void {
    this.#stop()
    this.#running = { label, since: this.#options.clock(), tail: [], gone: 0 }
    this.#timer = setInterval(() => this.#draw(), 100)
    this.#timer.unref()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#running = undefined
    this.#output.rest()
  }

  #takeOutput(event: Extract<RunEvent, { kind: 'output' }>): void {
    const running = this.#running
    const lines = this.#output.add(event)
    if (running === undefined) return
    for (const line of lines) running.tail.push(line)
    running.gone += running.tail.splice(0, running.tail.length - tailKept).length
  }

  #erase(): void {
    if (this.#drawn) this.#options.canvas.clear()
    this.#drawn = false
  }

  #draw(): void {
    const frame = this.#frame()
    if (frame === '') return this.#erase()
    this.#options.canvas(frame)
    this.#drawn = true
  }

  #frame(): string {
    const running = this.#running
    if (running === undefined) return ''
    const style = this.#options.style()
    const rows = this.#options.rows()
    const passed = this.#options.clock() - running.since
    const sign = style.signs.turning[Math.floor(passed / 100) % style.signs.turning.length] ?? ''
    const columns = style.columns === undefined ? undefined : style.columns - 5
    const tail = [...running.tail, ...this.#output.peek().map(({ line }) => line)].slice(
      -Math.min(tailLines, Math.max(0, rows - 4)),
    )
    const lines = [
      `${style.cyan(sign)} ${this.#line(running.label, elapsed(passed), style)}`,
      ...tail.map((line) => `  ${style.dim(`| ${clip(line.replaceAll('\t', '  '), columns, style.signs.more)}`)}`),
    ]
    // As many pending steps as fit into the window, and the number of the others.
    const room = Math.max(0, Math.min(rows - lines.length - 3, 8))
    const shown = this.#pending.length <= room + 1 ? this.#pending : this.#pending.slice(0, room)
    for (const step of shown)
      lines.push(style.dim(`  ${clip(this.#labelOf(step, this.#total), columns, style.signs.more)}`))
    if (shown.length < this.#pending.length)
      lines.push(
        style.dim(
          clip(
            `  and ${this.#pending.length - shown.length} more`,
            columns === undefined ? undefined : columns + 4,
            style.signs.more,
          ),
        ),
      )
    return lines.join('\n')
  }

  #labelOf(step: { id: string; title: string; number: number }, total: number): string {
    return `[${step.number}/${total}] ${escapeForTerminal(step.id)}: ${escapeForTerminal(step.title)}`
  }

  /** A label and a fact; the label is shortened to fit. */
  #line(label: string, fact: string, style: Style): string {
    const room = style.columns === undefined ? undefined : Math.max(1, style.columns - widthOf(fact) - 5)
    return `${clip(label, room, style.signs.more)} ${style.dim(fact)}`
  }
}
