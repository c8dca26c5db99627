// The front matter as JSON Schema, for editors.

import * as z from 'zod'
import { made, stepShape } from './common.ts'
import { maxSteps } from './plan.ts'
import { planShape } from './schema.ts'
import { verbs } from './verbs/index.ts'

export function planJsonSchema(): Record<string, unknown> {
  const steps = Object.values(verbs).map((verb) =>
    z.strictObject({ ...made(verb.shape), ...made(stepShape) }).meta({ title: verb.name, description: verb.summary }),
  )
  const plan = z.strictObject({ ...made(planShape), steps: z.array(z.union(steps)).min(1).max(maxSteps).describe('What is done, in order') })
  return z.toJSONSchema(plan.meta({ title: 'git plan', description: 'The front matter of a plan file, .plans/<id>.md' }), {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
  })
}
