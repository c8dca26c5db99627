// `git plan diff`: the changes of a step's commit or of the whole plan.

import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { nameOfPlan, type Oid } from '../../plan/model/ids.ts'
import { patchBetween } from '../../store/changes.ts'
import { planIds } from '../../store/resolve-plan.ts'
import { planChanges, type PlanChanges } from '../../view/plan-changes.ts'
import { previousText, revisionsIn, textAt } from '../../view/plan-revisions.ts'
import type { PlanView } from '../../view/plan-view.ts'
import { stepNamed } from '../../view/steps.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withPlan, withRepository, type ReadContext } from '../with-repository.ts'

export interface DiffRequest {
  readonly plan?: string
  readonly step?: string
  readonly all?: boolean
  /** The changes of the plan's text, step by step. */
  readonly spec?: boolean
  /** With `spec`: the revision to compare with. */
  readonly since?: string
}

export interface DiffData {
  readonly id: string
  readonly step: string | null
  readonly from: string | null
  readonly to: string
  readonly diff: string
  /** Changed files that are not shown unless asked for. */
  readonly leftOut: readonly string[]
}

/** The changes of a plan's text, step by step. */
export interface SpecDiffData extends Omit<PlanChanges, 'done'> {
  readonly id: string
  /** null: there is no other text. */
  readonly before: { readonly revision: number; readonly digest: string; readonly wasApproved: boolean } | null
  readonly after: { readonly revision: number; readonly digest: string }
  /** Why the text was replaced, oldest first. */
  readonly reasons: readonly string[]
}

export async function diff(
  request: DiffRequest,
  context: CommandContext,
): Promise<CommandResult<DiffData | SpecDiffData | object>> {
  if (request.spec === true) return specDiff(request, context)
  if (request.since !== undefined)
    throw new PlanError('usage', '--since needs --spec', { hint: `git plan diff --spec --since ${request.since}` })
  const { plan, step } = await withRepository(context, (reading) => resolveNames(request, reading))
  return withPlan<DiffData>(
    plan,
    context,
    async (view, { repo }) => {
      const { from, to } = step === undefined ? await rangeOfPlan(view) : rangeOfStep(view, step)
      const { id } = view.summary
      const diff = await patchBetween(repo, from, to, { except: request.all === true ? undefined : view.file })
      const isLeftOut =
        request.all !== true && (await blobAt(repo, from, view.file)) !== (await blobAt(repo, to, view.file))
      if (isLeftOut) context.emit(leftOutNotice({ id, file: view.file, step, isAll: diff === '' }))
      return {
        kind: 'diff',
        exitCode: 0,
        data: { id, step: step ?? null, from: from ?? null, to, diff, leftOut: isLeftOut ? [view.file] : [] },
      }
    },
    step === undefined ? undefined : 'diff',
  )
}

/** `git plan diff wire`: a single name that is not a plan is a step of the default plan. */
async function resolveNames(request: DiffRequest, { repo }: ReadContext): Promise<{ plan?: string; step?: string }> {
  if (request.plan === undefined || request.step !== undefined) return request
  const known: readonly string[] = await planIds(repo)
  const name = nameOfPlan(request.plan)
  return name !== request.plan || known.includes(name) ? { plan: request.plan } : { step: request.plan }
}

const blobAt = async (repo: Repository, commit: Oid | undefined, file: string): Promise<Oid | undefined> =>
  commit === undefined ? undefined : repo.resolve(`${commit}:${file}`, 'object')

/** The patch may be piped, so the notice goes to standard error. */
const leftOutNotice = (left: { id: string; file: string; step: string | undefined; isAll: boolean }): RunEvent => ({
  kind: 'notice',
  message: left.isAll ? `only the plan file changed; ${left.file} is not shown` : `${left.file} is not shown`,
  hint: `git plan diff ${left.id}${left.step === undefined ? '' : ` ${left.step}`} --all`,
})

async function rangeOfPlan(view: PlanView): Promise<{ from: Oid | undefined; to: Oid }> {
  if (view.events.length === 0)
    throw new PlanError('wrong-state', `the commit that plan/${view.summary.id} started from is unknown`, {
      hint: `git log plan/${view.summary.id}`,
    })
  return { from: view.baseCommit, to: view.summary.tip }
}

function rangeOfStep(view: PlanView, name: string): { from: Oid | undefined; to: Oid } {
  const { summary } = view
  const step = stepNamed(summary, name)
  // The commit of a failure records only that it failed.
  const event = step.status === 'failed' ? undefined : view.events.find((each) => each.commit === step.commit)
  if (event === undefined)
    throw new PlanError('wrong-state', `step ${step.id} of ${summary.id} has no commit: it is ${step.seen}`, {
      hint: `git plan attempts ${summary.id}`,
    })
  return { from: event.parent, to: event.commit }
}

/** Compares with the last approved text, or else with the one before; `since`: with that revision. */
const specDiff = (request: DiffRequest, context: CommandContext): Promise<CommandResult<SpecDiffData | object>> =>
  withPlan<SpecDiffData>(
    request.plan,
    context,
    async ({ summary: { id, digest }, plan, file, events }, { repo }) => {
      const revisions = revisionsIn(events)
      const texts = { repo, id, file, digest, events }
      const wanted = request.since === undefined ? undefined : revisions[revisionOf(request.since)]
      if (request.since !== undefined && wanted === undefined)
        throw new PlanError(
          'usage',
          `plan ${id} has no revision ${request.since.slice(0, 20)}: it has 0 to ${revisions.length - 1}`,
          {
            hint: `git plan diff ${id} --spec`,
          },
        )
      const before =
        wanted === undefined ? await previousText(texts) : await textAt(texts, events.indexOf(wanted), false)
      const { done: _done, ...changes } = planChanges(before?.plan ?? plan, plan)
      const numberOf = (of: string): number => revisions.findLastIndex((each) => each.digest === of)
      return {
        kind: 'spec-diff',
        exitCode: 0,
        data: {
          id,
          before:
            before === undefined
              ? null
              : { revision: numberOf(before.plan.digest), digest: before.plan.digest, wasApproved: before.wasApproved },
          after: { revision: numberOf(digest), digest },
          reasons: before?.reasons ?? [],
          ...changes,
        },
      }
    },
    'diff --spec',
  )

const revisionOf = (text: string): number => (/^\d{1,6}$/.test(text) ? Number(text) : -1)
