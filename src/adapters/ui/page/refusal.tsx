// What a command has refused, in the words in which it refuses on the command line.

import type { VNode } from 'preact'
import type { Finding } from '../../../plan/model/finding.ts'
import type { Refusal } from '../../library/refusal.ts'

const findingsOf = ({ findings }: Refusal): readonly Finding[] =>
  Array.isArray(findings) ? (findings as Finding[]) : []

export const RefusalView = ({ refusal }: { readonly refusal: Refusal }): VNode => (
  <div class="refusal" role="alert">
    <p>
      <strong>git plan:</strong> {refusal.message}
    </p>
    {findingsOf(refusal).map(({ file, line, column, rule, severity, message, advice }, at) => (
      <p key={at} class="finding">
        <code>
          {[file, line, column].filter((part) => part !== undefined).join(':')} {severity} {rule}
        </code>{' '}
        {refusal.message.includes(message) ? '' : message}
        {advice === undefined ? '' : ` (${advice})`}
      </p>
    ))}
    {refusal.hint === undefined ? null : (
      <p>
        <strong>Hint:</strong> <code class="hint">{refusal.hint}</code>
      </p>
    )}
  </div>
)
