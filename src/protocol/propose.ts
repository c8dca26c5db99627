// Turns a plan into a branch: a commit on the base that adds the plan file. No work tree is touched.

import { PlanError } from '../errors.ts'
import { ObjectWriter } from '../git/write/objects.ts'
import { isUnfiltered } from '../git/worktree/unfiltered-files.ts'
import { rawPath } from '../git/read/raw-path.ts'
import { realpath } from 'node:fs/promises'
import { quoteIfNeeded } from '../process/shell-words.ts'
import { maskMessage, maskOf } from '../engine/run/known-secrets.ts'
import type { Run } from '../engine/run/run.ts'
import type { Repository } from '../git/repository.ts'
import { allowsBase } from '../plan/config/config.ts'
import { readPlan, type PlanOrigin } from '../plan/file/read-plan.ts'
import { hasErrors, type Finding } from '../plan/model/finding.ts'
import type { Plan } from '../plan/model/plan.ts'
import { trailersOf, type PlanEvent } from '../plan/record/trailers.ts'
import { idAdvice } from '../plan/file/text-problems.ts'
import { finalRef, isId, planBranch, type Oid, type PlanId } from '../plan/model/ids.ts'
import { asProposed, type PlanAndText, type Written } from '../plan/file/write.ts'
import { checkWhole } from '../judge/plan/check-whole.ts'
import { readPlanAt } from '../store/plan-at.ts'
import { checkFacts, findingsOnTree } from '../operation/check-findings.ts'
import type { CommandContext } from '../operation/context.ts'
import { nameOfStandardInput } from '../operation/read-plan-input.ts'
import { invalidPlan } from '../operation/invalid-plan.ts'
import type { Settings } from '../operation/settings.ts'
import { withPlanRun } from '../operation/with-run.ts'

export interface Proposal extends PlanAndText {
  readonly bytes: Uint8Array
  readonly baseCommit: Oid
  readonly path: string
  /** The warnings of `git plan check`; for a draft, its errors too. */
  readonly findings: readonly Finding[]
  /** Facts about how the text was made, for the event that records it. */
  readonly facts?: Partial<PlanEvent>
}

export interface ProposalOrigin extends Pick<PlanOrigin, 'file' | 'id' | 'title'> {
  /** Moves a finding about an expanded text to where it was written. */
  readonly relocate?: ((finding: Finding) => Finding) | undefined
}

export interface ProposalOptions {
  readonly context: Pick<CommandContext, 'env'>
  /** False: check only the text, not the tree that the plan will find. */
  readonly checksTree?: boolean
  /** It is to be edited before it is approved, so errors are only reported. */
  readonly isDraft?: boolean
  /** Refuses the plan for another reason, before its rules are checked. */
  readonly refuse?: (plan: Plan) => Promise<void>
  /** The command that runs a plan which would only fail on this tree. */
  readonly runAnyway?: string
}

/** Returns the plan as it would be committed, with all derived fields written out. Changes nothing yet. */
export async function prepareProposal(
  repo: Repository,
  settings: Settings,
  bytes: Uint8Array,
  { relocate = (finding) => finding, ...origin }: ProposalOrigin,
  options: ProposalOptions,
): Promise<Proposal> {
  if (origin.id !== undefined && !isId(origin.id))
    throw new PlanError('usage', `${JSON.stringify(origin.id.slice(0, 80))} is not a valid id`, { hint: idAdvice })
  const head = await repo.headBranch()
  const current = head?.replace(/^refs\/heads\//, '')
  const isOnPlan = current?.startsWith('plan/') === true
  const base = isOnPlan ? undefined : current
  let parsed = readPlan(bytes, { ...origin, ...(base === undefined ? {} : { base }) })
  if (!parsed.ok) {
    const isTitle = parsed.findings.every(({ rule }) => rule === 'title-mismatch')
    const isNamed = isTitle && origin.file !== nameOfStandardInput
    throw invalidPlan(
      origin.file,
      parsed.findings.map(relocate),
      isNamed ? `git plan new --from ${quoteIfNeeded(origin.file)}` : undefined,
    )
  }
  if (parsed.plan.base === undefined && current === `plan/${parsed.plan.id}`) {
    // The plan itself is checked out: its base applies to the same text too.
    const own = await readPlanAt(repo, await repo.headCommit(), {
      id: parsed.plan.id,
      file: `${settings.dir}/${parsed.plan.id}.md`,
    }).catch(() => undefined)
    if (own?.base !== undefined) parsed = readPlan(bytes, { ...origin, base: own.base })
    if (!parsed.ok) throw invalidPlan(origin.file, parsed.findings.map(relocate))
  }
  if (isOnPlan && parsed.plan.base === undefined) {
    throw new PlanError('usage', `${current} is checked out, and the new plan has no \`base\``, {
      hint: { 'add to the plan file, for example': 'base: main' },
    })
  }
  const path = `${settings.dir}/${parsed.plan.id}.md`
  const whole = await applyFilters(repo, asProposed(parsed), path, settings.dir)
  const baseCommit = await baseCommitOf(repo, whole.plan, settings)
  await options.refuse?.(whole.plan)
  // The rules name the file by its path in the repository; the findings should show lines of the given file, which the
  // parser knows.
  const facts = checkFacts(
    { plan: whole.plan, source: parsed.source },
    { file: path, config: settings.config, agents: settings.agents },
  )
  // A plan that exists need not be at its base any more.
  const isNew = (await repo.tipOf(planBranch(whole.plan.id))) === undefined
  const found =
    options.checksTree === false || !isNew
      ? await checkWhole(whole.plan, facts)
      : await findingsOnTree(repo, { plan: whole.plan, tip: baseCommit }, options.context, facts)
  const findings = found.map((finding) => relocate({ ...finding, file: origin.file }))
  if (options.isDraft !== true && hasErrors(findings)) {
    if (options.runAnyway === undefined || hasErrors(await checkWhole(whole.plan, facts)))
      throw invalidPlan(origin.file, findings)
    throw new PlanError('preflight', `plan ${whole.plan.id} would fail`, {
      hint: {
        ...(origin.file === nameOfStandardInput
          ? {}
          : { 'check it again': `git plan check ${quoteIfNeeded(origin.file)}` }),
        'run it anyway': options.runAnyway,
      },
      facts: { findings },
    })
  }
  return {
    plan: whole.plan,
    source: whole.source,
    bytes: whole.bytes,
    baseCommit,
    path,
    findings: options.isDraft === true ? findings.map((each) => ({ ...each, severity: 'warning' })) : findings,
  }
}

/**
 * Creates the branch. `path`: the source file of the plan, which `start` then allows to lie untracked in the work tree.
 */
export async function propose(run: Run, proposal: Proposal, path?: string): Promise<void> {
  const { plan, source } = proposal
  const { repo, objects, world } = run
  if ((await repo.tipOf(run.branch)) !== undefined) throw planExistsError(plan.id)
  if ((await repo.tipOf(finalRef(plan.id))) !== undefined) throw planFinishedError(plan.id)
  const tree = await repo.resolve(proposal.baseCommit, 'tree')
  if (tree === undefined) throw new Error(`${proposal.baseCommit} has no tree`)
  const message = maskMessage(maskOf(plan, world.env), {
    subject: `Plan: ${plan.title}`,
    ...(plan.request === undefined ? {} : { body: plan.request }),
    trailers: trailersOf({
      event: 'proposed',
      plan: plan.id,
      run: run.token,
      digest: plan.digest,
      ...templateFact(plan),
      ...proposal.facts,
    }),
  })
  const tip = await run.withKeptObjects(async () => {
    const commit = await objects.commit({
      tree: await objects.treeWith(tree, proposal.path, await objects.blob(proposal.bytes)),
      parents: [proposal.baseCommit],
      message,
    })
    await objects.flush()
    if (path !== undefined) await run.dir.writeJson('source.json', { path: await realpath(path) })
    await run.intend({ kind: 'refs', input: proposal.baseCommit })
    await repo.moveRefs([{ ref: run.branch, from: undefined, to: commit }]).catch(async (error: unknown) => {
      if (!(error instanceof PlanError) || error.code !== 'branch-moved') throw error
      await run.settle()
      throw planExistsError(plan.id)
    })
    await run.settle()
    return commit
  })
  run.at = { tip, plan, source }
}

/** The template of the whole plan. */
function templateFact({ sources }: Plan): Pick<PlanEvent, 'template'> {
  const template = sources.find(({ step }) => step === undefined)?.template
  return template === undefined ? {} : { template }
}

/** For a command that only proposes a plan. */
export const proposeOnly = (
  context: CommandContext,
  {
    repo,
    settings,
    proposal,
    path,
  }: { repo: Repository; settings: Settings; proposal: Proposal; path?: string | undefined },
): Promise<Oid> =>
  withPlanRun(
    context,
    { repo, settings, id: proposal.plan.id, command: 'new', load: (run) => propose(run, proposal, path) },
    async ({ run }) => run.at.tip,
  )

async function baseCommitOf(repo: Repository, plan: Plan, settings: Settings): Promise<Oid> {
  const allowed = settings.config.bases
  if (plan.base === undefined) {
    if (allowed.length > 0)
      throw new PlanError('not-allowed', `a plan must name one of the allowed bases: ${allowed.join(', ')}`, {
        hint: 'set `base: BRANCH` in the plan file',
      })
    return repo.headCommit()
  }
  if (!allowsBase(settings.config, plan.base))
    throw new PlanError('not-allowed', `${plan.base} is not an allowed base: ${allowed.join(', ')}`, {
      hint: `set another \`base:\` in the plan file, or add it to bases in ${settings.dir}/config.yml`,
    })
  const found = (await repo.tipOf(`refs/heads/${plan.base}`)) ?? (await repo.tipOf(`refs/remotes/origin/${plan.base}`))
  if (found === undefined)
    throw new PlanError('invalid-plan', `the plan's base ${plan.base} is not a branch here`, {
      hint: 'git branch --all',
    })
  return found
}

/** Returns the plan as `git add` would store its file. */
async function applyFilters(repo: Repository, written: Written, path: string, dir: string): Promise<Written> {
  if (await isUnfiltered(repo, rawPath(path))) return written
  const stored = await repo.readBlob(await new ObjectWriter(repo).blob(written.bytes, path))
  if (stored === undefined) throw new Error(`${path} was written and cannot be read`)
  const read = readPlan(stored, { file: path, id: written.plan.id })
  if (read.ok) return { plan: read.plan, source: read.source, bytes: stored }
  throw new PlanError('invalid-plan', `Git attributes change ${path} so that it is not a valid plan`, {
    hint: `add this line to .gitattributes: ${dir}/*.md -filter -text`,
    facts: { findings: read.findings },
  })
}

const planExistsError = (id: PlanId): PlanError =>
  new PlanError('plan-exists', `plan ${id} already exists`, {
    hint: { 'show it': `git plan show ${id}`, 'what to do with it': `git plan status ${id}` },
  })

/** The attempts, effects and notes of a finished plan stay under its id: a new plan of that id would mix with them. */
const planFinishedError = (id: PlanId): PlanError =>
  new PlanError('plan-exists', `plan ${id} already exists and is finished`, {
    hint: `git plan clone ${id}`,
  })
