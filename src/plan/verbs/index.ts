// The registry of verbs. A new verb is one file here and one line below.

import type { Step } from '../model/plan.ts'
import { stepShape } from '../model/schema-types.ts'
import type { Verb } from '../model/verb.ts'
import { agent } from './agent.ts'
import type { AgentSpec } from './agent.ts'
import { create } from './create.ts'
import { deleteVerb } from './delete.ts'
import { edit } from './edit.ts'
import { edits } from './edits.ts'
import { gate } from './gate.ts'
import { install } from './install.ts'
import { manual } from './manual.ts'
import { move } from './move.ts'
import { patch } from './patch.ts'
import { refactor } from './refactor.ts'
import { run } from './run.ts'

export const verbs: Readonly<Record<string, Verb>> = registerVerbs([
  run,
  create,
  edit,
  edits,
  patch,
  refactor,
  deleteVerb,
  move,
  install,
  agent,
  manual,
  gate,
])

/** The verb of a step is found by its keys: a step with an ambiguous key would seem to have two verbs. */
export function registerVerbs(list: readonly Verb[]): Readonly<Record<string, Verb>> {
  for (const { name } of list) {
    const of = list.find((other) => other.name !== name && Object.hasOwn(other.shape, name))
    if (of !== undefined) throw new Error(`the verb \`${name}\` has the name of a key of the verb \`${of.name}\``)
    if (Object.hasOwn(stepShape, name)) throw new Error(`the verb \`${name}\` has the name of a key of every step`)
    if (list.filter((other) => other.name === name).length > 1)
      throw new Error(`the verb \`${name}\` is registered twice`)
  }
  return Object.fromEntries(list.map((verb) => [verb.name, verb]))
}

export const verbNamed = (name: string): Verb | undefined => (Object.hasOwn(verbs, name) ? verbs[name] : undefined)

/** The verb of a parsed step. */
export function verbOf(step: Step): Verb {
  const verb = verbNamed(step.verb)
  if (!verb) throw new Error(`no such verb: ${step.verb}`)
  return verb
}

/** Whom the step waits for, if the executor does not perform it. */
export const askedBy = (step: Step): ReturnType<NonNullable<Verb['asks']>> => verbOf(step).asks?.(step.spec)

/** The agent that does the work of the step; undefined: the executor or a person does it. */
export const agentOf = (step: Step): AgentSpec | undefined => verbOf(step).agent?.(step.spec)

/** The verb's own keys of a step entry. */
export function specOf(verb: Verb, entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const spec: Record<string, unknown> = {}
  for (const key in verb.shape) if (entry[key] !== undefined) spec[key] = entry[key]
  return spec
}
