// The registry of verbs. A new verb is one file here and one line below.

import type { Step } from '../model/plan.ts'
import type { Verb } from '../model/verb.ts'
import { create } from './create.ts'
import { deleteVerb } from './delete.ts'
import { edit } from './edit.ts'
import { gate } from './gate.ts'
import { install } from './install.ts'
import { manual } from './manual.ts'
import { move } from './move.ts'
import { run } from './run.ts'

export const verbs: Readonly<Record<string, Verb>> = {
  run,
  create,
  edit,
  delete: deleteVerb,
  move,
  install,
  manual,
  gate,
}

export const verbNamed = (name: string): Verb | undefined => (Object.hasOwn(verbs, name) ? verbs[name] : undefined)

/** The verb of a parsed step. */
export function verbOf(step: Step): Verb {
  const verb = verbNamed(step.verb)
  if (!verb) throw new Error(`no such verb: ${step.verb}`)
  return verb
}

/** The verb's own keys of a step entry. */
export function specOf(verb: Verb, entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const spec: Record<string, unknown> = {}
  for (const key in verb.shape) if (entry[key] !== undefined) spec[key] = entry[key]
  return spec
}
