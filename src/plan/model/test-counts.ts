// Numbers of tests, as text in records and on screens, and back.

export const testFormats = ['junit', 'tap', 'node', 'vitest', 'jest', 'pytest', 'go', 'cargo'] as const
export type TestFormat = (typeof testFormats)[number]

export interface TestCounts {
  /** Passed and failed ones. */
  readonly run: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const countsText = ({ run, passed, failed, skipped }: TestCounts): string =>
  `${run} run, ${passed} passed, ${failed} failed, ${skipped} skipped`

export function parseCounts(text: string | undefined): TestCounts | undefined {
  const numbers = /^(\d{1,9}) run, (\d{1,9}) passed, (\d{1,9}) failed, (\d{1,9}) skipped$/.exec(text ?? '')
  if (numbers === null) return undefined
  const [run = 0, passed = 0, failed = 0, skipped = 0] = numbers.slice(1).map(Number)
  return { run, passed, failed, skipped }
}

/** The tests of a step, and those of the base before it. */
export interface TestRecord {
  readonly after: TestCounts | undefined
  readonly before: TestCounts | undefined
  /** Names of tests that fail now and failed before. */
  readonly failing: readonly string[]
  /** Names of tests that fail now and did not before. */
  readonly broken?: readonly string[]
}

/** `+2`: two tests more than before. */
export function changeText({ after, before }: Pick<TestRecord, 'after' | 'before'>): string {
  if (after === undefined || before === undefined) return ''
  const change = after.run + after.skipped - before.run - before.skipped
  return change === 0 ? '' : change > 0 ? `+${change}` : String(change)
}

/** `14 run, 13 passed, 1 failed, 0 skipped (+2; 1 failed before: a > b)` */
export function testsText(tests: TestRecord): string {
  const { after, failing } = tests
  if (after === undefined) return 'not counted'
  const change = changeText(tests)
  const old = failing.length === 0 ? '' : `${failing.length} failed before: ${someNames(failing)}`
  const notes = [change, old].filter((note) => note !== '')
  return `${countsText(after)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`
}

export const someNames = (names: readonly string[], most = 5): string =>
  names.length > most ? `${names.slice(0, most).join(', ')} and ${names.length - most} more` : names.join(', ')

/** For trailers. The names are normalized texts of one line. */
export const namesToText = (names: readonly string[]): string => JSON.stringify(names)

export function namesFromText(text: string | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}
