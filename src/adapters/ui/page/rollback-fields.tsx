// Where to roll back to, and what would happen: what the command says about it without doing it.

import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Refusal } from '../../library/refusal.ts'
import type { Values } from './fields.tsx'
import { asRefusal, planPath, post, type Preview, type Status } from './api.ts'
import { plural } from './format.ts'
import { RefusalView } from './refusal.tsx'

interface RollbackProps {
  readonly status: Status
  readonly values: Values
  readonly set: (key: string, value: string | boolean) => void
}

export function RollbackFields({ status, values, set }: RollbackProps): VNode {
  const [preview, setPreview] = useState<Preview>()
  const [refusal, setRefusal] = useState<Refusal>()
  const looking = useRef<Promise<void>>(Promise.resolve())
  const { to, all, undo, keepEffects } = values
  const target =
    undo === true ? 'undo' : all === true ? 'all' : typeof to === 'string' && to !== '' ? `to ${to}` : 'last'
  const choose = (chosen: string): void => {
    set('undo', chosen === 'undo')
    set('all', chosen === 'all')
    set('to', chosen.startsWith('to ') ? chosen.slice(3) : '')
  }
  useEffect(() => {
    let isCurrent = true
    setPreview(undefined)
    setRefusal(undefined)
    const request = {
      dryRun: true,
      ...(undo === true ? { undo } : all === true ? { all } : typeof to === 'string' && to !== '' ? { to } : {}),
      ...(keepEffects === true ? { keepEffects } : {}),
    }
    const look = async (): Promise<void> => {
      try {
        const answer = await post<Preview>(planPath(status.id, 'rollback'), request)
        if (isCurrent) setPreview(answer)
      } catch (error) {
        if (isCurrent) setRefusal(asRefusal(error))
      }
    }
    // One after the other: each holds the plan while it looks.
    looking.current = looking.current.then(() => (isCurrent ? look() : undefined))
    return () => {
      isCurrent = false
    }
  }, [to, all, undo, keepEffects, status.tip])
  const kept = status.steps.filter(({ status: state }) => state === 'done' || state === 'skipped').toReversed()
  return (
    <>
      <label class="field">
        <span>Go back to</span>
        <select name="target" value={target} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="last">before the last step</option>
          {kept.slice(1).map(({ id, title }) => (
            <option key={id} value={`to ${id}`}>
              after {id}: {title}
            </option>
          ))}
          <option value="all">before the first step</option>
          {status.rollbacks.length > 0 || status.seen === 'cancelled' ? (
            <option value="undo">undo the last rollback or cancellation</option>
          ) : null}
        </select>
      </label>
      {refusal === undefined ? null : <RefusalView refusal={refusal} />}
      {preview === undefined ? (
        refusal === undefined ? (
          <p class="empty">Looking at what would happen…</p>
        ) : null
      ) : (
        <div class="preview" aria-live="polite">
          <h3>
            {preview.lost.length === 0
              ? 'No commit leaves the branch'
              : `${plural(preview.lost.length, 'commit')} will leave the branch`}
          </h3>
          <ul class="commits">
            {preview.lost.map((line) => (
              <li key={line}>
                <code>{line}</code>
              </li>
            ))}
          </ul>
          {preview.undos.length === 0 ? (
            <p>No undo command will run.</p>
          ) : (
            <>
              <h3>These undo commands will run</h3>
              <ul class="commits undos">
                {preview.undos.map(({ step, command }) => (
                  <li key={step}>
                    {step}: <code>{command}</code>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </>
  )
}
