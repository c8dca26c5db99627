// The dialog of an action: its fields, and what the command answers.

import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Refusal } from '../../library/refusal.ts'
import type { ActionRow, Field } from './action-table.ts'
import { asRefusal, planPath, post, type Done, type Status } from './api.ts'
import { commentsText, useComments } from './comments.ts'
import { Dialog } from './dialog.tsx'
import { FieldView, type Values } from './fields.tsx'
import { short } from './format.ts'
import { Risk } from './marks.tsx'
import { RefusalView } from './refusal.tsx'
import { ReplanFields } from './replan-fields.tsx'
import { RollbackFields } from './rollback-fields.tsx'
import { go, planHref } from './router.tsx'

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
  // The page follows the plan, and a decision is about the text that was there when it was asked for.
  const [digest] = useState(status.digest)
  const set = (key: string, value: string | boolean): void => setValues((last) => ({ ...last, [key]: value }))
  // The effect that read the comments comes after the first drawing.
  const message = values['message'] ?? (takesComments ? commentsText(comments) : '')
  const all: Values = takesComments ? { ...values, message } : values

  const send = async (): Promise<void> => {
    setIsSent(true)
    setRefusal(undefined)
    const fixed = row.command === 'approve' || row.command === 'reject' ? { digest } : {}
    const ofStep = row.stepKey === undefined || step === undefined ? {} : { [row.stepKey]: step }
    const request = { ...requestOf(all, row.fields), ...fixed, ...ofStep }
    try {
      const done = await post<Done>(planPath(status.id, row.command), request)
      if (takesComments) keepComments([])
      onDone(done)
      if (row.name === 'clone' && done.id !== undefined) go(planHref(done.id))
    } catch (error) {
      setIsSent(false)
      setRefusal(asRefusal(error))
    }
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
          void send()
        }}
      >
        <p class="about">{row.about}</p>
        {row.name === 'approve' ? (
          <p class="facts-line">
            <Risk risk={status.risk} /> digest <code>{short(digest)}</code>
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

/** What is empty was not given. */
function requestOf(values: Values, fields: readonly Field[]): Record<string, unknown> {
  const numbers = new Set(fields.filter(({ type }) => type === 'number').map(({ key }) => key))
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== '' && value !== false)
      .map(([key, value]) => [key, numbers.has(key) ? Number(value) : value]),
  )
}
