// The question after a run has stopped on a terminal. Each answer has an equivalent command.

import type { Choice } from '../../operation/context.ts'
import type { PlanSummary } from '../../view/plan-view.ts'
import type { Request } from './command-line.ts'
import type { Prompts } from './prompts.ts'

/** The part of the report of `start` and `resume` that the question needs. */
export type StoppedRun = Pick<PlanSummary, 'id' | 'steps'> & { readonly end: string; readonly where?: string | null }

interface Stop {
  readonly question: string
  readonly choices: readonly Choice[]
}

/** Options of the first request that also apply to the following ones. */
const inheritedOptions = ['push', 'keepGoing', 'keepTree', 'skipCheck'] as const

export interface NextCommand {
  readonly command: 'resume' | 'cancel'
  readonly request: Request
}

/** Undefined if the answer is to stop, or if there is nothing to ask. */
export async function askNextStep(run: StoppedRun, first: Request, prompts: Prompts): Promise<NextCommand | undefined> {
  const step = stoppedAt(run)
  if (step === undefined) return undefined
  const flags = Object.fromEntries(
    inheritedOptions.flatMap((name) => (first[name] === undefined ? [] : [[name, first[name]]])),
  )
  const resume = (options: Request): NextCommand => ({
    command: 'resume',
    request: { ...flags, plan: run.id, ...options },
  })
  const { question, choices } = stopOf(step)
  for (;;) {
    switch (
      await prompts.choose(question, [
        ...choices,
        { value: 'stop', label: 'Stop', hint: 'git plan resume continues from here' },
      ])
    ) {
      case 'retry':
        return resume({ retry: step.id })
      case 'skip':
        return resume({ skip: step.id })
      case 'done':
        return resume({ done: step.id })
      case 'continue':
        return resume({})
      case 'cancel':
        return {
          command: 'cancel',
          request: {
            plan: run.id,
            message: `no to ${step.id}`,
            ...(first['push'] === undefined ? {} : { push: first['push'] }),
          },
        }
      case 'fix': {
        const where = run.where === undefined || run.where === null ? 'the work tree' : run.where
        if (
          await prompts.confirm(
            `Fix the problem in ${where}, from another terminal. Your changes there will be committed as a fix.`,
            'Is it fixed?',
          )
        )
          return resume({ fix: true })
        continue
      }
      default:
        return undefined
    }
  }
}

type StoppedStep = PlanSummary['steps'][number]

const stoppedAt = (run: StoppedRun): StoppedStep | undefined => {
  const seen = (...statuses: string[]): StoppedStep | undefined =>
    run.steps.find((step) => statuses.includes(step.seen))
  if (run.end === 'waiting') return seen('waiting') ?? run.steps.findLast((step) => step.seen === 'done')
  return run.end === 'failed' ? (seen('unknown') ?? seen('failed', 'timeout', 'conflict')) : undefined
}

function stopOf({ id, seen, asks, title }: StoppedStep): Stop {
  const skip: Choice = { value: 'skip', label: 'Skip', hint: `skip ${id}; the plan ends as partial` }
  switch (seen) {
    case 'waiting':
      return asks === 'decision'
        ? {
            question: title,
            choices: [
              { value: 'done', label: 'Yes', hint: 'continue, if its checks pass' },
              { value: 'cancel', label: 'No', hint: 'cancel the plan' },
            ],
          }
        : {
            question: `${id} waits for you`,
            choices: [
              { value: 'done', label: 'Done', hint: 'take the work tree as its result, if its checks pass' },
              skip,
            ],
          }
    case 'done':
      return { question: `Paused after ${id}`, choices: [{ value: 'continue', label: 'Continue' }] }
    case 'unknown':
      return {
        question: `Did ${id} happen?`,
        choices: [
          { value: 'done', label: 'It happened', hint: 'mark it as done' },
          { value: 'retry', label: 'It did not', hint: 'run it again' },
        ],
      }
    default:
      return {
        question: `${id} failed: what now?`,
        choices: [
          { value: 'retry', label: 'Retry', hint: 'run the step again' },
          { value: 'fix', label: 'Fix', hint: 'fix the problem by hand, then retry' },
          skip,
        ],
      }
  }
}
