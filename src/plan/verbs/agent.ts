import { between, duration, listOf, optional, required, textWithout, words } from '../model/schema-types.ts'
import { singleLine } from '../text/display.ts'
import type { SpecOf, Verb } from '../model/verb.ts'
import { agentNameProblem, driverName, roleNameProblem, toolNameProblem } from '../agents/names.ts'
import * as z from 'zod/mini'

const shape = {
  agent: () => required(textWithout(agentNameProblem), 'The agent that does the work; `driver`: whoever asks for it'),
  prompt: () => required(words, 'What it has to do'),
  model: () => optional(textWithout(agentNameProblem), 'The model that it uses'),
  as: () => optional(textWithout(roleNameProblem), 'Its role: the name of an agent definition in the repository'),
  tools: () => optional(listOf(textWithout(toolNameProblem), { most: 100 }), 'The only tools that it may use'),
  turns: () => optional(between(1, 1000), 'How often it may answer'),
  cost: () => optional(z.number().check(z.positive(), z.maximum(10_000)), 'How many US dollars it may cost'),
  idle: () => optional(duration, 'How long it may print nothing'),
  repair: () => optional(between(0, 10), 'How often a failed check is given back to it'),
}
export type AgentSpec = SpecOf<typeof shape>

export const agent: Verb<AgentSpec> = {
  name: 'agent',
  summary: 'Lets a coding agent do the work, within the files, checks and limits of the step.',
  shape,
  risk: 'HIGH',
  changes: 'some',
  agent: (spec) => spec,
  asks: ({ agent }) => (agent === driverName ? 'driver' : undefined),
  derive: ({ prompt }) => ({
    id: singleLine(prompt).split(' ').slice(0, 5).join('-'),
    title: titleFrom(prompt),
  }),
  paths: () => ({ reads: [], writes: [], deletes: [] }),
  perform: (spec, context) =>
    spec.agent === driverName
      ? Promise.resolve({ kind: 'waiting', for: 'driver', message: titleFrom(spec.prompt) })
      : context.agent(spec),
}

/** The first line, or its first words. */
function titleFrom(prompt: string): string {
  const line = singleLine(prompt.trim().split('\n')[0] ?? '').replace(/\.$/, '')
  return line.length <= 72 ? line : `${line.slice(0, 72).replace(/\s+\S*$/, '')}…`
}
