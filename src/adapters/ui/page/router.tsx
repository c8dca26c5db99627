// The address of the page, and links that change it without loading the page again.

import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export interface Place {
  readonly view: 'list' | 'plan' | 'text' | 'timeline' | 'step' | 'compare' | 'campaign' | 'unknown'
  /** The plan, or the campaign. */
  readonly plan: string
  readonly step: string
  readonly query: URLSearchParams
}

function placeOf(path: string, search: string): Place {
  const parts = path.split('/').slice(1).map(decoded)
  const [top, plan = '', what, step = '', more] = parts
  const query = new URLSearchParams(search)
  const view = viewOf(top, what, more, parts.length)
  return { view, plan, step, query }
}

function viewOf(
  top: string | undefined,
  what: string | undefined,
  more: string | undefined,
  length: number,
): Place['view'] {
  if (top === '' && length === 1) return 'list'
  if (top === 'campaigns' && length === 2) return 'campaign'
  if (top !== 'plans') return 'unknown'
  if (length === 2) return 'plan'
  if (what === 'text' || what === 'timeline') return what
  return what === 'steps' ? (more === 'compare' ? 'compare' : 'step') : 'unknown'
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const campaignHref = (id: string): string => `/campaigns/${encodeURIComponent(id)}`
export const planHref = (id: string, view = ''): string =>
  `/plans/${encodeURIComponent(id)}${view === '' ? '' : `/${view}`}`
export const stepHref = (id: string, step: string): string => planHref(id, `steps/${encodeURIComponent(step)}`)

const moved = 'git-plan-moved'

export function go(href: string): void {
  history.pushState(null, '', href)
  dispatchEvent(new Event(moved))
  scrollTo(0, 0)
}

export function usePlace(): Place {
  const [href, setHref] = useState(() => location.pathname + location.search)
  useEffect(() => {
    const onMove = (): void => setHref(location.pathname + location.search)
    addEventListener('popstate', onMove)
    addEventListener(moved, onMove)
    return () => {
      removeEventListener('popstate', onMove)
      removeEventListener(moved, onMove)
    }
  }, [])
  const url = new URL(href, location.origin)
  return placeOf(url.pathname, url.search)
}

interface LinkProps {
  readonly href: string
  readonly class?: string
  readonly isCurrent?: boolean
  readonly children: ComponentChildren
}

export const Link = ({ href, class: name, isCurrent, children }: LinkProps): VNode => (
  <a
    href={href}
    class={name}
    aria-current={isCurrent === true ? 'page' : undefined}
    onClick={(event) => {
      // A new tab is the browser's.
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
      event.preventDefault()
      go(href)
    }}
  >
    {children}
  </a>
)
