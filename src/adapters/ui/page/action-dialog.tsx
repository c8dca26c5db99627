// The dialog of an action: its fields, and what the command answers.

import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Refusal } from '../../library/refusal.ts'
import type { ActionRow, Field } from './action-table.ts'
import { asRefusal, planPath, post, type Done, type Status } from './api.ts'
import { commentsText, useComments } from './comments.ts'
import { Dialog } from './dialog.tsx'
import { short } from './format.ts'
import { Risk } from './marks.tsx'
import { RefusalView } from './refusal.tsx'
import { ReplanFields } from './replan-fields.tsx'
import { RollbackFields } from './rollback-fields.tsx'
import { go, planHref } from './router.tsx'

export type Values = Readonly<Record<string, string | boolean>>

interface ActionProps {
  readonly row: ActionRow
  readonly status: Status
  readonly step?: string | undefined
  readonly onClose: () => void
  readonly onDone: (done: Done) => void
}

export function ActionDialog({ row, status, step, onClose, onDone }: ActionProps): VNode {
  const [comments, keepComments] = useComments(status.id, status.digest)
  const takesComments = row.name === 'reject' || row.name === 'replan'
  const [values, setValues] = useState<Values>(() =>
    takesComments && comments.length > 0 ? { message: commentsText(comments) } : {},
  )
  const [refusal, setRefusal] = useState<Refusal>()
  const [isSent, setIsSent] = useState(false)
  const set = (key: string, value: string | boolean): void => setValues((last) => ({ ...last, [key]: value }))
  // The effect that read the comments comes after the first drawing.
  const message = values['message'] ?? (takesComments ? commentsText(comments) : '')
  const all: Values = takesComments ? { ...values, message } : values

  const send = (): void => {
    setIsSent(true)
    setRefusal(undefined)
    const fixed = row.command === 'approve' || row.command === 'reject' ? { digest: status.digest } : {}
    const ofStep = row.stepKey === undefined || step === undefined ? {} : { [row.stepKey]: step }
    post<Done>(planPath(status.id, row.command), { ...requestOf(all, row.fields), ...fixed, ...ofStep }).then(
      (done) => {
        if (takesComments) keepComments([])
        onDone(done)
        if (row.name === 'clone' && done.id !== undefined) go(planHref(done.id))
      },
      (error: unknown) => {
        setIsSent(false)
        setRefusal(asRefusal(error))
      },
    )
  }
  const fields = row.fields.filter(({ isOffered }) => isOffered?.(status) ?? true)
  return (
    <Dialog
      title={step === undefined ? `${row.label}: ${status.title}` : `${row.label}: ${step}`}
      onClose={onClose}
      isWide={row.name === 'rollback' || row.name === 'replan'}
    >
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <p class="about">{row.about}</p>
        {row.name === 'approve' ? (
          <p class="facts-line">
            <Risk risk={status.risk} /> digest <code>{short(status.digest)}</code>
          </p>
        ) : null}
        {row.name === 'rollback' ? <RollbackFields status={status} values={all} set={set} /> : null}
        {row.name === 'replan' ? <ReplanFields status={status} values={all} set={set} /> : null}
        {fields.map((field) => (
          <FieldView key={field.key} field={field} value={all[field.key]} set={set} />
        ))}
        {refusal === undefined ? null : <RefusalView refusal={refusal} />}
        <footer>
          <button type="button" class="plain" onClick={onClose}>
            Close
          </button>
          <button type="submit" class={row.tone ?? ''} disabled={isSent}>
            {isSent ? 'Working…' : row.label}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

interface FieldProps {
  readonly field: Field
  readonly value: string | boolean | undefined
  readonly set: (key: string, value: string | boolean) => void
}

export function FieldView({ field: { key, label, type, choices = [], help }, value, set }: FieldProps): VNode {
  if (type === 'flag')
    return (
      <label class="flag">
        <input type="checkbox" checked={value === true} onChange={(event) => set(key, event.currentTarget.checked)} />
        {label}
      </label>
    )
  const text = typeof value === 'string' ? value : ''
  const onInput = (event: { readonly currentTarget: { readonly value: string } }): void =>
    set(key, event.currentTarget.value)
  return (
    <label class="field">
      <span>
        {label}
        {help === undefined ? null : <small> ({help})</small>}
      </span>
      {type === 'long' ? (
        <textarea
          name={key}
          rows={Math.min(12, Math.max(3, text.split('\n').length + 1))}
          value={text}
          onInput={onInput}
        />
      ) : type === 'choice' ? (
        <select name={key} value={text} onChange={onInput}>
          {choices.map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      ) : type === 'number' ? (
        <input name={key} type="number" min="0" value={text} onInput={onInput} />
      ) : (
        <input name={key} type="text" value={text} onInput={onInput} />
      )}
    </label>
  )
}

/** What is empty was not given. */
function requestOf(values: Values, fields: readonly Field[]): Record<string, unknown> {
  const numbers = new Set(fields.filter(({ type }) => type === 'number').map(({ key }) => key))
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== '' && value !== false)
      .map(([key, value]) => [key, numbers.has(key) ? Number(value) : value]),
  )
}
