// Two attempts of a step next to each other: how each has ended, and what the later one did differently.

import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { planPath, type AttemptDiff, type Status } from './api.ts'
import { DiffView } from './diff-view.tsx'
import { moment, short } from './format.ts'
import { State } from './marks.tsx'
import { RefusalView } from './refusal.tsx'
import { Link, planHref, stepHref } from './router.tsx'
import { useRead } from './use-read.ts'

interface CompareProps {
  readonly id: string
  readonly name: string
  readonly query: URLSearchParams
}

interface Side {
  readonly number: number
  readonly state: string
  readonly at: string | null
  readonly reason: string
  readonly commit: string
  readonly claim: string
}

export function ComparePage({ id, name, query }: CompareProps): VNode {
  const { data: status, refusal } = useRead<Status>(planPath(id, 'status'), id)
  const [chosen, setChosen] = useState<readonly [number | undefined, number | undefined]>([
    Number(query.get('from')) || undefined,
    Number(query.get('to')) || undefined,
  ])
  useEffect(() => {
    document.title = `Attempts of ${name}`
  }, [name])
  const sides = status === undefined ? [] : sidesOf(status, name)
  // What was committed is compared with, and not compared.
  const from = sides.find(({ number, state }) => state === 'failed' && number === chosen[0]) ?? sides.at(-2)
  const to = sides.find(({ number }) => number === chosen[1]) ?? sides.at(-1)
  const { data, refusal: refused } = useRead<AttemptDiff>(
    from === undefined || to === undefined
      ? undefined
      : planPath(id, 'attempts', { show: name, number: String(from.number), against: String(to.number) }),
  )
  if (refusal !== undefined) return <RefusalView refusal={refusal} />
  if (status === undefined) return <p class="empty">Reading the attempts…</p>
  if (from === undefined || to === undefined) return <p class="empty">There are no two attempts of {name}.</p>
  return (
    <>
      <header class="plan-head">
        <nav aria-label="Where you are" class="crumbs">
          <Link href="/">Plans</Link> / <Link href={planHref(id)}>{status.title}</Link> /{' '}
          <Link href={stepHref(id, name)}>{name}</Link> / attempts
        </nav>
        <h1>Two attempts of {name}</h1>
      </header>
      <div class="compare">
        {([from, to] as const).map((side, at) => (
          <section key={at} class="card">
            <h2>
              <label>
                <span class="hidden">{at === 0 ? 'First attempt' : 'Second attempt'}</span>
                <select
                  value={String(side.number)}
                  onChange={(event) => {
                    const number = Number(event.currentTarget.value)
                    setChosen(at === 0 ? [number, to.number] : [from.number, number])
                  }}
                >
                  {(at === 0 ? sides.filter(({ state }) => state === 'failed') : sides).map(({ number }) => (
                    <option key={number} value={String(number)}>
                      Attempt {number}
                    </option>
                  ))}
                </select>
              </label>
              <State state={side.state} />
            </h2>
            <p>{side.reason}</p>
            {side.claim === '' ? null : <p class="note">{side.claim}</p>}
            <p class="note">
              {moment(side.at)} <code>{short(side.commit)}</code>
            </p>
          </section>
        ))}
      </div>
      <h2>
        From attempt {from.number} to attempt {to.number}
      </h2>
      {refused === undefined ? null : <RefusalView refusal={refused} />}
      {data === undefined ? null : (
        <DiffView patch={data.diff} label={`Changes between attempts ${from.number} and ${to.number}`} />
      )}
    </>
  )
}

/** The saved attempts, and the one that was committed. */
function sidesOf(status: Status, name: string): Side[] {
  const step = status.steps.find(({ id }) => id === name)
  const saved = status.attempts
    .filter((attempt) => attempt.step === name)
    .map(({ number, at, reason, exit, commit, claim }) => ({
      number,
      state: 'failed',
      at,
      reason: reason ?? (exit === null ? 'interrupted' : `exit code ${exit}`),
      commit,
      claim: claim === null ? '' : `${claim.by} says: ${claim.summary}`,
    }))
  if (step?.status !== 'done' || step.commit === null) return saved
  const { attempt, endedAt, commit, verified, claim } = step
  return [
    ...saved.filter(({ number }) => number !== attempt),
    {
      number: attempt,
      state: 'done',
      at: endedAt,
      reason: verified === null ? 'done' : `held: ${verified}`,
      commit,
      claim: claim === null ? '' : `${claim.by} says: ${claim.summary}`,
    },
  ]
}
