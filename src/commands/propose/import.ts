// `git plan import`: proposes a plan from the plan or checkpoint of another tool.

import { resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import { readPlan } from '../../plan/file/read-plan.ts'
import type { Finding } from '../../plan/model/finding.ts'
import { slug } from '../../plan/model/names.ts'
import { suggest } from '../../plan/text/nearest.ts'
import {
  UnreadableSource,
  type ImportFormat,
  type ImportInput,
  type ImportNote,
} from '../../plan/sources/import/format.ts'
import { importFormats } from '../../plan/sources/import/index.ts'
import { planText, type ImportedStepView, type PlanText } from '../../plan/sources/import/plan-text.ts'
import { writeNewFile } from '../../operation/write-new-file.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { prepareProposal, propose } from '../../protocol/propose.ts'
import { afterProposal } from '../../operation/approval-ways.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { invalidPlan } from '../../operation/invalid-plan.ts'
import { readImportSource } from '../../operation/read-import-source.ts'
import { withPlanRun, withRepo } from '../../operation/with-run.ts'

export interface ImportRequest {
  readonly source: string
  readonly as?: string
  readonly id?: string
  readonly output?: string
  readonly dryRun?: boolean
}

export interface ImportedData {
  readonly source: string
  readonly format: string
  readonly id: string
  readonly title: string
  readonly steps: readonly ImportedStepView[]
  /** What is not carried over, contradictions, and what nobody knows, with lines of the source. */
  readonly notes: readonly ImportNote[]
  /** null: nothing was proposed. */
  readonly branch: string | null
  readonly commit: string | null
  readonly digest: string | null
  readonly findings: readonly Finding[]
  /** The text of the plan, if it was not proposed. */
  readonly text: string | null
  readonly message: readonly string[]
}

export async function importPlan(
  request: ImportRequest,
  context: CommandContext,
): Promise<CommandResult<ImportedData>> {
  const { shown: source, input, formats } = await readImportSource(request.source, context.cwd, formatNamed(request))
  const format = onlyFormat(formats, source)
  const made = readFormat(format, input, source)
  const id = request.id ?? slug(made.title, 'plan')
  const parsed = readPlan(Buffer.from(made.text), { file: `${id}.md` })
  if (!parsed.ok) throw invalidPlan(`the plan made from ${source}`, parsed.findings, 'git plan import -h')
  const counts = `${source} (${format.tool}): ${countSteps(made.steps)}`
  const data: ImportedData = {
    source,
    format: format.name,
    id,
    title: made.title,
    steps: made.steps,
    notes: made.notes,
    branch: null,
    commit: null,
    digest: null,
    findings: [],
    text: null,
    message: [counts],
  }
  if (request.output !== undefined || request.dryRun === true) return writeOnly(request, context, data, made.text)
  return withRepo(context, async (repo, settings) => {
    const branch = (await repo.headBranch())?.replace('refs/heads/', '')
    if (branch?.startsWith('plan/') === true)
      throw new PlanError('usage', `${branch} is checked out, and the source names no base for the new plan`, {
        hint: `git plan import ${quoteIfNeeded(source)} -o ${id}.md`,
      })
    const proposal = await prepareProposal(
      repo,
      settings,
      Buffer.from(made.text),
      { file: `${id}.md`, id },
      {
        context,
        // Its files may exist by now, and it may lack what the configuration requires: it is edited before its approval.
        isDraft: true,
      },
    )
    const secrets = proposal.findings.filter(({ rule }) => rule === 'secret')
    if (secrets.length > 0)
      throw invalidPlan(
        `the plan made from ${source}`,
        secrets.map((finding) => ({ ...finding, severity: 'error' })),
        `git plan import ${quoteIfNeeded(source)} -o ${id}.md`,
      )
    const { plan } = proposal
    const commit = await withPlanRun(
      context,
      { repo, settings, id: plan.id, command: 'import', load: (run) => propose(run, proposal) },
      async ({ run }) => {
        if (made.refused !== undefined)
          await recordEvent(run, {
            event: 'rejected',
            subject: `Rejected: ${plan.title}`,
            facts: { reason: made.refused },
          })
        return run.at.tip
      },
    )
    const isReady = made.refused === undefined && proposal.findings.length === 0
    return {
      kind: 'imported',
      exitCode: 0,
      data: {
        ...data,
        branch: `plan/${plan.id}`,
        commit,
        digest: plan.digest,
        findings: proposal.findings,
        message: [
          `Proposed plan/${plan.id}: ${plan.title}`,
          counts,
          ...(made.refused === undefined ? [] : [`It was ${made.refused}, and is recorded as rejected`]),
        ],
      },
      next: [
        `git plan show ${plan.id}`,
        `git plan edit ${plan.id}`,
        ...(isReady ? await afterProposal(repo, plan, settings, context) : []),
      ],
    }
  })
}

async function writeOnly(
  { output, dryRun, id }: ImportRequest,
  context: CommandContext,
  data: ImportedData,
  text: string,
): Promise<CommandResult<ImportedData>> {
  const kind = 'import-preview'
  if (output === undefined || dryRun === true) return { kind, exitCode: 0, data: { ...data, text } }
  const preview = `git plan import ${quoteIfNeeded(data.source)} --as ${data.format} --dry-run`
  await writeNewFile(resolve(context.cwd, output), text, output, preview)
  return {
    kind,
    exitCode: 0,
    data: { ...data, text, message: [`Wrote ${output}`, ...data.message] },
    next: [
      `git plan check ${quoteIfNeeded(output)}`,
      ...((await planBranchHere(context)) === undefined
        ? [`git plan new --from ${quoteIfNeeded(output)}${id === undefined ? '' : ` --id ${id}`}`]
        : []),
    ],
  }
}

/** The branch of a plan that is checked out: the new plan would have no base. A plan can be written without a repository. */
async function planBranchHere(context: CommandContext): Promise<string | undefined> {
  const branch = await withRepo(context, async (repo) => repo.headBranch()).catch(() => undefined)
  return branch?.startsWith('refs/heads/plan/') === true ? branch.replace('refs/heads/', '') : undefined
}

function formatNamed({ as }: ImportRequest): ImportFormat | undefined {
  if (as === undefined) return undefined
  const names = importFormats.map(({ name }) => name)
  const found = importFormats.find(({ name }) => name === as.toLowerCase())
  if (found !== undefined) return found
  throw new PlanError('usage', `unknown format ${JSON.stringify(as.slice(0, 80))}; ${suggest(as, names)}`, {
    hint: 'git plan import -h',
    facts: { formats: names },
  })
}

function onlyFormat(formats: readonly ImportFormat[], source: string): ImportFormat {
  const [only, ...others] = formats
  const command = (format: string): string => `git plan import ${quoteIfNeeded(source)} --as ${format}`
  if (only === undefined)
    throw new PlanError('usage', `${source} is not a plan of a known tool`, {
      hint: 'git plan import -h',
      facts: { formats: importFormats.map(({ name }) => name) },
    })
  if (others.length === 0) return only
  throw new PlanError('usage', `${source} may be a plan of ${formats.map(({ tool }) => tool).join(' or ')}`, {
    hint: Object.fromEntries(formats.map(({ name, tool }) => [tool, command(name)])),
    facts: { formats: formats.map(({ name }) => name) },
  })
}

function readFormat(format: ImportFormat, input: ImportInput, source: string): PlanText {
  try {
    return planText(format.read(input), format, source)
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error
    const file = error.file === undefined || source.endsWith(error.file) ? source : error.file
    const position = error.line === undefined ? file : `${file}:${error.line}`
    throw new PlanError('invalid-plan', `${position}: not a plan of ${format.tool}: ${error.message}`, {
      hint: 'git plan import -h',
      facts: { format: format.name, file, line: error.line ?? null },
    })
  }
}

function countSteps(steps: readonly ImportedStepView[]): string {
  const counts = (['done', 'failed', 'unknown', 'pending'] as const).flatMap((state) => {
    const count = steps.filter((step) => step.state === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}, ${counts.join(', ')}`
}
