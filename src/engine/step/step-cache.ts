// The step cache: a step with `cache` whose inputs are those of an earlier success is not run. The changes of that
// commit are applied again. Each success is a ref, `refs/plan-local/<id>/cache/<key>`, so nobody else can write one.

import { createHash } from 'node:crypto'
import { arch, platform } from 'node:os'
import { rawPath } from '../../git/read/raw-path.ts'
import type { TreeChange } from '../../git/read/tree-text.ts'
import type { Oid, PlanId } from '../../plan/model/ids.ts'
import { allLocalRefs, cacheRef } from '../../plan/model/ids.ts'
import type { Step } from '../../plan/model/plan.ts'
import { eventOf, testsIn } from '../../plan/record/trailers.ts'
import { namesFromText, type TestRecord } from '../../plan/model/test-counts.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import { planFile } from '../../store/plan-at.ts'
import { ChangedPaths } from '../pool/changed-paths.ts'
import { readMade } from '../run/made-here.ts'
import type { Worker } from '../run/worker.ts'
import type { Intent } from '../workspace/intent.ts'
import { baselineOf } from './baseline.ts'
import { isCounted } from './counted-tests.ts'
import { shellFor } from './step-shell.ts'

export interface Cached {
  readonly commit: Oid
  readonly parent: Oid
  /** The file of the plan that made it. */
  readonly planFile: string
  /** The checks that passed then. */
  readonly verified: readonly string[]
  readonly evidence: readonly string[]
  readonly tests: TestRecord | undefined
}

/** Changes with the meaning of the key. */
const version = 1

/** undefined: the step is not cached. */
export async function cacheKey(worker: Worker, step: Step, intent: Intent): Promise<string | undefined> {
  const { cache } = step
  // The value of a secret must not be part of a name.
  if (cache === undefined || step.effect === 'external' || step.secrets.length > 0) return undefined
  if (!worker.run.settings.cache || worker.run.skipsCache) return undefined
  const versions = await toolVersions(worker, step, intent, cache.versions)
  if (versions === undefined) return undefined
  const { id: _id, title: _title, needs: _needs, wave: _wave, ...text } = step
  const facts = {
    version,
    platform: `${platform()} ${arch()}`,
    step: text,
    params: worker.at.plan.params,
    setup: worker.at.plan.setup,
    tools: worker.at.plan.tools,
    files: await inputFiles(worker, cache.inputs && [...cache.inputs, ...outputsOf(step)]),
    versions,
    // A success with other old failures need not be one with these.
    ...(isCounted(step) ? { baseline: await baselineOf(worker.run, step) } : {}),
  }
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 40)
}

/** Files that the step may change: what it does to them can depend on their contents before. */
function outputsOf(step: Step): string[] {
  const { writes, deletes } = verbOf(step).paths(step.spec)
  return [...writes, ...deletes, ...(step.files ?? [])]
}

/** Mode, id and path of each file of the tip, without the plan file, which changes with every step. */
async function inputFiles(worker: Worker, globs: readonly string[] | undefined): Promise<string> {
  const { repo } = worker.workspace
  const { stdout } = await repo.git.run(['ls-tree', '-r', '-z', '--full-tree', worker.at.tip])
  const isInput = globs === undefined ? () => true : globMatcher(globs, { steps: 200e6 })
  const hash = createHash('sha256')
  for (const entry of stdout.toString('latin1').split('\0')) {
    const path = Buffer.from(entry.slice(entry.indexOf('\t') + 1), 'latin1').toString()
    if (path !== worker.run.planPath && isInput(path)) hash.update(`${entry}\0`)
  }
  return hash.digest('hex')
}

async function toolVersions(
  worker: Worker,
  step: Step,
  intent: Intent,
  tools: readonly string[],
): Promise<readonly string[] | undefined> {
  const versions: string[] = []
  for (const tool of tools) {
    const chunks: Uint8Array[] = []
    const output = { push: (chunk: Uint8Array): undefined => void chunks.push(chunk) }
    const result = await shellFor(worker, { intent, output, step })(`${tool} --version`)
    if (result.kind !== 'exited' || result.code !== 0) {
      worker.emit({ kind: 'notice', message: `${step.id} is not cached: \`${tool} --version\` failed` })
      return undefined
    }
    versions.push(`${tool} ${Buffer.concat(chunks).toString()}`)
  }
  return versions
}

/** Of any plan of this repository, if this clone made it. */
export async function findCached(worker: Worker, key: string): Promise<Cached | undefined> {
  const { run } = worker
  const { repo } = worker.workspace
  for (const { name, oid } of await repo.refs(allLocalRefs)) {
    const [, id, found] = /^refs\/plan-local\/([^/]+)\/cache\/([0-9a-f]{40})$/.exec(name) ?? []
    if (id === undefined || found !== key || !readMade(run.home.commonDir, id as PlanId).has(oid)) continue
    const file = planFile(run.settings.dir, id as PlanId)
    const commit = await repo.readCommit(oid)
    const parent = commit?.parents[0]
    if (commit === undefined || parent === undefined || !(await fits(worker, parent, oid, file))) continue
    const event = eventOf(commit.message)
    const verified = event?.verified === undefined ? [] : [event.verified]
    const tests = event === undefined ? undefined : testsIn(event)
    return { commit: oid, parent, planFile: file, verified, evidence: namesFromText(event?.evidence), tests }
  }
  return undefined
}

/**
 * False if a file that the step changed is not an input, and is now neither what it was before the step nor what it was
 * afterwards: the changes would undo those of somebody else.
 */
async function fits(worker: Worker, parent: Oid, commit: Oid, file: string): Promise<boolean> {
  const excluded = new Set([worker.run.planPath, file].map(rawPath))
  const changesTo = async (to: Oid): Promise<TreeChange[]> =>
    (await worker.workspace.tree.changesBetween(parent, to)).filter(({ path }) => !excluded.has(path))
  const [changes, since] = [await changesTo(commit), await changesTo(worker.at.tip)]
  const after = new Map(changes.map((change) => [change.path, change]))
  const isSame = ({ path, newMode, oid }: TreeChange): boolean =>
    after.get(path)?.newMode === newMode && after.get(path)?.oid === oid
  const paths = new ChangedPaths()
  paths.add(since.filter((change) => !isSame(change)))
  return paths.conflictWith(changes) === undefined
}

/** Part of the step: its intent covers the lock of the ref. */
export async function keepCached({ run, workspace: { repo } }: Worker, key: string, commit: Oid): Promise<void> {
  const ref = cacheRef(run.id, key)
  await run.inTurn(async () => run.moveWithNote([], [{ ref, from: await repo.tipOf(ref), to: commit }], repo))
}
