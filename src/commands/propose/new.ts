// `git plan new`: proposes a plan on its own branch without touching the work tree.

import { PlanError } from '../../errors.ts'
import { refuseMergedFile } from '../../approval/flow/finished-elsewhere.ts'
import type { Finding } from '../../plan/model/finding.ts'
import { readPlan } from '../../plan/file/read-plan.ts'
import { withPlanId } from '../../plan/file/write.ts'
import { isId, type PlanId } from '../../plan/model/ids.ts'
import { titleProblem } from '../../plan/file/text-problems.ts'
import { slug } from '../../plan/model/names.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { afterProposal } from '../../operation/approval-ways.ts'
import { prepareProposal, proposeOnly } from '../../protocol/propose.ts'
import { expandInput } from '../../operation/expand-input.ts'
import { loadTemplate } from '../../operation/load-source.ts'
import { readPlanInput, type PlanInput } from '../../operation/read-plan-input.ts'
import type { Repository } from '../../git/repository.ts'
import { draftText } from '../../plan/sources/draft.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { withRepo } from '../../operation/with-run.ts'
import type { ProposedData } from '../../operation/results.ts'

export interface NewRequest {
  readonly title?: string
  readonly from?: string
  readonly id?: string
  readonly template?: string
  /** `NAME=VALUE` */
  readonly param?: readonly string[]
}

export function newPlan(request: NewRequest, context: CommandContext): Promise<CommandResult<ProposedData>> {
  return withRepo(context, async (repo, settings) => {
    const input = await inputOf(request, { repo, dir: settings.dir, context })
    const named = request.id === undefined ? input : renamed(input, request.id)
    const { from } = request
    const isDraft = from === undefined && request.template === undefined
    const { file, id, relocate } = named
    const origin = { file, id, relocate, title: from === undefined ? undefined : request.title }
    const proposal = await prepareProposal(repo, settings, named.bytes, origin, {
      context,
      isDraft,
      refuse: async (plan) => (from === undefined ? undefined : refuseMergedFile(repo, settings, plan, from)),
    })
    const commit = await proposeOnly(context, { repo, settings, proposal, path: input.path })
    return {
      kind: 'proposed',
      exitCode: 0,
      data: {
        id: proposal.plan.id,
        title: proposal.plan.title,
        branch: `plan/${proposal.plan.id}`,
        commit,
        digest: proposal.plan.digest,
        findings: proposal.findings,
        message: `Proposed plan/${proposal.plan.id}: ${proposal.plan.title}`,
      },
      next: [
        `git plan ${isDraft ? 'edit' : 'show'} ${proposal.plan.id}`,
        // A draft has to be edited first.
        ...(isDraft ? [] : await afterProposal(repo, proposal.plan, settings, context)),
      ],
    }
  })
}

/** The text of the plan: of a file, of a template, or a draft. */
async function inputOf(
  { title, from, template, param = [] }: NewRequest,
  places: { repo: Repository; dir: string; context: CommandContext },
): Promise<PlanInput> {
  const { context } = places
  if (from !== undefined && template !== undefined)
    throw new PlanError('usage', '--from and --template exclude each other', { hint: 'git plan template list' })
  if (from !== undefined) {
    const command = `git plan new --from ${quoteIfNeeded(from)}`
    return expandInput(await readPlanInput(from, context), { ...places, param, command })
  }
  if ((title ?? '').trim() === '' && template === undefined)
    throw new PlanError('usage', 'a plan needs a title, a file or a template', { hint: "git plan new 'TITLE'" })
  const problem = title === undefined ? undefined : titleProblem(title)
  if (problem !== undefined) throw new PlanError('usage', problem, { hint: "git plan new 'TITLE'" })
  if (template !== undefined) {
    const loaded = await loadTemplate(template, { ...places, env: context.env })
    if (!loaded.ok) throw new PlanError('usage', loaded.message, { hint: 'git plan template list' })
    const { bytes, file, entry } = loaded
    const command = `git plan new --template ${template}`
    return expandInput({ bytes, file, path: undefined }, { ...places, param, title, entry, command })
  }
  if (param.length > 0)
    throw new PlanError('usage', '-p goes with --from or --template', { hint: 'git plan template list' })
  return { bytes: draftText(title ?? ''), file: 'plan.md', path: undefined, id: slug(title ?? '', 'plan') }
}

/** `--id` has the last word, also over a `plan:` in the file. */
function renamed(input: PlanInput, id: string): PlanInput & { readonly id: string } {
  const read = isId(id) ? readPlan(input.bytes, input) : undefined
  if (read?.ok !== true) return { ...input, id }
  const { relocate } = input
  // The line `plan:` is inserted at the top.
  const lines = read.source.planValue === undefined ? 1 : 0
  const moved = (finding: Finding): Finding =>
    relocate?.(finding.line === undefined ? finding : { ...finding, line: finding.line - lines }) ?? finding
  const { bytes } = withPlanId(read, id as PlanId)
  return { ...input, id, bytes, ...(relocate === undefined ? {} : { relocate: moved }) }
}
