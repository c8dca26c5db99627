// JSON Schema of the front matter, for editors.

import * as z from 'zod/mini'
import { listOf, makeSchemas, required, stepShape } from '../model/schema-types.ts'
import { maxSteps } from '../model/plan.ts'
import { planShape } from './schema.ts'
import { verbs } from '../verbs/index.ts'

export function planJsonSchema(): Record<string, unknown> {
  const steps = Object.values(verbs).map((verb) =>
    z
      .strictObject({ ...makeSchemas(verb.shape), ...makeSchemas(stepShape) })
      .register(z.globalRegistry, { title: verb.name, description: verb.summary }),
  )
  const plan = z.strictObject({
    ...makeSchemas(planShape),
    steps: required(listOf(z.union(steps), { least: 1, most: maxSteps }), 'The steps, in order'),
  })
  const described = plan.register(z.globalRegistry, {
    title: 'git plan',
    description: 'The front matter of a plan file, .plans/<id>.md',
  })
  return z.toJSONSchema(described, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
  })
}
