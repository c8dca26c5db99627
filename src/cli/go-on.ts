// After a run has stopped on a terminal: the ways on, as a question. Each answer is what could have been typed.

import type { Choice } from '../commands/context.ts'
import type { PlanSummary } from '../report/view.ts'
import type { Request } from './command-line.ts'
import type { Prompts } from './prompts.ts'

/** What the report of `start` and `resume` says, as far as the question needs it. */
export type StoppedRun = Pick<PlanSummary, 'id' | 'steps'> & { readonly end: string; readonly where?: string | null }

interface Stop {
  readonly question: string
  readonly choices: readonly Choice[]
}

/** The flags of the first request that hold for the whole sitting. */
const kept = ['push', 'keepGoing', 'keepTree', 'skipCheck'] as const

export interface WayOn {
  readonly command: 'resume' | 'cancel'
  readonly request: Request
}

/** Undefined where the answer is to stop, or nothing can be asked. */
export async function askHowToGoOn(run: StoppedRun, first: Request, prompts: Prompts): Promise<WayOn | undefined> {
  const step = stoppedAt(run)
  if (step === undefined) return undefined
  const flags = Object.fromEntries(kept.flatMap((name) => (first[name] === undefined ? [] : [[name, first[name]]])))
  const again = (ways: Request): WayOn => ({ command: 'resume', request: { ...flags, plan: run.id, ...ways } })
  const { question, choices } = stopOf(step)
  for (;;) {
    switch (
      await prompts.choose(question, [
        ...choices,
        { value: 'stop', label: 'Stop', hint: 'for now: git plan resume goes on from here, git plan edit changes the plan' },
      ])
    ) {
      case 'retry':
        return again({ retry: step.id })
      case 'skip':
        return again({ skip: step.id })
      case 'done':
        return again({ done: step.id })
      case 'go-on':
        return again({})
      case 'cancel':
        return { command: 'cancel', request: { plan: run.id, message: `no to ${step.id}`, ...(first['push'] === undefined ? {} : { push: first['push'] }) } }
      case 'fix': {
        const where = run.where === undefined || run.where === null ? 'the work tree' : run.where
        if (await prompts.confirm(`Repair it in ${where}, from another terminal. What is changed there then becomes the fix.`, 'Is it repaired?'))
          return again({ fix: true })
        continue
      }
      default:
        return undefined
    }
  }
}

type StoppedStep = PlanSummary['steps'][number]

const stoppedAt = (run: StoppedRun): StoppedStep | undefined => {
  const seen = (...statuses: string[]): StoppedStep | undefined => run.steps.find((step) => statuses.includes(step.seen))
  if (run.end === 'waiting') return seen('waiting') ?? run.steps.findLast((step) => step.seen === 'done')
  return run.end === 'failed' ? (seen('unknown') ?? seen('failed', 'timeout', 'conflict')) : undefined
}

function stopOf({ id, seen, asks, title }: StoppedStep): Stop {
  const skip: Choice = { value: 'skip', label: 'Skip', hint: `leave ${id} out; the plan ends as partial` }
  switch (seen) {
    case 'waiting':
      return asks === 'decision'
        ? {
            question: title,
            choices: [
              { value: 'done', label: 'Yes', hint: 'go on; its checks still count' },
              { value: 'cancel', label: 'No', hint: 'cancel the plan' },
            ],
          }
        : { question: `${id} waits for you`, choices: [{ value: 'done', label: 'Done', hint: 'the tree is its result; its checks still count' }, skip] }
    case 'done':
      return { question: `Paused after ${id}`, choices: [{ value: 'go-on', label: 'Go on' }] }
    case 'unknown':
      return {
        question: `Did ${id} happen?`,
        choices: [
          { value: 'done', label: 'It happened', hint: 'take it as done' },
          { value: 'retry', label: 'It did not', hint: 'run it again' },
        ],
      }
    default:
      return {
        question: `${id} failed: what now?`,
        choices: [
          { value: 'retry', label: 'Retry', hint: 'the same step again' },
          { value: 'fix', label: 'Fix', hint: 'repair something by hand, then try again' },
          skip,
        ],
      }
  }
}
