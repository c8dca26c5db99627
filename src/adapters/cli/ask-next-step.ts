// The question after a run has stopped on a terminal. Each answer that changes the plan has an equivalent command.

import type { Choice } from '../../operation/context.ts'
import type { PlanSummary } from '../../view/plan-view.ts'
import type { Request } from './command-line.ts'
import type { Prompts } from './prompts.ts'

/** The part of the report of `start` and `resume` that the question needs. */
export type StoppedRun = Pick<PlanSummary, 'id' | 'steps' | 'attempts' | 'progress'> & {
  readonly end: string
  readonly where?: string | null
}

interface Stop {
  readonly question: string
  readonly choices: readonly Choice[]
}

/** Options of the first request that also apply to the following ones. */
const inheritedOptions = ['push', 'keepGoing', 'keepTree', 'skipCheck'] as const

export interface NextCommand {
  readonly command: 'resume' | 'cancel' | 'edit' | 'log' | 'attempts'
  readonly request: Request
}

export type NextAction =
  | { readonly kind: 'run'; readonly next: NextCommand }
  /** If the text was changed, the plan is resumed, which asks for its approval. */
  | { readonly kind: 'edit'; readonly edit: NextCommand; readonly resume: NextCommand }
  | { readonly kind: 'show'; readonly commands: readonly NextCommand[] }
  | { readonly kind: 'shell' }

/** Undefined if the answer is to stop, or if there is nothing to ask. */
export async function askNextStep(run: StoppedRun, first: Request, prompts: Prompts): Promise<NextAction | undefined> {
  const step = stoppedAt(run)
  if (step === undefined) return undefined
  const { question, choices } = stopOf(step)
  for (;;) {
    const answer = await prompts.choose(question, [
      ...choices,
      { value: 'stop', label: 'Stop', hint: 'git plan resume continues from here' },
    ])
    if (answer === undefined || answer === 'stop') return undefined
    // Dismissing the question for a reason returns to the choices.
    const action = await actionFor(answer, step, { run, first, prompts })
    if (action !== undefined) return action
  }
}

async function actionFor(
  answer: string,
  step: StoppedStep,
  { run, first, prompts }: { run: StoppedRun; first: Request; prompts: Prompts },
): Promise<NextAction | undefined> {
  const { id } = step
  const inherited = Object.fromEntries(
    inheritedOptions.flatMap((name) => (first[name] === undefined ? [] : [[name, first[name]]])),
  )
  const resume = (options: Request): NextCommand => ({
    command: 'resume',
    request: { ...inherited, plan: run.id, ...options },
  })
  const resuming = (options: Request): NextAction => ({ kind: 'run', next: resume(options) })
  const withReason = async (question: string, options: Request): Promise<NextAction | undefined> => {
    const reason = await prompts.ask(question)
    return reason === undefined ? undefined : resuming({ ...options, ...messageOf(reason) })
  }
  switch (answer) {
    case 'retry':
      return resuming({ retry: id })
    case 'skip':
      return withReason(`Why is ${id} skipped? (Enter: no reason)`, { skip: id })
    case 'done':
      if (step.asks === 'person') return resuming({ done: id })
      return withReason(
        step.asks === 'decision' ? 'Why? (Enter: no reason)' : `Why is ${id} done? (Enter: no reason)`,
        {
          done: id,
        },
      )
    case 'continue':
      return resuming({})
    case 'fix':
      return (await prompts.confirm(
        `Fix the problem in ${run.where ?? 'the work tree'}, in a shell or in another terminal.\nYour changes there will be committed as a fix.`,
        'Is it fixed?',
      ))
        ? withReason('What was fixed? (Enter: no description)', { fix: true })
        : undefined
    case 'cancel':
      return cancelAction(step, { run, first, prompts })
    case 'edit':
      return { kind: 'edit', edit: { command: 'edit', request: { plan: run.id } }, resume: resume({}) }
    case 'show':
      return { kind: 'show', commands: outputCommands(run, id) }
    default:
      return { kind: 'shell' }
  }
}

async function cancelAction(
  step: StoppedStep,
  { run, first, prompts }: { run: StoppedRun; first: Request; prompts: Prompts },
): Promise<NextAction | undefined> {
  const reason = await prompts.ask('Why not? (Enter: no reason)')
  if (reason === undefined) return undefined
  const { done, total } = run.progress
  const warning = `A cancelled plan cannot be resumed unless the cancellation is undone. ${done} of ${total} steps are done; their commits stay on plan/${run.id}.`
  if (done > 0 && !(await prompts.confirm(warning, `Cancel ${run.id}?`))) return undefined
  const push = first['push'] === undefined ? {} : { push: first['push'] }
  const request = { plan: run.id, message: `no to ${step.id}`, ...messageOf(reason), ...push }
  return { kind: 'run', next: { command: 'cancel', request } }
}

const messageOf = (reason: string): { message?: string } => (reason.trim() === '' ? {} : { message: reason.trim() })

/** The commands that print the output of a failed step and the changes that it left. */
const outputCommands = ({ id, attempts }: StoppedRun, step: string): NextCommand[] => [
  { command: 'log', request: { plan: id, output: step } },
  ...(attempts.some((attempt) => attempt.step === step)
    ? [{ command: 'attempts' as const, request: { plan: id, show: step } }]
    : []),
]

type StoppedStep = PlanSummary['steps'][number]

const stoppedAt = (run: StoppedRun): StoppedStep | undefined => {
  const seen = (...statuses: string[]): StoppedStep | undefined =>
    run.steps.find((step) => statuses.includes(step.seen))
  if (run.end === 'waiting') return seen('waiting') ?? run.steps.findLast((step) => step.seen === 'done')
  // Not one that was allowed to fail.
  const failed = run.steps.find((step) => !step.allowFailure && ['failed', 'timeout', 'conflict'].includes(step.seen))
  return run.end === 'failed' ? (seen('unknown') ?? failed) : undefined
}

function stopOf({ id, seen, asks }: StoppedStep): Stop {
  const done: Choice = { value: 'done', label: 'Done', hint: 'take the work tree as its result, if its checks pass' }
  const skip: Choice = { value: 'skip', label: 'Skip', hint: `skip ${id}; the plan ends as partial` }
  const edit: Choice = { value: 'edit', label: 'Edit the plan', hint: 'a changed text needs a new approval' }
  const shell: Choice = { value: 'shell', label: 'Open a shell', hint: 'in the work tree of the plan' }
  switch (seen) {
    case 'waiting':
      return asks === 'decision'
        ? {
            question: `${id}: yes or no?`,
            choices: [
              { value: 'done', label: 'Yes', hint: 'continue, if its checks pass' },
              { value: 'cancel', label: 'No', hint: 'cancel the plan' },
              shell,
            ],
          }
        : { question: `${id} waits for you`, choices: [done, skip, edit, shell] }
    case 'done':
      return { question: `Paused after ${id}`, choices: [{ value: 'continue', label: 'Continue' }, shell] }
    case 'unknown':
      return {
        question: `Did ${id} happen?`,
        choices: [
          { value: 'done', label: 'It happened', hint: 'mark it as done' },
          { value: 'retry', label: 'It did not', hint: 'run it again' },
          shell,
        ],
      }
    default:
      return {
        question: `${id} failed: what now?`,
        choices: [
          { value: 'retry', label: 'Retry', hint: 'run the step again' },
          { value: 'fix', label: 'Fix', hint: 'fix the problem by hand, then retry' },
          done,
          skip,
          edit,
          { value: 'show', label: 'Show output and diff', hint: 'what it printed, and its saved changes' },
          shell,
        ],
      }
  }
}
