import { expect, test } from 'vitest'
import { planJsonSchema } from '../../../src/plan/file/json-schema.ts'
import { planKeys } from '../../../src/plan/file/schema.ts'
import { verbs } from '../../../src/plan/verbs/index.ts'

interface Node {
  properties: Record<string, Node>
  items: { anyOf: Node[] }
  title: string
  description: string
  required: string[]
  additionalProperties: boolean
}

test('the schema for editors names every key and describes it', () => {
  const schema = planJsonSchema() as unknown as Node & { $schema: string }
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  expect(schema).toMatchObject({ title: 'git plan', required: ['steps'], additionalProperties: false })
  expect(Object.keys(schema.properties)).toEqual(planKeys)
  const steps = schema.properties['steps']!.items.anyOf
  expect(steps.map((step) => step.title)).toEqual([...Object.keys(verbs), 'include'])
  for (const step of [schema, ...steps]) {
    expect(step.description).toMatch(/./)
    expect(step.additionalProperties).toBe(false)
    for (const [key, property] of Object.entries(step.properties)) expect(property.description, key).toMatch(/./)
  }
  expect(planJsonSchema()).toEqual(planJsonSchema())
})
