// JUnit XML. The numbers that suites claim must fit the tests inside.

import { SaxesParser } from 'saxes'
import { countCases, joinNames, readWhole, type TestCase, type TestReading, type TestResult } from './test-report.ts'

interface Suite {
  readonly name: string
  readonly claims: Readonly<Record<string, string>>
  readonly own: TestCase[]
  readonly suites: Suite[]
}

/** Throws nothing: a text that is not XML contradicts its format. */
export function readJunit(text: string): TestReading | undefined {
  if (!/^\s*(<\?xml|<!--|<testsuites?\b)/.test(text.replace(/^\uFEFF/, ''))) return undefined
  const root: Suite = { name: '', claims: {}, own: [], suites: [] }
  const open = [root]
  let test: { readonly name: string; result: TestResult } | undefined
  let problem: string | undefined
  let isJunit = false
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false })
  parser.on('error', ({ message }) => {
    problem ??= message
  })
  parser.on('doctype', () => {
    problem ??= 'a document type is not accepted'
  })
  parser.on('opentag', ({ name, attributes }) => {
    const suite = open.at(-1)!
    if (name === 'testsuite' || name === 'testsuites') {
      isJunit = true
      const inner: Suite = { name: attributes['name'] ?? '', claims: attributes, own: [], suites: [] }
      suite.suites.push(inner)
      open.push(inner)
    } else if (name === 'testcase') {
      const where = attributes['classname'] ?? attributes['file'] ?? suite.name
      test = { name: joinNames([where, attributes['name'] ?? '']), result: 'passed' }
    } else if (test !== undefined) test.result = resultAfter(test.result, name, attributes['type'])
  })
  parser.on('closetag', ({ name }) => {
    if (name === 'testsuite' || name === 'testsuites') open.pop()
    if (name !== 'testcase' || test === undefined) return
    open.at(-1)!.own.push(test)
    test = undefined
  })
  try {
    parser.write(text.replace(/^\uFEFF/, '')).close()
  } catch (error) {
    problem ??= (error as Error).message
  }
  if (problem !== undefined) return { contradiction: `its XML is not valid: ${problem.slice(0, 200)}` }
  if (!isJunit) return undefined
  const lie = root.suites.flatMap(liesIn)[0]
  return lie === undefined ? readWhole(allIn(root), undefined) : { contradiction: lie }
}

/** A test that is marked as to do may fail. */
function resultAfter(before: TestResult, tag: string, type: string | undefined): TestResult {
  if (before === 'skipped') return before
  if (tag === 'failure' || tag === 'error') return 'failed'
  return tag === 'skipped' && (before === 'passed' || type === 'todo') ? 'skipped' : before
}

const allIn = ({ own, suites }: Suite): TestCase[] => [...own, ...suites.flatMap(allIn)]

function liesIn(suite: Suite): string[] {
  const all = countCases(allIn(suite))
  const own = countCases(suite.own)
  const name = suite.name === '' ? 'a suite' : `the suite ${suite.name}`
  const claim = (key: string): number | undefined =>
    /^\d{1,9}$/.test(suite.claims[key] ?? '') ? Number(suite.claims[key]) : undefined
  const [tests, failures, errors] = [claim('tests'), claim('failures'), claim('errors')]
  const claimed = failures === undefined && errors === undefined ? undefined : (failures ?? 0) + (errors ?? 0)
  // Tools count nested suites in different ways: as their tests, as one each, or not at all.
  const inner = suite.suites.filter((each) => countCases(allIn(each)).failed > 0).length
  return [
    ...(claimed === undefined || [all.failed, own.failed, own.failed + inner].includes(claimed)
      ? []
      : [`${name} claims ${claimed} failures, but ${all.failed} of its tests failed`]),
    ...(claimed === 0 && all.failed > 0 ? [`${name} claims no failures, but ${all.failed} of its tests failed`] : []),
    ...(tests === undefined ||
    [all.run + all.skipped, suite.own.length, suite.own.length + suite.suites.length].includes(tests)
      ? []
      : [`${name} claims ${tests} tests, but has ${all.run + all.skipped}`]),
    ...suite.suites.flatMap(liesIn),
  ]
}
