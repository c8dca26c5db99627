// What must hold for any bytes whatever: a plan or findings with their places, the same from every reader, soon, and nothing thrown.

import { isDeepStrictEqual } from 'node:util'
import { hasHidden } from '../../src/plan/display.ts'
import type { Finding } from '../../src/plan/finding.ts'
import { parseConfig } from '../../src/plan/parse-config.ts'
import { parsePlan } from '../../src/plan/parse.ts'
import { readPlainly } from '../../src/plan/plain-plan.ts'
import { plainConfig } from '../../src/plan/read-config.ts'
import { readPlan } from '../../src/plan/read-plan.ts'
import type { Input } from './inputs.ts'

/** Of processor time, for one call of one reader. */
const limitMs = 1000

export interface Verdict {
  /** What it is, or the rules by which it is refused. */
  readonly outcome: 'accepted' | readonly string[]
  readonly isPlain: boolean
  /** Of the slowest call. */
  readonly ms: number
}

export class Violation extends Error {
  /** Which promise was broken: what shrinking must keep. */
  readonly promise: string

  constructor(promise: string, message: string) {
    super(`${promise}: ${message}`)
    this.promise = promise
  }
}

/** Without an id: the seeds have many. */
const origin = { file: '.plans/sample.md', base: 'main' }

export async function judge({ kind, bytes }: Input): Promise<Verdict> {
  const clock = new Clock()
  const verdict = kind === 'configuration' ? judgeConfig(bytes, clock) : await judgePlan(bytes, clock)
  const polluted = [...Object.keys(Object.prototype), ...Object.keys(Array.prototype)]
  if (polluted.length > 0) throw new Violation('prototypes', `they have ${polluted.join(', ')} now`)
  return { ...verdict, ms: clock.slowest }
}

async function judgePlan(bytes: Uint8Array, clock: Clock): Promise<Omit<Verdict, 'ms'>> {
  const full = clock.time('parsePlan', () => parsePlan(bytes, origin))
  if (!full.ok) judgeFindings(full.findings)
  const plain = clock.time('readPlainly', () => readPlainly(bytes, origin))
  if (plain !== undefined) {
    if (!full.ok) throw new Violation('agreement', `read plainly and refused by the parser: ${full.findings[0]?.message}`)
    if (!isDeepStrictEqual(plain.plan, full.plan)) throw new Violation('agreement', 'the plan that is read plainly is another than that of the parser')
    if (!isWithin(plain.source, full.source)) throw new Violation('agreement', 'the places that are read plainly are others than those of the parser')
  }
  const read = await readPlan(bytes, origin)
  const isSame = read.ok ? full.ok && isDeepStrictEqual(read.plan, full.plan) : !full.ok && isDeepStrictEqual(read.findings, full.findings)
  if (!isSame) throw new Violation('agreement', 'the second reading says something else than the first')
  return { outcome: full.ok ? 'accepted' : rulesOf(full.findings), isPlain: plain !== undefined }
}

function judgeConfig(bytes: Uint8Array, clock: Clock): Omit<Verdict, 'ms'> {
  const file = '.plans/config.yml'
  const full = clock.time('parseConfig', () => parseConfig(bytes, file))
  if (!full.ok) judgeFindings(full.findings)
  const plain = clock.time('plainConfig', () => plainConfig(bytes))
  if (plain !== undefined && !isDeepStrictEqual(plain, full))
    throw new Violation('agreement', 'the configuration that is read plainly is another than that of the parser')
  return { outcome: full.ok ? 'accepted' : rulesOf(full.findings), isPlain: plain !== undefined }
}

const rulesOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ rule }) => rule))]

function judgeFindings(findings: readonly Finding[]): void {
  if (findings.length === 0) throw new Violation('findings', 'refused without a finding')
  if (findings.length > 50) throw new Violation('findings', `${findings.length} findings are more than anybody reads`)
  for (const { rule, line, column, message, advice, file } of findings) {
    if (![line, column].every((each) => Number.isInteger(each) && each! >= 1)) throw new Violation('places', `${rule} is at ${line}:${column}: ${message}`)
    if (file === undefined || rule === '' || message === '') throw new Violation('findings', `without a file, a rule or a message: ${rule}`)
    if (message.length + (advice ?? '').length > 2000) throw new Violation('findings', `${rule} says ${message.length} characters`)
    if (hasHidden(message) || hasHidden(advice ?? '')) throw new Violation('hidden characters', `in what ${rule} says: ${JSON.stringify(message)}`)
  }
}

/** Whether all that the first has is the same in the second. */
function isWithin(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(part, whole)
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false
  if (Array.isArray(part) && part.length !== (whole as unknown[]).length) return false
  return Object.entries(part).every(([key, value]) => isWithin(value, (whole as Record<string, unknown>)[key]))
}

class Clock {
  slowest = 0

  /** A call that takes too long has two more tries: what it takes, and not what the machine was busy with. */
  time<T>(name: string, call: () => T): T {
    const first = timed(call)
    let best = first.ms
    for (let again = 0; again < 2 && best > limitMs; again += 1) best = Math.min(best, timed(call).ms)
    this.slowest = Math.max(this.slowest, best)
    if (best > limitMs) throw new Violation('time', `${name} took ${Math.round(best)} ms`)
    return first.result
  }
}

function timed<T>(call: () => T): { readonly ms: number; readonly result: T } {
  const start = process.cpuUsage()
  let result: T
  try {
    result = call()
  } catch (error) {
    throw new Violation('nothing thrown', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  const { user, system } = process.cpuUsage(start)
  return { ms: (user + system) / 1000, result }
}
