// TAP, also as `node --test` prints it: a point per test, indented below the one that it belongs to.

import type { TestCounts } from '../../plan/model/test-counts.ts'
import { nameInFile, readWhole, type ReadTests, type TestCase, type TestResult } from './test-report.ts'

interface Point {
  path: readonly string[]
  /** Node prints it for tests that fail. */
  file?: string
  depth: number
  readonly result: TestResult
  /** False: its subtests are counted instead. */
  isCounted: boolean
}

const pointLine = /^( *)(not )?ok\b(?: +\d+)?(?: +-)? *(.*)$/

export const readTap: ReadTests = (lines) => {
  const isTap = lines.some((line) => /^TAP version \d+$/.test(line)) || lines.some((line) => /^1\.\.\d+/.test(line))
  if (!isTap || !lines.some((line) => pointLine.test(line) || /^1\.\.0\b/.test(line))) return undefined
  const bail = lines.find((line) => line.startsWith('Bail out!'))
  if (bail !== undefined) return { contradiction: `it gave up: ${bail}` }
  const { points, top, isInBlock } = readPoints(lines)
  if (isInBlock) return { contradiction: 'its output ends in the middle of a test' }
  const planned = lines.flatMap((line) => /^1\.\.(\d{1,9})/.exec(line)?.[1] ?? []).map(Number)
  const expected = planned.reduce((sum, each) => sum + each, 0)
  if (planned.length === 0) return { contradiction: 'it says nowhere how many tests there are (1..N)' }
  if (expected !== top) return { contradiction: `it announces ${expected} tests (1..N), but lists ${top}` }
  const cases = points
    .filter(({ isCounted }) => isCounted)
    .map(({ path, file, result }): TestCase => ({ name: nameInFile(file, path), result }))
  return readWhole(cases, nodeSummary(lines))
}

function readPoints(lines: readonly string[]): { points: Point[]; top: number; isInBlock: boolean } {
  // Only node prints which points are suites; it counts a test with subtests, other tools do not.
  const isNode = nodeSummary(lines) !== undefined
  const points: Point[] = []
  let block: string | undefined
  let top = 0
  for (const line of lines) {
    if (block !== undefined) {
      if (line === `${block}...`) block = undefined
      else if (/^ *type: '?suite'?$/.test(line)) points.at(-1)!.isCounted = false
      const file = /^ *location: '(.+):\d+:\d+'$/.exec(line)?.[1]
      if (file !== undefined) points.at(-1)!.file = file
      continue
    }
    const opened = /^( +)---$/.exec(line)?.[1]
    if (opened !== undefined && points.length > 0) block = opened
    const found = pointLine.exec(line)
    if (found === null) continue
    const depth = Math.floor((found[1] ?? '').length / 4)
    const { name, result } = readPoint(found[3] ?? '', found[2] !== undefined)
    const hasSubtests = nest(points, depth, name)
    points.push({ path: [name], depth, result, isCounted: !hasSubtests || isNode })
    if (depth === 0) top += 1
  }
  return { points, top, isInBlock: block !== undefined }
}

/** Puts the deeper entries at the end of the list below `name`: a test is printed after its subtests. */
export function nest(
  entries: readonly { path: readonly string[]; depth: number }[],
  depth: number,
  name: string,
): boolean {
  let at = entries.length
  for (; at > 0 && entries[at - 1]!.depth > depth; at--) {
    const entry = entries[at - 1]!
    entry.path = [name, ...entry.path]
    entry.depth = depth
  }
  return at < entries.length
}

function readPoint(text: string, isNot: boolean): { name: string; result: TestResult } {
  const [, name = text, directive] = /^(.*?)(?:\s+#\s*(skip|todo|time=)\b.*)?$/i.exec(text) ?? []
  const isSkipped = directive !== undefined && /^(skip|todo)$/i.test(directive)
  return { name: name.trim(), result: isSkipped ? 'skipped' : isNot ? 'failed' : 'passed' }
}

/** `# tests 10`, `# suites 2`, …: undefined if node did not print them. */
function nodeSummary(lines: readonly string[]): TestCounts | undefined {
  const numbers = new Map<string, number>()
  for (const line of lines) {
    const [, word, number] = /^# (tests|suites|pass|fail|cancelled|skipped|todo) (\d{1,9})$/.exec(line) ?? []
    if (word !== undefined) numbers.set(word, Number(number))
  }
  return numbers.has('tests') && numbers.has('suites') ? nodeCounts(numbers) : undefined
}

export function nodeCounts(numbers: ReadonlyMap<string, number>): TestCounts {
  const of = (word: string): number => numbers.get(word) ?? 0
  const failed = of('fail') + of('cancelled')
  return { run: of('pass') + failed, passed: of('pass'), failed, skipped: of('skipped') + of('todo') }
}
