// `git plan rebase`: moves the plan to the tip of its base and runs its steps again. The old tip is saved.

import { judge } from '../../approval/rules/judge-decisions.ts'
import { PlanError } from '../../errors.ts'
import { trailersOf } from '../../plan/record/trailers.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { withState } from '../../plan/file/write.ts'
import { maskMessage } from '../../engine/run/known-secrets.ts'
import { goTo, keepTip, requireClean } from '../../engine/rollback/rollback.ts'
import type { Run } from '../../engine/run/run.ts'
import { askApproval } from '../../approval/flow/approval-question.ts'
import { waysToApprove } from '../../operation/approval-ways.ts'
import type { CommandContext } from '../../operation/context.ts'
import { rehearseAt } from '../../approval/flow/judge-plan.ts'
import { subjectAt } from '../../approval/flow/gate.ts'
import { ownDecision } from '../../approval/flow/record-approval.ts'
import {
  approvalNeeded,
  progressText,
  readApprovalState,
  type ApprovalState,
} from '../../approval/flow/approval-state.ts'
import {
  askRemote,
  ensureApproved,
  enterWorkTree,
  holdWorkTree,
  leavePlanMode,
  preflight,
  publishing,
  refuseFinished,
  requireCleanTree,
  runPhases,
  runSteps,
  type Phase,
  type RunAnswer,
  type RunFacts,
  type RunRequest,
} from '../../protocol/run-protocol.ts'
import { isPushing } from '../../remote/push-request.ts'
import { remoteOf } from '../../store/remote-name.ts'
import { historyOf, withRun, type WriteContext } from '../../operation/with-run.ts'

export interface RebaseRequest extends RunRequest {
  readonly plan?: string
}

export const rebasePhases: readonly Phase<RebaseRequest>[] = [
  refuseFinished,
  askRemote,
  holdWorkTree,
  { name: 'put the plan on its base', run: moveToBase },
  ensureApproved,
  enterWorkTree,
  leavePlanMode,
  requireCleanTree,
  preflight,
  runSteps,
]

export function rebase(request: RebaseRequest, context: CommandContext): Promise<RunAnswer> {
  return withRun(context, { plan: request.plan, command: 'rebase' }, (writing) =>
    runPhases(rebasePhases, writing, request),
  )
}

/** Answers if nothing is to be run: the plan is already there, or others have to approve it first. */
async function moveToBase(facts: RunFacts<RebaseRequest>): Promise<RunAnswer | undefined> {
  const { run, settings, context, request } = facts
  const { id, base: name } = run.at.plan
  if (name === undefined)
    throw new PlanError('wrong-state', `plan ${id} has no \`base\` to rebase onto`, { hint: `git plan edit ${id}` })
  if (request.wait === true && !isPushing(request))
    throw new PlanError('usage', '--wait needs --push: reviewers have to see the plan on its new base', {
      hint: `git plan rebase ${id} --push --wait`,
    })
  const base = await baseTip(facts, name)
  if (base === undefined)
    throw new PlanError('wrong-state', `the base ${name} of plan ${id} is not a branch here`, {
      hint: `git fetch ${await remoteOf(run.home)} ${name}`,
    })
  if ((await historyOf(run)).events.at(-1)?.parent === base)
    return {
      kind: 'rebased',
      exitCode: 0,
      data: { id, base: name, changed: false, message: `${id} is already on the tip of ${name}` },
    }
  if (run.tree !== undefined) await requireClean(run)
  // This commit has no ref and is made again below: a prompt may take a while, and a gc in between would remove it.
  const state = await run.withKeptObjects(async () => {
    const subject = await subjectAt(run, await commitOn(run, base, { isUnsigned: true }))
    if (request.skipCheck?.includes('plan') !== true)
      await rehearseAt(facts, subject, { isApproving: request.approve === true })
    return readApprovalState(subject, settings, context.now())
  })
  const isRun = await isApprovedNow(facts, request, state)
  const reason = `rebased onto ${name} at ${base.slice(0, 12)}`
  const kept = await run.withKeptObjects(async () => {
    const commit = await commitOn(run, base)
    const tag = await keepTip(run, { to: commit, step: undefined, kind: 'rebase', reason })
    await goTo(run, commit, [{ ref: tag.ref, from: undefined, to: tag.oid }])
    return tag.ref
  })
  const message = `${id} is ${reason}; the previous tip is saved in ${kept}`
  if (!isRun && request.wait === true) {
    run.world.emit({ kind: 'notice', message: `${message}; it needs a new approval` })
    // Reviewers see it on its new base before they are waited for.
    await publishing(facts, () => Promise.resolve({ kind: 'rebased', exitCode: 0, data: {} }))
    return undefined
  }
  if (!isRun) {
    return {
      kind: 'rebased',
      exitCode: 0,
      data: { id, base: name, changed: true, message: `${message}; it needs a new approval` },
      next: [...waysToApprove(id, await approvalNeeded(run, state), 'start'), `git plan rollback ${id} --undo`],
    }
  }
  run.world.emit({ kind: 'notice', message, hint: `git plan rollback ${id} --undo` })
  facts.isApproving = true
  return undefined
}

/** The local branch, or that of the remote if there is none, or if the local one is only behind and others see the plan. */
async function baseTip({ run, request }: RunFacts<RebaseRequest>, name: string): Promise<Oid | undefined> {
  const here = await run.repo.tipOf(`refs/heads/${name}`)
  const there = await run.repo.tipOf(`refs/remotes/${await remoteOf(run.home)}/${name}`)
  if (here === undefined || there === undefined) return here ?? there
  return isPushing(request) && (await run.repo.isAncestor(here, there)) ? there : here
}

/** Commits the plan as a proposal on another commit of its base. */
async function commitOn(run: Run, base: Oid, options: { readonly isUnsigned?: boolean } = {}): Promise<Oid> {
  const { plan } = run.at
  // The history of the plan ends at this commit.
  const { clonedFrom } = (await historyOf(run)).events.find((event) => event.clonedFrom !== undefined) ?? {}
  const tree = await run.repo.resolve(base, 'tree')
  if (tree === undefined) throw new Error(`${base} has no tree`)
  const blob = await run.objects.blob(withState(run.at, 'proposed', new Map()).bytes)
  const commit = await run.objects.commit({
    tree: await run.objects.treeWith(tree, run.planPath, blob),
    parents: [base],
    ...options,
    message: maskMessage(run.mask, {
      subject: `Plan: ${plan.title}`,
      body: `On ${plan.base} as of ${base.slice(0, 12)}.`,
      trailers: trailersOf({
        event: 'rebased',
        plan: plan.id,
        run: run.token,
        digest: plan.digest,
        ...(clonedFrom === undefined ? {} : { clonedFrom }),
      }),
    }),
  })
  await run.objects.flush()
  return commit
}

/**
 * True if the person at the keyboard approves the plan on its new base and nobody else has to. If others have to, the
 * plan is only moved there for them to review.
 */
async function isApprovedNow(
  writing: WriteContext,
  { approve }: RebaseRequest,
  state: ApprovalState,
): Promise<boolean> {
  const { run, context } = writing
  const { id } = run.at.plan
  const { circumstances } = state
  const verdict = judge([await ownDecision(run, context, 'local')], circumstances)
  if (!verdict.isSatisfied) {
    if (approve !== true) return false
    throw new PlanError(
      'not-approved',
      `your approval alone is not enough to run plan ${id} on its new base: it would have ${progressText({ verdict, circumstances })}`,
      {
        hint: `git plan rebase ${id}`,
      },
    )
  }
  if (approve === true) return true
  const question = 'Approve this plan on its new base and run it?'
  if (context.isInteractive && (await askApproval(writing, question))) return true
  throw new PlanError('not-approved', `plan ${id} needs a new approval on its new base`, {
    hint: `git plan rebase ${id} --approve`,
  })
}
