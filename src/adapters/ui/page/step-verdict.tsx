// What was claimed beside what was proven: the executor decides, and what an agent says about its work is only shown.

import type { VNode } from 'preact'
import type { Report, Status } from './api.ts'
import { bytes, duration, short } from './format.ts'
import { Icon, State } from './marks.tsx'

type Step = Status['steps'][number]
type Check = Report['checks'][number]

const kinds: Readonly<Record<Check['kind'], string>> = {
  verify: 'check',
  criteria: 'criterion',
  test: 'tests',
  files: 'files',
  deliverables: 'deliverables',
}

export function Verdict({ step, checks }: { readonly step: Step; readonly checks: readonly Check[] }): VNode {
  const { claim, tests } = step
  return (
    <section class="card">
      <h2>
        Verdict <State state={step.seen} />
      </h2>
      {claim === null ? null : (
        <div class="claim">
          <h3>
            Claimed by {claim.by}
            <span class="aside">
              {[
                ...(claim.turns === undefined ? [] : [`${claim.turns} turns`]),
                ...(claim.costUsd === undefined ? [] : [`$${claim.costUsd.toFixed(2)}`]),
              ].join(', ')}
            </span>
          </h3>
          <p>{claim.summary === '' ? 'Nothing.' : claim.summary}</p>
          {[
            ...claim.decisions.map((each) => `decided: ${each}`),
            ...claim.questions.map((each) => `open question: ${each}`),
          ].map((each) => (
            <p key={each} class="note">
              {each}
            </p>
          ))}
          {claim.denied.length === 0 ? null : <p class="note">denied: {claim.denied.join(', ')}</p>}
        </div>
      )}
      {checks.length === 0 ? <p class="note">The plan names no checks for this step: its exit code decides.</p> : null}
      <ul class="checks">
        {checks.map(({ kind, check, result, detail, commit }, at) => (
          <li key={at}>
            <Icon state={result} />
            <div>
              <p>
                <span class="kind">{kinds[kind]}</span> <code>{check}</code>
              </p>
              <p class="note">
                {result}
                {detail === null ? '' : `: ${detail}`} {commit === null ? null : <code>{short(commit)}</code>}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {tests?.after === undefined ? null : (
        <p class="note">
          tests: {tests.after.run} run, {tests.after.passed} passed, {tests.after.failed} failed, {tests.after.skipped}{' '}
          skipped
          {tests.failing.length === 0 ? '' : `; failed before too: ${tests.failing.slice(0, 5).join(', ')}`}
        </p>
      )}
      {step.cpuMs === null ? null : (
        <p class="note">
          {duration(step.cpuMs)} of processor time
          {step.peakBytes === null ? '' : `, ${bytes(step.peakBytes)} of memory`}
          {step.outputBytes === null ? '' : `, ${bytes(step.outputBytes)} of output`}
        </p>
      )}
    </section>
  )
}
