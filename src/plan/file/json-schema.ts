// JSON Schema of the front matter, for editors.

import * as z from 'zod/mini'
import { id, listOf, makeSchemas, optional, required, stepShape } from '../model/schema-types.ts'
import { maxSteps } from '../model/plan.ts'
import { planShape } from './schema.ts'
import { verbs } from '../verbs/index.ts'

export function planJsonSchema(): Record<string, unknown> {
  const steps = Object.values(verbs).map((verb) =>
    z
      .strictObject({ ...makeSchemas(verb.shape), ...makeSchemas(stepShape) })
      .register(z.globalRegistry, { title: verb.name, description: verb.summary }),
  )
  // Resolved before a plan is read, but written by its author.
  const include = z
    .strictObject({
      id: optional(id, 'Comes before the ids of the included steps'),
      include: required(
        z.union([
          z.string(),
          z.strictObject({ file: z.string() }),
          z.strictObject({ template: id }),
          z.strictObject({ plan: id, at: z.optional(z.string()) }),
        ]),
        'A file of the repository, a template, or a plan at a commit',
      ),
      with: optional(z.record(z.string(), z.unknown()), 'Values of its parameters'),
      needs: stepShape.needs(),
    })
    .register(z.globalRegistry, { title: 'include', description: 'Includes the steps of another plan.' })
  const plan = z.strictObject({
    ...makeSchemas(planShape),
    steps: required(listOf(z.union([...steps, include]), { least: 1, most: maxSteps }), 'The steps, in order'),
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
