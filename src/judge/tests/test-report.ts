// The results of a test command, whatever printed them.

import { countsText, type TestCounts } from '../../plan/model/test-counts.ts'

export type TestResult = 'passed' | 'failed' | 'skipped'

export interface TestCase {
  readonly name: string
  readonly result: TestResult
}

export interface TestReport extends TestCounts {
  /** The tests that the output names: all, or only those that failed. */
  readonly cases: readonly TestCase[]
}

/** `contradiction`: the output contradicts itself, so no part of it can be believed. */
export type TestReading = { readonly report: TestReport } | { readonly contradiction: string }

/** Reads the output of one tool. undefined: the output is not in this format. */
export type ReadTests = (lines: readonly string[]) => TestReading | undefined

export const countCases = (cases: readonly TestCase[]): TestCounts => {
  const count = (result: TestResult): number => cases.filter((each) => each.result === result).length
  return countsOf({ passed: count('passed'), failed: count('failed'), skipped: count('skipped') })
}

export const countsOf = ({ passed, failed, skipped }: Omit<TestCounts, 'run'>): TestCounts => ({
  run: passed + failed,
  passed,
  failed,
  skipped,
})

/** The list is complete: the summary must say the same. */
export function readWhole(cases: readonly TestCase[], summary: TestCounts | undefined): TestReading {
  const listed = countCases(cases)
  if (summary !== undefined && countsText(summary) !== countsText(listed))
    return { contradiction: `its summary says ${countsText(summary)}, but it lists ${countsText(listed)}` }
  return { report: { ...listed, cases } }
}

/** The list may be incomplete, but a tool names each test that fails. */
export function readSummary(cases: readonly TestCase[], summary: TestCounts): TestReading {
  const failed = cases.filter(({ result }) => result === 'failed').length
  if (failed > 0 !== summary.failed > 0)
    return { contradiction: `its summary says ${countsText(summary)}, but it lists ${failed} that failed` }
  return { report: { ...summary, cases } }
}

/** The number in front of each of these words, in a text such as `1 failed | 3 passed (4)`. */
export function numbersIn(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [, number, word] of text.matchAll(/(\d{1,9}) ([a-z]+)/g)) found.set(word ?? '', Number(number))
  return found
}

/** Files may have tests of the same name. A file that cannot be loaded is a test of its own. */
export const nameInFile = (file: string | undefined, path: readonly string[]): string =>
  joinNames(file === undefined || file === path[0] ? path : [file, ...path])

/** Joins a path of names. */
export const joinNames = (names: readonly string[]): string => names.filter((name) => name !== '').join(' > ')
