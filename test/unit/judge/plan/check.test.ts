import { describe, expect, test } from 'vitest'
import { checkPlan } from '../../../../src/judge/plan/check-plan.ts'
import { assessRisk } from '../../../../src/judge/plan/risk.ts'
import { defaultConfig, type PlanConfig } from '../../../../src/plan/config/config.ts'
import type { Finding } from '../../../../src/plan/model/finding.ts'
import { fenced, parsed } from '../../../helpers/plans.ts'

const risk = (step: string, critical: readonly string[] = []): string =>
  assessRisk(parsed(fenced(`steps:\n  - ${step}`)).plan, critical).plan
const check = (matter: string, config?: PlanConfig): Finding[] => {
  const { plan, source } = parsed(fenced(matter), { file: '.plans/sample.md' })
  return checkPlan(plan, {
    file: '.plans/sample.md',
    position: source.place,
    ...(config === undefined ? {} : { config }),
  })
}

describe('risk', () => {
  test.each([
    ['{run: x}', 'HIGH'],
    ['{create: a, content: x}', 'LOW'],
    ['{edit: a, append: x}', 'MEDIUM'],
    ['{delete: a}', 'HIGH'],
    ['{move: a, to: b}', 'MEDIUM'],
    ['{manual: x}', 'LOW'],
    ['{gate: x}', 'LOW'],
    ['{run: x, effect: external}', 'HIGH'],
    ['{create: a, content: x, risk: HIGH}', 'HIGH'],
    ['{delete: a, risk: LOW}', 'HIGH'],
    ['{create: a, content: x, verify: x}', 'HIGH'],
    ['{create: a, content: x, verify: {exists: a}}', 'LOW'],
    ['{create: a, content: x, criteria: [{text: good, verify: x}]}', 'HIGH'],
    ['{create: a, content: x, criteria: [good]}', 'LOW'],
    ['{edit: a, append: x, test: x}', 'HIGH'],
    ['{manual: x, effect: external, probe: x, undo: x}', 'HIGH'],
    ['{create: .github/workflows/ci.yml, content: x}', 'CRITICAL'],
    ['{create: .GitHub/Workflows/ci.yml, content: x}', 'CRITICAL'],
    ['{delete: .github}', 'CRITICAL'],
    ['{move: a, to: .gitlab-ci.yml}', 'CRITICAL'],
    ['{edit: db/migrations/1.sql, append: x}', 'CRITICAL'],
    ['{delete: db/migrations}', 'CRITICAL'],
    ['{create: certs/a.pem, content: x}', 'CRITICAL'],
    ['{create: a.key, content: x}', 'CRITICAL'],
    ['{edit: src/auth/login.ts, append: x}', 'CRITICAL'],
    ['{edit: src/auth.ts, append: x}', 'CRITICAL'],
    ['{edit: src/author.ts, append: x}', 'MEDIUM'],
    ['{create: .plans/config.yml, content: x}', 'CRITICAL'],
    ['{run: x, files: [.github/workflows/**]}', 'CRITICAL'],
    ['{run: x, files: [.github/**]}', 'CRITICAL'],
    ['{run: x, files: ["{.github,docs}/*"]}', 'HIGH'],
    ['{run: x, files: [".github/[aw]*/**"]}', 'CRITICAL'],
    ['{run: x, files: ["**/auth.*"]}', 'CRITICAL'],
    ['{run: x, files: [src/**]}', 'HIGH'],
    ['{delete: docs/CodeOwners}', 'CRITICAL'],
    ['{create: .github/workflows.md, content: x}', 'LOW'],
    ['{create: migrations.md, content: x}', 'LOW'],
  ])('%s is %s', (step, level) => {
    expect(risk(step)).toBe(level)
  })

  test.each([
    ['{create: ops/live/a.yml, content: x}', 'CRITICAL'],
    ['{edit: Ops/Live/a.yml, append: x}', 'CRITICAL'],
    ['{delete: ops}', 'CRITICAL'],
    ['{move: ops/live/a.yml, to: b}', 'CRITICAL'],
    ['{run: x, files: [ops/**]}', 'CRITICAL'],
    ['{run: x, files: [ops/live/eu/*]}', 'CRITICAL'],
    ['{run: x, files: ["**/*.yml"]}', 'CRITICAL'],
    ['{create: ops/test/a.yml, content: x}', 'LOW'],
    ['{create: ops/live.md, content: x}', 'LOW'],
    ['{run: x, files: [src/**]}', 'HIGH'],
    ['{create: api/public.yaml, content: x}', 'CRITICAL'],
  ])('%s is %s where ops/live and public interfaces are called critical', (step, level) => {
    expect(risk(step, ['ops/live/**', 'api/public.{yaml,yml}'])).toBe(level)
  })

  test('a plan has the risk of its riskiest step, with the reasons', () => {
    const { plan } = parsed(fenced('steps:\n  - {id: a, edit: q, append: x}\n  - {id: b, delete: y}'))
    const assessed = assessRisk(plan, [])
    expect(assessed).toMatchObject({ plan: 'HIGH', reasons: ['b: delete step'] })
    expect(
      assessRisk(parsed(fenced('steps:\n  - {id: a, create: q, content: x, verify: x, test: y}')).plan, []).reasons,
    ).toEqual(['a: its verify runs a command', 'a: its test runs a command'])
    for (const { reasons } of assessed.steps.values()) expect(reasons.length).toBeGreaterThan(0)
  })
})

describe('check', () => {
  test('what the configuration asks of every step is missed, all of it and at its line', () => {
    const config: PlanConfig = { ...defaultConfig, require: ['owner', 'files', 'criteria', 'tests'] }
    const whole = '  - {id: a, run: x, owner: ops, files: [src/**], criteria: [good], test: npm test}'
    expect(check(`steps:\n${whole}`, config).filter(({ rule }) => rule === 'required-key')).toEqual([])
    const findings = check(`steps:\n${whole}\n  - {id: b, run: x, owner: ops}`, config)
    expect(findings).toMatchObject(
      ['files', 'criteria', 'test'].map((key) => ({
        rule: 'required-key',
        severity: 'error',
        step: 'b',
        line: 4,
        message: expect.stringContaining(`\`${key}\``) as string,
      })),
    )
  })

  test.each(['.plans/sample.md', '.plans/config.yml', '.plans', '.PLANS/Sample.md', '.plans/sample.md/x'])(
    'the path %s is out of bounds',
    (path) => {
      expect(check(`steps:\n  - {id: a, delete: ${path}}`)).toMatchObject([
        { rule: 'path-out-of-bounds', severity: 'error', line: 3, step: 'a', file: '.plans/sample.md' },
      ])
    },
  )
  test('a design step that nothing judges is warned of', () => {
    const design = (more: string): string[] =>
      check(`steps:\n  - {id: a, phase: design, ${more}}`).map(({ rule, line }) => `${rule} ${line}`)
    expect(design('run: x')).toEqual(['design-unjudged 3'])
    expect(design('run: x, files: [docs/a.md]')).toEqual([])
    expect(design('run: x, deliverables: [docs/a.md]')).toEqual([])
    expect(design('create: docs/a.md, content: x')).toEqual([])
    expect(design('manual: Draw it')).toEqual([])
  })
  test('other files beside the plan are in bounds', () => {
    expect(check('steps:\n  - {create: .plans/templates/x.md, content: x}')).toEqual([])
  })
  test('steps that can run side by side and touch the same files are warned of', () => {
    const overlap = (a: string, b: string, needs = '[]'): string[] =>
      check(`steps:\n  - {id: a, ${a}, needs: []}\n  - {id: b, ${b}, needs: ${needs}}`).map(
        (finding) => `${finding.severity} ${finding.rule} ${finding.step}`,
      )
    const warned = ['warning overlap b']
    expect(overlap('edit: f, append: x', 'edit: f, append: y')).toEqual(warned)
    expect(overlap('edit: f, append: x', 'edit: f, append: y', '[a]')).toEqual([])
    expect(overlap('edit: f, append: x', 'edit: g, append: y')).toEqual([])
    expect(overlap('delete: d', 'edit: d/f, append: y')).toEqual(warned)
    expect(overlap('edit: d/f, append: y', 'delete: d')).toEqual(warned)
    expect(overlap("run: x, files: ['src/**']", 'edit: src/a.ts, append: y')).toEqual(warned)
    expect(overlap("run: x, files: ['src/**']", "run: y, files: ['src/a/*.ts']")).toEqual(warned)
    expect(overlap("run: x, files: ['src/**']", "run: y, files: ['docs/**']")).toEqual([])
  })
  test('an external effect that cannot be asked about or undone is warned of', () => {
    expect(check('steps:\n  - {run: x, effect: external}').map((finding) => finding.rule)).toEqual([
      'effect-without-probe',
      'effect-without-undo',
    ])
    expect(check('steps:\n  - {run: x, effect: external, probe: y, undo: z}')).toEqual([])
  })
  test('a gate that holds nothing back is warned of', () => {
    expect(check('steps:\n  - {id: g, gate: Go?}\n  - {run: x, needs: []}')).toMatchObject([
      { rule: 'loose-gate', step: 'g' },
    ])
    expect(check('steps:\n  - {id: g, gate: Go?}\n  - {run: x}')).toEqual([])
  })
  test('every finding has a place and advice', () => {
    for (const finding of check(
      'steps:\n  - {id: g, gate: Go?}\n  - {run: x, needs: [], effect: external}\n  - {delete: .plans}',
    )) {
      expect(finding).toMatchObject({
        line: expect.any(Number),
        column: expect.any(Number),
        advice: expect.any(String),
      })
    }
  })
})
