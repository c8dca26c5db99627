// The default and verbose reporters of jest.

import { countsOf, joinNames, numbersIn, readSummary, type ReadTests, type TestCase } from './test-report.ts'

export const readJest: ReadTests = (lines) => {
  const tests = lines.findLast((line) => /^Tests: +\d/.test(line))
  const suites = lines.findLast((line) => /^Test Suites: +\d/.test(line))
  if (tests === undefined || suites === undefined) return undefined
  // With many suites the failures are listed twice.
  const again = lines.indexOf('Summary of all failing tests')
  const cases: TestCase[] = []
  let broken = 0
  let file = ''
  for (const line of again < 0 ? lines : lines.slice(0, again)) {
    const [, verdict, path] = /^(PASS|FAIL) (?:\S+ )?(\S+)(?: \(.*\))?$/.exec(line) ?? []
    if (path !== undefined) file = verdict === 'FAIL' ? path : ''
    const [, title] = /^ {2}● (.+)$/.exec(line) ?? []
    if (file === '' || title === undefined || title === 'Console') continue
    if (title === 'Test suite failed to run') broken += 1
    const names = title === 'Test suite failed to run' ? [] : title.split(' › ')
    cases.push({ name: joinNames([file, ...names]), result: 'failed' })
  }
  const numbers = numbersIn(tests)
  return readSummary(
    cases,
    countsOf({
      passed: numbers.get('passed') ?? 0,
      failed: (numbers.get('failed') ?? 0) + broken,
      skipped: (numbers.get('skipped') ?? 0) + (numbers.get('todo') ?? 0),
    }),
  )
}
