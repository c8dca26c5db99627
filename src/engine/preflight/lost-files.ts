// Files that completed steps made or checked must still exist if the branch had them, unless a later step removed them.

import { isDone } from '../../plan/model/step-status.ts'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { isGlob } from '../../plan/text/glob.ts'
import { type Step } from '../../plan/model/plan.ts'
import { eventOf } from '../../plan/record/trailers.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import type { Run } from '../run/run.ts'

export async function refuseLostFiles(run: Run): Promise<void> {
  const { plan } = run.at
  const lost: LostFile[] = []
  for (const step of plan.steps) {
    if (!isDone(plan, step.id)) continue
    for (const path of pathsLeftBy(step)) {
      if (lstatSync(join(run.checkedOut.tree.root, path), { throwIfNoEntry: false }) !== undefined) continue
      const source = await sourceOfLost(run, step, path)
      if (source !== undefined && lost.every((each) => each.path !== path)) lost.push({ step, path, source })
    }
  }
  if (lost.length > 0) throw lostFilesError(run, lost)
}

interface LostFile {
  /** The step that left it. */
  readonly step: Step
  readonly path: string
  /** The newest commit that has it. */
  readonly source: Oid
}

/** Exact names only: a step may or may not have made the files that a glob matches. */
function pathsLeftBy(step: Step): Set<string> {
  if (step.changes === 'none') return new Set()
  const checks = [...step.verify, ...step.criteria.flatMap(({ verify }) => verify)]
  const seen = checks.flatMap((check) => (check.kind === 'exists' ? [check.path] : []))
  const { writes, deletes } = verbOf(step).paths(step.spec)
  const declared = step.verb === 'delete' ? [] : (step.files ?? []).filter((file) => !isGlob(file))
  return new Set([...writes, ...declared.filter((file) => !deletes.includes(file)), ...seen])
}

/**
 * The newest commit with the path, if the file should still exist. undefined: a later step removed it, or Git never had
 * it, so the branch has lost nothing and a clone would not have the file either.
 */
async function sourceOfLost({ repo, at, id }: Run, step: Step, path: string): Promise<Oid | undefined> {
  const isAt = async (commit: Oid): Promise<boolean> =>
    (await repo.resolve(`${commit}:${path}`, 'object')) !== undefined
  if (await isAt(at.tip)) return (await isOutsideSparse(repo, path)) ? undefined : at.tip
  for await (const commit of repo.history(at.tip)) {
    const event = eventOf(commit.message)
    const isStep = event?.plan === id && (event.event === 'step' || event.event === 'declared')
    const [parent] = commit.parents
    if (parent === undefined || (isStep && event.step === step.id)) return undefined
    if (await isAt(parent)) return isStep ? undefined : parent
  }
  return undefined
}

/** True if a sparse checkout excludes the path. */
const isOutsideSparse = async (repo: Run['repo'], path: string): Promise<boolean> =>
  (await repo.git.text(['ls-files', '-t', '--', path])).startsWith('S ')

function lostFilesError({ id }: Run, lost: readonly LostFile[]): PlanError {
  const texts = lost.map(({ step, path }) => `step ${step.id} is done, but ${path} is missing`)
  const restores = [...new Set(lost.map(({ source }) => source))].map((source) => {
    const paths = lost.filter((each) => each.source === source).map(({ path }) => quoteIfNeeded(path))
    return `git restore --source=${source.slice(0, 12)} -- ${paths.join(' ')}`
  })
  const it = lost.length === 1 ? 'it' : 'them'
  return new PlanError('preflight', texts.join('; '), {
    hint: {
      [`restore ${it}`]: `${restores.join(' && ')} && git plan resume ${id} --fix`,
      [`continue without ${it}`]: `git plan resume ${id} --skip-check files`,
    },
    facts: { step: lost[0]?.step.id, path: lost[0]?.path, paths: lost.map(({ path }) => path) },
  })
}
