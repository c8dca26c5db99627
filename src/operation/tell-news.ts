// Notifies about a plan once the command has released it. A notification that fails is a warning, and never more.

import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { isDone } from '../plan/model/step-status.ts'
import type { NewsKind } from '../plan/config/notify.ts'
import type { PlanEventName } from '../plan/model/lifecycle.ts'
import type { Plan } from '../plan/model/plan.ts'
import { textOf, type Notification } from '../notify/notification.ts'
import { send, terminalChannels } from '../notify/send.ts'
import type { Run } from '../engine/run/run.ts'
import { maskOf } from '../engine/run/known-secrets.ts'
import { maskValues } from '../secrets/masked.ts'
import { singleLine } from '../plan/text/display.ts'
import type { CommandContext } from './context.ts'
import type { Settings } from './settings.ts'

/** What happened to a plan, for somebody who is elsewhere. */
export interface News {
  readonly event: NewsKind
  readonly step?: string | undefined
  readonly message?: string | undefined
}

const decisions: ReadonlySet<PlanEventName> = new Set(['approved', 'rejected'])
const ends: ReadonlySet<PlanEventName> = new Set(['completed', 'failed', 'waiting'])

/** Each decision of the command, and how the plan was left; not a failed step after which it continued. */
function newsOf({ recorded }: Pick<Run, 'recorded'>): News[] {
  const decided = recorded.filter(({ event }) => decisions.has(event))
  const last = recorded.findLast(({ event, status }) => ends.has(event) && status === event)
  return [...decided, ...(last === undefined ? [] : [last])].map(({ event, status, step, reason, approvedBy }) => ({
    event: event as NewsKind,
    step,
    message:
      event === 'approved' ? `by ${approvedBy}${status === 'proposed' ? ', and needs more approvals' : ''}` : reason,
  }))
}

export async function tellNews(run: Run, settings: Settings, context: CommandContext): Promise<void> {
  if (settings.notify.length === 0 || run.recorded.length === 0) return
  const about = { plan: run.at.plan, tip: run.at.tip, root: run.home.root }
  for (const news of newsOf(run)) await tell(news, about, settings, context)
}

export async function tell(
  news: News,
  about: { readonly plan: Plan; readonly tip: string; readonly root: string },
  { notify, invalidNotify }: Settings,
  context: CommandContext,
): Promise<void> {
  const notification = notificationOf(news, about, context)
  const channels = terminalChannels(notify, notification)
  if (channels.bell || channels.desktop)
    context.emit({ kind: 'notification', plan: about.plan.id, event: news.event, text: notification.text, ...channels })
  const problems = await send(notify, notification, {
    env: context.env,
    now: context.now(),
    signal: context.signal,
    root: about.root,
    secrets: about.plan.steps.flatMap(({ secrets }) => secrets),
  })
  const invalid = invalidNotify.map((key) => `plan.notify.${key} in git config is not valid, and has no effect`)
  for (const message of [...problems, ...invalid]) context.emit({ kind: 'notice', message, hint: 'git plan doctor' })
}

function notificationOf(
  { event, step, message }: News,
  { plan, tip, root }: { readonly plan: Plan; readonly tip: string; readonly root: string },
  context: CommandContext,
): Notification {
  const found = plan.steps.find(({ id }) => id === step)
  const facts = {
    schemaVersion: 1,
    kind: 'notification',
    id: randomUUID(),
    at: context.now().toISOString(),
    event,
    repository: basename(root),
    plan: { id: plan.id, title: plan.title, status: plan.status, digest: plan.digest, tip },
    progress: { done: plan.steps.filter(({ id }) => isDone(plan, id)).length, total: plan.steps.length },
    step: found === undefined ? null : { id: found.id, title: found.title },
    message: message === undefined ? null : singleLine(message).slice(0, 500),
  } as const
  const mask = maskOf(plan, context.env)
  return maskValues({ ...facts, text: textOf(facts) }, mask, new Set(['title', 'message', 'text']))
}
