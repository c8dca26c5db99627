// The graph, and beside it what runs now and what a reader asks first.

import type { VNode } from 'preact'
import { planPath, type Report, type Status } from './api.ts'
import { duration, elapsed, person, plural, short } from './format.ts'
import { Graph } from './graph.tsx'
import { Icon } from './marks.tsx'
import { Link, stepHref } from './router.tsx'
import { useOutput } from './use-output.ts'
import { useRead } from './use-read.ts'

export function Overview({ status, now }: { readonly status: Status; readonly now: number }): VNode {
  const { id } = status
  const { data: report } = useRead<Report>(planPath(id, 'report'), id)
  const critical = report?.criticalPath
  return (
    <div class="overview">
      <section aria-label="Graph" class="graph-box">
        <Graph status={status} critical={critical?.steps ?? []} now={now} />
      </section>
      <aside>
        <RunningNow status={status} now={now} />
        <NeedsYou status={status} />
        {critical === undefined || critical.steps.length < 2 ? null : (
          <section class="card">
            <h2>
              Critical path
              {critical.durationMs === null ? null : <span class="aside">{duration(critical.durationMs)}</span>}
            </h2>
            <p class="path">
              {critical.steps.slice(0, 12).map((step) => (
                <Link key={step} href={stepHref(id, step)}>
                  {step}
                </Link>
              ))}
              {critical.steps.length > 12 ? <span>and {critical.steps.length - 12} more</span> : null}
            </p>
            {report === undefined || report.savedMs < 1000 ? null : (
              <p class="note">Steps that ran at the same time have saved {duration(report.savedMs)}.</p>
            )}
          </section>
        )}
        {report === undefined || report.files.length === 0 ? null : (
          <section class="card">
            <h2>
              Changes
              <span class="aside">
                <span class="good">+{report.totals.added}</span> <span class="bad">−{report.totals.removed}</span>
              </span>
            </h2>
            <p class="note">
              {plural(report.files.length, 'file')} compared with <code>{status.base ?? 'its base'}</code>:{' '}
              {report.totals.created} created, {report.totals.modified} modified, {report.totals.deleted} deleted
            </p>
          </section>
        )}
        <Records status={status} />
      </aside>
    </div>
  )
}

const linesShown = 8

function RunningNow({ status, now }: { readonly status: Status; readonly now: number }): VNode | null {
  const output = useOutput(status.id)
  const { holder } = status
  if (holder === null || status.seen !== 'running') return null
  return (
    <section class="card running urgent" aria-label="Running now">
      <h2>
        Running now <span class="aside">{elapsed(Math.max(0, now - Date.parse(holder.since)))}</span>
      </h2>
      {holder.waitsFor === null ? null : <p class="note">waits for {holder.waitsFor}</p>}
      {holder.running.length === 0 && holder.waitsFor === null ? <p class="note">between two steps</p> : null}
      {holder.running.map(({ step, since, worker, attempt }) => (
        <div key={step} class="job">
          <p>
            <Icon state="running" />
            <Link href={stepHref(status.id, step)}>{step}</Link>
            <span class="aside">
              {worker === null ? '' : `worker ${worker}, `}
              {attempt !== null && attempt > 1 ? `attempt ${attempt}, ` : ''}
              {elapsed(Math.max(0, now - Date.parse(since)))}
            </span>
          </p>
          {output(step).length === 0 ? null : <pre class="lines">{output(step).slice(-linesShown).join('\n')}</pre>}
        </div>
      ))}
    </section>
  )
}

/** Steps that wait for a person, or have failed. */
function NeedsYou({ status }: { readonly status: Status }): VNode | null {
  const stuck = status.steps.filter(({ seen }) =>
    ['failed', 'timeout', 'conflict', 'waiting', 'unknown'].includes(seen),
  )
  if (stuck.length === 0) return null
  return (
    <section class="card urgent">
      <h2>Needs you</h2>
      {stuck.map((step) => (
        <div key={step.id} class="job">
          <p>
            <Icon state={step.seen} />
            <Link href={stepHref(status.id, step.id)}>{step.id}</Link>
            <span class="aside">{step.seen}</span>
          </p>
          <p class="note">{step.question ?? step.error ?? step.why ?? step.title}</p>
        </div>
      ))}
    </section>
  )
}

function Records({ status }: { readonly status: Status }): VNode {
  const { attempts, rollbacks, effects, foreign, approval, tip, digest } = status
  const facts: readonly (readonly [string, VNode | string])[] = [
    [
      'approvals',
      `${approval.given} of ${approval.required}${approval.by === null ? '' : `, by ${person(approval.by)}`}`,
    ],
    ...(attempts.length === 0 ? [] : [['failed attempts', String(attempts.length)] as const]),
    ...(rollbacks.length === 0 ? [] : [['rollbacks', String(rollbacks.length)] as const]),
    ...effects.map(({ step, state }) => [`effect of ${step}`, state] as const),
    ...(foreign.length === 0 ? [] : [['commits of others', String(foreign.length)] as const]),
    ['work tree', status.workTree === null ? 'none' : <code>{status.workTree.split('/').at(-1)}</code>],
    ['tip', <code>{short(tip)}</code>],
    ['digest', <code>{short(digest)}</code>],
  ]
  return (
    <section class="card">
      <h2>Records</h2>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
