// Live progress on a terminal. Completed steps stay as lines; below them the running steps, each with its time and last
// lines of output, and the pending steps are redrawn.

import type { RunEvent } from '../../engine/run/events.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import { eventLines, failureLines } from './event-lines.ts'
import { fleetFrame } from './fleet-frame.ts'
import { pluralize, duration, elapsed, short } from '../../view/duration.ts'
import { clip, widthOf } from '../terminal/width.ts'
import { OutputLines, PlanPrefix, type Progress } from './progress.ts'
import type { Style } from './style.ts'

/** Replaces the last drawn text; `clear` removes it. */
export interface Canvas {
  (text: string): void
  clear(): void
}

interface Running {
  readonly label: string
  readonly since: number
  readonly output: OutputLines
  readonly tail: string[]
  /** Number of lines that were dropped from the tail. */
  gone: number
}

interface Pending {
  readonly plan: string
  readonly id: string
  readonly label: string
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

type ShownEvent = Exclude<RunEvent, { kind: 'output' }>

const tailLines = 5
/** Shown if the step fails. */
const tailKept = 20

export class LiveProgress implements Progress {
  readonly #options: Options
  readonly #prefix = new PlanPrefix()
  /** By plan and worker: each does one thing at a time. */
  readonly #running = new Map<string, Running>()
  /** Labels of steps that have run in the pool and are not committed yet. */
  readonly #ran = new Map<string, string>()
  #pending: Pending[] = []
  #fleet: Extract<RunEvent, { kind: 'fleet' }> | undefined
  /** How many repositories of the fleet had ended at the first event. */
  #fleetBefore = 0
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
    this.#running.clear()
    this.#ran.clear()
    this.#pending = []
    this.#fleet = undefined
    this.#keepTime()
    this.#erase()
  }

  /**
   * The lines that stay on the screen: one for a step that succeeded, and the last lines of output for one that failed.
   */
  #linesOf(event: ShownEvent): string[] {
    const style = this.#options.style()
    const running = this.#running.get(slotOf(event))
    switch (event.kind) {
      case 'step-started':
      case 'step-ran':
      case 'check':
        return []
      case 'step-done': {
        const label = this.#ran.get(stepKey(event)) ?? running?.label ?? event.step
        const facts = `${duration(event.durationMs)} ${short(event.commit)}`
        return [`${style.green(style.signs.done)} ${this.#line(label, facts, style)}`]
      }
      case 'step-failed': {
        const [first = '', ...rest] = failureLines(event, style)
        const all = [...(running?.tail ?? []), ...(running?.output.rest().map(({ line }) => line) ?? [])]
        const tail = all.slice(-tailKept)
        const left = (running?.gone ?? 0) + all.length - tail.length
        const gone = left === 0 ? [] : [style.dim(`${style.signs.more} ${pluralize(left, 'line')} before these`)]
        const shown = [...gone, ...tail.map((line) => clip(line, 500, style.signs.more))].map(
          (line) => `  ${style.dim('|')} ${line}`,
        )
        return [`${style.red(style.signs.failed)} ${running?.label ?? event.step}`, ...shown, `  ${first}`, ...rest]
      }
      default:
        return eventLines(event, style).map((line) => `${this.#prefix.of(event)}${line}`)
    }
  }

  /** Updates the running and pending steps. */
  #follow(event: ShownEvent): void {
    const slot = slotOf(event)
    switch (event.kind) {
      case 'plans-started':
        return this.#prefix.use()
      case 'run-started':
        this.#pending = this.#pending.filter(({ plan }) => plan !== event.plan)
        for (const [at, { id, title, status }] of event.steps.entries()) {
          if (status === 'done' || status === 'skipped') continue
          this.#pending.push({ plan: event.plan, id, label: this.#label(event, at + 1, { step: id, title }) })
        }
        return this.#stop(slot)
      case 'step-started': {
        this.#pending = this.#pending.filter(({ plan, id }) => plan !== (event.plan ?? '') || id !== event.step)
        const attempt = event.attempt > 1 ? ` (attempt ${event.attempt})` : ''
        return this.#begin(slot, `${this.#label(event, event.number, event)}${attempt}`)
      }
      case 'phase': {
        const step = event.step === undefined ? '' : `${escapeForTerminal(event.step)}: `
        return this.#begin(slot, `${this.#prefix.of(event)}${step}${event.name}: ${escapeForTerminal(event.command)}`)
      }
      case 'step-ran':
        this.#ran.set(stepKey(event), this.#running.get(slot)?.label ?? event.step)
        return this.#stop(slot)
      case 'fleet':
        if (this.#fleet === undefined) this.#fleetBefore = event.ended
        this.#fleet = event
        return
      case 'fleet-target':
      case 'check':
      case 'notice':
      case 'recovered':
        return
      case 'step-done':
        this.#ran.delete(stepKey(event))
        return this.#stop(slot)
      default:
        return this.#stop(slot)
    }
  }

  #begin(slot: string, label: string): void {
    this.#running.set(slot, { label, since: this.#options.clock(), output: new OutputLines(), tail: [], gone: 0 })
    this.#keepTime()
  }

  #stop(slot: string): void {
    this.#running.delete(slot)
    this.#keepTime()
  }

  #keepTime(): void {
    if (this.#running.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    this.#timer ??= setInterval(() => this.#draw(), 100).unref()
  }

  #takeOutput(event: Extract<RunEvent, { kind: 'output' }>): void {
    const running = this.#running.get(slotOf(event))
    if (running === undefined) return
    running.tail.push(...running.output.add(event))
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
    const style = this.#options.style()
    if (this.#fleet !== undefined)
      return fleetFrame(this.#fleet, this.#fleetBefore, style)
        .slice(0, Math.max(1, this.#options.rows() - 1))
        .join('\n')
    if (this.#running.size === 0) return ''
    const rows = this.#options.rows()
    const columns = style.columns === undefined ? undefined : style.columns - 5
    const most = Math.max(1, rows - 3)
    const lines = this.#runningLines(style, most)
    // As many pending steps as fit into the window, and the number of the others.
    const room = Math.max(0, Math.min(most - lines.length, 8))
    const shown = this.#pending.length <= room + 1 ? this.#pending : this.#pending.slice(0, room)
    for (const { label } of shown) lines.push(style.dim(`  ${clip(label, columns, style.signs.more)}`))
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

  /** One step has several lines of output, each of many at most one. */
  #runningLines(style: Style, most: number): string[] {
    const all = [...this.#running.values()]
    const shown = all.slice(0, Math.max(1, most - 1))
    const each = Math.min(all.length === 1 ? tailLines : 1, Math.floor((most - shown.length) / shown.length))
    const columns = style.columns === undefined ? undefined : style.columns - 5
    const lines = shown.flatMap((running) => {
      const passed = this.#options.clock() - running.since
      const sign = style.signs.turning[Math.floor(passed / 100) % style.signs.turning.length] ?? ''
      const output = [...running.tail, ...running.output.peek().map(({ line }) => line)]
      const tail = each <= 0 ? [] : output.slice(-each)
      return [
        `${style.cyan(sign)} ${this.#line(running.label, elapsed(passed), style)}`,
        ...tail.map((line) => `  ${style.dim(`| ${clip(line.replaceAll('\t', '  '), columns, style.signs.more)}`)}`),
      ]
    })
    return all.length > shown.length ? [...lines, style.dim(`  and ${all.length - shown.length} more running`)] : lines
  }

  #label(event: ShownEvent & { total: number }, number: number, step: { step: string; title: string }): string {
    const name = `${escapeForTerminal(step.step)}: ${escapeForTerminal(step.title)}`
    return `${this.#prefix.of(event)}[${number}/${event.total}] ${name}`
  }

  /** A label and a fact; the label is shortened to fit. */
  #line(label: string, fact: string, style: Style): string {
    const room = style.columns === undefined ? undefined : Math.max(1, style.columns - widthOf(fact) - 5)
    return `${clip(label, room, style.signs.more)} ${style.dim(fact)}`
  }
}

const slotOf = ({ plan = '', worker = 0 }: RunEvent): string => `${plan} ${worker}`
const stepKey = ({ plan = '', step }: { readonly plan?: string; readonly step: string }): string => `${plan} ${step}`
