// The tools with which an agent proposes plans. None of them touches a file of the work tree.

import * as z from 'zod'
import type { StatusData } from '../../../commands/inspect/status.ts'
import { answer, id, message, open, params, reads, records, tool, type Answer } from './tool.ts'

const findings = z
  .array(open({ severity: z.string(), message: z.string() }))
  .describe('each with `rule`, `severity`, `message`, `line` and `column`')

const text = z.string().describe('the text of the plan file')

const example = `
---
title: Add rate limiting
steps:
  - id: middleware
    agent: driver
    prompt: Write the middleware.
    files: [src/**, test/**]
    test: npm test
  - id: docs
    needs: [middleware]
    edit: README.md
    append: "See docs/limits.md\\n"
---
Why, for the reviewer.
`

export const proposingTools = [
  tool({
    name: 'plan_propose',
    command: 'new',
    title: 'Propose a plan',
    description: [
      'Proposes a multi-step change as a plan on a branch of its own, for a person to approve. Writes Git refs only: no',
      'file of the work tree changes and nothing runs, so it may be used while you only plan. Check the text with',
      'plan_check first. It is Markdown with YAML front matter, and each step becomes one commit:',
      example,
      'A step with `agent: driver` is for you: plan_next hands it out. `run: COMMAND` is for the executor, `manual: TEXT`',
      'for a person. The resource git-plan://schema describes all keys.',
    ].join('\n'),
    hints: reads,
    input: z.strictObject({
      text: text.optional(),
      template: z.string().optional().describe('instead of a text: the name of a template'),
      params,
      title: z.string().optional().describe('the title of a text that has none'),
      id: z.string().optional().describe('the id of the new plan (default: derived from the title)'),
    }),
    output: answer({ id: z.string(), branch: z.string(), commit: z.string(), digest: z.string(), findings }),
    call: ({ params: param, ...request }, { run }) => run('new', { ...request, param }),
  }),
  tool({
    name: 'plan_check',
    command: 'check',
    title: 'Check a plan',
    description:
      'Validates the text of a plan, or a proposed plan, and assesses its risk. Runs nothing. A text that breaks a rule is an answer with findings, not an error.',
    hints: reads,
    input: z.strictObject({
      id: id.optional(),
      text: text.optional(),
      params,
      against: z.string().optional().describe('also report files that this other plan may change'),
    }),
    output: answer({ valid: z.boolean(), findings }),
    call: ({ id: plan, params: param, ...request }, { run }) => run('check', { ...request, plan, param }),
  }),
  tool({
    name: 'plan_submit',
    command: 'submit',
    title: 'Submit a plan for review',
    description:
      'Pushes a plan to the remote, and opens its pull request or updates it. A review there approves the plan, if the policy accepts reviews.',
    hints: { ...records, idempotentHint: true, openWorldHint: true },
    input: z.strictObject({
      id,
      ready: z.boolean().optional().describe('open it as ready for review, not as a draft'),
    }),
    output: answer({ id: z.string(), remote: z.string(), tip: z.string(), digest: z.string() }),
    call: ({ id: plan, ...request }, { run }) => run('submit', { plan, ...request }),
  }),
  tool({
    name: 'plan_approve',
    command: 'status',
    title: 'Say how a plan is approved',
    description:
      'Approves nothing: only people approve plans. Says whether a plan is approved, and which command the user types, or where it is reviewed.',
    hints: reads,
    input: z.strictObject({ id }),
    output: answer({
      id: z.string(),
      digest: z.string(),
      risk: z.string(),
      approved: z.boolean(),
      required: z.int().min(0),
      given: z.int().min(0),
      message: z.string(),
    }),
    call: async ({ id: plan }, { run }) => howToApprove(await run('status', { plan })),
  }),
  tool({
    name: 'plan_reject',
    command: 'reject',
    title: 'Reject a plan',
    description: 'Records that a plan must not run, with the reason. It stays rejected until it is edited or approved.',
    hints: records,
    input: z.strictObject({
      id,
      message,
      digest: z.string().optional().describe('refuse unless the plan has this digest'),
    }),
    output: answer({ id: z.string(), digest: z.string(), tip: z.string() }),
    call: ({ id: plan, ...request }, { run }) => run('reject', { plan, ...request }),
  }),
  tool({
    name: 'plan_replan',
    command: 'replan',
    title: 'Replace the remaining steps',
    description:
      'Replaces the text of a plan. It must have the steps that are done or skipped, unchanged; all others may differ. The plan needs a new approval. plan_get has the present text.',
    hints: records,
    input: z.strictObject({ id, text, message, params }),
    output: answer({ id: z.string(), digest: z.string(), changed: z.boolean(), status: z.string(), findings }),
    call: ({ id: plan, params: param, ...request }, { run }) => run('replan', { plan, param, ...request }),
  }),
  tool({
    name: 'plan_clone',
    command: 'clone',
    title: 'Propose a plan again',
    description: 'Proposes a plan again under a new id, with all steps open. It needs a new approval.',
    hints: records,
    input: z.strictObject({
      id,
      newId: z.string().optional().describe('the id of the new plan (default: derived from the old one)'),
    }),
    output: answer({ id: z.string(), branch: z.string(), commit: z.string(), digest: z.string() }),
    call: ({ id: plan, newId }, { run }) => run('clone', { plan, newId }),
  }),
]

function howToApprove({ data, nextCommands: next }: Answer): Answer {
  const { id, digest, risk, approval, seen } = data as StatusData
  const { state, required, given, from } = approval
  const approved = !approval.isResultOpen && (state === 'approved' || required === 0)
  const nextCommands = approved ? next : next.filter((command) => !/^git plan (?:show|diff) /.test(command))
  const what = approval.isResultOpen ? `the result of plan ${id}` : `plan ${id}`
  const by = from.map((source) => ways[source]).join(' or ')
  const message = approved
    ? `plan ${id} is approved; its status is ${seen}`
    : [
        `only people approve: ${what} has ${given} of ${required} approvals (risk ${risk}), and takes ${by}`,
        ...(nextCommands[0] === undefined ? [] : [`ask the user to type: ${nextCommands[0]}`]),
        ...(from.includes('review') ? ['plan_submit opens its pull request, and says where it is'] : []),
      ].join('; ')
  return {
    kind: 'approval',
    exitCode: 0,
    data: { id, digest, risk, approved, state, required, given, from, message },
    nextCommands,
  }
}

const ways = {
  local: "a person's `git plan approve`",
  signature: 'a signed approval',
  campaign: 'the approval of a campaign',
  review: 'a review of its pull request',
} as const
