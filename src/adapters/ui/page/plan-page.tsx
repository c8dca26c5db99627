// A plan: its graph and what runs, its text, or its history.

import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { Actions } from './actions.tsx'
import { planPath, type RepositoryFacts, type Status } from './api.ts'
import { age, moment, person } from './format.ts'
import { useKeys } from './keys.ts'
import { Progress, Risk, State } from './marks.tsx'
import { Overview } from './overview.tsx'
import { RefusalView } from './refusal.tsx'
import { go, Link, planHref } from './router.tsx'
import { TextTab } from './text-tab.tsx'
import { TimelineTab } from './timeline-tab.tsx'
import { useNow, useRead } from './use-read.ts'

const tabs = [
  { tab: 'plan', path: '', name: 'Graph', key: 'g' },
  { tab: 'text', path: 'text', name: 'Plan and review', key: 'l' },
  { tab: 'timeline', path: 'timeline', name: 'History', key: 'h' },
] as const

export function PlanPage({ id, tab }: { readonly id: string; readonly tab: 'plan' | 'text' | 'timeline' }): VNode {
  const { data: status, refusal } = useRead<Status>(planPath(id, 'status'), id)
  const { data: repository } = useRead<RepositoryFacts>('/api/repository')
  const now = useNow(status?.seen === 'running')
  useKeys(Object.fromEntries(tabs.map(({ key, path }) => [key, () => go(planHref(id, path))])))
  useEffect(() => {
    document.title = status === undefined ? id : `${status.title} · ${status.seen}`
  }, [id, status?.title, status?.seen])
  if (refusal !== undefined) return <RefusalView refusal={refusal} />
  if (status === undefined) return <p class="empty">Reading {id}…</p>
  return (
    <>
      <header class="plan-head">
        <nav aria-label="Where you are" class="crumbs">
          <Link href="/">Plans</Link> / <code>{id}</code>
        </nav>
        <div class="title-line">
          <h1>{status.title}</h1>
          <State state={status.seen} />
          <Risk risk={status.risk} />
        </div>
        <p class="facts-line">
          <Progress done={status.progress.done} total={status.progress.total} state={status.seen} />
          {status.base === null ? null : (
            <span>
              onto <code>{status.base}</code>
            </span>
          )}
          {status.owner === null ? null : <span>owner {status.owner}</span>}
          <span title={moment(status.createdAt)}>proposed {age(status.createdAt, now)}</span>
          {status.holder === null ? null : (
            <span>
              git plan {status.holder.command}, process {status.holder.pid}
              {repository === undefined || repository.host === status.holder.host ? '' : ` on ${status.holder.host}`}
            </span>
          )}
          {status.approval.by === null ? null : (
            <span>
              {status.approval.state} by {person(status.approval.by)}
            </span>
          )}
        </p>
        {status.reason === null ? null : <p class="reason">{status.reason}</p>}
        <Actions status={status} />
        <nav class="tabs" aria-label="Parts of the plan">
          {tabs.map((each) => (
            <Link key={each.tab} href={planHref(id, each.path)} isCurrent={tab === each.tab}>
              {each.name}
            </Link>
          ))}
        </nav>
      </header>
      {tab === 'plan' ? <Overview status={status} now={now} /> : null}
      {tab === 'text' ? <TextTab status={status} /> : null}
      {tab === 'timeline' ? <TimelineTab status={status} /> : null}
    </>
  )
}
