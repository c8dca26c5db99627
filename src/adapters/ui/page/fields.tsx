// The fields of a dialog.

import type { VNode } from 'preact'
import type { Field } from './action-table.ts'

/** By the keys of a request. */
export type Values = Readonly<Record<string, string | boolean>>

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
