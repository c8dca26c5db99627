// JUnit XML. The numbers that suites claim must fit the tests inside.

import { SaxesParser } from 'saxes'
import { countCases, joinNames, readWhole, type TestCase, type TestReading, type TestResult } from './test-report.ts'

interface Suite {
  readonly name: string
  readonly claims: Readonly<Record<string, string>>
  readonly own: TestCase[]
  /** Errors outside of its tests. */
  readonly errors: TestCase[]
  readonly suites: Suite[]
}

/** Throws nothing: a text that is not XML contradicts its format. */
export function readJunit(text: string): TestReading | undefined {
  if (!/^\s*(<\?xml|<!--|<testsuites?\b)/.test(text.replace(/^\uFEFF/, ''))) return undefined
  const root: Suite = { name: '', claims: {}, own: [], errors: [], suites: [] }
  const open = [root]
  let test: { readonly name: string; result: TestResult; isTodo?: boolean } | undefined
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
      const inner: Suite = { name: attributes['name'] ?? '', claims: attributes, own: [], errors: [], suites: [] }
      suite.suites.push(inner)
      open.push(inner)
    } else if (name === 'testcase') {
      // Node has the same class for all tests.
      const own = attributes['classname'] === 'test' ? attributes['file'] : attributes['classname']
      const where = own ?? attributes['classname'] ?? attributes['file'] ?? suite.name
      test = { name: joinNames([where, attributes['name'] ?? '']), result: 'passed' }
    } else if (test !== undefined) {
      if (name === 'skipped' && attributes['type'] === 'todo') test.isTodo = true
      test.result = resultAfter(test.result, name)
    } else if (name === 'failure' || name === 'error')
      suite.errors.push({ name: joinNames([suite.name, name]), result: 'failed' })
  })
  parser.on('closetag', ({ name }) => {
    if (name === 'testsuite' || name === 'testsuites') open.pop()
    if (name !== 'testcase' || test === undefined) return
    // A test that is marked as to do may fail.
    open.at(-1)!.own.push({ name: test.name, result: test.isTodo === true ? 'skipped' : test.result })
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

function resultAfter(before: TestResult, tag: string): TestResult {
  if (tag === 'failure' || tag === 'error') return 'failed'
  return tag === 'skipped' && before === 'passed' ? 'skipped' : before
}

const allIn = ({ own, errors, suites }: Suite): TestCase[] => [...own, ...errors, ...suites.flatMap(allIn)]
const errorsIn = ({ errors, suites }: Suite): number =>
  suites.reduce((sum, each) => sum + errorsIn(each), errors.length)

function liesIn(suite: Suite): string[] {
  const all = countCases(allIn(suite))
  const own = countCases([...suite.own, ...suite.errors])
  const tested = all.run + all.skipped
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
    [tested, tested - errorsIn(suite), suite.own.length, suite.own.length + suite.suites.length].includes(tests)
      ? []
      : [`${name} claims ${tests} tests, but has ${tested}`]),
    ...suite.suites.flatMap(liesIn),
  ]
}
