// `git plan diff`: the changes of a step's commit or of the whole plan.

import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { nameOfPlan, type Oid } from '../../plan/model/ids.ts'
import { patchBetween } from '../../store/changes.ts'
import { planIds } from '../../store/resolve-plan.ts'
import type { PlanView } from '../../view/plan-view.ts'
import { stepNamed } from '../../view/steps.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withPlan, withRepository, type ReadContext } from '../with-repository.ts'

export interface DiffRequest {
  readonly plan?: string
  readonly step?: string
  readonly all?: boolean
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

export async function diff(request: DiffRequest, context: CommandContext): Promise<CommandResult<DiffData | object>> {
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
