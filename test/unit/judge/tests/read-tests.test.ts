import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTests } from '../../../../src/judge/tests/read-tests.ts'
import { countsText, type TestFormat } from '../../../../src/plan/model/test-counts.ts'

const recorded = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/tests/${name}.txt`, import.meta.url), 'utf8')

async function read(text: string, format?: TestFormat): Promise<{ counts: string; failing: string[]; named: number }> {
  const reading = await readTests(text, format)
  if (reading === undefined || 'contradiction' in reading) throw new Error(JSON.stringify(reading))
  const { cases } = reading.report
  const failing = cases.filter(({ result }) => result === 'failed').map(({ name }) => name)
  return { counts: countsText(reading.report), failing, named: cases.length }
}

const contradiction = async (text: string, format?: TestFormat): Promise<string | undefined> => {
  const reading = await readTests(text, format)
  return reading !== undefined && 'contradiction' in reading ? reading.contradiction : undefined
}

const nodeTap = ['/home/ada/n/a.test.js > cart > removes', '/home/ada/n/a.test.js > parent > child bad']

test.each<[string, TestFormat, string, string[], number]>([
  [
    'node-tap',
    'node',
    '8 run, 4 passed, 4 failed, 2 skipped',
    [...nodeTap, '/home/ada/n/a.test.js > parent', '/home/ada/n/b.test.js'],
    10,
  ],
  [
    'node-spec',
    'node',
    '8 run, 4 passed, 4 failed, 2 skipped',
    ['a.test.js > cart > removes', 'a.test.js > parent > child bad', 'b.test.js > /home/ada/n/b.test.js'],
    9,
  ],
  [
    'node-junit',
    'junit',
    '7 run, 4 passed, 3 failed, 2 skipped',
    ['test > /home/ada/n/b.test.js', 'test > removes', 'test > child bad'],
    9,
  ],
  ['pytest', 'pytest', '4 run, 2 passed, 2 failed, 2 skipped', ['test_a.py::test_bad', 'test_a.py::test_err'], 2],
  ['pytest-v', 'pytest', '4 run, 2 passed, 2 failed, 2 skipped', ['test_a.py::test_bad', 'test_a.py::test_err'], 6],
  ['pytest-q', 'pytest', '4 run, 2 passed, 2 failed, 2 skipped', ['test_a.py::test_bad', 'test_a.py::test_err'], 2],
  ['pytest-junit', 'junit', '4 run, 2 passed, 2 failed, 2 skipped', ['test_a > test_bad', 'test_a > test_err'], 6],
  ['vitest', 'vitest', '5 run, 3 passed, 2 failed, 1 skipped', ['b.test.ts', 'a.test.ts > cart > removes'], 2],
  ['vitest-v', 'vitest', '5 run, 3 passed, 2 failed, 1 skipped', ['b.test.ts', 'a.test.ts > cart > removes'], 6],
  [
    'vitest-junit',
    'junit',
    '5 run, 3 passed, 2 failed, 1 skipped',
    ['a.test.ts > cart > removes', 'b.test.ts > b.test.ts'],
    6,
  ],
  ['vitest-tap', 'tap', '5 run, 3 passed, 2 failed, 1 skipped', ['a.test.ts > cart > removes', 'b.test.ts'], 6],
  ['cargo', 'cargo', '3 run, 2 passed, 1 failed, 1 skipped', ['tests::bad'], 4],
  [
    'cargo-two',
    'cargo',
    '5 run, 3 passed, 2 failed, 1 skipped',
    ['cc src/lib.rs > tests::works', 'it tests/it.rs > works'],
    6,
  ],
  ['cargo-q', 'cargo', '5 run, 3 passed, 2 failed, 1 skipped', ['--lib > tests::works', '--test it > works'], 2],
])('reads %s as %s, also without being told the format', async (name, format, counts, failing, named) => {
  for (const each of [format, undefined]) {
    const found = await read(recorded(name), each)
    expect(found.counts).toBe(counts)
    expect(found.failing.toSorted()).toEqual(failing.toSorted())
    expect(found.named).toBe(named)
  }
})

test('reads jest, with a suite that does not load and a list that is repeated', async () => {
  const text = [
    'PASS src/sum.test.js',
    'FAIL src/cart.test.js (5.2 s)',
    '  ● Console',
    '',
    '    console.log',
    '  ● cart › removes',
    '',
    '    expect(received).toBe(expected) // Object.is equality',
    '',
    'FAIL src/broken.test.js',
    '  ● Test suite failed to run',
    '',
    "    Cannot find module './gone' from 'src/broken.test.js'",
    '',
    'Summary of all failing tests',
    'FAIL src/cart.test.js (5.2 s)',
    '  ● cart › removes',
    '',
    'Test Suites: 2 failed, 1 passed, 3 total',
    'Tests:       1 failed, 1 skipped, 1 todo, 4 passed, 7 total',
    'Snapshots:   0 total',
    'Time:        1.2 s',
  ].join('\n')
  expect(await read(text)).toEqual({
    counts: '6 run, 4 passed, 2 failed, 2 skipped',
    failing: ['src/cart.test.js > cart > removes', 'src/broken.test.js'],
    named: 2,
  })
})

describe('go test', () => {
  const plain = [
    '--- FAIL: TestRemove (0.00s)',
    '    cart_test.go:12: got 1, want 2',
    'FAIL',
    'FAIL\texample.com/cart\t0.003s',
    'ok  \texample.com/price\t0.002s',
    '?   \texample.com/cmd\t[no test files]',
    '# example.com/broken',
    'broken/x.go:3:1: syntax error',
    'FAIL\texample.com/broken [build failed]',
    'FAIL',
  ].join('\n')

  test('without -v, packages count', async () => {
    expect(await read(plain)).toEqual({
      counts: '3 run, 1 passed, 2 failed, 0 skipped',
      failing: ['example.com/cart.TestRemove', 'example.com/broken'],
      named: 3,
    })
  })

  test('with -v, tests count', async () => {
    const text = [
      '=== RUN   TestAdd',
      '--- PASS: TestAdd (0.00s)',
      '=== RUN   TestLater',
      '--- SKIP: TestLater (0.00s)',
      '=== RUN   TestTable',
      '=== RUN   TestTable/one',
      '    --- PASS: TestTable/one (0.00s)',
      '--- PASS: TestTable (0.00s)',
      'PASS',
      'ok  \texample.com/cart\t(cached)',
    ].join('\n')
    expect((await read(text, 'go')).counts).toBe('3 run, 3 passed, 0 failed, 1 skipped')
  })

  test('-json', async () => {
    const events = [
      { Action: 'run', Package: 'p', Test: 'TestA' },
      { Action: 'output', Package: 'p', Test: 'TestA', Output: '--- FAIL: TestA (0.00s)\n' },
      { Action: 'fail', Package: 'p', Test: 'TestA', Elapsed: 0 },
      { Action: 'pass', Package: 'p', Test: 'TestB', Elapsed: 0 },
      { Action: 'fail', Package: 'p', Elapsed: 0.01 },
      { Action: 'fail', Package: 'q', Elapsed: 0 },
    ]
    const text = events.map((event) => JSON.stringify(event)).join('\n')
    expect(await read(text)).toEqual({
      counts: '3 run, 1 passed, 2 failed, 0 skipped',
      failing: ['p.TestA', 'q'],
      named: 3,
    })
  })

  test('a package that is ok with a failed test is not believed', async () => {
    expect(await contradiction('--- FAIL: TestA (0.00s)\nok  \tp\t0.1s\n')).toMatch(/p is ok, but lists a test/)
  })
})

describe('TAP', () => {
  test('subtests count instead of the test that they belong to', async () => {
    const text =
      'TAP version 14\n    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - both\nok 2 - c # skip later\n1..2\n'
    expect(await read(text)).toEqual({
      counts: '2 run, 1 passed, 1 failed, 1 skipped',
      failing: ['both > b'],
      named: 3,
    })
  })

  test.each([
    ['1..3\nok 1\nok 2\n', /announces 3 tests .* lists 2/],
    ['TAP version 13\nok 1\nok 2\n', /nowhere/],
    ['1..2\nok 1\nBail out! no database\n', /gave up/],
  ])('%j is not believed', async (text, why) => {
    expect(await contradiction(text, 'tap')).toMatch(why)
  })
})

test.each<[string, string, string[]]>([
  [
    'TAP',
    [
      'not ok 1 - works',
      '  ---',
      "  location: 'a.test.js:1:1'",
      '  ...',
      'not ok 2 - works',
      '  ---',
      "  location: 'b.test.js:1:1'",
      '  ...',
      '1..2',
    ].join('\n'),
    ['a.test.js > works', 'b.test.js > works'],
  ],
  [
    'the spec reporter',
    [
      '✖ works (1.2ms)',
      '✖ later (1ms) # TODO',
      '✔ works (1.2ms)',
      '▶ suite',
      '  ✖ works (3ms)',
      '✖ suite (3ms)',
      'ℹ tests 4',
      'ℹ pass 1',
      'ℹ fail 2',
      'ℹ todo 1',
      '✖ failing tests:',
      '',
      'test at a.test.js:1:1',
      '✖ works (1.2ms)',
      '',
      'test at c.test.js:2:1',
      '✖ works (3ms)',
    ].join('\n'),
    ['a.test.js > works', 'c.test.js > suite > works'],
  ],
])('%s of node: a name is that of a test in a file', async (_, text, failing) => {
  expect((await read(text, 'node')).failing).toEqual(failing)
})

describe('JUnit', () => {
  const suite = (claims: string, cases: string): string =>
    `<?xml version="1.0"?><testsuites><testsuite name="s" ${claims}>${cases}</testsuite></testsuites>`
  const bad = '<testcase classname="c" name="bad"><failure message="1 &lt; 2"><![CDATA[<x>]]></failure></testcase>'
  const good = '<testcase classname="c" name="good"/>'

  test.each([
    [suite('tests="2" failures="0" errors="0"', bad + good), /claims 0 failures, but 1 of its tests failed/],
    [suite('tests="2" failures="1"', good + good), /claims 1 failures, but 0/],
    [suite('tests="5" failures="1"', bad + good), /claims 5 tests, but has 2/],
    [suite('tests="1"', '<testcase name="x">'), /not valid/],
    ['<!DOCTYPE x [<!ENTITY a "b">]><testsuites/>', /document type|undefined/],
  ])('%s is not believed', async (text, why) => {
    expect(String(await contradiction(text, 'junit'))).toMatch(why)
  })

  test.each([
    ['<skipped/><failure/>', '1 run, 0 passed, 1 failed, 0 skipped'],
    ['<error/><skipped/>', '1 run, 0 passed, 1 failed, 0 skipped'],
    ['<failure/><skipped type="todo"/>', '0 run, 0 passed, 0 failed, 1 skipped'],
  ])('a test with %s: %s', async (children, counts) => {
    expect((await read(suite('tests="1"', `<testcase name="x">${children}</testcase>`))).counts).toBe(counts)
  })

  test('an error outside of the tests fails', async () => {
    expect(await read(suite('tests="1" errors="1"', `<error message="teardown"/>${good}`))).toEqual({
      counts: '2 run, 1 passed, 1 failed, 0 skipped',
      failing: ['s > error'],
      named: 2,
    })
    expect(await contradiction(suite('tests="1" errors="0"', `${good}<error/>`), 'junit')).toMatch(
      /claims 0 failures, but 1/,
    )
  })

  test('a suite need not claim anything', async () => {
    expect(await read(suite('', bad + good))).toEqual({
      counts: '2 run, 1 passed, 1 failed, 0 skipped',
      failing: ['c > bad'],
      named: 2,
    })
  })
})

test.each<[string, string, RegExp]>([
  ['node', recorded('node-tap').replace('# fail 4', '# fail 0'), /summary says .* 0 failed/],
  ['node spec', recorded('node-spec').replace('ℹ fail 4', 'ℹ fail 0'), /lists 3 that failed/],
  ['vitest', ' FAIL  a.test.ts > x\n Test Files  1 passed (1)\n      Tests  1 passed (1)\n', /lists 1 that failed/],
  [
    'pytest',
    recorded('pytest').replace('1 failed, 2 passed', '3 passed').replace(', 1 error', ''),
    /lists 2 that failed/,
  ],
  ['cargo', recorded('cargo').replace('1 passed; 1 failed', '2 passed; 0 failed'), /lists 2 run, 1 passed, 1 failed/],
  [
    'cargo',
    'running 2 tests\ntest a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0\nrunning 1 test\n',
    /ends without/,
  ],
])('%s with numbers that contradict the list is not believed', async (_, text, why) => {
  expect(await contradiction(text)).toMatch(why)
})

test.each(['', 'make: nothing to be done\n', 'Error: Cannot find module vitest\n    at x\n', 'ok\nFAIL\n'])(
  'there are no tests in %j',
  async (text) => {
    expect(await readTests(text, undefined)).toBeUndefined()
  },
)

test('a line of megabytes takes no time', async () => {
  const text = `1..1\nok 1 - ${' #'.repeat(2_000_000)}\n`
  expect((await read(text, 'tap')).counts).toBe('1 run, 1 passed, 0 failed, 0 skipped')
})
