// Writes the plan file to a work tree and to an index.

import { lstatSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync, type BigIntStats } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { rawPath } from '../../git/read/raw-path.ts'
import { NoFollowStat } from '../../git/worktree/no-follow-stat.ts'
import { isUnfiltered } from '../../git/worktree/unfiltered-files.ts'
import { readPlan } from '../../plan/file/read-plan.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { Worker } from '../run/worker.ts'

/** The plan's bytes are the author's: they enter the index without filters, whatever the attributes say. */
export async function putPlanBlob(worker: Worker, index: string, blob: Oid, facts: PlanFileFacts = {}): Promise<void> {
  if (await isUnfiltered(worker.workspace.repo, rawPath(worker.run.planPath)))
    return worker.workspace.tree.putInto(
      index,
      new Map([[rawPath(worker.run.planPath), { mode: '100644', oid: blob, ...facts }]]),
    )
  await stagePlanFile(worker, index)
  const staged = await worker.workspace.repo.git.text(['ls-files', '-s', '--', worker.run.planPath], { index })
  if (staged.split(/\s/)[1] !== blob) await putUnfiltered(worker, index, blob)
}

/** As putPlanBlob, but writes the tree: comparing its blob shows if a filter changed the bytes. */
export async function treeWithPlanBlob(worker: Worker, index: string, blob: Oid): Promise<Oid> {
  await stagePlanFile(worker, index)
  const tree = await worker.workspace.tree.writeTree(index)
  if ((await planBlobIn(worker, tree)) === blob) return tree
  await putUnfiltered(worker, index, blob)
  return worker.workspace.tree.writeTree(index)
}

export const planBlobIn = (worker: Worker, tree: Oid): Promise<Oid | undefined> =>
  worker.workspace.repo.resolve(`${tree}:${worker.run.planPath}`, 'object')

/** Uses `git add`, so that the index caches the file's stat and `git status` need not compare contents. */
const stagePlanFile = (worker: Worker, index: string): Promise<unknown> =>
  worker.workspace.tree.stage(index, [rawPath(worker.run.planPath)])

const putUnfiltered = (worker: Worker, index: string, blob: Oid): Promise<unknown> =>
  worker.workspace.repo.git.run(['update-index', '--add', '--cacheinfo', `100644,${blob},${worker.run.planPath}`], {
    index,
  })

/** Writes the plan file as a checkout would. Refuses to overwrite somebody else's change. */
export async function writePlanFile(worker: Worker, blob: Oid, known?: Uint8Array): Promise<PlanFileFacts> {
  const path = join(worker.workspace.tree.root, worker.run.planPath)
  const canReuse =
    (await isAsAtTip(worker, path)) || (await isUnfiltered(worker.workspace.repo, rawPath(worker.run.planPath)))
  const bytes = canReuse && known !== undefined ? known : await checkedOutBytes(worker, blob)
  mkdirSync(dirname(path), { recursive: true })
  return putPlanFile(path, bytes, planFileDraft(worker, worker.run.token))
}

/** Atomic: the plan file exists at every moment. */
function putPlanFile(path: string, bytes: Uint8Array, temporary: string): PlanFileFacts {
  writeFileSync(temporary, bytes)
  const draft = statSync(temporary, { bigint: true })
  renameSync(temporary, path)
  const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  // The rename changes only the ctime. If anything else differs, somebody has replaced or changed the file meanwhile.
  return facts !== undefined && facts.ino === draft.ino && facts.mtimeNs === draft.mtimeNs && facts.size === draft.size
    ? { facts }
    : {}
}

/** The stat of the plan file as written; absent if somebody may have changed it since. */
interface PlanFileFacts {
  readonly facts?: BigIntStats
}

/**
 * True if the work tree has the plan file exactly as at the tip and no filter applies, so Git need not be asked. Throws
 * if it was edited.
 */
async function isAsAtTip(worker: Worker, path: string): Promise<boolean> {
  const found = await new NoFollowStat(worker.workspace.tree.root).stat(rawPath(worker.run.planPath))
  const isFile = found.kind === 'there' && found.facts.isFile()
  const isSame = isFile && readFileSync(path).equals(Buffer.from(worker.at.source.text))
  if (!isSame) await refuseEditedPlanFile(worker)
  return isSame && !worker.at.source.text.includes('$Id')
}

const checkedOutBytes = async (worker: Worker, blob: Oid): Promise<Buffer> =>
  (await worker.workspace.repo.git.run(['cat-file', '--filters', `--path=${worker.run.planPath}`, blob])).stdout

/** Next to the plan file, for an atomic rename; recovery removes one that a crash left. */
const planFileDraft = (worker: Worker, run: string): string =>
  join(worker.workspace.tree.root, dirname(worker.run.planPath), `.${worker.run.id}.${run}`)

export async function refuseEditedPlanFile(worker: Worker): Promise<void> {
  if (!(await isPlanFileEdited(worker))) return
  const { root } = worker.workspace.tree
  const isThere = statSync(join(root, worker.run.planPath), { throwIfNoEntry: false })?.isFile() === true
  throw new PlanError(
    'spec-changed',
    `${worker.run.planPath} was changed in the work tree, but only the approved text runs`,
    {
      hint: {
        ...(isThere ? { 'propose the change': `git plan replan ${worker.run.id} --from ${worker.run.planPath}` } : {}),
        'undo the change': `git checkout -- ${worker.run.planPath}`,
      },
    },
  )
}

async function isPlanFileEdited(worker: Worker): Promise<boolean> {
  // A symlink in the place of the file or its directory is an edit, and must not be read or written through.
  const found = await new NoFollowStat(worker.workspace.tree.root).stat(rawPath(worker.run.planPath))
  if (found.kind === 'above' || (found.kind === 'there' && !found.facts.isFile())) return true
  const current = found.kind === 'there' ? bytesAt(join(worker.workspace.tree.root, worker.run.planPath)) : undefined
  if (current === undefined) return false
  const atTip = await worker.workspace.repo.readBlob(`${worker.at.tip}:${worker.run.planPath}`)
  if (atTip === undefined || current.equals(atTip)) return false
  const filtered = await worker.workspace.repo.git.run([
    'cat-file',
    '--filters',
    `${worker.at.tip}:${worker.run.planPath}`,
  ])
  return !current.equals(filtered.stdout)
}

function bytesAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/**
 * Restores the tip's plan file if only its tail differs: that is an unfinished write of ours. With another digest it is
 * somebody's edit and stays. The draft is named after `run`, the run that began the write, so that it is found even
 * after a second crash.
 */
export async function restorePlanFile(worker: Worker, run: string = worker.run.token): Promise<void> {
  const draft = planFileDraft(worker, run)
  await rm(draft, { force: true })
  if (!(await isPlanFileEdited(worker))) return
  const path = join(worker.workspace.tree.root, worker.run.planPath)
  const found = await new NoFollowStat(worker.workspace.tree.root).stat(rawPath(worker.run.planPath))
  if (found.kind !== 'there' || !found.facts.isFile()) return
  const parsed = readPlan(await readFile(path), { file: worker.run.planPath, id: worker.run.id })
  if (!parsed.ok || parsed.plan.digest !== worker.at.plan.digest) return
  const blob = await worker.workspace.repo.resolve(`${worker.at.tip}:${worker.run.planPath}`, 'object')
  if (blob !== undefined) putPlanFile(path, await checkedOutBytes(worker, blob), draft)
}
