// Permission to run, as far as it is local: a decision recorded on the branch, bound to the digest of what was shown.

import { PlanError } from '../errors.ts'
import { readersOf } from '../check/readers.ts'
import { assessRisk } from '../check/risk.ts'
import type { PlanConfig } from '../plan/config.ts'
import { escapeForTerminal } from '../plan/display.ts'
import type { Plan } from '../plan/plan.ts'
import { recordEvent } from '../run/record.ts'
import type { Session } from '../run/session.ts'
import { planAfterwards, planBefore, stepDetails } from './describe-plan.ts'
import { invalid, refuseTooMany } from './propose.ts'
import { objectionsTo } from './judge-plan.ts'
import type { Settings } from './settings.ts'
import { historyOf, type Writing } from './with-session.ts'

/** The newest approval on the branch is of this very text. Commits that are not the executor's are judged apart. */
export async function isApproved(session: Session): Promise<boolean> {
  if (session.at.plan.status === 'proposed' || session.at.plan.status === 'rejected') return false
  const { events } = await historyOf(session)
  const approval = events.find((event) => event.event === 'approved')
  return approval?.digest === session.at.plan.digest
}

export async function refuseForeign(session: Session): Promise<void> {
  const { foreign } = await historyOf(session)
  if (foreign.length === 0) return
  throw new PlanError(
    'not-approved',
    `plan/${session.id} has commits that are not the plan's: ${foreign.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join('; ')}`,
    {
      hint: `put the plan on a base that has them: git plan rebase ${session.id}; or drop them: git checkout plan/${session.id} && git reset --hard <the plan's last commit>`,
    },
  )
}

/** Makes sure of an approval: one that is there, `--approve`, or a person who says yes. */
export async function seeToApproval({ session, settings, context }: Writing, request: { approve?: boolean }): Promise<void> {
  if (await isApproved(session)) return
  if (session.at.plan.status === 'rejected')
    throw new PlanError('not-approved', `plan ${session.id} was rejected`, {
      hint: `git plan log ${session.id}; change it: git plan edit ${session.id}; or approve it after all: git plan approve ${session.id}`,
    })
  await refuseFindings(session, settings)
  if (request.approve === true) return approveNow(session, undefined)
  if (context.isInteractive && (await context.confirm(await describe(session.at.plan, settings.config), `Approve this plan and run it?`)))
    return approveNow(session, undefined)
  throw new PlanError('not-approved', `plan ${session.id} is proposed (branch plan/${session.id}) and not approved: nothing was run`, {
    hint: `read it: git plan show ${session.id}; then: git plan approve ${session.id}, or in one: git plan ${session.at.plan.state.size > 0 ? 'resume' : 'start'} ${session.id} --approve`,
  })
}

/** A branch can be written by hand: what `check` finds wrong is not approved, whoever says so. */
export async function refuseFindings(session: Session, settings: Settings): Promise<void> {
  const findings = await objectionsTo(session, settings)
  if (findings !== undefined) throw invalid(session.planPath, findings)
  refuseTooMany(session.at.plan, settings)
}

export async function approveNow(session: Session, reason: string | undefined): Promise<void> {
  const committer = await session.objects.committer()
  const who = committer.replace(/ \d+ [+-]\d{4}$/, '')
  await recordEvent(session, {
    event: 'approved',
    subject: `Approved: ${session.at.plan.title}`,
    facts: { approvedBy: who, ...(reason === undefined ? {} : { reason }) },
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
