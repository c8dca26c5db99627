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
import { withRequest } from '../../plan/agents/ask-for-plan.ts'
import type { PlanEvent } from '../../plan/record/trailers.ts'
import { askAgent } from '../../protocol/ask-agent.ts'
import type { Settings } from '../../operation/settings.ts'
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
  /** The agent that writes the plan; the title is then the request. */
  readonly agent?: string
  readonly model?: string
}

export function newPlan(request: NewRequest, context: CommandContext): Promise<CommandResult<ProposedData>> {
  return withRepo(context, async (repo, settings) => {
    const proposing = { repo, settings, context }
    if (request.agent !== undefined) return newByAgent(request, request.agent, proposing)
    const input = await inputOf(request, { repo, dir: settings.dir, context })
    return proposeText(input, request, proposing)
  })
}

interface Proposing {
  readonly repo: Repository
  readonly settings: Settings
  readonly context: CommandContext
}

async function proposeText(
  input: PlanInput,
  { id: given, from, template, title, agent }: NewRequest,
  { repo, settings, context }: Proposing,
  facts: Partial<PlanEvent> = {},
): Promise<CommandResult<ProposedData>> {
  const named = given === undefined ? input : renamed(input, given)
  const isDraft = from === undefined && template === undefined && agent === undefined
  const { file, id, relocate } = named
  const origin = { file, id, relocate, title: from === undefined ? undefined : title }
  const prepared = await prepareProposal(repo, settings, named.bytes, origin, {
    context,
    isDraft,
    refuse: async (plan) => (from === undefined ? undefined : refuseMergedFile(repo, settings, plan, from)),
  })
  const proposal = { ...prepared, facts }
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
}

/** The agent reads the files of the current commit and writes the plan, which records the request. */
async function newByAgent(
  request: NewRequest,
  agent: string,
  { repo, settings, context }: Proposing,
): Promise<CommandResult<ProposedData>> {
  const { title = '', from, template, param = [], id, model } = request
  if (from !== undefined || template !== undefined || param.length > 0)
    throw new PlanError('usage', '--agent cannot be combined with --from, --template or -p', {
      hint: 'git plan new -h',
    })
  if (title.trim() === '')
    throw new PlanError('usage', 'the agent needs a request', { hint: `git plan new --agent ${agent} 'REQUEST'` })
  const again = (file: string): string => `git plan new --from ${file}${id === undefined ? '' : ` --id ${id}`}`
  const command = `git plan new --agent ${agent}`
  return askAgent(
    {
      repo,
      settings,
      context,
      agent,
      model,
      commit: await repo.headCommit(),
      again,
      byHand: `git plan new ${quoteIfNeeded(title)}`,
    },
    { request: title },
    async (text, facts) => {
      const file = 'plan.md'
      const bytes = withRequest(text, title)
      const input = await expandInput({ bytes, file, path: undefined }, { repo, dir: settings.dir, context, command })
      return proposeText(input, request, { repo, settings, context }, facts)
    },
  )
}

/** The text of the plan: of a file, of a template, or a draft. */
async function inputOf(
  { title, from, template, param = [] }: NewRequest,
  places: { repo: Repository; dir: string; context: CommandContext },
): Promise<PlanInput> {
  const { context } = places
  if (from !== undefined && template !== undefined)
    throw new PlanError('usage', '--from and --template cannot be combined', { hint: 'git plan new -h' })
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
    const describe = `git plan template show ${quoteIfNeeded(template)}`
    return expandInput({ bytes, file, path: undefined }, { ...places, param, title, entry, command, describe })
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
