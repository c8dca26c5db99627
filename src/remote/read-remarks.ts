// What reviewers wrote on the pull request of a plan, for the agents that work on it. Anybody can write there: only
// people who may push are passed on.

import { PlanError } from '../errors.ts'
import { singleLine } from '../plan/text/display.ts'
import type { AskContext } from '../operation/with-run.ts'
import { pullRequestMark } from '../view/pull-request.ts'
import { forgeOf } from './open-forge.ts'
import { lastSeen } from './push.ts'

const mostRemarks = 50
const mostLetters = 1500

/** `alice, at src/app.ts:12: …`, oldest first. Empty if the plan was not submitted, or the forge cannot be read. */
export async function readRemarks({ run, settings, context }: AskContext): Promise<string[]> {
  if ((await lastSeen(run.home, run.id)) === undefined) return []
  try {
    const forge = await forgeOf(run.home, settings, context)
    const pullRequest = await forge?.pullRequestOf(`plan/${run.id}`)
    if (forge === undefined || pullRequest === undefined) return []
    const trusted = new Map<string, boolean>()
    const remarks: string[] = []
    for (const { person, text, path, line } of await forge.remarks(pullRequest.number)) {
      if (person === undefined || person.isGhost || text.includes(pullRequestMark(run.id))) continue
      const { login } = person
      if (!trusted.has(login)) trusted.set(login, ['write', 'admin'].includes(await forge.permissionOf(login)))
      if (trusted.get(login) !== true) continue
      const place = path === undefined ? '' : `, at ${path}${line === undefined ? '' : `:${line}`}`
      remarks.push(`${login}${place}: ${singleLine(text).slice(0, mostLetters)}`)
    }
    return remarks.slice(-mostRemarks)
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    context.emit({ kind: 'notice', message: `the remarks of reviewers could not be read: ${error.message}` })
    return []
  }
}
