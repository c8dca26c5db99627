// The policy of the server: from `plan.policyRef` in its own git config, or else the branch that its HEAD names.
// Nothing in the push has a say in it.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { isOid } from '../plan/model/ids.ts'
import type { Settings } from '../operation/settings.ts'
import type { Refusal } from './refusal.ts'
import { settingsOrDefaults } from './settings-or-defaults.ts'
import type { Update } from './updates.ts'

export interface ServerPolicy {
  readonly settings: Settings
  /** The full name of the policy branch, which may not exist yet. */
  readonly ref: string
  /** Why the defaults apply instead of the policy: its branch does not exist yet, or its configuration is not valid. */
  readonly problem?: { readonly kind: 'missing' | 'invalid'; readonly message: string }
}

export async function serverPolicy(repo: Repository): Promise<ServerPolicy> {
  const named = await repo.config.value('plan.policyref')
  // A short name could resolve to a tag, which anybody may push.
  const ref =
    named === undefined
      ? await repo.headBranch()
      : named.startsWith('refs/') || isOid(named)
        ? named
        : `refs/heads/${named}`
  if (ref === undefined || ref.startsWith('refs/heads/plan/') || /[\s:\0]/.test(ref))
    throw new PlanError(
      'not-allowed',
      `the policy branch of this server is unknown: ${named === undefined ? 'HEAD' : 'plan.policyRef'} does not name one`,
      {
        hint: 'on the server: git config plan.policyRef refs/heads/main',
      },
    )
  const isThere = (await repo.resolve(ref)) !== undefined
  const { settings, problem } = await settingsOrDefaults(repo, { ref: isThere ? ref : undefined, source: 'the server' })
  if (!isThere)
    return {
      settings,
      ref,
      problem: { kind: 'missing', message: `this server does not have ${ref} yet, the branch of its policy` },
    }
  return { settings, ref, ...(problem === undefined ? {} : { problem: { kind: 'invalid', message: problem } }) }
}

/** Judges a push by the state of the policy branch alone; undefined if the usual rules have to decide. */
export async function judgeByBranch(
  { ref, from, to }: Update,
  policy: ServerPolicy,
  repo: Repository,
): Promise<Refusal[] | undefined> {
  const { problem } = policy
  const repair = `git push origin HEAD:${policy.ref}`
  if (ref === policy.ref) {
    if (to === undefined)
      return [{ message: `${ref} holds the policy of this server and cannot be deleted by a push`, hint: repair }]
    // A policy that cannot be read would block every later push.
    const pushed = await settingsOrDefaults(repo, { ref: to, source: 'the push' })
    if (pushed.problem !== undefined) return [{ message: pushed.problem, hint: 'git commit --amend && git push' }]
    // The first push of a policy, or the repair of an invalid one: there is no policy to judge it by.
    return problem !== undefined && (from === undefined || problem.kind === 'invalid') ? [] : undefined
  }
  const isOfPlans = /^refs\/(heads\/)?plan\//i.test(ref)
  return problem !== undefined && (isOfPlans || problem.kind === 'invalid')
    ? [{ message: `${ref}: ${problem.message}`, hint: repair }]
    : undefined
}
