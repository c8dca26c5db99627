// The page: what the address says.

import { render, type VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RepositoryFacts } from './api.ts'
import { CampaignPage } from './campaign-page.tsx'
import { ComparePage } from './compare-page.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { useKeys } from './keys.ts'
import { ListPage } from './list-page.tsx'
import { follow, listen } from './live.ts'
import { PlanPage } from './plan-page.tsx'
import { go, Link, planHref, usePlace, type Place } from './router.tsx'
import { StepPage } from './step-page.tsx'
import { nextTheme, showTheme, themes, type Theme } from './theme.ts'
import { useKept, useRead } from './use-read.ts'

function Page(): VNode {
  const place = usePlace()
  const [theme, setTheme] = useKept<Theme>('theme', 'auto')
  const [isHelping, setIsHelping] = useState(false)
  const [isConnected, setIsConnected] = useState(true)
  const { data } = useRead<RepositoryFacts>('/api/repository')
  const plan = place.plan === '' || place.view === 'campaign' ? undefined : place.plan
  useEffect(() => follow(plan), [plan])
  useEffect(() => showTheme(theme), [theme])
  useEffect(() => listen((news) => news.isConnected !== undefined && setIsConnected(news.isConnected)), [])
  useKeys({
    '?': () => setIsHelping(true),
    m: () => setTheme(nextTheme(theme)),
    u: () => go(above(place)),
  })
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link href="/" class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M10 9v14M12 8h4a5 5 0 0 1 5 5v2" />
            <circle cx="10" cy="8" r="3.200" />
            <circle cx="10" cy="24" r="3.200" />
            <circle cx="21" cy="17" r="3.200" />
          </svg>
          git plan<span class="hidden">: all plans</span>
        </Link>
        <span class="repository">{data?.name ?? ''}</span>
        <span class="spring" />
        {isConnected ? null : <span class="state bad">not connected</span>}
        <button
          type="button"
          class="plain"
          onClick={() => setTheme(nextTheme(theme))}
          aria-label={`Colors: ${themes[theme]}`}
          title={`Colors: ${themes[theme]}`}
        >
          {theme === 'dark' ? '☾' : theme === 'light' ? '☀' : '◐'}
        </button>
        <button type="button" class="plain" onClick={() => setIsHelping(true)} aria-label="Keys" title="Keys (?)">
          ?
        </button>
      </header>
      <main id="main">{view(place)}</main>
      {isHelping ? <KeysDialog onClose={() => setIsHelping(false)} /> : null}
    </>
  )
}

function view(place: Place): VNode {
  switch (place.view) {
    case 'list':
      return <ListPage />
    case 'plan':
    case 'text':
    case 'timeline':
      return <PlanPage key={place.plan} id={place.plan} tab={place.view} />
    case 'step':
      return <StepPage key={`${place.plan} ${place.step}`} id={place.plan} name={place.step} />
    case 'compare':
      return <ComparePage key={`${place.plan} ${place.step}`} id={place.plan} name={place.step} query={place.query} />
    case 'campaign':
      return <CampaignPage key={place.plan} id={place.plan} />
    case 'unknown':
      return <p class="empty">There is no such page.</p>
  }
}

const above = ({ view: at, plan, step }: Place): string =>
  at === 'compare' ? planHref(plan, `steps/${encodeURIComponent(step)}`) : at === 'step' ? planHref(plan) : '/'

render(<Page />, document.body)
