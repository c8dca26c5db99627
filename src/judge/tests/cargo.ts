// `cargo test`: for each test binary a list, and a line with the numbers. With `-q` only tests that fail are named.

import { countsText, type TestCounts } from '../../plan/model/test-counts.ts'
import { countCases, countsOf, joinNames, readSummary, type ReadTests, type TestCase } from './test-report.ts'

const results = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' } as const
const summary = /^test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/

interface Binary {
  readonly announced: number
  /** Empty with `-q`. */
  readonly cases: TestCase[]
  /** The list below the last `failures:`. */
  failures: string[]
  verdict?: string
  counts?: TestCounts
}

export const readCargo: ReadTests = (lines) => {
  if (!lines.some((line) => summary.test(line))) return undefined
  const binaries = readBinaries(lines)
  const lie = binaries.flatMap((each) => lieIn(each) ?? [])[0]
  if (lie !== undefined) return { contradiction: lie }
  const names = namesOf(binaries, lines)
  const cases = binaries.flatMap((binary, index) =>
    listed(binary).map((each) => ({ ...each, name: joinNames([names[index] ?? '', each.name]) })),
  )
  const sum = (key: keyof TestCounts): number => binaries.reduce((all, { counts }) => all + (counts?.[key] ?? 0), 0)
  return readSummary(cases, countsOf({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }))
}

function readBinaries(lines: readonly string[]): Binary[] {
  const binaries: Binary[] = []
  let isInFailures = false
  for (const line of lines) {
    const [, announced] = /^running (\d{1,9}) tests?$/.exec(line) ?? []
    if (announced !== undefined) binaries.push({ announced: Number(announced), cases: [], failures: [] })
    const binary = binaries.at(-1)
    if (binary === undefined) continue
    const [, name, word] = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/.exec(line) ?? []
    if (name !== undefined) binary.cases.push({ name, result: results[word as keyof typeof results] })
    if (line === 'failures:') {
      binary.failures = []
      isInFailures = true
    } else if (line === '') isInFailures = false
    else if (isInFailures) binary.failures.push(line.trim())
    const [, verdict, passed, failed, skipped] = summary.exec(line) ?? []
    if (verdict === undefined) continue
    binary.verdict = verdict
    binary.counts = countsOf({ passed: Number(passed), failed: Number(failed), skipped: Number(skipped) })
  }
  return binaries
}

const listed = ({ cases, failures }: Binary): readonly TestCase[] =>
  cases.length > 0 ? cases : failures.map((name) => ({ name, result: 'failed' }))

function lieIn(binary: Binary): string | undefined {
  const { announced, cases, failures, verdict, counts } = binary
  if (counts === undefined) return `it announces ${announced} tests, and ends without their result`
  const isQuiet = cases.length === 0
  const isListed = isQuiet
    ? counts.run + counts.skipped === announced && counts.failed === failures.length
    : countsText(counts) === countsText(countCases(cases))
  return isListed && (verdict === 'ok') === (counts.failed === 0)
    ? undefined
    : `its summary says ${verdict}, ${countsText(counts)}, but it lists ${isQuiet ? `${announced} tests, ${failures.length} failed` : countsText(countCases(cases))}`
}

/**
 * Binaries may have tests of the same name. Cargo prints the binaries on stderr, without the numbers; with `-q` only
 * those that failed. Without either, names stay as they are.
 */
function namesOf(binaries: readonly Binary[], lines: readonly string[]): readonly (string | undefined)[] {
  const started = lines.flatMap((line) => {
    const [, path = '', binary = ''] = /^ +Running (?:unittests )?(\S+)(?: \((\S+)\))?$/.exec(line) ?? []
    const [, name = ''] = /([^\\/]+?)-[\da-f]{16}(?:\.exe)?$/.exec(binary) ?? []
    const [, tested = ''] = /^ +Doc-tests (\S+)$/.exec(line) ?? []
    return path !== '' ? [`${name} ${path}`.trim()] : tested !== '' ? [`${tested} doc`] : []
  })
  if (started.length === binaries.length) return started
  const failed = lines.flatMap(
    (line) => /^error: (?:doc)?test failed, to rerun pass [`'](.+)[`']$/.exec(line)?.[1] ?? [],
  )
  const failing = binaries.filter(({ counts }) => counts !== undefined && counts.failed > 0)
  return failed.length === failing.length ? binaries.map((each) => failed[failing.indexOf(each)]) : []
}
