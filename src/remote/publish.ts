// With `--push`: each checkpoint goes to the remote before the next step begins, an external effect before it happens,
// and the pull request says how far it is.

import { PlanError } from '../errors.ts'
import type { Forge } from './forge/forge.ts'
import { maskValues } from '../secrets/masked.ts'
import { progressComment } from '../view/progress-comment.ts'
import { pullRequestMark } from '../view/pull-request.ts'
import { forgeOf } from './open-forge.ts'
import type { Lease } from './lease.ts'
import { nextCommands } from '../operation/next-commands.ts'
import { pullRequestText } from './pull-request-text.ts'
import { pushPlan } from './push.ts'
import { historyOf, summaryOf, type WriteContext } from '../operation/with-run.ts'

export interface Publisher {
  /** Answers a function that tells whether anything was recorded since. */
  changes(): Promise<() => Promise<boolean>>
  /** Everything that is new. Throws where it cannot be pushed: the run stops before the next step. */
  push(): Promise<void>
  /** At the end of the run. What the forge does not take is told and stops nothing. */
  end(): Promise<void>
}

/** `lease`: no push goes through once another clone has taken the plan over. */
export function publisherOf(writing: WriteContext, lease: Lease | undefined): Publisher {
  const { run } = writing
  let pushed: string | undefined
  const recorded = async (): Promise<string> =>
    (await run.repo.refs(`refs/plan/${run.id}/`)).map(({ oid }) => oid).join(' ') + run.at.tip
  const push = async (): Promise<void> => {
    const state = await recorded()
    lease?.check()
    if (state === pushed) return
    await (lease === undefined
      ? pushPlan(run.home, run.id)
      : lease.during((fence) => pushPlan(run.home, run.id, fence)))
    pushed = state
  }
  return {
    push,
    async changes() {
      const before = await recorded()
      return async () => (await recorded()) !== before
    },
    async end() {
      await push()
      await tellForge(writing)
    },
  }
}

/**
 * How far the plan is, in the comment of its pull request and as a status of its commit. What the forge does not take
 * is told and stops nothing.
 */
export async function tellForge(writing: WriteContext): Promise<void> {
  await tell(writing).catch((error: unknown) => {
    if (!(error instanceof PlanError)) throw error
    writing.run.world.emit({
      kind: 'notice',
      message: `the progress on the pull request was not updated: ${error.message}`,
    })
  })
}

async function tell(writing: WriteContext): Promise<void> {
  const { run, settings, context } = writing
  const forge = await forgeOf(run.home, settings, context)
  const pullRequest = await forge?.pullRequestOf(`plan/${run.id}`)
  if (forge === undefined || pullRequest === undefined) return
  const summary = await summaryOf(writing)
  const { seen } = summary
  const { plan, tip } = run.at
  const comment = progressComment(maskValues(summary, run.mask), {
    failure: maskValues(await failureOfPlan(writing), run.mask),
    next: nextCommands(summary, { isPushed: true }),
  })
  await forge.comment(pullRequest.number, pullRequestMark(`progress ${plan.id}`), comment)
  // What the text says of steps that are done, and of what to type, was true when it was submitted.
  if (pullRequest.state === 'open' && !pullRequest.isFork && plan.base !== undefined)
    await forge.propose({
      branch: `plan/${plan.id}`,
      base: plan.base,
      title: run.mask(plan.title),
      body: await pullRequestText(writing),
      isDraft: pullRequest.isDraft,
    })
  await forge.status(tip, {
    context: `git-plan/${plan.id}`,
    description: `${run.mask(plan.title).slice(0, 100)}: ${seen}`,
    state: stateOf(plan.status),
    url: pullRequest.url,
  })
}

/** Where no step is to blame: what its own check said. */
async function failureOfPlan({ run }: WriteContext): Promise<string | undefined> {
  const [newest] = (await historyOf(run)).events
  return newest?.event === 'failed' && newest.step === undefined ? newest.reason : undefined
}

const stateOf = (status: string): Parameters<Forge['status']>[1]['state'] =>
  status === 'completed' ? 'success' : status === 'failed' ? 'failure' : 'pending'
