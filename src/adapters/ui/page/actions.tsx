// The buttons of a plan or a step, the dialog that one opens, and the answer.

import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Refusal } from '../../library/refusal.ts'
import { ActionDialog } from './action-dialog.tsx'
import { offeredActions, stepActions, type ActionRow } from './action-table.ts'
import { asRefusal, planPath, post, type Done, type RepositoryFacts, type Status } from './api.ts'
import { useKeys } from './keys.ts'
import { listen } from './live.ts'
import { RefusalView } from './refusal.tsx'
import { useRead } from './use-read.ts'

interface ActionsProps {
  readonly status: Status
  readonly step?: string
}

type Answer = { readonly done: Done } | { readonly refusal: Refusal }

export function Actions({ status, step }: ActionsProps): VNode {
  const [open, setOpen] = useState<ActionRow>()
  const [answer, setAnswer] = useState<Answer>()
  const { id } = status
  const { data: repository } = useRead<RepositoryFacts>('/api/repository', id)
  // What happens to a run after its request was answered.
  useEffect(
    () =>
      listen(({ run }) => {
        if (run === undefined || run.plan !== id || !('ended' in run)) return
        const { ended } = run
        setAnswer(
          'code' in ended
            ? { refusal: ended }
            : { done: { kind: ended.kind, exitCode: ended.exitCode, nextCommands: ended.nextCommands, ...ended.data } },
        )
      }),
    [id],
  )
  const { first, more } =
    step === undefined ? offeredActions(status) : { first: stepActions(status, step), more: [] as readonly ActionRow[] }
  useKeys(
    Object.fromEntries(
      [...first, ...more].toReversed().flatMap((row) => (row.key === undefined ? [] : [[row.key, () => setOpen(row)]])),
    ),
  )
  const isOurs = status.seen === 'running' && repository?.running.includes(id) === true
  const stop = (): void => {
    post(planPath(id, 'stop'), {}).catch((error: unknown) => setAnswer({ refusal: asRefusal(error) }))
  }
  return (
    <>
      <div class="actions">
        {isOurs && step === undefined ? (
          <button type="button" class="bad" onClick={stop}>
            Stop the run
          </button>
        ) : null}
        {first.map((row) => (
          <button
            key={row.name}
            type="button"
            class={row.tone ?? ''}
            aria-keyshortcuts={row.key}
            onClick={() => setOpen(row)}
          >
            {row.label}
          </button>
        ))}
        {more.map((row) => (
          <button key={row.name} type="button" class="plain" aria-keyshortcuts={row.key} onClick={() => setOpen(row)}>
            {row.label}
          </button>
        ))}
      </div>
      {answer === undefined ? null : <AnswerView answer={answer} onClose={() => setAnswer(undefined)} />}
      {open === undefined ? null : (
        <ActionDialog
          row={open}
          status={status}
          step={step}
          onClose={() => setOpen(undefined)}
          onDone={(done) => {
            setOpen(undefined)
            if (done.kind !== 'started') setAnswer({ done })
          }}
        />
      )}
    </>
  )
}

function AnswerView({ answer, onClose }: { readonly answer: Answer; readonly onClose: () => void }): VNode {
  return (
    <div class="answer" role="status">
      <button type="button" class="plain close" aria-label="Dismiss" onClick={onClose}>
        ✕
      </button>
      {'refusal' in answer ? (
        <RefusalView refusal={answer.refusal} />
      ) : (
        <>
          {[answer.done.message ?? 'Done'].flat().map((line, at) => (
            <p key={at}>{line}</p>
          ))}
          {(answer.done.nextCommands ?? []).length === 0 ? null : (
            <p class="next">
              Next:{' '}
              {answer.done.nextCommands?.map((command) => (
                <code key={command}>{command}</code>
              ))}
            </p>
          )}
        </>
      )}
    </div>
  )
}
