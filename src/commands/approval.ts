// Permission to run: decisions recorded on the branch, each bound to the text, the base and the policy.

import { unnamed } from '../approval/decisions.ts'
import { identityFrom } from '../approval/identity.ts'
import { judge, objectionTo, type Decision } from '../approval/judge.ts'
import { PlanError } from '../errors.ts'
import { differsOnlyAt } from '../git/differs-only-at.ts'
import { readersOf } from '../check/readers.ts'
import { assessRisk } from '../check/risk.ts'
import type { PlanConfig } from '../plan/config.ts'
import { escapeForTerminal } from '../plan/display.ts'
import type { Plan, Step } from '../plan/plan.ts'
import { recordEvent } from '../run/record.ts'
import type { Session } from '../run/session.ts'
import { planAfterwards, planBefore, stepDetails } from './describe-plan.ts'
import { invalid, refuseTooMany } from './propose.ts'
import { objectionsTo } from './judge-plan.ts'
import { readSettings, type Settings } from './settings.ts'
import { progressText, signatureOf, standingOf, type Standing } from './standing.ts'
import { historyOf, type Writing } from './with-session.ts'

export async function refuseForeign(session: Session): Promise<void> {
  const foreign = unnamed(await historyOf(session))
  if (foreign.length === 0) return
  throw new PlanError('not-approved', `plan/${session.id} has commits that are not the plan's: ${described(foreign)}`, {
    hint: `approve the plan with them: git plan approve ${session.id} --files; put it on a base that has them: git plan rebase ${session.id}; or drop them: git checkout plan/${session.id} && git reset --hard <the plan's last commit>`,
  })
}

const described = (commits: readonly { commit: string; subject: string }[]): string =>
  commits.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join('; ')

/** An event changes the plan file and nothing else. A commit that says it is one and changes more was made by somebody else. */
export async function refuseForged(session: Session): Promise<void> {
  const { repo, planPath } = session
  const { events } = await historyOf(session)
  for (const { event, commit, parent } of events) {
    if (['step', 'declared', 'fixed'].includes(event)) continue
    const [before, after] = await Promise.all([parent === undefined ? undefined : repo.resolve(parent, 'tree'), repo.resolve(commit, 'tree')])
    if (await differsOnlyAt(repo, before, after, planPath)) continue
    throw new PlanError(
      'not-approved',
      `${commit.slice(0, 10)} on plan/${session.id} says that it is an event of the plan (${event}), and changes other files than ${planPath}`,
      {
        hint: `look at it: git show ${commit.slice(0, 10)}; then drop it: git checkout plan/${session.id} && git reset --hard ${parent?.slice(0, 10) ?? '<the commit before it>'}`,
      },
    )
  }
}

/** Makes sure of an approval: one that is there, what the policy lets run unasked, `--approve`, or a person who says yes. */
export async function seeToApproval(writing: Writing, request: { approve?: boolean }): Promise<void> {
  const { session, settings, context } = writing
  await refuseForged(session)
  const standing = await standingOf(session, settings, context.now())
  const { status } = session.at.plan
  const isOpen = status === 'proposed' || status === 'rejected'
  if (standing.verdict.isSatisfied && !isOpen) return
  if (status === 'rejected')
    throw new PlanError('not-approved', `plan ${session.id} was rejected`, {
      hint: `git plan log ${session.id}; change it: git plan edit ${session.id}; or approve it after all: git plan approve ${session.id}`,
    })
  await refuseFindings(session, settings)
  if (standing.requirement.count === 0) return record(writing, standing, { source: 'policy', by: 'the policy' })
  const isLocal = standing.requirement.from.includes('local')
  if (isLocal && request.approve === true) return approveNow(writing, {})
  if (isLocal && context.isInteractive && (await context.confirm(await describe(session.at.plan, settings.config), `Approve this plan and run it?`)))
    return approveNow(writing, {})
  throw notApproved(writing, standing)
}

/** What cannot be taken back is asked about once more at the last moment: the policy may have changed since the start, or an approval expired. */
export const permitOf =
  (writing: Writing): ((step: Step) => Promise<void>) =>
  async (step) => {
    if (step.effect === 'external') await refuseVoid({ ...writing, settings: await readSettings(writing.session.home) })
  }

/** The policy may want a new approval after what a person has done by hand. */
export async function refuseVoid(writing: Writing): Promise<void> {
  const standing = await standingOf(writing.session, writing.settings, writing.context.now())
  if (!standing.verdict.isSatisfied) throw notApproved(writing, standing)
}

function notApproved({ session }: Writing, { verdict, circumstances, requirement }: Standing): PlanError {
  const { id, at } = session
  const isBegun = at.plan.state.size > 0
  const changed = verdict.notCounted.find(({ decision }) => decision.problem !== undefined)
  const why = changed === undefined ? '' : `: ${changed.why}`
  const isPlain = verdict.counted.length === 0 && verdict.notCounted.length === 0 && requirement.from.includes('local') && requirement.count === 1
  const message = isPlain
    ? `plan ${id} is proposed (branch plan/${id}) and not approved: nothing was run`
    : `plan ${id} is not approved${why === '' ? '' : ' any more'}${why}; it has ${progressText({ verdict }, circumstances.risk)}`
  const ways = [
    ...(requirement.from.includes('local') ? [`git plan approve ${id}, or in one: git plan ${isBegun ? 'resume' : 'start'} ${id} --approve`] : []),
    ...(requirement.from.includes('signature') && !requirement.from.includes('local') ? [`git plan approve ${id} --sign`] : []),
    ...(requirement.from.includes('review') && !requirement.from.includes('local') ? [`a review of its pull request: git plan submit ${id}`] : []),
  ]
  return new PlanError('not-approved', message, {
    hint: `read it: git plan show ${id}; then: ${ways.join('; or: ')}`,
    facts: { required: verdict.required, given: verdict.counted.length, missing: verdict.missing },
  })
}

/** A branch can be written by hand: what `check` finds wrong is not approved, whoever says so. */
export async function refuseFindings(session: Session, settings: Settings): Promise<void> {
  const findings = await objectionsTo(session, settings)
  if (findings !== undefined) throw invalid(session.planPath, findings)
  refuseTooMany(session.at.plan, settings)
}

export interface LocalApproval {
  readonly reason?: string | undefined
  readonly sign?: boolean | undefined
  /** Commits on the branch that are not the plan's are approved with it. */
  readonly files?: boolean | undefined
}

/** Of the person at the keyboard. Refuses one that would not count. */
export async function approveNow(writing: Writing, { reason, sign, files }: LocalApproval): Promise<void> {
  const { session, settings, context } = writing
  const standing = await standingOf(session, settings, context.now())
  const isSigned = sign === true || (!standing.requirement.from.includes('local') && (await session.objects.isSigning()))
  const source = isSigned ? 'signature' : 'local'
  const by = (await session.objects.committer()).replace(/ \d+ [+-]\d{4}$/, '')
  const decision: Decision = { source, by: identityFrom(by), at: context.now().toISOString(), commit: '' }
  const objection = standing.requirement.count === 0 ? undefined : objectionTo(decision, standing.requirement, standing.circumstances)
  if (objection !== undefined)
    throw new PlanError('not-allowed', `your approval of ${session.id} would not count: ${objection} (risk ${standing.circumstances.risk})`, {
      hint:
        sign !== true && standing.requirement.from.includes('signature')
          ? `git plan approve ${session.id} --sign`
          : `git plan status ${session.id}; the policy: git plan config`,
    })
  await record(writing, standing, {
    source,
    by,
    decision,
    reason,
    ...(files === true && standing.strangers !== undefined ? { files: standing.strangers } : {}),
  })
}

/** The status is what the policy makes of it: approved with the last one that it asks for. */
async function record(
  { session, settings, context }: Writing,
  { decisions, circumstances, binding }: Standing,
  approval: { source: Decision['source']; by: string; decision?: Decision; reason?: string | undefined; files?: string },
): Promise<void> {
  const { plan } = session.at
  const { isSatisfied } = judge(approval.decision === undefined ? decisions : [...decisions, approval.decision], circumstances)
  const isOpen = ['proposed', 'rejected', 'approved'].includes(plan.status)
  await recordEvent(session, {
    event: 'approved',
    status: isOpen ? (isSatisfied ? 'approved' : 'proposed') : plan.status,
    subject: `Approved: ${plan.title}`,
    facts: {
      approvedBy: approval.by,
      approval: approval.source,
      base: binding.base,
      policy: binding.policy,
      ...(approval.files === undefined ? {} : { files: approval.files }),
      ...(approval.reason === undefined ? {} : { reason: approval.reason }),
    },
    ...(approval.source === 'signature' ? { signed: { judge: (commit) => refuseBadSignature(session, settings, commit) } } : {}),
  })
  if (isSatisfied) return
  const after = await standingOf(session, settings, context.now())
  session.world.emit({ kind: 'notice', message: `${session.id} has ${progressText(after, circumstances.risk)}` })
}

/** One that nobody could verify is no help to anybody. */
async function refuseBadSignature(session: Session, settings: Settings, commit: string): Promise<void> {
  const signature = await signatureOf(session, settings, commit)
  if (signature.isGood) return
  throw new PlanError('not-allowed', `the approval was signed, and would not be accepted: ${signature.why}`, {
    hint: 'git config gpg.ssh.allowedSignersFile <file>, or your key in .plans/allowed_signers on the policy branch; then approve again',
  })
}

/** What a person sees before the question. */
async function describe(plan: Plan, config: PlanConfig): Promise<string> {
  const risk = assessRisk(plan, config.risk.critical, await readersOf(plan, config.safety))
  const lines = plan.steps.flatMap((step, index) => {
    const facts = [step.effect === 'external' ? 'external effect' : '', risk.steps.get(step.id)?.risk ?? ''].filter((fact) => fact !== '')
    return [
      `  ${index + 1}. ${step.id} (${facts.join(', ')}): ${escapeForTerminal(step.title)}`,
      ...stepDetails(step, { most: 12 }).map((line) => `     ${line}`),
    ]
  })
  const before = planBefore(plan).map((line) => `  ${line}`)
  const after = planAfterwards(plan).map((line) => `  ${line}`)
  return [
    `${escapeForTerminal(plan.title)}  (plan/${plan.id}, risk ${risk.plan}, digest ${plan.digest.slice(0, 12)})`,
    ...(before.length === 0 ? [] : ['before the first step:', ...before]),
    ...lines,
    ...(after.length === 0 ? [] : ['for the whole plan:', ...after]),
    `All of it, every line: git plan show ${plan.id}`,
  ].join('\n')
}

/** A decision about something else than what was shown is no decision. */
export function refuseOtherDigest(session: Session, digest: string | undefined): void {
  if (digest === undefined || (digest.length >= 8 && session.at.plan.digest.startsWith(digest.toLowerCase()))) return
  throw new PlanError(
    'spec-changed',
    `plan ${session.id} is not the one with digest ${digest.slice(0, 80)}: it is ${session.at.plan.digest.slice(0, 12)} now`,
    { hint: `git plan show ${session.id}` },
  )
}
