// What must hold for any bytes whatever: a plan or findings with their places, soon, and nothing thrown.

import { hasHidden } from '../../src/plan/text/display.ts'
import type { Finding } from '../../src/plan/model/finding.ts'
import { readConfig } from '../../src/plan/config/read-config.ts'
import { readPlan } from '../../src/plan/file/read-plan.ts'
import type { Input } from './inputs.ts'

/** Of processor time, for one call of one reader. The sample of \`npm test\` has none: the machine may be busy. */
const limitMs = Number(process.env['FUZZ_LIMIT_MS'] ?? 1000)

export interface Verdict {
  /** What it is, or the rules by which it is refused. */
  readonly outcome: 'accepted' | readonly string[]
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

export function judge({ kind, bytes }: Input): Verdict {
  const clock = new Clock()
  const read =
    kind === 'configuration'
      ? clock.time('readConfig', () => readConfig(bytes, '.plans/config.yml'))
      : clock.time('readPlan', () => readPlan(bytes, origin))
  if (!read.ok) judgeFindings(read.findings)
  const polluted = [...Object.keys(Object.prototype), ...Object.keys(Array.prototype)]
  if (polluted.length > 0) throw new Violation('prototypes', `they have ${polluted.join(', ')} now`)
  return { outcome: read.ok ? 'accepted' : rulesOf(read.findings), ms: clock.slowest }
}

const rulesOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ rule }) => rule))]

function judgeFindings(findings: readonly Finding[]): void {
  if (findings.length === 0) throw new Violation('findings', 'refused without a finding')
  if (findings.length > 50) throw new Violation('findings', `${findings.length} findings are more than anybody reads`)
  for (const { rule, line, column, message, advice, file } of findings) {
    if (![line, column].every((each) => Number.isInteger(each) && each! >= 1))
      throw new Violation('places', `${rule} is at ${line}:${column}: ${message}`)
    if (file === undefined || rule === '' || message === '')
      throw new Violation('findings', `without a file, a rule or a message: ${rule}`)
    if (message.length + (advice ?? '').length > 2000)
      throw new Violation('findings', `${rule} says ${message.length} characters`)
    if (hasHidden(message) || hasHidden(advice ?? ''))
      throw new Violation('hidden characters', `in what ${rule} says: ${JSON.stringify(message)}`)
  }
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
