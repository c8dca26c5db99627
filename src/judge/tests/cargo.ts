// `cargo test`: for each test binary a list, and a line with the numbers.

import { countsText } from '../../plan/model/test-counts.ts'
import { countCases, countsOf, readWhole, type ReadTests, type TestCase } from './test-report.ts'

const results = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' } as const
const summary = /^test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/

export const readCargo: ReadTests = (lines) => {
  if (!lines.some((line) => summary.test(line))) return undefined
  const all: TestCase[] = []
  let cases: TestCase[] = []
  let announced: number | undefined
  for (const line of lines) {
    const [, running] = /^running (\d{1,9}) tests?$/.exec(line) ?? []
    if (running !== undefined) {
      announced = Number(running)
      cases = []
    }
    const [, name, word] = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/.exec(line) ?? []
    if (name !== undefined) cases.push({ name, result: results[word as keyof typeof results] })
    const [, verdict, passed, failed, skipped] = summary.exec(line) ?? []
    if (verdict === undefined) continue
    const counts = countsOf({ passed: Number(passed), failed: Number(failed), skipped: Number(skipped) })
    if (countsText(counts) !== countsText(countCases(cases)) || (verdict === 'ok') !== (counts.failed === 0))
      return {
        contradiction: `its summary says ${verdict}, ${countsText(counts)}, but it lists ${countsText(countCases(cases))}`,
      }
    all.push(...cases)
    announced = undefined
  }
  return announced === undefined
    ? readWhole(all, undefined)
    : { contradiction: `it announces ${announced} tests, and ends without their result` }
}
