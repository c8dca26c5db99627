// `git plan new`: proposes a plan on its own branch without touching the work tree.

import { PlanError } from '../../errors.ts'
import { refuseMergedFile } from '../../approval/flow/finished-elsewhere.ts'
import { readPlan } from '../../plan/file/read-plan.ts'
import { withPlanId } from '../../plan/file/write.ts'
import { isId, type PlanId } from '../../plan/model/ids.ts'
import { titleProblem } from '../../plan/file/text-problems.ts'
import { slug } from '../../plan/model/names.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { draftStep } from '../../plan/model/draft.ts'
import { afterProposal } from '../../operation/approval-ways.ts'
import { prepareProposal, proposeOnly } from '../../protocol/propose.ts'
import { readPlanInput, type PlanInput } from '../../operation/read-plan-input.ts'
import { withRepo } from '../../operation/with-run.ts'
import type { ProposedData } from '../../operation/results.ts'

export interface NewRequest {
  readonly title?: string
  readonly from?: string
  readonly id?: string
}

export function newPlan(request: NewRequest, context: CommandContext): Promise<CommandResult<ProposedData>> {
  return withRepo(context, async (repo, settings) => {
    if ((request.title ?? '').trim() === '' && request.from === undefined)
      throw new PlanError('usage', 'a plan needs a title or a file', { hint: "git plan new 'TITLE'" })
    const problem = request.from === undefined ? titleProblem(request.title ?? '') : undefined
    if (problem !== undefined) throw new PlanError('usage', problem, { hint: "git plan new 'TITLE'" })
    const input: PlanInput =
      request.from === undefined
        ? {
            bytes: skeleton(request.title ?? ''),
            file: 'plan.md',
            path: undefined,
            id: slug(request.title ?? '', 'plan'),
          }
        : await readPlanInput(request.from, context)
    const named = request.id === undefined ? input : renamed(input, request.id)
    const { from } = request
    const isDraft = from === undefined
    const origin = { file: named.file, id: named.id, title: isDraft ? undefined : request.title }
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

/** `--id` has the last word, also over a `plan:` in the file. */
function renamed(input: PlanInput, id: string): PlanInput & { readonly id: string } {
  const read = isId(id) ? readPlan(input.bytes, input) : undefined
  return { ...input, id, bytes: read?.ok === true ? withPlanId(read, id as PlanId).bytes : input.bytes }
}

const skeleton = (title: string): Uint8Array =>
  Buffer.from(`---
title: ${JSON.stringify(title)}
steps:
  - manual: ${draftStep}
---

Why this change is needed, which alternatives were considered, what reviewers should check.
`)
