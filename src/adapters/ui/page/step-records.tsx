// What a step has changed and printed, and its attempts that failed.

import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { planPath, type AttemptDiff, type Diff, type Output, type Status } from './api.ts'
import { DiffView } from './diff-view.tsx'
import { moment, short } from './format.ts'
import { RefusalView } from './refusal.tsx'
import { useOutput } from './use-output.ts'
import { useRead } from './use-read.ts'
import { VirtualRows } from './virtual-rows.tsx'

type Step = Status['steps'][number]

export function Changes({ id, step }: { readonly id: string; readonly step: Step }): VNode {
  const isDone = step.status === 'done' && step.commit !== null
  // Named by its commit: another attempt has other changes.
  const { data, refusal } = useRead<Diff>(isDone ? planPath(id, 'diff', { step: step.id }) : undefined)
  if (!isDone) return <p class="empty">The step has no commit: it is {step.seen}.</p>
  if (refusal !== undefined) return <RefusalView refusal={refusal} />
  if (data === undefined) return <p class="empty">Reading the changes…</p>
  return <DiffView patch={data.diff} label={`Changes of ${step.id}`} />
}

export function StepOutput({ id, step }: { readonly id: string; readonly step: Step }): VNode {
  const live = useOutput(id)(step.id)
  const isRunning = step.seen === 'running'
  const { data, refusal } = useRead<Output>(isRunning ? undefined : planPath(id, 'output', { output: step.id }), id)
  if (refusal !== undefined) return <RefusalView refusal={refusal} />
  const lines = isRunning ? live : (data?.output ?? '').replace(/\n$/, '').split('\n')
  if (isRunning && live.length === 0) return <p class="empty">It has printed nothing yet.</p>
  if (!isRunning && (data === undefined || data.output === ''))
    return <p class="empty">{data === undefined ? 'Reading the output…' : 'The step has printed nothing.'}</p>
  const columns = lines.reduce((most, line) => Math.max(most, line.length), 0)
  return (
    <VirtualRows
      class="output"
      label={`Output of ${step.id}`}
      count={lines.length}
      columns={Math.min(columns, 1000) + 8}
      target={isRunning ? { row: lines.length } : undefined}
      row={(at) => (
        <div key={at} class="row">
          <span class="no">{at + 1}</span>
          <span class="code">{lines[at]}</span>
        </div>
      )}
    />
  )
}

interface AttemptsProps {
  readonly id: string
  readonly step: string
  readonly attempts: Status['attempts']
}

export function AttemptsList({ id, step, attempts }: AttemptsProps): VNode {
  const [open, setOpen] = useState<number>()
  const { data, refusal } = useRead<AttemptDiff>(
    open === undefined ? undefined : planPath(id, 'attempts', { show: step, number: String(open) }),
  )
  if (attempts.length === 0) return <p class="empty">No attempt of this step has failed.</p>
  return (
    <>
      <ul class="attempts">
        {attempts.toReversed().map(({ number, at, reason, exit, commit, claim }) => (
          <li key={number}>
            <button
              type="button"
              class="plain"
              aria-expanded={open === number}
              onClick={() => setOpen(open === number ? undefined : number)}
            >
              <strong>Attempt {number}</strong>
              <span>{reason ?? (exit === null ? 'interrupted' : `exit code ${exit}`)}</span>
              <span class="note">
                {moment(at)} <code>{short(commit)}</code>
              </span>
            </button>
            {claim === null ? null : (
              <p class="note">
                {claim.by} says: {claim.summary}
              </p>
            )}
          </li>
        ))}
      </ul>
      {refusal === undefined ? null : <RefusalView refusal={refusal} />}
      {data === undefined ? null : <DiffView patch={data.diff} label={`Changes of attempt ${data.number}`} />}
    </>
  )
}
