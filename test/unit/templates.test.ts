import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkWhole } from '../../src/judge/plan/check-whole.ts'
import { hasErrors } from '../../src/plan/model/finding.ts'
import { readPlan } from '../../src/plan/file/read-plan.ts'

const directory = new URL('../../templates/', import.meta.url)
const templates = readdirSync(directory).filter((name) => name.endsWith('.md'))

test('there are templates', () => {
  expect(templates.length).toBeGreaterThan(0)
})

test.each(templates)('the template %s is a valid plan that passes check', async (name) => {
  const parsed = readPlan(readFileSync(new URL(name, directory)), { file: name })
  expect(parsed.ok ? [] : parsed.findings).toEqual([])
  if (parsed.ok) expect(hasErrors(await checkWhole(parsed.plan, { file: name }))).toBe(false)
})
