// Asks the forge for reviews: once, or with `--wait` until they suffice.

import { setTimeout } from 'node:timers/promises'
import { nameOf } from '../rules/identity.ts'
import { PlanError } from '../../errors.ts'
import type { Run } from '../../engine/run/run.ts'
import { withReviews, type Reviewed } from './reviews.ts'
import { progressText, type ApprovalState } from './approval-state.ts'
import type { WriteContext } from '../../operation/with-run.ts'

const firstPauseMs = 1000
const lastPauseMs = 15_000
/**
 * A forge that says when to ask again is not asked earlier, up to this limit: one wrong answer must not make the
 * command sleep for a day.
 */
const longestPauseMs = 3_600_000

/**
 * Returns undefined if the forge cannot be asked but a local approval would do. A missing answer is never an approval.
 */
export async function askForge(
  writing: WriteContext,
  state: ApprovalState,
  request: { wait?: boolean },
): Promise<Reviewed | undefined> {
  const { run, context } = writing
  const isLocal = state.requirement.from.includes('local')
  const waiting = new Waiting(run)
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, lastPauseMs)) {
      let askAgainMs = pauseMs
      try {
        const reviewed = await withReviews(writing, state)
        if (reviewed.verdict.isSatisfied) waiting.notifyApproved(reviewed)
        if (reviewed.verdict.isSatisfied || request.wait !== true) return reviewed
        waiting.notify({ message: `waiting for reviews of ${reviewed.pullRequest.url}: ${progressText(reviewed)}` })
        await waiting.recordUrl(reviewed.pullRequest.url)
      } catch (error) {
        // Waiting does not help with a host that is not configured as a forge.
        const isTransient =
          error instanceof PlanError &&
          (error.code === 'forge' || error.code === 'rate-limited') &&
          !(request.wait === true && error.facts['isUnknown'] === true)
        if (!isTransient || (request.wait !== true && !isLocal)) throw error
        waiting.notify({ message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) })
        if (request.wait !== true) return undefined
        askAgainMs = Math.min(Math.max(pauseMs, retryTime(error) - context.now().getTime()), longestPauseMs)
      }
      await setTimeout(askAgainMs, undefined, { signal: context.signal }).catch(() => {
        throw new PlanError('interrupted', `nobody has approved ${run.id} yet`, {
          hint: `git plan start ${run.id} --wait`,
        })
      })
    }
  } finally {
    await waiting.end()
  }
}

function retryTime({ facts }: PlanError): number {
  const { until } = (facts ?? {}) as { until?: unknown }
  const time = typeof until === 'string' ? Date.parse(until) : Number.NaN
  return Number.isNaN(time) ? 0 : time
}

/** Prints a message only when it changes, and records for `status` what the run waits for. */
class Waiting {
  readonly #run: Run
  #lastMessage = ''
  #shownUrl: string | undefined

  constructor(run: Run) {
    this.#run = run
  }

  notify(notice: { readonly message: string; readonly hint?: string }): void {
    if (notice.message === this.#lastMessage) return
    this.#lastMessage = notice.message
    this.#run.world.emit({ kind: 'notice', ...notice })
  }

  notifyApproved({ verdict }: Reviewed): void {
    if (this.#lastMessage !== '')
      this.notify({ message: `approved by ${verdict.counted.map(({ by }) => nameOf(by)).join(', ')}` })
  }

  async recordUrl(url: string): Promise<void> {
    if (url === this.#shownUrl) return
    await this.#run.dir.overwriteJson('waiting.json', { run: this.#run.token, for: `reviews of ${url}` })
    this.#shownUrl = url
  }

  async end(): Promise<void> {
    if (this.#shownUrl !== undefined) await this.#run.dir.remove('waiting.json')
  }
}
