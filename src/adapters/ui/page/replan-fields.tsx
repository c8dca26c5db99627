// The new text of a plan, or the agent that writes it. An agent gets the comments as its task.

import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { FieldView, type Values } from './fields.tsx'
import { planPath, type Show, type Status } from './api.ts'
import { useRead } from './use-read.ts'

interface ReplanProps {
  readonly status: Status
  readonly values: Values
  readonly set: (key: string, value: string | boolean) => void
}

export function ReplanFields({ status, values, set }: ReplanProps): VNode {
  const [by, setBy] = useState<'text' | 'agent'>('text')
  const { data } = useRead<Show>(planPath(status.id, 'show'))
  const choose = (next: 'text' | 'agent'): void => {
    setBy(next)
    set('agent', next === 'agent' ? 'claude' : '')
    set('text', next === 'text' ? (data?.text ?? '') : '')
  }
  useEffect(() => {
    if (data !== undefined && by === 'text' && (values['text'] ?? '') === '') set('text', data.text)
  }, [data])
  return (
    <>
      <span class="choice" role="group" aria-label="Who writes the new text">
        <button type="button" aria-pressed={by === 'text'} onClick={() => choose('text')}>
          I edit it here
        </button>
        <button type="button" aria-pressed={by === 'agent'} onClick={() => choose('agent')}>
          An agent writes it
        </button>
      </span>
      {by === 'agent' ? (
        <>
          <FieldView field={{ key: 'agent', label: 'Agent', type: 'text' }} value={values['agent']} set={set} />
          <FieldView
            field={{ key: 'model', label: 'Model', type: 'text', help: 'empty: its own' }}
            value={values['model']}
            set={set}
          />
        </>
      ) : data === undefined ? (
        <p class="empty">Reading the plan…</p>
      ) : (
        <label class="field">
          <span>The plan file</span>
          <textarea
            class="file"
            name="text"
            rows={16}
            spellcheck={false}
            value={typeof values['text'] === 'string' ? values['text'] : ''}
            onInput={(event) => set('text', event.currentTarget.value)}
          />
        </label>
      )}
    </>
  )
}
