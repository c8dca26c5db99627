// Refuses to continue if a step has changed what Git executes. The report stays in the plan's directory until the change
// is undone, or a person accepts it.

import { agentMark } from '../../approval/rules/agent-shell.ts'
import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { claimFromText, claimToText, type Claim } from '../../plan/model/claim.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { refuseBrokenGit } from '../workspace/broken-git.ts'
import type { Run } from '../run/run.ts'
import type { Worker } from '../run/worker.ts'

interface Report {
  /** That of the work tree; the digests of two work trees cannot be compared. */
  readonly gitDir: string
  readonly before: string
  readonly now: string
  readonly changed: readonly string[]
  /** What the agent of the step says, for the attempt that the next command saves. */
  readonly claim?: string | undefined
}

const reportFile = 'git-changed.json'

/** For a change of which only the digest is known. */
const unnamed = ['configuration, hooks or attributes']

/** Configuration, hooks and attributes must be unchanged: Git must not execute anything that the step has set up. */
export async function refuseGitChanges({ run, workspace }: Worker, before: Fingerprint, claim?: Claim): Promise<void> {
  const { repo } = workspace
  refuseBrokenGit(run.id, repo)
  const changed = await before.changes()
  if (changed.length === 0) return
  const { digest: now } = await Fingerprint.take(repo)
  // Hooks in the work tree have gone with the changes of the attempt, and the step makes them again.
  if (now === run.acceptedGitState) return
  throw await reportChange(run, {
    gitDir: repo.gitDir,
    before: before.digest,
    now,
    changed,
    claim: claim === undefined ? undefined : claimToText(claim),
  })
}

/** As above, for a state that an earlier command has recorded. */
export async function requireGitState(
  run: Run,
  repo: Repository,
  before: string,
  namesOf: (now: Fingerprint) => readonly string[] = () => unnamed,
): Promise<void> {
  const now = await Fingerprint.take(repo)
  if (now.digest === before) return
  const report = await readReport(run)
  if (report?.now !== now.digest)
    throw await reportChange(run, { gitDir: repo.gitDir, before, now: now.digest, changed: namesOf(now) })
  if (!isAccepting(run)) throw changeError(run, report)
  run.acceptedGitState = now.digest
}

/** A change that an earlier command has reported, and that is still there. */
export async function refuseReported(run: Run): Promise<void> {
  const report = await readReport(run)
  if (report === undefined) return
  if (report.gitDir === run.repo.gitDir) await requireGitState(run, run.repo, report.before, () => report.changed)
  else if (!isAccepting(run)) throw changeError(run, report)
}

/** Why the attempt ended whose changes are saved now: a report about the step that began in this state. */
export async function reportedOf(
  run: Run,
  before: string | undefined,
): Promise<{ readonly message: string; readonly claim: Claim | undefined } | undefined> {
  const report = await readReport(run)
  if (report === undefined || report.before !== before) return undefined
  return { message: messageOf(report), claim: claimFromText(report.claim) }
}

/** Nothing was refused: what was reported has been undone or is accepted. */
export async function forgetReport(run: Run): Promise<void> {
  const report = await readReport(run)
  if (report === undefined) return
  if (run.acceptedGitState !== undefined)
    run.world.emit({ kind: 'notice', message: `accepted what a step changed: ${report.changed.join(', ')}` })
  await run.dir.remove(reportFile)
}

/** An agent repeats its call, and a program resumes by itself: neither has looked at the change. */
const isAccepting = ({ command, world }: Run): boolean => command === 'resume' && agentMark(world.env) === undefined

async function reportChange(run: Run, report: Report): Promise<PlanError> {
  await run.dir.writeJson(reportFile, report)
  return changeError(run, report)
}

const messageOf = ({ changed }: Report): string => `the step changed files that Git executes: ${changed.join(', ')}`

const changeError = ({ id }: Run, report: Report): PlanError =>
  new PlanError('not-allowed', messageOf(report), {
    hint: { 'in a terminal of your own, to accept the changes': `git plan resume ${id}` },
    facts: { changed: report.changed },
  })

async function readReport(run: Run): Promise<Report | undefined> {
  const { gitDir, before, now, changed, claim } = ((await run.dir.readJson(reportFile))?.value ?? {}) as Record<
    string,
    unknown
  >
  if (typeof now !== 'string') return undefined
  // Earlier versions wrote only the digest.
  return {
    gitDir: typeof gitDir === 'string' ? gitDir : run.repo.gitDir,
    before: typeof before === 'string' ? before : '',
    now,
    changed: Array.isArray(changed) ? changed.map(String) : unnamed,
    claim: typeof claim === 'string' ? claim : undefined,
  }
}
