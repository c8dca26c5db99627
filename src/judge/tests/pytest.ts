// pytest: its last line has the numbers, the short summary the names of tests that failed, `-v` all names.

import { countsOf, numbersIn, readSummary, type ReadTests, type TestCase } from './test-report.ts'

const last =
  /^(?:=+ )?((?:\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun)(?:, )?)+|no tests ran) in [\d.]+s/

export const readPytest: ReadTests = (lines) => {
  const summary = lines.findLast((line) => last.test(line))
  if (summary === undefined) return undefined
  const numbers = numbersIn(last.exec(summary)?.[1] ?? '')
  const of = (word: string): number => numbers.get(word) ?? 0
  const failing = new Set<string>()
  const others: TestCase[] = []
  for (const line of lines) {
    const [, name] = /^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$/.exec(line) ?? []
    if (name !== undefined) failing.add(name)
    const [, test, word] = /^(\S+::.+?) (PASSED|SKIPPED|XFAIL|XPASS|FAILED|ERROR)\b/.exec(line) ?? []
    if (test === undefined) continue
    if (word === 'FAILED' || word === 'ERROR') failing.add(test)
    else others.push({ name: test, result: word === 'PASSED' || word === 'XPASS' ? 'passed' : 'skipped' })
  }
  return readSummary(
    [...[...failing].map((name): TestCase => ({ name, result: 'failed' })), ...others],
    countsOf({
      passed: of('passed') + of('xpassed'),
      failed: of('failed') + of('error') + of('errors'),
      skipped: of('skipped') + of('xfailed'),
    }),
  )
}
