// What a base took over of a plan, by a merge, a squash or simply its commits: that, and nothing else.

import { shown, type RawPath } from '../git/read/raw-path.ts'
import { isSameVersion, rawChanges } from '../git/read/raw-changes.ts'
import type { Repository } from '../git/repository.ts'
import type { Oid } from '../plan/model/ids.ts'
import type { AuditFinding } from './report.ts'

export interface Merged {
  /** null: the base does not have the plan as it ended. */
  readonly commit: Oid | null
  readonly findings: readonly AuditFinding[]
  readonly notes: readonly string[]
}

/** `ref`: where the plan was merged to; `base`: the commit that it was put on. */
export async function mergedInto(
  repo: Repository,
  plan: { readonly file: string; readonly tip: Oid; readonly base: Oid; readonly ref: string },
): Promise<Merged> {
  const commit = await takenOverBy(repo, plan)
  if (commit === undefined) return { commit: null, findings: [], notes: [] }
  const into = await repo.readCommit(commit)
  const parent = into?.parents[0]
  // The plan's own commits, one after the other: each has been looked at.
  if (into === undefined || parent === undefined || (await repo.isAncestor(commit, plan.tip)))
    return { commit, findings: [], notes: [] }
  const [took, made] = [await rawChanges(repo, parent, commit), await rawChanges(repo, plan.base, plan.tip)]
  const subject = into.message.split('\n')[0] ?? ''
  const findings: AuditFinding[] = []
  const both: string[] = []
  for (const [path, { before, after }] of took) {
    const name = shown(path as RawPath)
    const own = made.get(path)
    const say = (message: string): void => void findings.push({ rule: 'merged', commit, subject, step: null, message })
    if (own === undefined) say(`it changes ${name}, which the plan does not change`)
    else if (isSameVersion(own.after, after)) continue
    else if (isSameVersion(own.before, before)) say(`its ${name} differs from that of the plan`)
    else both.push(name)
  }
  // By the same comparison: a name need not be UTF-8, and an argument has to.
  const [meanwhile, missing] = [await rawChanges(repo, plan.base, parent), await rawChanges(repo, parent, plan.tip)]
  for (const path of made.keys())
    if (!took.has(path) && missing.has(path) && !meanwhile.has(path))
      findings.push({
        rule: 'merged',
        commit,
        subject,
        step: null,
        message: `it lacks the plan's changes to ${shown(path as RawPath)}`,
      })
  const notes =
    both.length === 0
      ? []
      : [`${commit.slice(0, 10)} merges files that both the plan and the base changed: ${both.slice(0, 5).join(', ')}`]
  return { commit, findings, notes }
}

/** The commit of the base with which it had the plan file as the plan left it. */
async function takenOverBy(
  repo: Repository,
  { file, tip, base, ref }: { file: string; tip: Oid; base: Oid; ref: string },
): Promise<Oid | undefined> {
  const [ended, there] = [await repo.resolve(`${tip}:${file}`, 'object'), await repo.resolve(ref)]
  if (ended === undefined || there === undefined) return undefined
  // All of them: where the plan was put on a commit beside the base, git takes the merge itself for one that is known
  // already.
  const touching = (await repo.git.text(['rev-list', '--first-parent', '--reverse', there, '--', file]))
    .split('\n')
    .filter((line) => line !== '') as Oid[]
  for (const commit of touching)
    if ((await repo.resolve(`${commit}:${file}`, 'object')) === ended && !(await repo.isAncestor(commit, base)))
      return commit
  return undefined
}
