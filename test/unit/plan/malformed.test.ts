import { expect, test } from 'vitest'
import { readPlan } from '../../../src/plan/file/read-plan.ts'
import { malformedPlans } from '../../helpers/malformed.ts'

const cases = malformedPlans()

test('there is a case for every key', () => {
  expect(cases.length).toBeGreaterThan(300)
  expect(new Set(cases.map((entry) => entry.name)).size).toBe(cases.length)
})

test.each(cases)('$name is refused at its line', ({ text, expect: { line, rule } }) => {
  const result = readPlan(new TextEncoder().encode(text), { file: 'sample.md' })
  if (result.ok) throw new Error(`was accepted:\n${text}`)
  expect(result.findings.map((finding) => `${finding.line} ${finding.rule}`)).toContain(`${line} ${rule}`)
  for (const finding of result.findings) {
    expect(finding.file).toBe('sample.md')
    expect(finding.column).toBeGreaterThan(0)
    if (finding.rule === 'unknown-key') expect(finding.advice).toMatch(/`[a-z_]+`/)
  }
})
