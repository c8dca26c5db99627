// The tools that only read.

import * as z from 'zod'
import type { StatusData } from '../../../commands/inspect/status.ts'
import { answer, id, open, reads, summary, tool, type Answer } from './tool.ts'

export const inspectingTools = [
  tool({
    name: 'plan_list',
    command: 'list',
    title: 'List plans',
    description: 'Lists the open and the last finished plans of the repository.',
    hints: reads,
    input: z.strictObject({
      status: z.string().optional().describe('only plans with this status, such as proposed, failed or completed'),
      resumable: z.boolean().optional().describe('only plans that plan_resume may continue'),
      all: z.boolean().optional().describe('include all finished plans'),
    }),
    output: answer({ plans: z.array(open(summary)), hidden: z.int().min(0) }),
    call: (request, { run }) => run('list', request),
  }),
  tool({
    name: 'plan_get',
    command: 'show',
    title: 'Read a plan',
    description: 'Shows the contents of a plan: its text, risk, digest, and every command and check of its steps.',
    hints: reads,
    input: z.strictObject({
      id,
      graph: z.boolean().optional().describe('also draw the dependencies between the steps'),
    }),
    output: answer({
      id: z.string(),
      title: z.string(),
      text: z.string().describe('the plan file'),
      status: z.string(),
      digest: z.string(),
      risk: z.string(),
    }),
    call: ({ id: plan, ...request }, { run }) => run('show', { plan, ...request }),
  }),
  tool({
    name: 'plan_status',
    command: 'status',
    title: 'State of a plan',
    description:
      'Shows the state of a plan: its steps and their results, its approval, who works on it, and what to do next. Works while the plan runs.',
    hints: reads,
    input: z.strictObject({ id }),
    output: answer(summary),
    call: ({ id: plan }, { run }) => run('status', { plan }),
  }),
  tool({
    name: 'plan_log',
    command: 'log',
    title: 'History of a plan, or output of a step',
    description:
      'Shows the events, attempts and rollbacks of a plan, newest first; or with `step` the output of a step.',
    hints: reads,
    input: z.strictObject({ id, step: z.string().optional().describe('show the output of this step') }),
    output: answer({ id: z.string(), output: z.string() }),
    call: ({ id: plan, step: output }, { run }) => run('log', { plan, output }),
  }),
  tool({
    name: 'plan_checkpoint',
    command: 'audit',
    title: 'Checkpoints of a plan',
    description: [
      '`list`: the commits of the completed steps, the last of which is where plan_resume continues, and what failed',
      'attempts and rollbacks have saved. `validate`: verifies that what ran was approved and is what the branch has.',
    ].join(' '),
    hints: reads,
    input: z.strictObject({ id, action: z.enum(['list', 'validate']).default('list') }),
    output: answer({
      id: z.string(),
      checkpoints: z.array(open({ step: z.string(), commit: z.string() })),
      holds: z.boolean().describe('for validate: whether everything holds'),
    }),
    call: async ({ id: plan, action }, { run }) => {
      if (action === 'list') return checkpointsOf(await run('status', { plan }))
      const audited = await run('audit', { plan })
      return { ...audited, data: { id: plan, ...audited.data } }
    },
  }),
]

function checkpointsOf({ data, nextCommands }: Answer): Answer {
  const { id, seen, tip, resumable, next, steps, attempts, rollbacks } = data as StatusData
  const checkpoints = steps
    .flatMap(({ id: step, status, commit, endedAt }) =>
      commit !== null && (status === 'done' || status === 'skipped') ? [{ step, status, commit, at: endedAt }] : [],
    )
    .toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1))
  return {
    kind: 'checkpoints',
    exitCode: 0,
    data: { id, seen, tip, resumable, next, last: checkpoints.at(-1) ?? null, checkpoints, attempts, rollbacks },
    nextCommands,
  }
}
