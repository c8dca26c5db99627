// What a reviewer reads: the prose, the risk with its reasons, what has changed since, and the lines of the plan, on which
// comments can be written.

import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { planPath, type Show, type Status, type TextChanges } from './api.ts'
import { useComments, type LineComment } from './comments.ts'
import { plural } from './format.ts'
import { Markdown } from './markdown.tsx'
import { Risk } from './marks.tsx'
import { RefusalView } from './refusal.tsx'
import { Link, stepHref } from './router.tsx'
import { shown } from './shown.ts'
import { useRead } from './use-read.ts'

export function TextTab({ status }: { readonly status: Status }): VNode {
  const { data: show, refusal } = useRead<Show>(planPath(status.id, 'show'), status.id)
  if (refusal !== undefined) return <RefusalView refusal={refusal} />
  if (show === undefined) return <p class="empty">Reading the plan…</p>
  const risky = show.steps.filter(({ reasons }) => reasons.length > 0)
  // Those of a step stand beside it.
  const ofPlan = show.reasons.filter((reason) => !risky.some(({ id }) => reason.startsWith(`${id}: `)))
  return (
    <div class="review">
      <div class="column">
        {show.prose.trim() === '' ? null : (
          <section class="card">
            <h2>About this plan</h2>
            <Markdown text={show.prose} />
          </section>
        )}
        <PlanLines status={status} show={show} />
      </div>
      <aside>
        <section class="card">
          <h2>
            Risk <Risk risk={show.risk} />
          </h2>
          <ul class="reasons">
            {ofPlan.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
          {risky.slice(0, 20).map(({ id, risk, reasons }) => (
            <div key={id} class="job">
              <p>
                <Link href={stepHref(show.id, id)}>{id}</Link>
                <span class="spring" />
                <Risk risk={risk} />
              </p>
              <p class="note">{reasons.join('; ')}</p>
            </div>
          ))}
        </section>
        {show.findings.length === 0 ? null : (
          <section class="card">
            <h2>Findings</h2>
            <ul class="reasons">
              {show.findings.map(({ rule, severity, message, line }, at) => (
                <li key={at} class={severity === 'error' ? 'bad' : ''}>
                  {message}{' '}
                  <code>
                    {rule}
                    {line === undefined ? '' : `:${line}`}
                  </code>
                </li>
              ))}
            </ul>
          </section>
        )}
        <Revisions status={status} />
      </aside>
    </div>
  )
}

function Revisions({ status }: { readonly status: Status }): VNode | null {
  const [since, setSince] = useState('')
  const { data } = useRead<TextChanges>(planPath(status.id, 'text-changes', since === '' ? {} : { since }), status.id)
  if (data === undefined || data.after.revision < 1) return null
  return (
    <section class="card">
      <h2>What has changed</h2>
      <label class="field">
        <span>Compare with</span>
        <select value={since} onChange={(event) => setSince(event.currentTarget.value)}>
          <option value="">the last approved text, or the one before</option>
          {Array.from({ length: data.after.revision }, (_, at) => (
            <option key={at} value={String(at)}>
              revision {at}
            </option>
          ))}
        </select>
      </label>
      {data.before === null ? null : (
        <p class="note">
          Revision {data.before.revision}
          {data.before.wasApproved ? ', which was approved' : ''}: {plural(data.added.length, 'step')} added,{' '}
          {data.changed.length} changed, {data.removed.length} removed
        </p>
      )}
      {data.reasons.map((reason) => (
        <p key={reason} class="reason">
          {reason}
        </p>
      ))}
      <pre class="patch">
        {data.lines.map((line, at) => (
          <span key={at} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  )
}

function PlanLines({ status, show }: { readonly status: Status; readonly show: Show }): VNode {
  const [comments, keep] = useComments(status.id, status.digest)
  const [open, setOpen] = useState<number>()
  const lines = show.text.replace(/\n$/, '').split('\n')
  const without = (line: number): readonly LineComment[] => comments.filter((comment) => comment.line !== line)
  return (
    <section class="card lines-card">
      <h2>
        <code>{show.file}</code>
        <span class="aside">
          {comments.length === 0 ? 'choose a line to comment on it' : plural(comments.length, 'comment')}
        </span>
      </h2>
      <ol class="plan-lines">
        {lines.map((text, at) => {
          const line = at + 1
          const comment = comments.find((each) => each.line === line)
          return (
            <li key={line}>
              <button
                type="button"
                class="plan-line"
                aria-expanded={open === line}
                onClick={() => setOpen(open === line ? undefined : line)}
              >
                <span class="no">
                  <span class="hidden">Line </span>
                  {line}
                </span>
                <span class="code">{shown(text)}</span>
              </button>
              {open === line ? (
                <CommentBox
                  line={line}
                  text={comment?.text ?? ''}
                  onKeep={(said) => {
                    keep(said.trim() === '' ? without(line) : [...without(line), { line, quoted: text, text: said }])
                    setOpen(undefined)
                  }}
                  onClose={() => setOpen(undefined)}
                />
              ) : comment === undefined ? null : (
                <p class="comment">{comment.text}</p>
              )}
            </li>
          )
        })}
      </ol>
      {comments.length === 0 ? null : (
        <p class="note">
          Your comments become the reason when you reject the plan, or the task when an agent replans it.
        </p>
      )}
    </section>
  )
}

interface CommentProps {
  readonly line: number
  readonly text: string
  readonly onKeep: (text: string) => void
  readonly onClose: () => void
}

function CommentBox({ line, text, onKeep, onClose }: CommentProps): VNode {
  const [said, setSaid] = useState(text)
  return (
    <form
      class="comment-box"
      onSubmit={(event) => {
        event.preventDefault()
        onKeep(said)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <textarea
        rows={2}
        aria-label={`Comment on line ${line}`}
        value={said}
        ref={(box) => {
          if (box !== null && said === text) box.focus()
        }}
        onInput={(event) => setSaid(event.currentTarget.value)}
      />
      <button type="submit">Keep the comment</button>
      <button type="button" class="plain" onClick={onClose}>
        Close
      </button>
    </form>
  )
}
