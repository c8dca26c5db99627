// What the reviewers say, asked of the forge once or, with `--wait`, until it is enough.

import { setTimeout } from 'node:timers/promises'
import { nameOf } from '../rules/identity.ts'
import { PlanError } from '../../errors.ts'
import type { Run } from '../../engine/run/run.ts'
import { withReviews, type Reviewed } from './reviews.ts'
import { progressText, type Standing } from './approval-state.ts'
import type { WriteContext } from '../../operation/with-run.ts'

const firstPauseMs = 1000
const lastPauseMs = 15_000
/**
 * Where a forge says when it will answer again, it is not asked before; but nobody sleeps for a day because of one
 * answer.
 */
const longestPauseMs = 3_600_000

/** undefined: it could not be asked, and a person here can be. An answer that does not come is never a yes. */
export async function askForge(
  writing: WriteContext,
  standing: Standing,
  request: { wait?: boolean },
): Promise<Reviewed | undefined> {
  const { run, context } = writing
  const isLocal = standing.requirement.from.includes('local')
  const waiting = new Waiting(run)
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, lastPauseMs)) {
      let askAgainMs = pauseMs
      try {
        const reviewed = await withReviews(writing, standing)
        if (reviewed.verdict.isSatisfied) waiting.isOver(reviewed)
        if (reviewed.verdict.isSatisfied || request.wait !== true) return reviewed
        waiting.tell({ message: `waiting for reviews of ${reviewed.pullRequest.url}: ${progressText(reviewed)}` })
        await waiting.show(reviewed.pullRequest.url)
      } catch (error) {
        // A host that nobody has named does not become known by waiting.
        const isPassing =
          error instanceof PlanError &&
          error.code === 'forge' &&
          !(request.wait === true && error.facts['isUnknown'] === true)
        if (!isPassing || (request.wait !== true && !isLocal)) throw error
        waiting.tell({ message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) })
        if (request.wait !== true) return undefined
        askAgainMs = Math.min(Math.max(pauseMs, untilOf(error) - context.now().getTime()), longestPauseMs)
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

function untilOf({ facts }: PlanError): number {
  const { until } = (facts ?? {}) as { until?: unknown }
  const time = typeof until === 'string' ? Date.parse(until) : Number.NaN
  return Number.isNaN(time) ? 0 : time
}

/** Says a thing once, and again when it changes; and leaves word for `status` of what is waited for. */
class Waiting {
  readonly #run: Run
  #told = ''
  #shown: string | undefined

  constructor(run: Run) {
    this.#run = run
  }

  tell(notice: { readonly message: string; readonly hint?: string }): void {
    if (notice.message === this.#told) return
    this.#told = notice.message
    this.#run.world.emit({ kind: 'notice', ...notice })
  }

  isOver({ verdict }: Reviewed): void {
    if (this.#told !== '')
      this.tell({ message: `approved by ${verdict.counted.map(({ by }) => nameOf(by)).join(', ')}` })
  }

  async show(url: string): Promise<void> {
    if (url === this.#shown) return
    await this.#run.dir.overwriteJson('waiting.json', { run: this.#run.token, for: `reviews of ${url}` })
    this.#shown = url
  }

  async end(): Promise<void> {
    if (this.#shown !== undefined) await this.#run.dir.remove('waiting.json')
  }
}
