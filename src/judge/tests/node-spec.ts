// The spec reporter of `node --test`: what it prints on a terminal, and in newer versions always.

import { nest, nodeCounts } from './tap.ts'
import { nameInFile, readSummary, type ReadTests, type TestCase, type TestResult } from './test-report.ts'

const results: Readonly<Record<string, TestResult>> = { '✔': 'passed', '✖': 'failed', '﹣': 'skipped' }

const testLine = /^( *)([✔✖﹣▶]) (.*) \(\d[\d.]*ms\)(?: # (SKIP|TODO)\b.*)?$/u

export const readNodeSpec: ReadTests = (lines) => {
  const end = lines.findIndex((line) => /^ℹ tests \d+$/.test(line))
  if (end < 0) return undefined
  const numbers = new Map<string, number>()
  for (const line of lines.slice(end)) {
    const [, word, number] = /^ℹ (\w+) (\d{1,9})$/.exec(line) ?? []
    if (word !== undefined) numbers.set(word, Number(number))
  }
  return readSummary(readCases(lines.slice(0, end), filesOfFailing(lines.slice(end))), nodeCounts(numbers))
}

/** The list after the summary has the file of each test that failed, in the order in which they ended. */
function filesOfFailing(lines: readonly string[]): Map<string, string[]> {
  const files = new Map<string, string[]>()
  for (const [index, line] of lines.entries()) {
    const file = /^test at (.+):\d+:\d+$/.exec(line)?.[1]
    const name = testLine.exec(lines[index + 1] ?? '')?.[3]
    if (file !== undefined && name !== undefined) files.set(name, [...(files.get(name) ?? []), file])
  }
  return files
}

/** Tests without subtests: the line of a suite looks like that of a test. */
function readCases(lines: readonly string[], files: ReadonlyMap<string, string[]>): TestCase[] {
  const tests: { path: readonly string[]; depth: number; readonly file: string | undefined; result: TestResult }[] = []
  for (const line of lines) {
    const [, indent = '', sign, name = '', directive] = testLine.exec(line) ?? []
    if (sign === undefined) continue
    const depth = indent.length / 2
    const result = directive === undefined ? results[sign] : 'skipped'
    if (nest(tests, depth, name) || result === undefined) continue
    const file = sign === '✖' ? files.get(name)?.shift() : undefined
    tests.push({ path: [name], depth, file, result })
  }
  return tests.map(({ path, file, result }) => ({ name: nameInFile(file, path), result }))
}
