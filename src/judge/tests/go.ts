// `go test`, with and without `-v`, and `go test -json`. Without `-v` a package that passed counts as one test.

import { readWhole, type ReadTests, type TestCase, type TestResult } from './test-report.ts'

const words: Readonly<Record<string, TestResult>> = { pass: 'passed', fail: 'failed', skip: 'skipped' }

export const readGoJson: ReadTests = (lines) => {
  const events = lines.flatMap((line) => readEvent(line) ?? [])
  if (events.length === 0) return undefined
  const cases: TestCase[] = []
  for (const { Action, Package = '', Test } of events) {
    const result = words[Action]
    if (result === undefined) continue
    if (Test !== undefined) cases.push({ name: `${Package}.${Test}`, result })
    // A package that was not built, panicked or took too long fails without a test that failed.
    else if (result === 'failed' && !cases.some((each) => each.result === 'failed' && isIn(each, Package)))
      cases.push({ name: Package, result })
  }
  const ended = events.some(({ Action, Test }) => Test === undefined && words[Action] !== undefined)
  return ended ? readWhole(cases, undefined) : { contradiction: 'its output ends before the package has' }
}

const isIn = ({ name }: TestCase, path: string): boolean => name.startsWith(`${path}.`)

interface GoEvent {
  readonly Action: string
  readonly Package?: string
  readonly Test?: string
}

function readEvent(line: string): GoEvent | undefined {
  if (!line.startsWith('{"')) return undefined
  try {
    const value = JSON.parse(line) as Partial<GoEvent>
    return typeof value.Action === 'string' && 'Package' in value ? (value as GoEvent) : undefined
  } catch {
    return undefined
  }
}

export const readGo: ReadTests = (lines) => {
  const cases: TestCase[] = []
  let open: TestCase[] = []
  let isGo = false
  for (const line of lines) {
    const [, word, name] = /^ *--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/.exec(line) ?? []
    if (name !== undefined) open.push({ name, result: words[(word ?? '').toLowerCase()]! })
    // The line of a package comes after its tests.
    const [, verdict, path, rest = ''] = /^(ok|FAIL|---)? *\t(\S+)(.*)$/.exec(line) ?? []
    if (verdict !== 'ok' && verdict !== 'FAIL') continue
    isGo = true
    const isNamed = verdict === 'ok' ? open.length > 0 : open.some(({ result }) => result === 'failed')
    const own: TestCase[] =
      isNamed || rest.includes('[no tests to run]')
        ? []
        : [{ name: path ?? '', result: verdict === 'ok' ? 'passed' : 'failed' }]
    if (verdict === 'ok' && open.some(({ result }) => result === 'failed'))
      return { contradiction: `it says that ${path} is ok, but lists a test of it that failed` }
    cases.push(...open.map((each) => ({ ...each, name: `${path}.${each.name}` })), ...own)
    open = []
  }
  return isGo ? readWhole(cases, undefined) : undefined
}
