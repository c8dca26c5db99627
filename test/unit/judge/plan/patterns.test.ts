// Dangerous commands of a plan: which of them are judged, where they stand, and what `allow`, `effect` and the
// configuration say to it.

import { describe, expect, test } from 'vitest'
import { checkWhole } from '../../../../src/judge/plan/check-whole.ts'
import { commandsOf } from '../../../../src/judge/plan/commands-of.ts'
import { patternNames } from '../../../../src/judge/plan/rules/patterns.ts'
import { defaultConfig, type PlanConfig } from '../../../../src/plan/config/config.ts'
import type { Finding } from '../../../../src/plan/model/finding.ts'
import { fenced, parsed } from '../../../helpers/plans.ts'

async function check(
  matter: string,
  facts: { config?: PlanConfig; done?: ReadonlySet<string> } = {},
): Promise<Finding[]> {
  const { plan, source } = parsed(fenced(matter))
  return checkWhole(plan, { file: '.plans/sample.md', position: source.place, ...facts })
}
const said = async (matter: string, facts?: Parameters<typeof check>[1]): Promise<string[]> =>
  (await check(matter, facts)).map(
    ({ rule, severity, line, column, step }) =>
      `${line}:${column} ${severity} ${rule}${step === undefined ? '' : ` ${step}`}`,
  )

/** The place of a word in the text of a plan. */
function placeOf(matter: string, word: string): string {
  const before = fenced(matter).split(word)[0] ?? ''
  return `${before.split('\n').length}:${before.length - before.lastIndexOf('\n')}`
}

describe('every command of a plan is judged, at its place', () => {
  test.each([
    ['run', 'steps:\n  - {id: a, run: sudo ls}'],
    ['a quoted run', 'steps:\n  - id: a\n    run: "echo a && sudo ls"'],
    ['single quotes', "steps:\n  - id: a\n    run: 'echo ''a'' && sudo ls'"],
    ['a block', 'steps:\n  - id: a\n    run: |\n      npm ci\n      echo a && sudo ls\n      npm test'],
    ['a block with a blank line first', 'steps:\n  - id: a\n    run: |\n\n      npm ci\n        sudo ls'],
    ['a block without the last newline', 'steps:\n  - id: a\n    run: |-\n      npm ci\n      sudo ls'],
    ['a block whose indentation is said', 'steps:\n  - id: a\n    run: |2\n        npm ci\n      sudo ls'],
    ['a folded block', 'steps:\n  - id: a\n    run: >\n      echo one &&\n      echo two && sudo ls'],
    ['a plain text on two lines', 'steps:\n  - id: a\n    run: echo one &&\n      sudo ls'],
    [
      'a script in single quotes in a block',
      "steps:\n  - id: a\n    run: |\n      bash -c '\n        echo a\n        sudo ls'",
    ],
    ['verify', 'steps:\n  - {id: a, run: x, verify: sudo ls}'],
    ['verify in a list', 'steps:\n  - {id: a, run: x, verify: [npm test, sudo ls]}'],
    ['verify as a map', 'steps:\n  - id: a\n    run: x\n    verify:\n      run: echo a; sudo ls'],
    [
      'verify as a map in a list',
      'steps:\n  - id: a\n    run: x\n    verify:\n      - exists: x\n      - run: sudo ls',
    ],
    ['verify as a block', 'steps:\n  - id: a\n    run: x\n    verify: |\n      npm ci\n      sudo ls'],
    ['criteria', 'steps:\n  - {id: a, run: x, criteria: [good, {text: better, verify: [npm test, sudo ls]}]}'],
    ['test', 'steps:\n  - {id: a, run: x, test: sudo ls}'],
    ['probe', 'steps:\n  - {id: a, run: x, effect: external, probe: sudo ls, undo: x}'],
    ['undo', 'steps:\n  - {id: a, run: x, effect: external, probe: x, undo: sudo ls}'],
  ])('%s', async (_name, matter) => {
    expect(await said(matter)).toEqual([`${placeOf(matter, 'sudo')} error shell-privilege a`])
  })

  test.each([
    ['setup', 'setup: sudo ls\nsteps:\n  - {id: a, run: x}'],
    ['preflight', 'preflight: sudo ls\nsteps:\n  - {id: a, run: x}'],
    ['preflight in a list', 'preflight: [x, sudo ls]\nsteps:\n  - {id: a, run: x}'],
    ['test', 'test: sudo ls\nsteps:\n  - {id: a, run: x, test: true}'],
    ['verify', 'steps:\n  - {id: a, run: x}\nverify:\n  - npm test\n  - sudo ls'],
  ])('%s of the plan', async (_name, matter) => {
    expect(await said(matter)).toEqual([`${placeOf(matter, 'sudo')} error shell-privilege`])
  })

  test('commands are listed in the order of the file, with what they are for', () => {
    const { plan } = parsed(
      fenced(
        'setup: s\npreflight: [p]\ntest: t\nsteps:\n  - {id: a, run: r, verify: [v, {exists: x}], criteria: [{text: c, verify: cv}], test: st}\n  - {id: b, manual: m}\nverify: pv',
      ),
    )
    expect(commandsOf(plan).map(({ command, key, step }) => `${step?.id ?? '-'} ${key} ${command}`)).toEqual([
      '- setup s',
      '- preflight p',
      '- test t',
      'a run r',
      'a verify v',
      'a criteria cv',
      'a test st',
      '- verify pv',
    ])
  })
})

test('a finding says what it is about, and what to write instead', async () => {
  expect(await check('steps:\n  - {id: a, run: sudo ls}')).toEqual([
    {
      rule: 'shell-privilege',
      severity: 'error',
      message: '`run`: sudo runs as another user',
      file: '.plans/sample.md',
      step: 'a',
      line: 3,
      column: 18,
      advice:
        'grant only the permissions that are needed, or use a `manual` step; to accept it, add `allow: [shell-privilege]` to the step',
    },
  ])
  const [ofPlan] = await check('setup: npm publish\nsteps:\n  - {id: a, run: x}')
  expect(ofPlan).toMatchObject({
    rule: 'shell-external-effect',
    severity: 'error',
    advice: 'make it a step of its own with `effect: external`',
  })
  expect(ofPlan).not.toHaveProperty('step')
})

test('the same at the same place is said once, and findings are in the order of the file', async () => {
  expect(await said('steps:\n  - {id: a, run: "for i in /etc /usr; do rm -rf $i; done"}')).toHaveLength(1)
  expect(
    await said('steps:\n  - {id: b, run: "reboot; sudo ls"}\n  - {id: a, delete: .plans}\n  - {id: c, run: sudo ls}'),
  ).toEqual([
    '3:19 error shell-machine b',
    '3:27 error shell-privilege b',
    '4:13 error path-out-of-bounds a',
    '5:18 error shell-privilege c',
  ])
})

describe('an external effect', () => {
  const effects = 'probe: x, undo: y'
  test('is for a step that says so', async () => {
    expect(await said('steps:\n  - {id: a, run: npm publish}')).toEqual(['3:18 error shell-external-effect a'])
    expect(await said(`steps:\n  - {id: a, run: npm publish, effect: external, ${effects}}`)).toEqual([])
  })
  test('does not make anything else harmless', async () => {
    expect(await said(`steps:\n  - {id: a, run: git push -f, effect: external, ${effects}}`)).toEqual([
      '3:18 error shell-force-push a',
    ])
  })
})

describe('allow', () => {
  test('makes a warning of it, in that step and for that rule', async () => {
    expect(
      await said('steps:\n  - {id: a, run: sudo ls, allow: [shell-privilege]}\n  - {id: b, run: sudo ls}'),
    ).toEqual(['3:18 warning shell-privilege a', '4:18 error shell-privilege b'])
    expect(await said('steps:\n  - {id: a, run: "sudo ls; reboot", allow: [shell-privilege]}')).toEqual([
      '3:19 warning shell-privilege a',
      '3:28 error shell-machine a',
    ])
  })

  test('that nothing needs, or that names no rule, is told', async () => {
    const matter = 'steps:\n  - {id: a, run: sudo ls, allow: [shell-privilege, shell-machine, shell-priviledge]}'
    expect(await said(matter)).toEqual([
      '3:18 warning shell-privilege a',
      `${placeOf(matter, 'shell-machine')} warning unused-allow a`,
      `${placeOf(matter, 'shell-priviledge')} warning unused-allow a`,
    ])
    const [, unneeded, unknown] = await check(matter)
    expect(unneeded?.message).toBe('nothing in a needs `allow: [shell-machine]`')
    expect(unknown).toMatchObject({
      message: 'a allows `shell-priviledge`, which is not a rule',
      advice: expect.stringContaining('shell-privilege') as string,
    })
  })

  test('in a step without any command is unused', async () => {
    expect(await said('steps:\n  - {id: a, create: x, content: y, allow: [shell-privilege]}')).toHaveLength(1)
  })
})

describe('the configuration', () => {
  const config: PlanConfig = { ...defaultConfig, validation: { ...defaultConfig.validation, patterns: false } }
  test('can switch it off, and what is allowed is then neither needed nor unused', async () => {
    expect(await said('setup: sudo ls\nsteps:\n  - {id: a, run: sudo ls}', { config })).toEqual([])
    expect(await said('steps:\n  - {id: a, run: x, allow: [shell-privilege]}', { config })).toEqual([])
    expect(await said('steps:\n  - {id: a, run: x, allow: [nonsense]}', { config })).toEqual([
      '3:29 warning unused-allow a',
    ])
    expect(await said('steps:\n  - {id: a, run: sudo ls}', { config: defaultConfig })).toHaveLength(1)
  })
})

test('steps that are done are as they are', async () => {
  expect(
    await said('steps:\n  - {id: a, run: sudo ls, allow: [shell-machine]}\n  - {id: b, run: reboot}', {
      done: new Set(['a']),
    }),
  ).toEqual(['4:18 error shell-machine b'])
})

test('variables of a step count', async () => {
  expect(
    await said('steps:\n  - {id: a, run: rm -rf $D, env: {D: /}}\n  - {id: b, run: rm -rf $D, env: {D: dist}}'),
  ).toEqual(['3:18 error shell-delete-outside a'])
})

test('a plan of a thousand commands is judged', async () => {
  const steps = Array.from(
    { length: 1000 },
    (_, at) => `  - {id: s${at}, run: "npm run build:${at} && cp a/${at} b/"}`,
  ).join('\n')
  expect(await check(`steps:\n${steps}`)).toEqual([])
})

test('every name that a step may allow is that of a rule', () => {
  expect(patternNames.length).toBeGreaterThan(15)
  expect(patternNames.filter((name) => !/^shell-[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
})

test('a command that moves the branch of the plan is a warning, which stops nothing', async () => {
  expect(await check('steps:\n  - {id: a, run: git add . && git commit -m x}')).toMatchObject([
    { rule: 'shell-moves-branch', severity: 'warning', step: 'a', line: 3 },
  ])
})
