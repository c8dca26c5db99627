// The graph of a plan as a picture: a band for each wave. Only what is on the screen is drawn.

import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Status } from './api.ts'
import { isHasRunText } from '../../../view/has-run.ts'
import { duration, elapsed } from './format.ts'
import { layOut, nodeHeight, visible } from './graph-layout.ts'
import { Icon, toneOf } from './marks.tsx'
import { Link, stepHref } from './router.tsx'

interface GraphProps {
  readonly status: Status
  readonly critical: readonly string[]
  readonly now: number
}

/** So much is drawn above and below the screen. */
const margin = 100

export function Graph({ status, critical, now }: GraphProps): VNode {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [range, setRange] = useState<readonly [number, number]>(() => [0, innerHeight])
  const [pointed, setPointed] = useState<string>()
  const { steps } = status
  // The picture changes only with the text of the plan.
  const graph = useMemo(() => layOut(steps, width), [status.digest, steps.length, width])
  const path = useMemo(() => new Set(critical), [critical])
  const byId = useMemo(() => new Map(steps.map((step) => [step.id, step])), [steps])

  useLayoutEffect(() => {
    const measure = (): void => setWidth(box.current?.clientWidth ?? 0)
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  useEffect(() => {
    const look = (): void => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0)
      const next = [
        Math.floor((top - margin) / 100) * 100,
        Math.ceil((top + innerHeight + margin) / 100) * 100,
      ] as const
      setRange((last) => (last[0] === next[0] && last[1] === next[1] ? last : next))
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [])

  const drawn = visible(graph, ...range)
  const workers = new Map((status.holder?.running ?? []).map(({ step, worker }) => [step, worker]))
  return (
    <div class="graph" ref={box} style={{ height: `${graph.height}px` }}>
      {width === 0 ? null : (
        <>
          <svg class="edges" width={graph.width} height={graph.height} aria-hidden="true">
            {drawn.edges.map(({ from, to, path: d }) => (
              <path
                key={`${from} ${to}`}
                d={d}
                class={[
                  ...(path.has(from) && path.has(to) ? ['critical'] : []),
                  ...(pointed === from || pointed === to ? ['pointed'] : []),
                  ...(byId.get(from)?.status === 'done' ? ['done'] : []),
                ].join(' ')}
              />
            ))}
          </svg>
          <ol aria-label="Steps, in the order of their waves">
            {drawn.nodes.map(({ id, x, y }) => {
              const step = byId.get(id)
              if (step === undefined) return null
              const worker = workers.get(id)
              const facts = factsOf(step, now)
              return (
                <li
                  key={id}
                  class={`node ${toneOf(step.seen)} seen-${step.seen}${path.has(id) ? ' critical' : ''}`}
                  style={{
                    transform: `translate(${x}px, ${y}px)`,
                    width: `${graph.nodeWidth}px`,
                    height: `${nodeHeight}px`,
                  }}
                  onMouseEnter={() => setPointed(id)}
                  onMouseLeave={() => setPointed(undefined)}
                >
                  <Link href={stepHref(status.id, id)}>
                    <Icon state={step.seen} />
                    <span class="name">{step.title}</span>
                    <span class="hidden">
                      : {step.seen}
                      {path.has(id) ? ', on the critical path' : ''},{' '}
                    </span>
                    <span class="facts">
                      <code>{id}</code>
                      {worker === undefined || worker === null ? null : <span class="worker">worker {worker}</span>}
                      <span class="time">{facts}</span>
                    </span>
                  </Link>
                </li>
              )
            })}
          </ol>
        </>
      )}
    </div>
  )
}

function factsOf(step: Status['steps'][number], now: number): string {
  if (step.seen === 'running' && step.startedAt !== null) return elapsed(now - Date.parse(step.startedAt))
  // It waits for the others of its wave.
  if (isHasRunText(step.why)) return 'has run'
  return step.durationMs === null ? '' : duration(step.durationMs)
}
