// Audits what a base took over from a plan, by a merge, a squash or its commits: the plan's changes and nothing else.

import { shown, type RawPath } from '../git/read/raw-path.ts'
import { isSameVersion, rawChanges } from '../git/read/raw-changes.ts'
import type { Repository } from '../git/repository.ts'
import { mergesWithoutFile, tipTrailer } from '../store/merged.ts'
import type { Oid } from '../plan/model/ids.ts'
import type { AuditFinding } from './report.ts'

export interface Merged {
  /** null: the base does not contain the final state of the plan. */
  readonly commit: Oid | null
  readonly findings: readonly AuditFinding[]
  readonly notes: readonly string[]
}

/** `ref`: the branch that the plan was merged to; `base`: the commit that the plan starts from. */
export async function mergedInto(
  repo: Repository,
  plan: { readonly file: string; readonly tip: Oid; readonly base: Oid; readonly ref: string },
): Promise<Merged> {
  const withFile = await mergeCommitOf(repo, plan)
  const commit = withFile ?? (await mergeNaming(repo, plan))
  if (commit === undefined) return { commit: null, findings: [], notes: [] }
  const into = await repo.readCommit(commit)
  const parent = into?.parents[0]
  // The plan's own commits were fast-forwarded, and each of them was audited.
  if (into === undefined || parent === undefined || (await repo.isAncestor(commit, plan.tip)))
    return { commit, findings: [], notes: [] }
  const [took, made] = [await rawChanges(repo, parent, commit), await rawChanges(repo, plan.base, plan.tip)]
  // Left out on purpose, and removed if the base had it.
  if (withFile === undefined) for (const changes of [took, made]) changes.delete(plan.file)
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
  // Compared as raw paths: a name need not be UTF-8, but a command-line argument must be.
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

/** The commit of the base that merged the plan without its file. */
async function mergeNaming(repo: Repository, { tip, ref }: { tip: Oid; ref: string }): Promise<Oid | undefined> {
  const there = await repo.resolve(ref)
  const merges = there === undefined ? [] : await mergesWithoutFile(repo, [there, `^${tip}`], `${tipTrailer}: ${tip}`)
  return merges.find((each) => each.tip === tip)?.commit
}

/** The first commit of the base whose plan file is the final one of the plan. */
async function mergeCommitOf(
  repo: Repository,
  { file, tip, base, ref }: { file: string; tip: Oid; base: Oid; ref: string },
): Promise<Oid | undefined> {
  const [ended, there] = [await repo.resolve(`${tip}:${file}`, 'object'), await repo.resolve(ref)]
  if (ended === undefined || there === undefined) return undefined
  // All commits: if the plan starts from a commit outside the base, Git omits the merge itself from a limited range.
  const touching = (await repo.git.text(['rev-list', '--first-parent', '--reverse', there, '--', file]))
    .split('\n')
    .filter((line) => line !== '') as Oid[]
  for (const commit of touching)
    if ((await repo.resolve(`${commit}:${file}`, 'object')) === ended && !(await repo.isAncestor(commit, base)))
      return commit
  return undefined
}
