// What a notification says.

import type { NewsKind } from '../plan/config/notify.ts'

/** The body of a webhook, and the standard input of a command. */
export interface Notification {
  readonly schemaVersion: 1
  readonly kind: 'notification'
  /** The same for every channel and every attempt. */
  readonly id: string
  readonly at: string
  readonly event: NewsKind
  /** The name of the repository's directory. */
  readonly repository: string
  readonly plan: {
    readonly id: string
    readonly title: string
    readonly status: string
    readonly digest: string
    readonly tip: string
  }
  readonly progress: { readonly done: number; readonly total: number }
  readonly step: { readonly id: string; readonly title: string } | null
  /** Why it failed, waits or was rejected. */
  readonly message: string | null
  /** One line for people. */
  readonly text: string
}

const words: Readonly<Record<NewsKind, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  waiting: 'Waiting',
  stalled: 'Stalled',
  approved: 'Approved',
  rejected: 'Rejected',
}

/** `Failed: Upgrade (upgrade) at test: exit code 1; 3 of 5 steps done` */
export function textOf({ event, plan, progress, step, message }: Omit<Notification, 'text'>): string {
  const isDecision = event === 'approved' || event === 'rejected'
  return [
    `${words[event]}: ${plan.title} (${plan.id})`,
    step === null ? '' : ` at ${step.id}`,
    message === null ? '' : `: ${message}`,
    isDecision ? '' : `; ${progress.done} of ${progress.total} steps done`,
  ].join('')
}

export const variablesOf = (notification: Notification): Record<string, string> => ({
  PLAN_EVENT: notification.event,
  PLAN_ID: notification.plan.id,
  PLAN_TITLE: notification.plan.title,
  PLAN_STATUS: notification.plan.status,
  PLAN_TIP: notification.plan.tip,
  PLAN_STEP: notification.step?.id ?? '',
  PLAN_MESSAGE: notification.message ?? '',
  PLAN_TEXT: notification.text,
  PLAN_REPOSITORY: notification.repository,
})

/** Slack, Mattermost and Rocket.Chat read it. */
export const slackBody = ({ text, repository }: Notification): string =>
  JSON.stringify({
    text: `[${repository}] ${text}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  })
