// Judges the results of a test command, compared to those of the base.

import { someNames, testsText, type TestCounts, type TestRecord } from '../../plan/model/test-counts.ts'
import { singleLine } from '../../plan/text/display.ts'
import type { TestReading } from './test-report.ts'

/** The tests before the plan; undefined counts: they could not be counted, so every failure is new. */
export interface Baseline {
  readonly counts: TestCounts | undefined
  readonly failing: readonly string[]
}

export interface TestVerdict {
  readonly problem: string | undefined
  readonly tests: TestRecord
}

export function judgeTests(
  exit: number,
  reading: TestReading | undefined,
  { counts: before, failing: failedBefore }: Baseline,
): TestVerdict {
  const verdict = (problem: string | undefined, more: Partial<TestRecord> = {}): TestVerdict => ({
    problem,
    tests: { after: undefined, before, failing: [], ...more },
  })
  if (reading === undefined)
    return verdict(
      exit === 0
        ? 'no test results were found in its output; set the `format` of the test'
        : `exit code ${exit}, and no test results in its output`,
    )
  if ('contradiction' in reading) return verdict(`its results cannot be believed: ${reading.contradiction}`)
  const { run, passed, failed, skipped, cases } = reading.report
  const after = { run, passed, failed, skipped }
  if (run + skipped === 0) return verdict('no test ran', { after })
  const names = failingNames(cases)
  const { known: failing, rest: added } = subtract(names, failedBefore)
  const record = { after, failing }
  if (added.length > 0)
    return verdict(
      `${added.length === 1 ? 'a test fails that did' : `${added.length} tests fail that did`} not fail before: ${someNames(added)}${failing.length === 0 ? '' : `; ${failing.length} failed before: ${someNames(failing)}`}`,
      { ...record, broken: added },
    )
  // Two tests of the same name are listed once by some tools.
  if (names.length < failed && failed > (before?.failed ?? 0))
    return verdict(`${failed} tests fail; before it were ${before?.failed ?? 0}`, record)
  if (exit !== 0 && failed === 0) return verdict(`exit code ${exit}, although no test failed`, record)
  return verdict(undefined, record)
}

/** In a form that survives a commit message. */
export const failingNames = (cases: readonly { readonly name: string; readonly result: string }[]): string[] =>
  cases.flatMap(({ name, result }) => (result === 'failed' ? [singleLine(name).slice(0, 300)] : []))

/** Several tests may have the same name. */
function subtract(names: readonly string[], before: readonly string[]): { known: string[]; rest: string[] } {
  const left = new Map<string, number>()
  for (const name of before) left.set(name, (left.get(name) ?? 0) + 1)
  const known: string[] = []
  const rest: string[] = []
  for (const name of names) {
    const count = left.get(name) ?? 0
    left.set(name, count - 1)
    ;(count > 0 ? known : rest).push(name)
  }
  return { known, rest }
}

export const describeBaseline = ({ counts }: Baseline): string =>
  counts === undefined ? 'the tests could not be counted' : testsText({ after: counts, before: undefined, failing: [] })
