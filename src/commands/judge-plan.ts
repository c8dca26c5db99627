// The rules for plans, asked about a plan on its branch: before it is approved, and before every run, against the tree that the next step will find.

import { objections } from '../check/check-whole.ts'
import type { Look } from '../check/look.ts'
import { PlanError } from '../errors.ts'
import { statusOf } from '../plan/plan.ts'
import type { Finding } from '../plan/finding.ts'
import type { Session } from '../run/session.ts'
import { whileLooking } from './look.ts'
import { placesIn } from './propose.ts'
import type { Settings } from './settings.ts'
import type { Writing } from './with-session.ts'

/** What stands against it; undefined: nothing. What was asked of steps that are done was asked when they began. */
export function objectionsTo(session: Session, { config }: Settings, look?: Look): Promise<Finding[] | undefined> {
  const { plan, source } = session.at
  const done = new Set<string>(plan.steps.filter((step) => ['done', 'skipped'].includes(statusOf(plan, step.id))).map(({ id }) => id))
  const facts = { file: session.planPath, config, done, text: source.text, ...(look === undefined ? {} : { look }) }
  return objections(plan, facts, () => placesIn(Buffer.from(source.text), source.origin))
}

export async function judgePlan({ session, settings, context }: Writing): Promise<void> {
  const { plan, tip } = session.at
  const findings = await whileLooking(session.place.repo, plan, tip, context, (look) => objectionsTo(session, settings, look))
  if (findings === undefined) return
  throw new PlanError('preflight', `plan ${session.id} would not get through`, {
    hint: `correct it: git plan edit ${session.id}; or let it run into that: --skip-check plan`,
    facts: { findings },
  })
}
