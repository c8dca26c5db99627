// The tools that run plans, and with which an agent does steps itself. Left out are the options with which a person
// decides: to approve, to declare a step done, to skip one, to skip a check, to take a plan over.

import * as z from 'zod'
import { PlanError } from '../../../errors.ts'
import type { StatusData } from '../../../commands/inspect/status.ts'
import { answer, attempt, id, message, open, push, runs, summary, tool, type Answer, type ToolHost } from './tool.ts'

const worktree = z.boolean().optional().describe("use a separate work tree, so that the user's stays free")
const jobs = z.int().min(0).max(64).optional().describe('run up to this many steps at the same time; 0: one per core')
const keepGoing = z.boolean().optional().describe('after a failure, run the steps that do not need the failed one')
const dryRun = z.boolean().optional().describe('say what would happen and change nothing')
const as = z.string().optional().describe('your name as a driver, if several agents work here (default: your client)')
const time = z.string().optional().describe('how long the step waits for you, such as 2h (default: 30m)')

const ended = answer({
  ...summary,
  end: z.string().describe('completed, failed, waiting, interrupted, or handed-out'),
})

const handed = z
  .union([open({ step: z.string(), prompt: z.string() }), z.null()])
  .describe(
    'the step that is yours: `prompt` is the task, `files` may change, `criteria` are checked, `until` it waits for you',
  )

export const runningTools = [
  tool({
    name: 'plan_start',
    command: 'start',
    title: 'Start a plan',
    description:
      'Runs an approved plan from its first step, to its end or to the first step that fails or waits for somebody. A plan that is not approved is refused. May take long; a cancelled call stops the run, and plan_resume continues it.',
    hints: runs,
    input: z.strictObject({ id, worktree, jobs, keepGoing, dryRun, push }),
    output: ended,
    call: ({ id: plan, ...request }, { run }) => run('start', { plan, ...request }),
  }),
  tool({
    name: 'plan_resume',
    command: 'resume',
    title: 'Resume a plan',
    description:
      'Continues a plan after its last completed step: after a failure, an interruption or a crash. A failed step runs again. What a person has to declare, such as a manual step that is done, or the answer at a gate, is for the user to type.',
    hints: runs,
    input: z.strictObject({
      id,
      retry: z.string().optional().describe('run this failed step again'),
      fromAttempt: attempt.describe('with retry: start with the files of this attempt'),
      continueSession: z.boolean().optional().describe("with retry: continue the agent's session of the last attempt"),
      message,
      jobs,
      keepGoing,
      dryRun,
      push,
    }),
    output: ended,
    call: async ({ id: plan, ...request }, host) => {
      await refuseUnknownEffect(plan, request.retry, host)
      return host.run('resume', { plan, ...request })
    },
  }),
  tool({
    name: 'plan_next',
    command: 'next',
    title: 'Get the next step to do',
    description:
      'Hands you the next step of an agent, after running the steps before it: `handed.prompt` is the task. Do it in the work tree of the plan (`where`), change only its `files`, and do not commit. Then call plan_run_script with step_complete or step_failed. Called again, it returns the same step.',
    hints: runs,
    input: z.strictObject({
      id,
      peek: z.boolean().optional().describe('only show the step that you have or would get'),
      retry: z.string().optional().describe('hand out this failed step again'),
      fromAttempt: attempt.describe('with retry: start with the files of this attempt'),
      as,
      for: time,
      worktree,
      push,
    }),
    output: answer({ id: z.string(), status: z.string(), handed }),
    call: async ({ id: plan, peek, as, ...request }, host) => {
      if (peek === true) return host.run('next', { plan, peek })
      await refuseUnknownEffect(plan, request.retry, host)
      return host.run('next', { plan, ...request, as: host.driver(as) })
    },
  }),
  tool({
    name: 'plan_run_script',
    command: 'next',
    title: 'Report on a step or a plan',
    description: [
      'Reports on your work. `step_complete`: git plan checks the step that plan_next gave you, commits it, and hands out',
      'the next one; if something is missing, it says what, and the step stays yours. `step_failed`: your changes are',
      'saved as an attempt, the work tree is reset, and the plan stops. `plan_complete`: confirms that all steps are done,',
      'or says what is missing. `plan_failed`: the open step, and with it the plan, cannot be done. Reports are recorded as',
      'claims; the checks decide.',
    ].join(' '),
    hints: runs,
    input: z.strictObject({
      id,
      action: z.enum(['step_complete', 'step_failed', 'plan_complete', 'plan_failed']),
      step: z.string().optional().describe('the step, for step_complete and step_failed'),
      summary: z.string().optional().describe('what was done, or why it cannot be done'),
      decisions: z.array(z.string()).optional().describe('decisions that the reviewer should know'),
      questions: z.array(z.string()).optional().describe('open questions'),
      notes: z.string().optional().describe('for whoever does the next steps'),
      as,
      for: time,
      push,
    }),
    output: answer({ id: z.string(), status: z.string(), handed }),
    call: report,
  }),
  tool({
    name: 'plan_rollback',
    command: 'rollback',
    title: 'Roll back a plan',
    description:
      'Goes back to an earlier step: by default to before the last one. The commits are kept under a tag, and a person can undo it. Undoes the external effects of the steps, with the commands that were approved for it.',
    hints: runs,
    input: z.strictObject({
      id,
      to: z.string().optional().describe('the last step to keep'),
      all: z.boolean().optional().describe('go back to before the first step'),
      message,
      dryRun,
      push,
    }),
    output: answer({ id: z.string(), from: z.string(), to: z.string() }),
    call: ({ id: plan, ...request }, { run }) => run('rollback', { plan, ...request }),
  }),
]

/** To run such a step again is to say that its effect did not happen. */
async function refuseUnknownEffect(plan: string, retry: string | undefined, { run }: ToolHost): Promise<void> {
  if (retry === undefined) return
  const { steps } = (await run('status', { plan })).data as StatusData
  if (steps.some(({ id, seen }) => id === retry && seen === 'unknown'))
    throw new PlanError('unknown-effect', `nobody knows whether ${retry} has had its effect, and the user decides`, {
      hint: `git plan status ${plan}`,
    })
}

interface Report {
  readonly id: string
  readonly action: 'step_complete' | 'step_failed' | 'plan_complete' | 'plan_failed'
  readonly step?: string | undefined
  readonly summary?: string | undefined
  readonly decisions?: readonly string[] | undefined
  readonly questions?: readonly string[] | undefined
  readonly notes?: string | undefined
  readonly as?: string | undefined
  readonly for?: string | undefined
  readonly push?: boolean | undefined
}

async function report(given: Report, host: ToolHost): Promise<Answer> {
  const { id: plan, action, push } = given
  if (action === 'plan_complete') return requireCompleted(await host.run('status', { plan }))
  const as = host.driver(given.as)
  const open = await requireOwnStep(given, as, host)
  const reported = action === 'step_complete' ? { done: open, for: given.for } : { failed: open }
  return host.run('next', { plan, ...reported, message: claimText(given), as, push })
}

/** A person may report for others, or take their steps away; an agent reports on its own. */
async function requireOwnStep({ id: plan, action, step }: Report, as: string, { run }: ToolHost): Promise<string> {
  const { open, status } = (await run('status', { plan })).data as StatusData
  const hint = `git plan next ${plan}`
  if (open === null)
    throw new PlanError('wrong-state', `no step of plan ${plan} is open; the plan is ${status}`, { hint })
  if (open.holder !== as)
    throw new PlanError('held', `step ${open.step} of ${plan} was handed to ${open.holder}, not to ${as}`, { hint })
  if (action === 'plan_failed' || step === open.step) return open.step
  const what = step === undefined ? `${action} needs a step` : `step ${step} of ${plan} was not handed out`
  throw new PlanError('usage', `${what}: yours is ${open.step}`, { hint: `git plan next ${plan} --peek` })
}

function claimText({ summary, decisions, questions, notes }: Report): string | undefined {
  if (decisions === undefined && questions === undefined && notes === undefined) return summary
  return JSON.stringify({ summary: summary ?? '', decisions, questions, notes })
}

function requireCompleted(answer: Answer): Answer {
  const { id, status, outcome, steps } = answer.data as StatusData
  if (status === 'completed')
    return {
      ...answer,
      data: {
        ...answer.data,
        message: `plan ${id} is completed${outcome === 'partial' ? ', without some steps' : ''}`,
      },
    }
  const open = steps.filter((step) => step.status !== 'done' && step.status !== 'skipped')
  const missing = open.map((step) => `${step.id} (${step.seen}${step.error === null ? '' : `: ${step.error}`})`)
  throw new PlanError(
    'wrong-state',
    `plan ${id} is ${status}, not completed; missing: ${missing.join(', ') || 'the checks of the plan'}`,
    { hint: answer.nextCommands[0] ?? `git plan status ${id}` },
  )
}
