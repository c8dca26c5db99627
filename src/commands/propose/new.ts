// `git plan new`: proposes a plan on its own branch without touching the work tree.

import { PlanError } from '../../errors.ts'
import { slug } from '../../plan/model/names.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
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
    if (request.title === undefined && request.from === undefined)
      throw new PlanError('usage', 'a plan needs a title or a file', { hint: "git plan new 'TITLE'" })
    const input: PlanInput =
      request.from === undefined
        ? {
            bytes: skeleton(request.title ?? ''),
            file: 'plan.md',
            path: undefined,
            id: slug(request.title ?? '', 'plan'),
          }
        : await readPlanInput(request.from, context)
    const proposal = await prepareProposal(repo, settings, input.bytes, {
      ...input,
      ...(request.id === undefined ? {} : { id: request.id }),
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
        message: `Proposed plan/${proposal.plan.id}: ${proposal.plan.title}`,
      },
      next: [
        `git plan ${request.from === undefined ? 'edit' : 'show'} ${proposal.plan.id}`,
        ...(await afterProposal(proposal.plan, settings, context)),
      ],
    }
  })
}

const skeleton = (title: string): Uint8Array =>
  Buffer.from(`---
title: ${JSON.stringify(title)}
steps:
  - manual: Replace this step
---

Why this change is needed, which alternatives were considered, what reviewers should check.
`)
