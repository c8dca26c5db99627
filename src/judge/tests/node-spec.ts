// The spec reporter of `node --test`: what it prints on a terminal, and in newer versions always.

import { nest, nodeCounts } from './tap.ts'
import { joinNames, readSummary, type ReadTests, type TestCase, type TestResult } from './test-report.ts'

const results: Readonly<Record<string, TestResult>> = { '✔': 'passed', '✖': 'failed', '﹣': 'skipped' }

export const readNodeSpec: ReadTests = (lines) => {
  const end = lines.findIndex((line) => /^ℹ tests \d+$/.test(line))
  if (end < 0) return undefined
  const numbers = new Map<string, number>()
  for (const line of lines.slice(end)) {
    const [, word, number] = /^ℹ (\w+) (\d{1,9})$/.exec(line) ?? []
    if (word !== undefined) numbers.set(word, Number(number))
  }
  return readSummary(readCases(lines.slice(0, end)), nodeCounts(numbers))
}

/** Tests without subtests: the line of a suite looks like that of a test. */
function readCases(lines: readonly string[]): TestCase[] {
  const tests: { path: readonly string[]; depth: number; readonly result: TestResult }[] = []
  for (const line of lines) {
    const [, indent = '', sign, name = '', directive] =
      /^( *)([✔✖﹣▶]) (.*) \(\d[\d.]*ms\)(?: # (SKIP|TODO)\b.*)?$/u.exec(line) ?? []
    if (sign === undefined) continue
    const depth = indent.length / 2
    const result = directive === undefined ? results[sign] : 'skipped'
    if (!nest(tests, depth, name) && result !== undefined) tests.push({ path: [name], depth, result })
  }
  return tests.map(({ path, result }) => ({ name: joinNames(path), result }))
}
