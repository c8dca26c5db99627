// The pool of a plan: detached work trees in which its steps run at the same time. They are made when they are first
// needed, and stay, with their ignored files, until the plan has ended.

import { mkdir, readdir, readFile, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { addDetachedTree, forgetWorkTree, gitDirOf } from '../../git/worktree/worktrees.ts'
import { differsOnlyAt } from '../../git/read/differs-only-at.ts'
import { describePaths, shown } from '../../git/read/raw-path.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import type { Oid, StepId } from '../../plan/model/ids.ts'
import { killProcesses } from '../../process/kill-descendants.ts'
import { restoreTip, saveAttempt, takeAttempt } from '../record/restore.ts'
import type { PlanAtTip, Run } from '../run/run.ts'
import { runSetup, setupInputs } from '../step/plan-command.ts'
import { checkout } from '../workspace/checkout.ts'
import type { PlanDir } from '../workspace/plan-dir.ts'
import { scanWorkspace } from '../workspace/preserved-ignored.ts'
import { copyIgnored, linkIgnored, missingIgnored } from '../workspace/ignored-files.ts'
import { poolDir, PoolWorker } from './pool-worker.ts'
import { keepPrepared, stampIgnored } from './prepared.ts'

/** `tree.json` in the directory of a worker, written before its work tree is made. */
export interface PoolTree {
  readonly root: string
  /** False until Git has checked it out: nothing has run in it. */
  readonly isMade: boolean
  /** The run that makes it. */
  readonly run?: string
  /** The commit at which `setup` last succeeded. */
  readonly setupAt?: Oid
}

const treeFile = 'tree.json'
/** Removed by every recovery. */
export const scratchName = 'draft.worktree'

export async function readPoolTree(dir: PlanDir): Promise<PoolTree | undefined> {
  const value = (await dir.readJson(treeFile))?.value as Partial<PoolTree> | undefined
  return typeof value?.root === 'string' ? { isMade: value.isMade === true, ...value, root: value.root } : undefined
}

export class Pool {
  readonly #run: Run
  readonly #open = new Map<number, PoolWorker>()
  readonly #busy = new Set<number>()
  #hasNamedMissing = false

  constructor(run: Run) {
    this.#run = run
  }

  /** A worker whose work tree has this commit checked out, prepared by `setup`. */
  async take(base: PlanAtTip, signal: AbortSignal): Promise<PoolWorker> {
    let number = 1
    while (this.#busy.has(number)) number += 1
    this.#busy.add(number)
    try {
      const worker = this.#open.get(number) ?? (await this.#openWorker(number, base))
      this.#open.set(number, worker)
      worker.signal = signal
      await goTo(worker, base)
      await this.#setUp(worker)
      return worker
    } catch (error) {
      this.#busy.delete(number)
      throw error
    }
  }

  give(worker: PoolWorker): void {
    this.#busy.delete(worker.number)
  }

  /** After a step was stopped at any point: saves its changes. */
  async giveUnclean(worker: PoolWorker): Promise<void> {
    await saveLeftovers(worker)
    await worker.workspace.settle()
    this.give(worker)
  }

  async close(): Promise<void> {
    for (const worker of this.#open.values()) await worker.close()
    this.#open.clear()
  }

  async #openWorker(number: number, base: PlanAtTip): Promise<PoolWorker> {
    const dir = poolDir(this.#run, number)
    dir.ensure()
    const known = await findPoolTree(this.#run, number)
    const isNew = known === undefined
    const worker = new PoolWorker(this.#run, number, known ?? (await makeTree(this.#run, number, base.tip)))
    if (isNew) await this.#fill(worker)
    await saveLeftovers(worker)
    if (isNew) await keepPrepared(worker.workspace)
    return worker
  }

  /** Gives a new work tree the ignored files that the user lists for it. */
  async #fill({ workspace }: PoolWorker): Promise<void> {
    const { home } = this.#run
    await copyIgnored(home, workspace)
    await linkIgnored(home, workspace)
  }

  async #setUp(worker: PoolWorker): Promise<void> {
    const { dir } = worker.workspace
    const known = await readPoolTree(dir)
    if (known === undefined) throw new Error(`${dir.path} has no ${treeFile}`)
    if (worker.at.plan.setup !== undefined && (await hasNewInputs(worker, known.setupAt))) {
      await scanWorkspace(worker.workspace)
      const before = await stampIgnored(worker.workspace)
      await runSetup(worker)
      await dir.writeJson(treeFile, { ...known, setupAt: worker.at.tip } satisfies PoolTree)
      await keepPrepared(worker.workspace, before)
    }
    if (this.#hasNamedMissing) return
    this.#hasNamedMissing = true
    const missing = await missingIgnored(this.#run.checkedOut, worker.workspace)
    if (missing.length > 0)
      worker.emit({
        kind: 'notice',
        message: `the work trees of parallel steps lack ignored files that exist here: ${describePaths(missing)}`,
        hint: 'copy them with .worktreeinclude, link them with .worktreelinks, or make them in `setup`',
      })
  }
}

/** The numbers of the workers that this plan has or had. */
export async function poolNumbers(run: Pick<Run, 'dir'>): Promise<number[]> {
  const names = await readdir(run.dir.file('workers')).catch(() => [])
  return names.filter((name) => /^\d+$/.test(name)).map(Number)
}

/** The work tree of a worker, if it is complete and still exists. */
export async function findPoolTree(
  run: Pick<Run, 'home' | 'id'>,
  number: number,
): Promise<{ readonly root: string; readonly gitDir: string } | undefined> {
  const tree = await readPoolTree(poolDir(run, number))
  if (tree?.isMade !== true || (await stat(join(tree.root, '.git')).catch(() => undefined)) === undefined)
    return undefined
  const gitDir = await gitDirOf(tree.root, run.home).catch(() => undefined)
  return gitDir === undefined ? undefined : { root: tree.root, gitDir }
}

async function makeTree(run: Run, number: number, commit: Oid): Promise<{ root: string; gitDir: string }> {
  const dir = poolDir(run, number)
  const { commonDir, root: here } = run.home
  const main = basename(commonDir) === '.git' ? dirname(commonDir) : here
  const parent = run.settings.worktreeDir ?? `${main}.plans`
  await mkdir(parent, { recursive: true })
  const root = join(await realpath(parent), `${run.id}.${number}`)
  const before = await readPoolTree(dir)
  if (before?.isMade === false) await removeUnmade(run, dir, before)
  if ((await stat(root).catch(() => undefined)) !== undefined)
    throw new PlanError('usage', `${root} already exists and is not a work tree of plan/${run.id}`, {
      hint: { 'move it away': `mv ${root} ${root}.moved` },
    })
  await dir.writeJson(treeFile, { root, isMade: false, run: run.token } satisfies PoolTree)
  const made = await run.inTurn(() => addDetachedTree(run.home, root, commit))
  await dir.writeJson(treeFile, { root, isMade: true } satisfies PoolTree)
  return made
}

/** Removes a work tree that Git had not finished when it was killed. Anything else in its place stays. */
export async function removeUnmade(
  run: Pick<Run, 'home'>,
  dir: PlanDir,
  { root, run: maker }: PoolTree,
): Promise<void> {
  if (maker !== undefined) await killProcesses({ run: maker, withGit: true })
  const link = await readFile(join(root, '.git'), 'utf8').catch(() => undefined)
  // Git writes this file first, and may have been killed before its first byte.
  const isBegun = link === '' && (await readdir(root).catch(() => [])).length === 1
  if (isBegun || /^gitdir: .*\/worktrees\//.test(link ?? '')) await rm(root, { recursive: true, force: true })
  else await rmdir(root).catch(() => {})
  await forgetWorkTree(run.home, root, dir.file(scratchName))
}

/** Saves and removes what is not ignored and differs from HEAD: nobody but a step works here. */
async function saveLeftovers(worker: PoolWorker): Promise<void> {
  const { workspace, run } = worker
  worker.at = { ...run.at, tip: await workspace.repo.headCommit() }
  const { dirty } = await scanWorkspace(workspace)
  if (dirty.length === 0) return
  const step = 'interrupted' as StepId
  const attempt = await takeAttempt(run, step)
  await workspace.intend({ kind: 'step', step, attempt, input: worker.at.tip })
  const message = `${workspace.tree.root} had changes that no step had made`
  const saved = await saveAttempt(worker, { step, attempt, reason: 'interrupted', message })
  await restoreTip(worker, saved, { label: `${step}-${attempt}` })
  await workspace.settle()
  worker.emit({ kind: 'notice', message: `${message} (${describePaths(dirty)}); they are saved in ${saved.ref}` })
}

async function goTo(worker: PoolWorker, base: PlanAtTip): Promise<void> {
  const { workspace } = worker
  const { tree, repo } = workspace
  const head = await repo.headCommit()
  if (head !== base.tip) {
    const trees = await Promise.all([repo.resolve(head, 'tree'), repo.resolve(base.tip, 'tree')])
    const isOnlyPlan = await differsOnlyAt(repo, trees[0], trees[1], worker.run.planPath)
    const inTheWay = isOnlyPlan ? [] : await tree.filesInTheWay(head, base.tip)
    // Before the intent: recovery replaces everything that is in the way of the checkout.
    if (inTheWay.length > 0) {
      const aside = await worker.run.dir.newAside(`worker-${worker.number}`)
      await tree.moveAside(inTheWay, aside)
      worker.emit({ kind: 'notice', message: `files in the way of the checkout were moved to ${aside}` })
    }
    await workspace.intend({ kind: 'tree', input: base.tip })
    await checkout(workspace, base.tip)
    await workspace.settle()
  }
  worker.at = base
  tree.rememberIndex()
}

async function hasNewInputs({ workspace, run, at }: PoolWorker, setupAt: Oid | undefined): Promise<boolean> {
  if (setupAt === at.tip) return false
  if (setupAt === undefined || (await workspace.repo.resolve(setupAt)) === undefined) return true
  const isInput = globMatcher(setupInputs(run), { steps: 200e6 })
  return (await workspace.tree.changesBetween(setupAt, at.tip)).some(({ path }) => isInput(shown(path)))
}
