// Everything that one writing command needs about one plan: who we are, the lock, the plan at the tip, and the work tree it is checked out in.

import { randomBytes } from 'node:crypto'
import type { Permit } from '../approval/permit.ts'
import { PlanError } from '../errors.ts'
import { Hooks } from '../git/hooks.ts'
import { identityOf } from '../git/identity.ts'
import { ObjectWriter } from '../git/objects.ts'
import { PathSet } from '../git/raw-path.ts'
import type { RefMove } from '../git/refs.ts'
import { Repository } from '../git/repository.ts'
import { WorkTree } from '../git/work-tree.ts'
import { workTreeOf } from '../git/worktrees.ts'
import type { Plan } from '../plan/plan.ts'
import { readPlan, type PlanText, type ReadPlan } from '../plan/read-plan.ts'
import { notesRef, planBranch, treeLockName, type Oid, type PlanId } from '../plan/values.ts'
import { gitEnvironment, hasFastPaths, type Environment } from '../process/environment.ts'
import type { KnownValues } from '../secrets/mask.ts'
import { gitMarker } from '../process/tree.ts'
import type { Emit, RunEvent } from './events.ts'
import { KnownSecrets, maskedEvent, type Mask } from './known-secrets.ts'
import { clearIntent, removeIntent, writeIntent, type Intent, type IntentRequest } from './intent.ts'
import { acquireLock, type Lock } from './lock.ts'
import { noteMade } from './made-here.ts'
import { PlanDir } from './plan-dir.ts'
import { Searched } from './searched.ts'

/** What of the configuration a run needs. */
export interface RunSettings {
  /** Directory of plan files, `.plans`. */
  readonly dir: string
  readonly subject: string
  readonly timeoutMs: number | undefined
  readonly outputLimit: number
  readonly pauseEvery: number
  readonly automaticRollback: boolean
  /** Whether files are looked through for secrets, and for mistakes of syntax, before they are committed. */
  readonly secrets: boolean
  readonly syntax: boolean
  readonly worktree: boolean
  readonly worktreeDir: string | undefined
}

export interface World {
  readonly env: Environment
  now(): Date
  readonly emit: Emit
  readonly signal: AbortSignal
}

export interface PlanAtTip {
  readonly tip: Oid
  readonly plan: Plan
  readonly source: PlanText
}

export class Session {
  readonly id: PlanId
  readonly run: string
  readonly settings: RunSettings
  readonly world: World
  readonly dir: PlanDir
  #objects: { readonly of: Repository; readonly writer: ObjectWriter }
  readonly #lock: Lock
  #treeLock: { readonly gitDir: string; readonly lock: Lock } | undefined
  /** Seen from where the command was given. */
  readonly home: Repository
  /** Seen from the plan's work tree, once it has one. */
  repo: Repository
  /** The work tree that has the plan's branch checked out; undefined: none has. */
  tree: WorkTree | undefined
  /** Files that were ignored before the step that runs, or at any time before in this work tree: never ours to commit or move. */
  notOurs = new PathSet()
  /** What of it is on disk; see not-ours.ts. */
  keptNotOurs: string | undefined
  /** What was looked through for secrets at this tip; see secret-search.ts. */
  readonly searched = new Searched()
  /** The highest attempt of each step that there is; see restore.ts. */
  attempts: Map<string, number> | undefined
  /** Brings what is recorded to where others see it, before anything happens outside; see commands/publish.ts. */
  publish: (() => Promise<void>) | undefined
  /** By the gate: whether records of other clones are taken at their word, and the permit without which nothing is run. */
  trustsRecords = true
  permit: Permit | undefined
  /** For the body of the next commit of this run. */
  readonly remarks: string[] = []
  readonly #secrets: KnownSecrets
  /** Set by `load`. */
  at!: PlanAtTip

  private constructor(parts: { id: PlanId; run: string; settings: RunSettings; world: World; dir: PlanDir; repo: Repository; lock: Lock }) {
    this.id = parts.id
    this.run = parts.run
    this.settings = parts.settings
    this.world = { ...parts.world, emit: (event) => parts.world.emit(this.#masked(event)) }
    this.#secrets = new KnownSecrets(parts.world.env)
    this.dir = parts.dir
    this.home = parts.repo
    this.repo = parts.repo
    this.#objects = { of: parts.repo, writer: new ObjectWriter(parts.repo) }
    this.#lock = parts.lock
  }

  /** Takes the lock. The caller closes the session, whatever happens. */
  static async open(options: { repo: Repository; id: PlanId; command: string; settings: RunSettings; world: World }): Promise<Session> {
    const { repo, id, world } = options
    await identityOf(repo, 'COMMITTER')
    const dir = new PlanDir(repo.commonDir, id)
    const run = `${world
      .now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')
      .toLowerCase()}-${randomBytes(4).toString('hex')}`
    const lock = await acquireLock(dir, { run, command: options.command, since: world.now().toISOString() }, { plan: id })
    const marked = repo.at(repo.root, repo.gitDir, { env: { [gitMarker]: run } })
    const session = new Session({ id, run, settings: options.settings, world, dir, repo: marked, lock })
    try {
      await session.findTree()
      if (session.tree !== undefined) await session.holdTree()
    } catch (error) {
      await session.close()
      throw error
    }
    return session
  }

  /** The verb that was given. */
  get command(): string {
    return this.#lock.holder.command
  }

  /** Of the plan's work tree, once it has one: its configuration may differ. */
  get objects(): ObjectWriter {
    if (this.#objects.of !== this.repo) this.#objects = { of: this.repo, writer: new ObjectWriter(this.repo) }
    return this.#objects.writer
  }

  get branch(): string {
    return planBranch(this.id)
  }

  get planPath(): string {
    return `${this.settings.dir}/${this.id}.md`
  }

  /** Values that a step of the plan calls secrets. */
  get known(): KnownValues {
    return this.#secrets.of(this.at.plan).values
  }

  /** For texts that leave the run: without these values, and without what looks like a token. */
  get mask(): Mask {
    return this.#secrets.of(this.at.plan).mask
  }

  #masked(event: RunEvent): RunEvent {
    const isLoaded = (this.at as PlanAtTip | undefined) !== undefined
    return isLoaded && this.known.needles.length > 0 ? maskedEvent(event, this.mask) : event
  }

  /** The work tree, where the command cannot go on without one. */
  get place(): WorkTree {
    if (this.tree === undefined) throw new Error(`plan ${this.id} is not checked out`)
    return this.tree
  }

  async findTree(): Promise<void> {
    const found = await workTreeOf(this.home, this.branch)
    this.forgetTree()
    if (found !== undefined) this.useTree(found.root, found.gitDir)
  }

  useTree(root: string, gitDir: string): void {
    this.tree?.rest()
    const repo = root === this.home.root ? this.home : this.home.at(root, gitDir)
    this.repo = repo
    this.tree = new WorkTree(repo, this.dir.path)
    this.tree.expectMore()
  }

  /** Output as a note on a commit: what moves together with its ref. */
  async note(commit: Oid, bytes: Uint8Array | undefined): Promise<RefMove[]> {
    if (bytes === undefined || bytes.length === 0) return []
    try {
      return [await this.objects.note(notesRef(this.id), commit, bytes)]
    } catch (error) {
      if (isOfMachine(error)) throw error
      this.#tellOfNote(error as Error)
      return []
    }
  }

  #tellOfNote(error: Error): void {
    this.world.emit({ kind: 'notice', message: `the output could not be saved as a note: ${error.message}`, hint: `it is in ${this.dir.file('logs')}` })
  }

  /** Where only the note cannot be kept, it is said, and the rest stands: a note is not worth a step. */
  async moveWithNote(note: readonly RefMove[], moves: readonly RefMove[]): Promise<void> {
    noteMade(this.dir, moves)
    try {
      await this.repo.moveRefs([...note, ...moves])
    } catch (error) {
      const isOfNote = error instanceof PlanError && note.some(({ ref }) => JSON.stringify(error.facts ?? {}).includes(ref))
      if (!isOfNote) throw error
      this.#tellOfNote(error)
      await this.repo.moveRefs(moves)
    }
  }

  forgetTree(): void {
    this.tree?.rest()
    if (this.repo !== this.home) this.repo.close()
    this.repo = this.home
    this.tree = undefined
  }

  /** Two plans must not run in one work tree: each would commit the other's files. */
  async holdTree(repo: Repository = this.place.repo): Promise<void> {
    if (this.#treeLock?.gitDir === repo.gitDir) return
    await this.#treeLock?.lock.release()
    this.#treeLock = undefined
    const dir = new PlanDir(repo.gitDir, treeLockName)
    this.#treeLock = {
      gitDir: repo.gitDir,
      lock: await acquireLock(
        dir,
        { run: this.run, command: this.#lock.holder.command, since: this.world.now().toISOString(), plan: this.id },
        { plan: this.id, place: repo.root },
      ),
    }
  }

  commitHooks(): Promise<Hooks> {
    return Hooks.of(this.repo)
  }

  /** Reads the plan at the tip of its branch again. */
  async load(): Promise<PlanAtTip> {
    this.at = await loadPlan(this.repo, this.id, this.settings.dir)
    return this.at
  }

  intend(request: Omit<IntentRequest, 'run' | 'workTree' | 'gitDir' | 'since'>): Promise<Intent> {
    return this.intendFor(this.tree?.repo ?? this.repo, request)
  }

  /** From the first object that is written to the ref that names it: see git/object-store.ts. */
  keepingObjects<T>(action: () => Promise<T>): Promise<T> {
    return this.repo.store.keeping(action)
  }

  /** Moves refs where no other intent is open: without one, nobody could tell whose the locks are that a crash leaves. */
  async movingRefs(move: () => Promise<void>, others: readonly string[] = []): Promise<void> {
    await this.intend({ kind: 'refs', input: this.at.tip, refs: others })
    try {
      await move()
    } catch (error) {
      // Git that was ended in the middle leaves its locks: the intent stays, and proves to the next command that they are ours.
      if (!(error instanceof PlanError) || error.code !== 'system') await this.settle()
      throw error
    }
    await this.settle()
  }

  /** The same for a work tree that is not the plan's. */
  intendFor(place: Repository, request: Omit<IntentRequest, 'run' | 'workTree' | 'gitDir' | 'since'>): Promise<Intent> {
    const full = { ...request, run: this.run, workTree: place.root, gitDir: place.gitDir, since: this.world.now().toISOString() }
    return writeIntent(this.dir, full, { commonDir: place.commonDir, id: this.id })
  }

  settle(): Promise<void> {
    return clearIntent(this.dir)
  }

  async close(): Promise<void> {
    this.repo.close()
    this.home.close()
    await removeIntent(this.dir)
    await this.#treeLock?.lock.release()
    await this.#lock.release()
    this.tree?.rest()
  }
}

/** Not of the thing that was tried, but of disk or machine: it comes again. */
const isOfMachine = (error: unknown): boolean =>
  error instanceof PlanError ? error.code === 'system' : typeof (error as NodeJS.ErrnoException).code === 'string'

export async function openRepository(world: { cwd: string; env: Environment }): Promise<Repository> {
  return Repository.open({ cwd: world.cwd, env: gitEnvironment(world.env), mayFetch: true, isFast: hasFastPaths(world.env) })
}

async function loadPlan(repo: Repository, id: PlanId, dir: string): Promise<PlanAtTip> {
  const tip = await repo.tipOf(planBranch(id))
  if (tip === undefined) throw new PlanError('unknown-plan', `there is no plan ${id}: no branch plan/${id}`, { hint: 'git plan list' })
  return { tip, ...(await loadPlanAt(repo, id, dir, tip)) }
}

export async function loadPlanAt(repo: Repository, id: PlanId, dir: string, commit: Oid): Promise<Extract<ReadPlan, { ok: true }>> {
  const file = `${dir}/${id}.md`
  const bytes = await repo.readBlob(`${commit}:${file}`)
  if (bytes === undefined) {
    throw new PlanError('invalid-plan', `plan/${id} has no plan file ${file}`, { hint: `git plan rollback ${id}` })
  }
  const parsed = readPlan(bytes, { file, id })
  if (!parsed.ok)
    throw new PlanError('invalid-plan', `${file} on plan/${id} is not a valid plan`, { hint: `git plan check ${id}`, facts: { findings: parsed.findings } })
  return parsed
}
