// A step: what it does, what it has changed and printed, what was claimed and what was proven.

import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Actions } from './actions.tsx'
import { planPath, type Report, type Show, type Status } from './api.ts'
import { duration, elapsed, moment, plural, short } from './format.ts'
import { useKeys } from './keys.ts'
import { Risk, State } from './marks.tsx'
import { RefusalView } from './refusal.tsx'
import { go, Link, planHref, stepHref } from './router.tsx'
import { AttemptsList, Changes, StepOutput } from './step-records.tsx'
import { Task } from './step-task.tsx'
import { Verdict } from './step-verdict.tsx'
import { useNow, useRead } from './use-read.ts'

type Part = 'changes' | 'output' | 'attempts'

export function StepPage({ id, name }: { readonly id: string; readonly name: string }): VNode {
  const { data: status, refusal } = useRead<Status>(planPath(id, 'status'), id)
  const { data: show } = useRead<Show>(planPath(id, 'show'), id)
  const { data: report } = useRead<Report>(planPath(id, 'report'), id)
  const [chosen, setChosen] = useState<Part>()
  const step = status?.steps.find((each) => each.id === name)
  const now = useNow(step?.seen === 'running')
  const at = status?.steps.findIndex((each) => each.id === name) ?? -1
  const move = (by: number): void => {
    const next = status?.steps[at + by]
    if (next !== undefined) go(stepHref(id, next.id))
  }
  useKeys({ j: () => move(1), k: () => move(-1) })
  useEffect(() => {
    document.title = `${name} · ${id}`
  }, [id, name])
  if (refusal !== undefined) return <RefusalView refusal={refusal} />
  if (status === undefined) return <p class="empty">Reading {name}…</p>
  if (step === undefined) return <p class="empty">The plan has no step {name}.</p>
  const shown = show?.steps.find((each) => each.id === name)
  const attempts = status.attempts.filter((attempt) => attempt.step === name)
  const hasChanges = step.status === 'done' && step.commit !== null
  const part = chosen ?? (hasChanges ? 'changes' : step.attempt > 0 || step.seen === 'running' ? 'output' : 'changes')
  const parts: readonly (readonly [Part, string])[] = [
    ['changes', 'Changes'],
    ['output', 'Output'],
    ['attempts', `Attempts ${attempts.length === 0 ? '' : attempts.length}`],
  ]
  return (
    <>
      <header class="plan-head">
        <nav aria-label="Where you are" class="crumbs">
          <Link href="/">Plans</Link> / <Link href={planHref(id)}>{status.title}</Link> / <code>{name}</code>
        </nav>
        <div class="title-line">
          <h1>{step.title}</h1>
          <State state={step.seen} />
          {shown === undefined ? null : <Risk risk={shown.risk} />}
        </div>
        <p class="facts-line">
          <span>
            step {at + 1} of {status.steps.length}, wave {step.wave + 1}
          </span>
          {step.attempt > 1 ? <span>attempt {step.attempt}</span> : null}
          {step.seen === 'running' && step.startedAt !== null ? (
            <span>{elapsed(Math.max(0, now - Date.parse(step.startedAt)))}</span>
          ) : step.durationMs === null ? null : (
            <span title={`${moment(step.startedAt)} – ${moment(step.endedAt)}`}>{duration(step.durationMs)}</span>
          )}
          {step.commit === null ? null : <code>{short(step.commit)}</code>}
          {step.needs.length === 0 ? null : (
            <span>
              needs{' '}
              {step.needs.map((need) => (
                <Link key={need} href={stepHref(id, need)}>
                  {need}
                </Link>
              ))}
            </span>
          )}
        </p>
        {step.error === null ? null : <p class="reason bad">{step.error}</p>}
        {step.question === null || step.status === 'done' ? null : <p class="reason">{step.question}</p>}
        {step.why === null || step.error !== null ? null : <p class="note">{step.why}</p>}
        <Actions status={status} step={name} />
      </header>
      <div class="step-facts">
        {shown === undefined ? null : <Task step={shown} />}
        <Verdict step={step} checks={(report?.checks ?? []).filter((check) => check.step === name)} />
      </div>
      <nav class="tabs" aria-label="Records of the step">
        {parts.map(([each, label]) => (
          <button key={each} type="button" aria-pressed={part === each} onClick={() => setChosen(each)}>
            {label}
          </button>
        ))}
        {attempts.length + (hasChanges ? 1 : 0) > 1 ? (
          <Link href={`${stepHref(id, name)}/compare`}>
            Compare {plural(attempts.length + (hasChanges ? 1 : 0), 'attempt')}
          </Link>
        ) : null}
      </nav>
      {part === 'changes' ? <Changes id={id} step={step} /> : null}
      {part === 'output' ? <StepOutput id={id} step={step} /> : null}
      {part === 'attempts' ? <AttemptsList id={id} step={name} attempts={attempts} /> : null}
    </>
  )
}
