// What an agent or a driver says about its own work. It is recorded next to the verdict of the executor, and never
// believed.

import { singleLine } from '../text/display.ts'

export interface Claim {
  /** Who says so: an agent, or the holder of a step that was handed out. */
  readonly by: string
  readonly summary: string
  readonly decisions: readonly string[]
  readonly questions: readonly string[]
  /** For the steps that need this one. */
  readonly notes: string
  /** Tools that it wanted to use and was denied. */
  readonly denied: readonly string[]
  readonly turns?: number
  readonly costUsd?: number
  /** The name of its session, to continue it. */
  readonly session?: string
}

/** About 500 tokens. */
const mostSummary = 2000
const mostEntries = 20
const mostEntry = 300

/** It becomes an argument of the agent: never an option. */
export const isSession = (value: unknown): value is string =>
  typeof value === 'string' && /^\w[\w.-]{0,99}$/.test(value)

/** Shortened, and free of anything but text. */
export function makeClaim(by: string, said: Readonly<Record<string, unknown>>): Claim {
  const number = (value: unknown): number | undefined =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
  const [turns, costUsd] = [number(said['turns']), number(said['costUsd'])]
  const { session } = said
  return {
    by: clip(by, 200),
    summary: text(said['summary'], mostSummary),
    decisions: list(said['decisions']),
    questions: list(said['questions']),
    notes: text(said['notes'], mostSummary),
    denied: [...new Set(list(said['denied']))],
    ...(turns === undefined ? {} : { turns }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(isSession(session) ? { session } : {}),
  }
}

/** One line, for a trailer. */
export const claimToText = (claim: Claim): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(claim).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)),
    ),
  )

/** undefined: the text is not a claim. */
export function claimFromText(line: string | undefined): Claim | undefined {
  if (line === undefined) return undefined
  try {
    const said: unknown = JSON.parse(line)
    if (!isRecord(said) || typeof said['by'] !== 'string') return undefined
    return makeClaim(said['by'], said)
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text = (value: unknown, most: number): string => (typeof value === 'string' ? clip(value, most) : '')

const list = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .filter((each) => typeof each === 'string')
        .map((each) => clip(each, mostEntry))
        .filter((each) => each !== '')
        .slice(0, mostEntries)
    : []

function clip(value: string, most: number): string {
  const line = singleLine(value)
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}

/** For a failure: tools that were denied are the likely reason. */
export const deniedText = (claim: Pick<Claim, 'denied'> | undefined): string =>
  claim === undefined || claim.denied.length === 0 ? '' : `; it was denied ${claim.denied.join(', ')}`
