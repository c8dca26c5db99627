import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkWhole } from '../../src/judge/plan/check-whole.ts'
import { hasErrors } from '../../src/plan/model/finding.ts'
import { readPlan } from '../../src/plan/file/read-plan.ts'
import { describeTemplate } from '../../src/plan/sources/describe-template.ts'
import { draftText, templateText } from '../../src/plan/sources/draft.ts'
import { expandSource, readGiven } from '../../src/plan/sources/expand.ts'
import { verbs } from '../../src/plan/verbs/index.ts'
import { templateProjects } from '../helpers/template-projects.ts'

const directory = new URL('../../templates/', import.meta.url)
const templates = readdirSync(directory).filter((name) => name.endsWith('.md'))

const expand = async (bytes: Uint8Array, words: readonly string[]) => {
  const read = readGiven(words)
  if (!read.ok) throw new Error(read.word)
  const load = () => Promise.resolve({ ok: false as const, message: 'nothing' })
  return expandSource({ bytes, file: 'template.md' }, { load, given: read.given })
}

test('there are templates', () => {
  for (const name of ['add-crud-endpoints', 'refactor-to-pattern', 'add-testing-suite', 'upgrade-dependency'])
    expect(templates).toContain(`${name}.md`)
  for (const name of ['rename-symbol', 'release', 'migrate-config', 'codemod'])
    expect(templates).toContain(`${name}.md`)
})

test.each(templates)('the template %s gives a valid plan that passes check', async (name) => {
  const bytes = readFileSync(new URL(name, directory))
  const facts = describeTemplate(bytes)
  expect(facts).toMatchObject({ title: expect.stringMatching(/\w/), about: expect.stringMatching(/\.$/) })
  expect(facts.problem).toBeUndefined()
  const expanded = await expand(bytes, templateProjects[name.replace('.md', '')]?.params ?? [])
  if (!expanded.ok) throw new Error(JSON.stringify(expanded.findings))
  const parsed = readPlan(expanded.bytes, { file: name })
  expect(parsed.ok ? [] : parsed.findings).toEqual([])
  if (parsed.ok) expect(hasErrors(await checkWhole(parsed.plan, { file: name }))).toBe(false)
})

test('the draft of a plan is a valid plan that shows every verb', () => {
  const text = Buffer.from(draftText('A "quoted" title')).toString()
  const parsed = readPlan(Buffer.from(text), { file: 'draft.md' })
  expect(parsed).toMatchObject({ ok: true, plan: { title: 'A "quoted" title', steps: [{ verb: 'create' }] } })
  for (const verb of Object.keys(verbs)) expect(text).toMatch(new RegExp(`^#  - ${verb}:( |$)`, 'm'))
})

test('without their marks, the examples of the draft are a valid plan', () => {
  const lines = Buffer.from(draftText('All')).toString().split('\n')
  const examples = lines.flatMap((line) => /^#( {2,}.*)$/.exec(line)?.[1] ?? [])
  const steps = examples.filter(
    (_, at) => !examples.slice(Math.max(0, at - 1), at + 1).some((line) => /include/.test(line)),
  )
  const text = ['---', 'test: npm test', 'steps:', ...steps, '---', ''].join('\n')
  const parsed = readPlan(Buffer.from(text), { file: 'draft.md' })
  expect(parsed.ok ? [] : parsed.findings, text).toEqual([])
})

test('a new template gives a valid plan', async () => {
  const expanded = await expand(Buffer.from(templateText('service')), ['name=cart'])
  if (!expanded.ok) throw new Error(JSON.stringify(expanded.findings))
  expect(readPlan(expanded.bytes, { file: 'x.md' })).toMatchObject({
    ok: true,
    plan: { title: 'service cart', params: { name: 'cart', directory: 'src' } },
  })
})
