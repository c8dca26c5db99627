// The cases P1 to P10 and their neighbours.

import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/plan/config/read-config.ts'
import { bytesOf, fenced, findingsOf, parsed, rulesOf } from '../../helpers/plans.ts'

const configFindings = (text: string) => {
  const parsed = readConfig(bytesOf(text), '.plans/config.yml')
  return parsed.ok ? [] : parsed.findings
}
const oneStep = 'steps:\n  - run: npm test'

describe('P1 fences', () => {
  test.each([
    '---js',
    '---JS',
    '---javascript',
    '---json',
    '---toml',
    '---coffee',
    '---constructor',
    '--- yaml',
    '---yaml',
    '--- ',
    '----',
    ' ---',
    '+++',
    '',
    '\n---',
  ])('an opening fence %j is refused', (fence) => {
    const canary = globalThis as { canary?: boolean }
    const findings = findingsOf(`${fence}\nglobalThis.canary = true\n${oneStep}\n---\n`)
    expect(findings).toMatchObject([{ rule: 'bad-fence', line: 1, column: 1 }])
    expect(canary.canary).toBeUndefined()
  })
})

describe('P2 the same input', () => {
  test.each(['steps: [a', 'a: b: c', '\tx: 1', 'steps:\n  - runn: x'])('%j gives the same findings twice', (matter) => {
    const first = findingsOf(fenced(matter))
    expect(first.length).toBeGreaterThan(0)
    expect(findingsOf(fenced(matter))).toEqual(first)
  })
})

describe('P3 expensive or surprising YAML is refused at once', () => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...Array.from(
      { length: 25 },
      (_, i) =>
        `a${i}: &a${i} [${Array(9)
          .fill(i === 0 ? '*a' : `*a${i - 1}`)
          .join(', ')}]`,
    ),
  ].join('\n')
  const cases: [string, string, string][] = [
    ['an alias bomb', bomb, 'bad-yaml'],
    ['20,000 nested brackets', `steps: ${'['.repeat(20_000)}`, 'too-deep'],
    ['20,000 nested closed brackets', `steps: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'too-deep'],
    ['20,000 nested braces', `steps: ${'{a: '.repeat(20_000)}`, 'too-deep'],
    ['20,000 nested dashes', `steps:\n  ${'- '.repeat(20_000)}x`, 'too-deep'],
    ['1,000 nested maps', Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'too-deep'],
    [
      '1,000 nested maps with block scalars between',
      Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}b: |\n${' '.repeat(i)} x\n${' '.repeat(i)}a:`).join('\n'),
      'too-deep',
    ],
    ['20,000 keys in one line', `title: ${'a: '.repeat(20_000)}`, 'too-deep'],
    ['20,000 lines below a value', `a:\n b: 5\n${'  c: 5m\n'.repeat(20_000)}`, 'too-deep'],
    ['a file over the limit', `request: ${'x'.repeat(1024 * 1024)}`, 'too-large'],
    ['a duplicate key', `title: a\ntitle: b\n${oneStep}`, 'duplicate-key'],
    ['a custom tag', `title: !!js/function x\n${oneStep}`, 'bad-yaml'],
    ['a merge key', `<<: { title: x }\n${oneStep}`, 'bad-yaml'],
    ['an anchor', `title: &t x\n${oneStep}`, 'bad-yaml'],
    ['a directive', `%YAML 1.1\n${oneStep}`, 'bad-yaml'],
    ['an explicit key', `? title\n: x\n${oneStep}`, 'bad-yaml'],
    ['an end of document', `${oneStep}\n...\ntitle: x`, 'bad-yaml'],
    ['a key that is not text', `1: x\n${oneStep}`, 'bad-value'],
    ['a NUL in an escape', `request: "a\\0b"\n${oneStep}`, 'bad-value'],
    ['half a surrogate pair in an escape', `request: "\\ud800"\n${oneStep}`, 'bad-value'],
    ['a map in brackets without braces', 'steps: [run: x]', 'bad-yaml'],
  ]
  test.each(cases)('%s', (_, matter, rule) => {
    const text = bytesOf(fenced(matter))
    expect(rulesOf(text)).toContain(rule)
  })

  const almost = 1024 * 1024 - 100
  test.each([
    ['blank lines', '\n'.repeat(almost)],
    ['blanks', ' '.repeat(almost)],
    ['one long word', `title: ${'a'.repeat(almost)}`],
    ['comments', '#\n'.repeat(almost / 2)],
    ['keys', 'a:\n'.repeat(almost / 3)],
    ['different keys', Array.from({ length: 90_000 }, (_, i) => `k${i}:`).join('\n')],
    ['commas', `a: [${','.repeat(almost - 10)}]`],
    ['colons', ': '.repeat(almost / 2)],
    ['quotes', `a: ${'"'.repeat(almost)}`],
    ['an open quote', `a: "${'\n'.repeat(almost)}`],
    [
      'state for steps that are not there',
      `${oneStep}\nstatus: proposed\nstate:\n${Array.from({ length: 29_000 }, (_, i) => `  s${i}: done`).join('\n')}`,
    ],
    [
      'unknown needs',
      `steps:\n${Array.from({ length: 1000 }, (_, i) => `  - {id: s${i}, run: x, needs: [${Array.from({ length: 40 }, (_, j) => `${'n'.repeat(40)}${j}`).join(',')}]}`).join('\n')}`,
    ],
    [
      'unknown keys',
      `steps:\n${Array.from({ length: 1000 }, (_, i) => `  - {run: x, ${Array.from({ length: 25 }, (_, j) => `${'k'.repeat(30)}${i}x${j}: 1`).join(', ')}}`).join('\n')}`,
    ],
  ])('a mebibyte of %s has a few findings', (_, matter) => {
    const result = findingsOf(bytesOf(fenced(matter)))
    expect(result.length).toBeGreaterThan(0)
    expect(result.length).toBeLessThanOrEqual(50)
  })

  test('mistakes are collected without a stack trace each, and the limit of traces is as before', () => {
    const text = bytesOf(fenced(`   - a\n - b\n${Array.from({ length: 3000 }, (_, i) => `k${i}:`).join('\n')}`))
    const before = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')!
    const set: unknown[] = []
    Object.defineProperty(Error, 'stackTraceLimit', {
      configurable: true,
      get: () => set.at(-1) ?? 500,
      set(limit) {
        set.push(limit)
      },
    })
    try {
      expect(rulesOf(text)).toContain('bad-yaml')
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', before)
    }
    expect(set.slice(0, 2)).toEqual([0, 500])
  })
})

describe('P4 keys of prototypes', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('%s is refused anywhere', (key) => {
    expect(rulesOf(fenced(`${key}: { polluted: true }\n${oneStep}`))).toContain('refused-key')
    expect(rulesOf(fenced(`meta: { a: [{ ${key}: { polluted: true } }] }\n${oneStep}`))).toContain('refused-key')
    expect(rulesOf(fenced(`${oneStep}\n    env: { "${key}": x }`))).toContain('refused-key')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('P5 unknown keys', () => {
  test('a misspelt key names the nearest', () => {
    expect(findingsOf(fenced('steps:\n  - run: a\n    need: [b]'))).toMatchObject([
      { rule: 'unknown-key', line: 4, column: 5, advice: 'did you mean `needs`?' },
    ])
  })
  test('a key like no other is not guessed: all are named', () => {
    expect(findingsOf(fenced(`aprovals: 1\n${oneStep}`))).toMatchObject([
      { rule: 'unknown-key', line: 2, advice: expect.stringMatching(/^known: .*steps/) },
    ])
  })
  test('a misspelt verb is one finding', () => {
    expect(findingsOf(fenced('steps:\n  - rnu: a'))).toMatchObject([
      { rule: 'unknown-key', advice: 'did you mean `run`?' },
    ])
  })
  test.each([
    ['shell', 'run'],
    ['cmd', 'run'],
    ['exec', 'run'],
    ['write', 'create'],
    ['file', 'create'],
    ['Rename', 'move'],
  ])('a verb by another name is one finding: %s', (key, verb) => {
    expect(findingsOf(fenced(`steps:\n  - ${key}: a`))).toMatchObject([
      { rule: 'unknown-key', advice: `did you mean \`${verb}\`?` },
    ])
  })
  test('another key of a step by another name, never a second verb', () => {
    expect(findingsOf(fenced('steps:\n  - run: a\n    depends_on: [b]\n    file: c'))).toMatchObject([
      { rule: 'unknown-key', advice: 'did you mean `needs`?' },
      { rule: 'unknown-key', advice: 'did you mean `files`?' },
    ])
  })
  test('a key of another verb names that verb', () => {
    expect(findingsOf(fenced('steps:\n  - run: a\n    content: b'))).toMatchObject([
      { rule: 'unknown-key', advice: expect.stringContaining('goes with `create`') },
    ])
  })
  test.each(['loop: x', 'include: x'])('a verb of later versions is unknown: %s', (line) => {
    expect(rulesOf(fenced(`steps:\n  - ${line}`))).toContain('unknown-key')
  })
  test('all findings come at once, in the order of the file', () => {
    const findings = findingsOf(
      fenced('titel: x\nsteps:\n  - run: 1\n  - need: []\n    run: x\n    timeout: soon\nverfy: x'),
    )
    expect(findings.map((finding) => `${finding.line} ${finding.rule}`)).toEqual([
      '2 unknown-key',
      '4 wrong-type',
      '5 unknown-key',
      '7 bad-value',
      '8 unknown-key',
    ])
  })
})

describe('P6 where the front matter ends', () => {
  test('a fence inside a block scalar ends nothing and is refused', () => {
    expect(findingsOf('---\nsteps:\n  - create: a\n    content: |\n      x\n---- \n      y\n---\n')).toMatchObject([
      { rule: 'bad-fence', line: 6 },
    ])
    expect(parsed('---\nsteps:\n  - create: a\n    content: |\n      ---\n      y\n---\n').plan.steps[0]?.spec).toEqual(
      {
        create: 'a',
        content: '---\ny\n',
      },
    )
  })
  test('a closing fence that is missing is a finding', () => {
    expect(findingsOf(`---\n${oneStep}\n`)).toMatchObject([{ rule: 'bad-fence' }])
    expect(findingsOf('---\n')).toMatchObject([{ rule: 'bad-fence' }])
  })
  test('a second block of front matter is prose', () => {
    const prose = '\n---\nsteps: []\nstatus: completed\n---\n\ntext\n'
    expect(parsed(fenced(oneStep, prose)).plan).toMatchObject({ prose, status: 'proposed' })
  })
  test('a byte order mark, a NUL byte, bytes that are not UTF-8 and lone carriage returns are findings', () => {
    const text = fenced(oneStep)
    expect(rulesOf(`\ufeff${text}`)).toEqual(['bad-encoding'])
    expect(findingsOf(text.replace('npm', 'n\0m'))).toMatchObject([{ rule: 'bad-encoding', line: 3 }])
    expect(rulesOf(new Uint8Array([...bytesOf(text), 0xff]))).toEqual(['bad-encoding'])
    expect(rulesOf(text.replace('npm', 'n\rm'))).toEqual(['bad-fence'])
  })
  test('CRLF is as good as LF', () => {
    expect(parsed(fenced(oneStep, 'a\n').replaceAll('\n', '\r\n')).plan).toMatchObject({
      prose: 'a\r\n',
      steps: [{ id: 'npm-test' }],
    })
  })
})

describe('P7 characters that hide', () => {
  const hidden = [
    '\\e[31m',
    '\\e]52;c;eA==\\a',
    '\\a',
    '\\u202e',
    '\\u2066',
    '\\u200e',
    '\\u200b',
    '\\ufeff',
    '\\x7f',
    '\\n',
  ]
  test.each(hidden)('%s is refused in titles, ids, paths and branches', (text) => {
    expect(rulesOf(fenced(`title: "a${text}b"\n${oneStep}`))).toEqual(['bad-value'])
    expect(rulesOf(fenced(`base: "a${text}b"\n${oneStep}`))).toEqual(['bad-value'])
    expect(rulesOf(fenced(`plan: "a${text}b"\n${oneStep}`))).toEqual(['bad-value'])
    expect(rulesOf(fenced(`steps:\n  - run: x\n    id: "a${text}b"`))).toEqual(['bad-value'])
    expect(rulesOf(fenced(`steps:\n  - run: x\n    title: "a${text}b"`))).toEqual(['bad-value'])
    expect(rulesOf(fenced(`steps:\n  - delete: "a${text}b"`))).toEqual(['bad-value'])
    expect(rulesOf(fenced(`steps:\n  - run: x\n    files: ["a${text}b"]`))).toEqual(['bad-value'])
  })
  test('they are allowed in free text, and derived titles leave them out', () => {
    const { plan } = parsed(
      fenced('request: "a\\e[0mb"\nsteps:\n  - run: "printf \'\\e[31m\\u202e\' x"', '# A\u202eB \u001b[1m\n'),
    )
    expect(plan.request).toBe('a\u001b[0mb')
    expect(plan.title).toBe('AB [1m')
    expect(plan.steps[0]?.title).toBe("Run printf '[31m' x")
  })
  test('messages never hold them', () => {
    const findings = findingsOf(fenced(`"k\\e[31m": 1\nsteps:\n  - run: x\n    changes: "\\u202e"\n    needs: ["\\e"]`))
    expect(findings.length).toBe(3)
    for (const finding of findings)
      expect(JSON.stringify([finding.message, finding.advice ?? ''])).not.toMatch(/\\u00|[\u0000-\u001f\u202e]/)
  })
})

describe('P7 what the parser of YAML quotes', () => {
  test.each([
    'a: | \u007fx',
    'a: |\u001b[2J',
    'a: |\u202ex',
    `\u0085${'x'.repeat(3000)}: |y`,
    'a: "\\q\u001b[31m"',
    'a: b: \u001b]52;c;eA==\u0007',
  ])('is escaped and short: %j', (matter) => {
    const findings = [...findingsOf(fenced(`${matter}\n${oneStep}`)), ...configFindings(`${matter}\n`)]
    expect(findings.length).toBeGreaterThan(1)
    for (const { message } of findings) {
      expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(message.length).toBeLessThan(400)
    }
  })
  test('is escaped where a carriage return stands alone in a configuration', () => {
    const [finding] = configFindings(`a: |\r${'b\r'.repeat(5000)}`)
    expect(finding).toMatchObject({ rule: 'bad-yaml', line: 1 })
    expect(finding?.message).toMatch(/^[^\r]{10,400}$/)
  })
})

test('P3 a configuration of many documents is refused at once', () => {
  expect(configFindings('---\nversion: 1\n')).toEqual([])
  expect(configFindings('version: 1\n---\nversion: 1\n')).toMatchObject([{ rule: 'bad-yaml', line: 2, column: 1 }])
  expect(configFindings('a: 1\n---\n'.repeat(25_000))).toHaveLength(1)
})

describe('P7 what findings say is short', () => {
  test('of a regular expression only what is wrong with it', () => {
    for (const pattern of [`(${'x'.repeat(400_000)}`, '(\\e[31m', 'a: (: b']) {
      const [finding] = findingsOf(fenced(`steps:\n  - {edit: a, match: "${pattern}", with: b}`))
      expect(finding).toMatchObject({
        rule: 'bad-value',
        line: 3,
        message: expect.stringMatching(/not a regular expression: \S.{5,100}$/) as string,
      })
      expect(finding?.message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    }
  })
  test('of steps only those whose ids are ids', () => {
    for (const id of ['x'.repeat(3000), 'a\\e[31m']) {
      const findings = findingsOf(fenced(`steps:\n  - {id: "${id}", run: x}\n  - {id: b, run: x, needs: [xx]}`))
      expect(findings.map(({ rule }) => rule)).toEqual(['bad-value', 'unknown-need'])
      expect(findings[1]?.advice).toMatch(/^[ -~]{1,100}$/)
    }
  })
  test('and no more than anybody reads, of a configuration, too', () => {
    for (const text of [
      'a: 1\n'.repeat(5000),
      Array.from({ length: 5000 }, (_, n) => `a${n}: 1\n`).join(''),
      'limits: {a: 1}\n'.repeat(2),
      '? a\n'.repeat(3),
    ]) {
      expect(configFindings(text).length).toBeGreaterThan(0)
      expect(configFindings(text).length).toBeLessThanOrEqual(50)
    }
  })
})

describe('P8 ids', () => {
  test.each([
    '../x',
    '-rf',
    'a.lock',
    'CON',
    'con',
    'lpt1',
    'constructor',
    'prototype',
    'a'.repeat(300),
    'a b',
    'ä',
    '',
    'A',
  ])('the id %j is refused', (id) => {
    expect(rulesOf(fenced(`steps:\n  - run: x\n    id: ${JSON.stringify(id)}`))).toEqual(['bad-value'])
    expect(rulesOf(fenced(`plan: ${JSON.stringify(id)}\n${oneStep}`))).toEqual(['bad-value'])
  })
  test('two ids that are the same, or differ only in case, are refused', () => {
    expect(findingsOf(fenced('steps:\n  - {id: a, run: x}\n  - {id: a, run: y}'))).toMatchObject([
      { rule: 'duplicate-id', line: 4 },
    ])
    expect(rulesOf(fenced('steps:\n  - {id: a, run: x}\n  - {id: A, run: y}')).toSorted()).toEqual([
      'bad-value',
      'duplicate-id',
    ])
  })
})

describe('P9 the graph', () => {
  test('a cycle names its steps', () => {
    const findings = findingsOf(
      fenced(
        'steps:\n  - {id: x, run: x}\n  - {id: a, run: x, needs: [c]}\n  - {id: b, run: x, needs: [a]}\n  - {id: c, run: x, needs: [b, x]}',
      ),
    )
    expect(findings).toMatchObject([{ rule: 'cycle', line: 4, message: expect.stringContaining('a → c → b → a') }])
  })
  test('a step that needs itself, or one that is not there, is refused', () => {
    expect(findingsOf(fenced('steps:\n  - {id: a, run: x, needs: [a]}'))).toMatchObject([
      { rule: 'cycle', message: expect.stringContaining('itself') },
    ])
    expect(findingsOf(fenced('steps:\n  - {id: limiter, run: x}\n  - {id: b, run: x, needs: [limitr]}'))).toMatchObject(
      [{ rule: 'unknown-need', line: 4, advice: 'did you mean `limiter`?' }],
    )
  })
  test.each([1001, 20_000, 87_000, 100_000])('%d steps are refused', (count) => {
    expect(rulesOf(fenced(`steps:\n${'  - run: x\n'.repeat(count)}`))).toEqual(['too-large'])
  })
  test('1,000 steps are a plan', () => {
    expect(parsed(fenced(`steps:\n${'  - run: x\n'.repeat(1000)}`)).plan.steps.at(-1)).toMatchObject({
      id: 'x-1000',
      wave: 999,
    })
  })
})

describe('P10 durations', () => {
  test.each(['12:30', '1e9', '0', '-5', '-5s', '0s', '10', '10 m', '1.5h', 'soon', '""', '[5m]', '999999999d'])(
    'timeout: %s is refused with the form',
    (value) => {
      expect(findingsOf(fenced(`steps:\n  - run: x\n    timeout: ${value}`))).toMatchObject([
        { line: 4, advice: 'write a duration such as 90s, 10m or 1h30m' },
      ])
    },
  )
  test('durations and sizes are read', () => {
    expect(
      parsed(fenced('steps:\n  - run: x\n    timeout: 1h30m\n    limits: { memory: 512mb, cpu: 90s, output: 1KB }'))
        .plan.steps[0],
    ).toMatchObject({
      timeout: 5_400_000,
      limits: { memory: 512 * 1024 * 1024, cpu: 90_000, output: 1024 },
    })
  })
})
