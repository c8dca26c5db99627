// With `--push`, each checkpoint is pushed before the next step begins, an external effect before it happens, and the
// pull request shows the progress.

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
  /** Returns a function that tells whether anything was recorded since. */
  changes(): Promise<() => Promise<boolean>>
  /** Pushes everything new. Throws if that fails: the run stops before the next step. */
  push(): Promise<void>
  /** Runs at the end of the run. An error of the forge is reported but stops nothing. */
  end(): Promise<void>
}

/** `lease`: pushes fail once another clone has taken the plan over. */
export function makePublisher(writing: WriteContext, lease: Lease | undefined): Publisher {
  const { run } = writing
  let pushed: string | undefined
  const recorded = async (): Promise<string> =>
    (await run.repo.refs(`refs/plan/${run.id}/`)).map(({ oid }) => oid).join(' ') + run.at.tip
  let pushing: Promise<void> = Promise.resolve()
  const pushNew = async (): Promise<void> => {
    const state = await recorded()
    lease?.check()
    if (state === pushed) return
    await (lease === undefined
      ? pushPlan(run.home, run.id)
      : lease.during((fence) => pushPlan(run.home, run.id, fence)))
    pushed = state
  }
  // Parallel steps begin at the same time; two pushes at once would each find the other's on the remote.
  const push = (): Promise<void> => {
    const done = pushing.then(pushNew)
    pushing = done.catch(() => {})
    return done
  }
  return {
    push,
    async changes() {
      const before = await recorded()
      return async () => (await recorded()) !== before
    },
    async end() {
      await push()
      await reportProgress(writing)
    },
  }
}

/**
 * Reports the progress as a comment on the pull request and as a status of the commit. An error of the forge is
 * reported but stops nothing. `isNew`: the pull request was opened just now, and its text says it all. `hasText`: its
 * text was just written.
 */
export async function reportProgress(
  writing: WriteContext,
  { isNew = false, hasText = isNew }: { readonly isNew?: boolean; readonly hasText?: boolean } = {},
): Promise<void> {
  if (writing.context.fleetLane === 'git') return
  await updateForge(writing, { isNew, hasText }).catch((error: unknown) => {
    const isForLane = writing.context.fleetLane !== undefined
    if (!(error instanceof PlanError) || (isForLane && error.code === 'rate-limited')) throw error
    writing.run.world.emit({
      kind: 'notice',
      message: `the progress on the pull request was not updated: ${error.message}`,
    })
  })
}

async function updateForge(
  writing: WriteContext,
  { isNew, hasText }: { readonly isNew: boolean; readonly hasText: boolean },
): Promise<void> {
  const { run, settings, context } = writing
  const forge = await forgeOf(run.home, settings, context)
  const pullRequest = await forge?.pullRequestOf(`plan/${run.id}`)
  if (forge === undefined || pullRequest === undefined) return
  const summary = await summaryOf(writing)
  const { seen } = summary
  const { plan, tip } = run.at
  if (!isNew) {
    const comment = progressComment(maskValues(summary, run.mask), {
      failure: maskValues(await failureOfPlan(writing), run.mask),
      next: nextCommands(summary, { isPushed: true }),
    })
    await forge.comment(pullRequest.number, pullRequestMark(`progress ${plan.id}`), comment)
  }
  // The steps and commands in the description were correct when it was submitted; they are updated.
  if (!hasText && pullRequest.state === 'open' && !pullRequest.isFork && plan.base !== undefined)
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

/** For a failure without a step: the message of the plan's own check. */
async function failureOfPlan({ run }: WriteContext): Promise<string | undefined> {
  const [newest] = (await historyOf(run)).events
  return newest?.event === 'failed' && newest.step === undefined ? newest.reason : undefined
}

const stateOf = (status: string): Parameters<Forge['status']>[1]['state'] =>
  status === 'completed' ? 'success' : status === 'failed' ? 'failure' : 'pending'
