// The reporters of vitest for people: default, verbose, dot and tree.

import { countsOf, numbersIn, readSummary, type ReadTests, type TestCase } from './test-report.ts'

export const readVitest: ReadTests = (lines) => {
  const files = lines.findLast((line) => /^ *Test Files {2}\S/.test(line))
  const tests = lines.findLast((line) => /^ *Tests {2}\S/.test(line))
  if (files === undefined || tests === undefined) return undefined
  const failing = new Set<string>()
  const broken = new Set<string>()
  const others: TestCase[] = []
  for (const line of lines) {
    const [, name = ''] = /^ FAIL {2}(.+)$/.exec(line) ?? []
    // A file that cannot be loaded has no tests.
    const [, file] = /^(.+?) \[ .+ \]$/.exec(name) ?? []
    if (file !== undefined) broken.add(file)
    else if (name !== '') failing.add(name)
    const [, sign, rest = ''] = /^ ([✓↓]) (.+? > .+)$/.exec(line) ?? []
    if (sign !== undefined)
      others.push({ name: rest.replace(/ \d+ms$/, ''), result: sign === '✓' ? 'passed' : 'skipped' })
  }
  const errors = numbersIn(lines.findLast((line) => /^ *Errors {2}\d/.test(line)) ?? '')
  const unhandled = (errors.get('error') ?? 0) + (errors.get('errors') ?? 0)
  const numbers = numbersIn(tests)
  const cases = [
    ...[...broken, ...failing, ...(unhandled > 0 ? ['unhandled error'] : [])].map((name): TestCase => ({
      name,
      result: 'failed',
    })),
    ...others,
  ]
  return readSummary(
    cases,
    countsOf({
      passed: numbers.get('passed') ?? 0,
      failed: (numbers.get('failed') ?? 0) + broken.size + unhandled,
      skipped: (numbers.get('skipped') ?? 0) + (numbers.get('todo') ?? 0),
    }),
  )
}
