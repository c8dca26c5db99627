// Reads the events that an agent prints, as its preset says, into a report. Nothing in it is trusted.

import { isRecord, isSession } from '../model/claim.ts'
import type { AgentPreset, Place } from './presets.ts'

export interface AgentReport {
  /** The last thing that it said. */
  readonly text: string
  readonly turns: number | undefined
  readonly costUsd: number | undefined
  readonly session: string | undefined
  readonly denied: readonly string[]
  /** Why it failed, in its own words. */
  readonly failure: string | undefined
  /** The end of what it printed that is not an event, such as errors of its launcher. */
  readonly stray: string
}

/** A longer line is not an event. */
const mostLine = 8 * 1024 * 1024
const mostText = 512 * 1024
const mostStray = 4096

export class EventReader {
  readonly #events: AgentPreset['events']
  #rest = ''
  #isTooLong = false
  #tail = ''
  #text = ''
  readonly #turns = new Set<unknown>()
  #turnCount: number | undefined
  #cost: number | undefined
  #session: string | undefined
  readonly #denied = new Set<string>()
  readonly #calls = new Map<unknown, string>()
  #failure: string | undefined
  #stray = ''
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }

  readonly #onText: (text: string) => void

  /** `onText` gets what the agent says, as it says it. */
  constructor(preset: Pick<AgentPreset, 'events'>, onText: (text: string) => void = () => {}) {
    this.#events = preset.events
    this.#onText = onText
  }

  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void {
    const text = this.#decoders[stream].decode(chunk, { stream: true })
    if (stream === 'stderr') {
      const denied = this.#events?.deniedLine
      if (denied !== undefined && denied.test(text)) this.#denied.add('a tool')
      this.#keepStray(text)
      return
    }
    if (this.#events === undefined) {
      this.#tail = `${this.#tail}${text}`.slice(-mostText)
      return
    }
    // Only line feeds end a line: other separators may be part of a text.
    const lines = text.split('\n')
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.#endLine()
      if (this.#rest.length + line.length > mostLine) this.#isTooLong = true
      else this.#rest += line
    }
  }

  get turns(): number {
    return this.#turns.size
  }

  get cost(): number {
    return this.#cost ?? 0
  }

  report(): AgentReport {
    this.#endLine()
    if (this.#events?.isDelta === true && this.#text !== '' && !this.#text.endsWith('\n')) this.#onText('\n')
    return {
      text: this.#events === undefined ? this.#tail.trim() : this.#text,
      turns: this.#turnCount ?? (this.#turns.size === 0 ? undefined : this.#turns.size),
      costUsd: this.#cost,
      session: this.#session,
      denied: [...this.#denied],
      failure: this.#failure,
      stray: this.#stray.trim(),
    }
  }

  #endLine(): void {
    const line = this.#isTooLong ? '' : this.#rest.trim()
    this.#rest = ''
    this.#isTooLong = false
    if (!line.startsWith('{')) return this.#keepStray(`${line}\n`)
    try {
      const event: unknown = JSON.parse(line)
      if (isRecord(event)) this.#take(event)
    } catch {
      // Some agents print other lines between their events.
    }
  }

  #keepStray(text: string): void {
    if (text.trim() !== '') this.#stray = `${this.#stray}${text}`.slice(-mostStray)
  }

  #take(event: Readonly<Record<string, unknown>>): void {
    const events = this.#events
    if (events === undefined) return
    const texts = valuesAt(event, events.text).filter((value) => typeof value === 'string')
    if (texts.join('') !== '')
      this.#onText(events.isDelta === true ? texts.join('') : `${texts.join('\n').trimEnd()}\n`)
    if (events.isDelta === true) this.#text = `${this.#text}${texts.join('')}`.slice(-mostText)
    else if (texts.join('').trim() !== '') this.#text = texts.join('\n').slice(-mostText)
    for (const turn of valuesAt(event, events.turn)) this.#turns.add(turn)
    for (const count of valuesAt(event, events.turnCount)) if (typeof count === 'number') this.#turnCount = count
    for (const cost of valuesAt(event, events.cost))
      if (typeof cost === 'number' && Number.isFinite(cost))
        this.#cost = events.isCostTotal === true ? cost : (this.#cost ?? 0) + cost
    for (const session of valuesAt(event, events.session)) if (isSession(session)) this.#session ??= session
    for (const { when, id, name } of events.calls ?? []) {
      const [call] = valuesAt(event, [{ ...(when === undefined ? {} : { when }), at: id }])
      const [tool] = valuesOf(event, name)
      if (typeof tool === 'string') this.#calls.set(call, tool)
    }
    for (const name of valuesAt(event, events.denied))
      if (typeof name === 'string') this.#denied.add(this.#calls.get(name) ?? name)
    for (const why of valuesAt(event, events.failure))
      if (typeof why === 'string' && why !== '')
        this.#failure ??= why === 'complete' ? 'it did not reach its model' : why
  }
}

const valuesAt = (event: Readonly<Record<string, unknown>>, places: readonly Place[] = []): unknown[] =>
  places.flatMap(({ when = {}, at, matches }) => {
    const isMeant = Object.entries(when).every(([path, value]) => valuesOf(event, path).includes(value))
    if (!isMeant) return []
    if (matches !== undefined && !valuesOf(event, matches.at).some((value) => matches.pattern.test(String(value))))
      return []
    return valuesOf(event, at)
  })

/** `a.b[].c`: the values at this place. */
function valuesOf(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>(
    (found, part) => {
      const name = part.replace(/\[\]$/, '')
      const next = found.flatMap((each) => (isRecord(each) && Object.hasOwn(each, name) ? [each[name]] : []))
      return part.endsWith('[]')
        ? next.flatMap((each): unknown[] => (Array.isArray(each) ? (each as unknown[]) : []))
        : next
    },
    [value],
  )
}
