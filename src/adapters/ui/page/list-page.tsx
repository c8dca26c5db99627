// The plans of the repository.

import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { List } from './api.ts'
import { age, moment, person, plural } from './format.ts'
import { useKeys } from './keys.ts'
import { Progress, Risk, State } from './marks.tsx'
import { RefusalView } from './refusal.tsx'
import { campaignHref, go, Link, planHref } from './router.tsx'
import { useNow, useRead } from './use-read.ts'

type Plan = List['plans'][number]

/** Which plans a person looks for. */
const filters: readonly { readonly name: string; readonly has: (plan: Plan) => boolean }[] = [
  { name: 'all', has: () => true },
  {
    name: 'need you',
    has: ({ seen }) => ['proposed', 'stale', 'waiting', 'failed', 'paused', 'stalled', 'rolled-back'].includes(seen),
  },
  { name: 'running', has: ({ seen }) => seen === 'running' },
  { name: 'ended', has: ({ seen }) => ['completed', 'merged', 'cancelled', 'rejected'].includes(seen) },
]

export function ListPage(): VNode {
  const [isAll, setIsAll] = useState(false)
  const { data, refusal } = useRead<List>(isAll ? '/api/plans?all=' : '/api/plans', '*')
  const { data: fleet } = useRead<{ readonly campaigns: readonly string[] }>('/api/campaigns')
  const [filter, setFilter] = useState('all')
  const [words, setWords] = useState('')
  const [at, setAt] = useState(-1)
  const search = useRef<HTMLInputElement>(null)
  const now = useNow(data?.plans.some(({ seen }) => seen === 'running') === true)
  useEffect(() => {
    document.title = 'Plans'
  }, [])
  const wanted = filters.find(({ name }) => name === filter)?.has ?? (() => true)
  const found = (data?.plans ?? []).filter((plan) => wanted(plan) && matches(plan, words))
  const move = (by: number): void => setAt(Math.max(0, Math.min(found.length - 1, at + by)))
  useKeys({
    '/': () => search.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    Enter: () => found[at] !== undefined && go(planHref(found[at].id)),
  })
  useEffect(() => document.querySelector('.plans .at')?.scrollIntoView({ block: 'nearest' }), [at])
  return (
    <>
      <div class="title-line">
        <h1>Plans</h1>
        <span class="choice" role="group" aria-label="Which plans">
          {filters.map(({ name, has }) => (
            <button key={name} type="button" aria-pressed={filter === name} onClick={() => setFilter(name)}>
              {name} <small>{data?.plans.filter(has).length ?? ''}</small>
            </button>
          ))}
        </span>
        <input
          ref={search}
          type="search"
          placeholder="Search  /"
          aria-label="Search plans"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur()
            if (event.key === 'Enter' && found[0] !== undefined) go(planHref(found[0].id))
          }}
        />
      </div>
      {refusal === undefined ? null : <RefusalView refusal={refusal} />}
      {data !== undefined && found.length === 0 ? (
        <p class="empty">
          {data.plans.length === 0 ? (
            <>
              No plans yet. Write one and type <code>git plan new --from FILE</code>.
            </>
          ) : (
            'No plan matches.'
          )}
        </p>
      ) : null}
      {found.length === 0 ? null : (
        // The marks of each plan have names of their own.
        <div class="plans-head" aria-hidden="true">
          {['Plan', 'State', 'Risk', 'Progress', 'Owner', 'Age'].map((name) => (
            <span key={name}>{name}</span>
          ))}
        </div>
      )}
      <ul class="plans">
        {found.map((plan, index) => (
          <li key={plan.id} class={index === at ? 'at' : ''}>
            <Link href={planHref(plan.id)}>
              <span class="name">
                <strong>{plan.title}</strong>
                <span class="sub">
                  <code>{plan.id}</code>
                  {plan.running.length > 0 ? <span class="now">runs {plan.running.join(', ')}</span> : null}
                </span>
              </span>
              <State state={plan.seen} />
              <Risk risk={plan.risk} />
              <Progress done={plan.progress.done} total={plan.progress.total} state={plan.seen} />
              <span class="owner">
                <span class="hidden">owner </span>
                {plan.owner ?? person(plan.proposedBy ?? '')}
              </span>
              <time
                dateTime={plan.updatedAt ?? ''}
                title={`proposed ${moment(plan.createdAt)}, changed ${moment(plan.updatedAt)}`}
              >
                {age(plan.createdAt, now)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
      {(data?.unreadable ?? []).map(({ id, code, message }) => (
        <p key={id} class="refusal">
          <strong>{id}</strong> cannot be read: {message} ({code})
        </p>
      ))}
      {(fleet?.campaigns ?? []).length === 0 ? null : (
        <section class="campaigns">
          <h2>Campaigns</h2>
          <ul>
            {fleet?.campaigns.map((id) => (
              <li key={id}>
                <Link href={campaignHref(id)}>{id}</Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {data !== undefined && data.hidden > 0 ? (
        <p class="empty">
          {plural(data.hidden, 'finished plan')} not shown.{' '}
          <button type="button" class="plain" onClick={() => setIsAll(true)}>
            Show all
          </button>
        </p>
      ) : null}
    </>
  )
}

const matches = ({ id, title, owner, proposedBy }: Plan, words: string): boolean => {
  const text = [id, title, owner ?? '', proposedBy ?? ''].join(' ').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
