// A campaign of a fleet: how many repositories are where, by wave, and what has failed. Its truth is in the repositories,
// which are asked when the page is opened, and again when a person asks or a while has passed.

import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Campaign } from './api.ts'
import { plural, short } from './format.ts'
import { useKeys } from './keys.ts'
import { State, toneOf } from './marks.tsx'
import { RefusalView } from './refusal.tsx'
import { Link } from './router.tsx'
import { useRead } from './use-read.ts'

type Target = Campaign['targets'][number]

/** Reading a thousand repositories takes seconds, and a forge counts requests. */
const againMs = 60_000

const words: Readonly<Record<string, string>> = {
  open: 'to do',
  held: 'held by another run',
  later: 'in a later wave',
  approval: 'waiting for approval',
  waiting: 'waiting for a person',
}
const wordsOf = (state: string): string => words[state] ?? state
/** A check that held is good; a repository that is held is somebody's. */
const markOf = (state: string): string => (state === 'held' ? 'active' : state)

export function CampaignPage({ id }: { readonly id: string }): VNode {
  const { data, refusal, again } = useRead<Campaign>(`/api/campaigns/${encodeURIComponent(id)}`)
  const [chosen, setChosen] = useState<string>()
  useEffect(() => {
    document.title = data?.title ?? id
  }, [id, data?.title])
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && again(), againMs)
    return () => clearInterval(timer)
  }, [again])
  useKeys({ r: again })
  if (refusal !== undefined) return <RefusalView refusal={refusal} />
  if (data === undefined) return <p class="empty">Asking the repositories of {id}…</p>
  const { counts, targets, failures, waves } = data
  const states = Object.entries(counts)
  const shown = chosen === undefined ? targets : targets.filter(({ state }) => state === chosen)
  return (
    <>
      <header class="plan-head">
        <nav aria-label="Where you are" class="crumbs">
          <Link href="/">Plans</Link> / campaigns / <code>{id}</code>
        </nav>
        <div class="title-line">
          <h1>{data.title}</h1>
          <State state={campaignState(data)} />
        </div>
        <p class="facts-line">
          <span>{plural(targets.length, 'repository', 'repositories')}</span>
          {waves > 1 ? (
            <span>
              wave {data.wave} of {waves}
            </span>
          ) : null}
          {data.epoch > 1 ? <span>epoch {data.epoch}</span> : null}
          <span>
            digest <code>{short(data.digest)}</code>
          </span>
          <button type="button" class="plain" aria-keyshortcuts="r" onClick={again}>
            Ask again
          </button>
        </p>
        {data.why === null ? null : <p class="reason bad">Stopped: {data.why}</p>}
      </header>
      <div class="overview">
        <div class="column">
          <section class="card" aria-label="Repositories by state">
            <Bar counts={states} total={targets.length} />
            <div class="legend" role="group" aria-label="Which repositories">
              <button type="button" aria-pressed={chosen === undefined} onClick={() => setChosen(undefined)}>
                all <small>{targets.length}</small>
              </button>
              {states.map(([state, count]) => (
                <button
                  key={state}
                  type="button"
                  aria-pressed={chosen === state}
                  onClick={() => setChosen(chosen === state ? undefined : state)}
                >
                  <span class={`swatch ${toneOf(markOf(state))}`} aria-hidden="true" />
                  {wordsOf(state)} <small>{count}</small>
                </button>
              ))}
            </div>
          </section>
          {Array.from({ length: Math.max(1, waves) }, (_, at) => at + 1).map((wave) => {
            const own = shown.filter((target) => waves <= 1 || target.wave === wave)
            return own.length === 0 ? null : (
              <Wave key={wave} name={waves > 1 ? `Wave ${wave}` : 'Repositories'} campaign={data} targets={own} />
            )
          })}
        </div>
        <aside>
          <section class={failures.length === 0 ? 'card' : 'card urgent'}>
            <h2>Needs somebody</h2>
            {failures.length === 0 ? <p class="note">Nothing has failed, and nothing waits.</p> : null}
            {failures.map((failure, at) => (
              <Failure key={at} failure={failure} />
            ))}
          </section>
        </aside>
      </div>
    </>
  )
}

function campaignState({ isApproved, isClosed, isPaused, counts, targets }: Campaign): string {
  if (isClosed) return 'closed'
  if (!isApproved) return 'proposed'
  if (isPaused) return 'paused'
  const done = (counts.completed ?? 0) + (counts.merged ?? 0) + (counts.excluded ?? 0) + (counts.cancelled ?? 0)
  return done === targets.length ? 'completed' : 'active'
}

const Bar = ({ counts, total }: { counts: readonly (readonly [string, number])[]; total: number }): VNode => (
  <svg class="bar" viewBox={`0 0 ${Math.max(1, total)} 1`} preserveAspectRatio="none" aria-hidden="true">
    {counts.map(([state, count], at) => (
      <rect
        key={state}
        class={toneOf(markOf(state))}
        x={counts.slice(0, at).reduce((sum, [, each]) => sum + each, 0)}
        width={count}
        height="1"
      />
    ))}
  </svg>
)

const PullRequest = ({ url, of }: { url: string | undefined; of: string }): VNode | null =>
  url === undefined ? null : (
    <a href={url} target="_blank" rel="noopener noreferrer">
      pull request<span class="hidden"> of {of}</span>
    </a>
  )

const mostShown = 100

function Wave({ name, campaign, targets }: { name: string; campaign: Campaign; targets: readonly Target[] }): VNode {
  const [most, setMost] = useState(mostShown)
  return (
    <section class="card">
      <h2>
        {name} <span class="aside">{plural(targets.length, 'repository', 'repositories')}</span>
      </h2>
      <ul class="targets">
        {targets.slice(0, most).map(({ key, address, base, state, step, line }) => (
          <li key={key}>
            <span class="name">
              <strong>{address}</strong>
              <span class="sub">
                onto <code>{base}</code>
                {step === null ? '' : `, at ${step}`}
                {line === null ? '' : `: ${line}`}
              </span>
            </span>
            <State state={markOf(state)} words={wordsOf(state)} />
            <PullRequest url={campaign.pullRequests[key] ?? undefined} of={address} />
          </li>
        ))}
      </ul>
      {targets.length > most ? (
        <button type="button" class="plain" onClick={() => setMost(most + 1000)}>
          Show {Math.min(1000, targets.length - most)} more
        </button>
      ) : null}
    </section>
  )
}

const Failure = ({ failure }: { readonly failure: Campaign['failures'][number] }): VNode => (
  <details class="job">
    <summary>
      <State state={markOf(failure.state)} words={wordsOf(failure.state)} />{' '}
      {plural(failure.addresses.length, 'repository', 'repositories')}
      {failure.step === null ? null : (
        <>
          {' '}
          at <code>{failure.step}</code>
        </>
      )}
      {failure.line === null ? null : <span class="lines">{failure.line}</span>}
    </summary>
    <ul class="commits">
      {failure.addresses.map((address) => (
        <li key={address}>
          <code>{address}</code>
        </li>
      ))}
    </ul>
  </details>
)
