// The search of `refactor` as a step uses it: within the timeout of the step, and until it is interrupted.

import type { Step } from '../../plan/model/plan.ts'
import type { VerbContext } from '../../plan/model/verb.ts'
import type { Worker } from '../run/worker.ts'

/** Most steps search for some seconds. */
const searchMs = 600_000

export function stepRewriter(worker: Worker, step: Step): VerbContext['rewrite'] {
  let made: VerbContext['rewrite'] | undefined
  const totalMs = Math.min(step.timeout ?? worker.run.settings.timeoutMs ?? searchMs, searchMs)
  // The parser is loaded with the first search.
  return async (text, request) => {
    made ??= (await import('../../judge/refactor/rewriter.ts')).makeRewriter({ totalMs, signal: worker.signal })
    return made(text, request)
  }
}
