// Finishes a plan on the forge: makes its pull request ready for review, or merges it with the method that the forge
// allows.

import { requirePermit, type Permit } from '../approval/rules/permit.ts'
import { PlanError } from '../errors.ts'
import type { PullRequest } from './forge/forge.ts'
import { finalRef } from '../plan/model/ids.ts'
import type { Run } from '../engine/run/run.ts'
import { needForge } from './open-forge.ts'
import { pushPlan } from './push.ts'
import { historyOf, type WriteContext } from '../operation/with-run.ts'

/**
 * Pushes the completed plan and removes the draft mark. `isReviewed`: does not push if only approvals are missing
 * there, since the forge may dismiss reviews after a push.
 */
export async function makeReady(
  { run, settings, context }: WriteContext,
  { isReviewed = false } = {},
): Promise<PullRequest> {
  const forge = await needForge(run.home, settings, context)
  const found = await forge.pullRequestOf(`plan/${run.id}`)
  if (found === undefined || found.state === 'closed' || found.isFork)
    throw new PlanError('wrong-state', `plan ${run.id} has no open pull request on ${forge.host}`, {
      hint: `git plan submit ${run.id}`,
    })
  if (found.state === 'merged') return found
  if (!isReviewed || !(await lacksOnlyApprovals(run, found.head))) await pushPlan(run.home, run.id)
  if (found.isDraft) await forge.ready(found.number)
  return forge.pullRequest(found.number)
}

/** Merges exactly the pushed commit, or nothing. Returns the new commit of the base if the forge reports it. */
export async function mergeOnForge(
  writing: WriteContext,
  permit: Permit,
  { method, text }: { readonly method: 'merge' | 'squash' | 'rebase'; readonly text: string | undefined },
): Promise<{ readonly url: string; readonly commit: string | undefined }> {
  const { run, settings, context } = writing
  const { number, url, state, head: there } = await makeReady(writing, { isReviewed: true })
  if (state === 'merged') return { url, commit: undefined }
  const { plan, tip } = run.at
  requirePermit(permit, plan)
  const head = (await lacksOnlyApprovals(run, there)) ? there : tip
  const forge = await needForge(run.home, settings, context)
  const [first, ...rest] = text === undefined ? [] : text.trim().split('\n')
  const title = run.mask(first ?? (method === 'squash' ? plan.title : `Merge plan ${plan.id}: ${plan.title}`))
  const message = run.mask(rest.join('\n').trim())
  const { commit } = await forge.merge(number, { method, head, title, ...(message === '' ? {} : { message }) })
  return { url, commit }
}

/** True if the commit on the forge lacks nothing of the plan except approvals of its result. */
async function lacksOnlyApprovals(run: Run, there: string): Promise<boolean> {
  const { events } = await historyOf(run)
  const at = events.findIndex(({ commit }) => commit === there)
  return at >= 0 && events.slice(0, at).every(({ event }) => event === 'approved')
}

/** Keeps the tip under the final ref. */
export async function keepFinal(run: Run): Promise<void> {
  const { tip } = run.at
  const before = await run.repo.resolve(finalRef(run.id))
  if (before !== tip)
    await run.moveRefsWithIntent(() => run.repo.moveRefs([{ ref: finalRef(run.id), from: before, to: tip }]))
}
