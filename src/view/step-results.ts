// The recorded results of a step in words: its tests and the resources that it used.

import { claimFromText, type Claim } from '../plan/model/claim.ts'
import { countsText, testsText, type TestRecord } from '../plan/model/test-counts.ts'
import type { StepId } from '../plan/model/ids.ts'
import { testsIn, type PlanEvent } from '../plan/record/trailers.ts'
import type { RecordedEvent } from '../store/history.ts'

export interface Usage {
  /** Processor time of all processes of the step. */
  readonly cpuMs: number | null
  /** The most memory that they used at the same time. */
  readonly peakBytes: number | null
  readonly outputBytes: number | null
}

export const usageIn = ({ cpuMs, peakBytes, outputBytes }: Partial<PlanEvent>): Usage => ({
  cpuMs: cpuMs ?? null,
  peakBytes: peakBytes ?? null,
  outputBytes: outputBytes ?? null,
})

/** `1.5 s CPU, 120 MB memory`; undefined if nothing is recorded. */
export function usageText({ cpuMs, peakBytes, outputBytes }: Usage): string | undefined {
  const parts = [
    ...(cpuMs === null ? [] : [`${(cpuMs / 1000).toFixed(1)} s CPU`]),
    ...(peakBytes === null ? [] : [`${bytesText(peakBytes)} memory`]),
    ...(outputBytes === null || outputBytes < 1024 ** 2 ? [] : [`${bytesText(outputBytes)} output`]),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** Only if it is worth a line: a second of processor time, or 100 MB. */
export const notableUsage = (usage: Usage): string | undefined =>
  (usage.cpuMs ?? 0) >= 1000 || (usage.peakBytes ?? 0) >= 100 * 1024 ** 2 ? usageText(usage) : undefined

export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** The tests after the step, and those before the plan. */
const testsWithBefore = (tests: TestRecord): string =>
  `${testsText(tests)}${tests.before === undefined ? '' : `; before: ${countsText(tests.before)}`}`

export const costText = (usd: number): string => `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`

/** `claude, 12 turns, $0.42, denied Write`: whose claim it is, and what it took. */
export const claimHead = ({ by, turns, costUsd, denied }: Claim): string =>
  [
    by,
    ...(turns === undefined ? [] : [`${turns} ${turns === 1 ? 'turn' : 'turns'}`]),
    ...(costUsd === undefined ? [] : [costText(costUsd)]),
    ...(denied.length === 0 ? [] : [`denied ${denied.join(', ')}`]),
  ].join(', ')

const claimLines = (claim: Claim): string[] => [
  `claimed by ${claimHead(claim)}: ${claim.summary === '' ? 'nothing' : claim.summary}`,
  ...claim.decisions.map((each) => `  decided: ${each}`),
  ...claim.questions.map((each) => `  open question: ${each}`),
  ...(claim.notes === '' ? [] : [`  note: ${claim.notes}`]),
]

interface Results extends Usage {
  readonly tests: TestRecord | null
  readonly claim: Claim | null
}

export const resultLines = ({ tests, claim, ...usage }: Results): string[] => [
  ...(tests === null ? [] : [`tests: ${testsWithBefore(tests)}`]),
  ...(notableUsage(usage) === undefined ? [] : [`used: ${notableUsage(usage)}`]),
  ...(claim === null ? [] : claimLines(claim)),
]

/** The results of the newest attempt of each step, from the commits of the plan. */
export function resultsIn(
  events: readonly RecordedEvent[],
  steps: readonly { readonly id: StepId }[],
): { readonly step: string; readonly lines: readonly string[] }[] {
  return steps.flatMap(({ id }) => {
    const event = events.find((each) => each.step === id && ['step', 'declared', 'failed'].includes(each.event))
    const lines =
      event === undefined
        ? []
        : resultLines({
            tests: testsIn(event) ?? null,
            claim: claimFromText(event.claim) ?? null,
            ...usageIn(event),
          })
    return lines.length === 0 ? [] : [{ step: id, lines }]
  })
}
