// The frame of every writing command: opens the repository, reads the settings, takes the lock, recovers, and loads the
// plan at its tip.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { suggest } from '../plan/text/nearest.ts'
import { readHistory, type History } from '../store/history.ts'
import { readMarks, readRemoteFacts } from '../store/remote-facts.ts'
import { readPlanAt } from '../store/plan-at.ts'
import { readPlanView, type PlanSummary } from '../view/plan-view.ts'
import { settleOpenStep } from '../engine/run/open-step.ts'
import { recover } from '../engine/run/recover.ts'
import { forgetReport } from '../engine/step/git-changes.ts'
import { openRepository, Run, type RunEnvironment } from '../engine/run/run.ts'
import { finalRef, type Oid, type PlanId, type StepId } from '../plan/model/ids.ts'
import type { CommandContext } from './context.ts'
import { addPushOption, nextCommands, waysToSettle } from './next-commands.ts'
import { tellNews } from './tell-news.ts'
import { choosePlan } from './choose-plan.ts'
import { readSettings, runSettings, viewSettings, type Settings } from './settings.ts'

/** A plan at a commit, for code that only reads. */
export type Subject = Pick<Run, 'id' | 'repo' | 'home' | 'planPath' | 'at'> & {
  readonly objects: Pick<Run['objects'], 'committer'>
}

export interface AskContext {
  readonly run: Subject
  readonly settings: Settings
  readonly context: CommandContext
}

export interface WriteContext extends AskContext {
  readonly run: Run
}

export const runEnvironment = (context: CommandContext): RunEnvironment => ({
  env: context.env,
  now: () => context.now(),
  emit: context.emit,
  signal: context.signal,
  traceOf: context.traceOf,
})

/**
 * `isLenient`: falls back to the defaults, for commands that run nothing and must work even if the policy is not valid.
 */
export async function withRepo<T>(
  context: CommandContext,
  work: (repo: Repository, settings: Settings) => Promise<T>,
  { isLenient = false }: { isLenient?: boolean | undefined } = {},
): Promise<T> {
  const repo = await openRepository(context)
  try {
    await repo.headCommit()
    const settings = await readSettings(repo).catch((error: unknown) => {
      if (!isLenient || !(error instanceof PlanError)) throw error
      context.emit({
        kind: 'notice',
        message: `the defaults apply: ${error.message}`,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      })
      return readSettings(repo, { ref: undefined, source: 'default' })
    })
    return await work(repo, settings)
  } finally {
    repo.close()
  }
}

export async function withRun<T>(
  context: CommandContext,
  request: {
    plan: string | undefined
    command: string
    isDryRun?: boolean | undefined
    isLenient?: boolean | undefined
  },
  work: (writing: WriteContext) => Promise<T>,
): Promise<T> {
  return withRepo(
    context,
    async (repo, settings) => {
      const id = await choosePlan(repo, { plan: request.plan, command: request.command, dir: settings.dir }, context)
      return withPlanRun(context, { repo, settings, id, command: request.command, isDryRun: request.isDryRun }, work)
    },
    { isLenient: request.isLenient },
  )
}

export async function withPlanRun<T>(
  context: CommandContext,
  parts: {
    repo: Repository
    settings: Settings
    id: PlanId
    command: string
    isDryRun?: boolean | undefined
    /** Sets the plan; by default it is read from its branch. */
    load?: ((run: Run) => Promise<void>) | undefined
  },
  work: (writing: WriteContext) => Promise<T>,
): Promise<T> {
  const { repo, settings, id, command } = parts
  const run = await Run.open({ repo, id, command, settings: runSettings(settings), world: runEnvironment(context) })
  try {
    // A dry run must not change anything, not even by recovery.
    if (parts.isDryRun !== true) await recover(run)
    await (parts.load ?? loadBranch)(run)
    if (parts.isDryRun !== true) {
      await settleOpenStep(run)
      await forgetReport(run)
    }
    return await suggestPush(run, await work({ run, settings, context }), context.now())
  } catch (error) {
    throw error instanceof PlanError && isShared(run) ? withPush(error) : error
  } finally {
    await run.close()
    // Nobody who is told may have to wait for this command.
    await tellNews(run, settings, context).catch((error: unknown) => {
      context.emit({ kind: 'notice', message: `nobody was notified: ${String(error)}` })
    })
  }
}

/** True if the remote has the branch, through a push or a fetch of this clone. */
const isShared = ({ home, id }: Run): boolean => readMarks(home.commonDir, id).built !== undefined

/** Commits of the other side come first: nothing can be pushed before they are settled. */
async function suggestPush<T>(run: Run, result: T, now: Date): Promise<T> {
  const next = (result as { next?: unknown } | null)?.next
  if (!Array.isArray(next) || next.length === 0 || !isShared(run)) return result
  const remote = await readRemoteFacts(run.home, { id: run.id, tip: run.at.tip }, { now })
  const settling = remote === null ? [] : waysToSettle(run.id, remote.relation)
  return { ...result, next: settling.length > 0 ? settling : (next as string[]).map(addPushOption) }
}

function withPush(error: PlanError): PlanError {
  const { code, message, hint, cause, facts } = error
  return hint === undefined ? error : new PlanError(code, message, { hint: addPushOption(hint), cause, facts })
}

export async function loadBranch(run: Run): Promise<void> {
  await refuseFinished(run)
  await run.load()
}

/** A finished plan has no branch any more, only its saved tip: there is nothing left to write. */
async function refuseFinished(run: Run): Promise<void> {
  const { repo, id } = run
  if ((await repo.tipOf(run.branch)) !== undefined) return
  const tip = await repo.tipOf(finalRef(id))
  if (tip === undefined) return
  const base = await readPlanAt(repo, tip, { id, file: run.planPath }).then(
    (plan) => plan.base,
    () => undefined,
  )
  const merge = base === undefined ? undefined : await mergeCommitOf(repo, tip, `refs/heads/${base}`)
  const back =
    merge === undefined
      ? { 'list its commits': `git log ${finalRef(id)}` }
      : { [`revert it, on ${base}`]: `git revert -m 1 ${merge.slice(0, 12)}` }
  throw new PlanError('wrong-state', `plan ${id} is finished`, {
    hint: { ...back, 'run it again': `git plan clone ${id}` },
  })
}

/** Returns the merge commit that brought the tip into its base; undefined if it got there in another way. */
async function mergeCommitOf(repo: Repository, tip: Oid, base: string): Promise<string | undefined> {
  if ((await repo.tipOf(base)) === undefined) return undefined
  const lines = (
    await repo.git.text(['rev-list', '--merges', '--parents', '--ancestry-path', `${tip}..${base}`])
  ).split('\n')
  return lines.map((line) => line.split(' ')).find(([, , second]) => second === tip)?.[0]
}

/** The history of a commit never changes, and several checks of one command need it. */
const histories = new WeakMap<Subject, { readonly tip: Oid; readonly history: Promise<History> }>()

export function historyOf(run: Subject): Promise<History> {
  const { tip } = run.at
  const known = histories.get(run)
  if (known?.tip === tip) return known.history
  const history = extendHistory(run, known)
  histories.set(run, { tip, history })
  return history
}

async function extendHistory(
  { repo, id, planPath, at }: Subject,
  known: { tip: Oid; history: Promise<History> } | undefined,
): Promise<History> {
  const below = known === undefined ? undefined : { tip: known.tip, history: await known.history }
  return readHistory(repo, at.tip, { id, file: planPath, ahead: below === undefined ? undefined : 4, below })
}

export async function summaryOf({ run, settings, context }: WriteContext): Promise<PlanSummary> {
  const view = await readPlanView(run.repo, run.id, {
    dir: settings.dir,
    now: context.now(),
    settings: viewSettings(settings),
    ownRun: run.token,
    known: { tip: run.at.tip, plan: run.at.plan, history: await historyOf(run) },
  })
  return view.summary
}

/** The hint for a command that the plan's state does not allow: the commands that it allows. */
export const hintFor = async (writing: WriteContext): Promise<string> =>
  nextCommands(await summaryOf(writing), { isPushed: false }).join('\n')

export function stepNamed(run: Run, name: string): StepId {
  const step = run.at.plan.steps.find((each) => each.id === name)
  if (step !== undefined) return step.id
  throw new PlanError('unknown-step', `plan ${run.id} has no step ${JSON.stringify(name.slice(0, 80))}`, {
    hint: stepHint(
      name,
      run.at.plan.steps.map((each) => each.id),
    ),
  })
}

function stepHint(name: string, known: readonly string[]): string {
  const nearest = suggest(name.slice(0, 80), known)
  return nearest.startsWith('known: ') ? nearest : `${nearest}\nits steps: ${known.join(', ')}`
}
