// Everything that has happened to a plan, newest first: its events, the commits of others, attempts and rollbacks.

import type { VNode } from 'preact'
import { planPath, type Log, type Status } from './api.ts'
import { duration, moment, person, short } from './format.ts'
import { Icon } from './marks.tsx'
import { RefusalView } from './refusal.tsx'
import { Link, stepHref } from './router.tsx'
import { useRead } from './use-read.ts'

interface Entry {
  readonly key: string
  readonly at: string
  readonly by: string | undefined
  readonly state: string
  readonly text: string
  readonly step?: string | undefined
  readonly reason?: string | undefined
  readonly facts: string
  readonly commit: string
}

/** Events whose mark has another name. */
const states: Readonly<Record<string, string>> = {
  step: 'done',
  declared: 'done',
  fixed: 'done',
  started: 'active',
  replanned: 'proposed',
  rebased: 'proposed',
}

export function TimelineTab({ status }: { readonly status: Status }): VNode {
  const { data, refusal } = useRead<Log>(planPath(status.id, 'log'), status.id)
  if (refusal !== undefined) return <RefusalView refusal={refusal} />
  if (data === undefined) return <p class="empty">Reading the history…</p>
  return (
    <ol class="timeline">
      {entriesOf(data).map(({ key, at, by, state, text, step, reason, facts, commit }) => (
        <li key={key}>
          <Icon state={state} />
          <div>
            <p>
              <strong>{text}</strong>
              {step === undefined ? null : <Link href={stepHref(status.id, step)}>{step}</Link>}
            </p>
            {reason === undefined ? null : <p class="reason">{reason}</p>}
            <p class="note">
              {by === undefined ? '' : `${person(by)}, `}
              <time dateTime={at}>{moment(at)}</time>
              {facts === '' ? '' : `, ${facts}`} <code>{short(commit)}</code>
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}

function entriesOf({ events, foreign, attempts, rollbacks }: Log): Entry[] {
  const entries: Entry[] = [
    ...events.map((event) => ({
      key: event.commit,
      at: event.at,
      by: event.approvedBy ?? event.by,
      state: states[event.event] ?? event.event,
      text: event.subject,
      step: event.step,
      reason: event.reason,
      facts: [
        event.event,
        ...(event.attempt === undefined || event.attempt < 2 ? [] : [`attempt ${event.attempt}`]),
        ...(event.durationMs === undefined ? [] : [duration(event.durationMs)]),
        ...(event.isSigned ? ['signed'] : []),
      ].join(', '),
      commit: event.commit,
    })),
    ...foreign.map(({ commit, at, by, subject }) => ({
      key: commit,
      at,
      by,
      state: 'unknown',
      text: subject,
      facts: 'a commit that git plan did not make',
      commit,
    })),
    ...attempts.map(({ ref, at, step, number, reason, commit }) => ({
      key: ref,
      at,
      by: undefined,
      state: 'skipped',
      text: `Saved attempt ${number}`,
      step,
      reason: reason ?? undefined,
      facts: '',
      commit,
    })),
    ...rollbacks.map(({ number, at, by, event, to, reason, steps }) => ({
      key: `rollback ${number}`,
      at,
      by,
      state: 'rolled-back',
      text: event === 'undo' ? 'Undid a rollback' : event === 'rebase' ? 'Moved to a new base' : 'Rolled back',
      reason: reason ?? undefined,
      facts: steps.length === 0 ? '' : `steps ${steps.join(', ')}`,
      commit: to,
    })),
  ]
  // Of the same second the events keep their order.
  return entries.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
}
