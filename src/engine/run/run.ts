// A run: a command that writes to one plan. It has one lock, one tip and one record; its work trees are workspaces.

import { randomBytes } from 'node:crypto'
import { agentMark } from '../../approval/rules/agent-shell.ts'
import type { Permit } from '../../approval/rules/permit.ts'
import { PlanError } from '../../errors.ts'
import { identityOf } from '../../git/trust/identity.ts'
import { ObjectWriter } from '../../git/write/objects.ts'
import type { RefMove } from '../../git/read/refs.ts'
import { Repository } from '../../git/repository.ts'
import type { WorkTree } from '../../git/worktree/work-tree.ts'
import { workTreeOf } from '../../git/worktree/worktrees.ts'
import type { Baseline } from '../../judge/tests/compare-tests.ts'
import type { PlanEventName } from '../../plan/model/lifecycle.ts'
import type { Plan, PlanStatus, Risk } from '../../plan/model/plan.ts'
import type { PlanText } from '../../plan/file/read-plan.ts'
import { notesRef, planBranch, treeLockName, type Oid, type PlanId } from '../../plan/model/ids.ts'
import { gitEnvironment, hasFastPaths, type Environment } from '../../process/environment.ts'
import type { KnownValues } from '../../secrets/mask.ts'
import { gitMarker } from '../../process/kill-descendants.ts'
import { loadPlanAt, planFile } from '../../store/plan-at.ts'
import type { Emit, RunEvent } from './events.ts'
import { KnownSecrets, maskEvent, type Mask } from './known-secrets.ts'
import { IntentFile, type Intent, type Intention } from '../workspace/intent.ts'
import { Workspace } from '../workspace/workspace.ts'
import { PlanWorker, type Worker } from './worker.ts'
import { acquireLock, type Lock } from './lock.ts'
import { noteMade } from './made-here.ts'
import { PlanDir } from '../workspace/plan-dir.ts'

/** The part of the configuration that a run needs. */
export interface RunSettings {
  /** Directory of plan files, `.plans`. */
  readonly dir: string
  readonly subject: string
  readonly timeoutMs: number | undefined
  readonly planTimeoutMs: number | undefined
  readonly outputLimit: number
  readonly pauseEvery: number
  readonly automaticRollback: boolean
  /** Search files for secrets, and for syntax errors, before they are committed. */
  readonly secrets: boolean
  readonly syntax: boolean
  /** Steps may use the results of earlier ones. */
  readonly cache: boolean
  readonly worktree: boolean
  readonly worktreeDir: string | undefined
  /** Commands of agents, by name. */
  readonly agents: Readonly<Record<string, string>>
}

export interface RunEnvironment {
  readonly env: Environment
  now(): Date
  readonly emit: Emit
  readonly signal: AbortSignal
  /** Variables with which the programs of a plan, or of a step, continue its trace. */
  readonly traceOf?: TraceOf | undefined
}

export type TraceOf = (plan: string, step?: string) => Readonly<Record<string, string>>

export interface PlanAtTip {
  readonly tip: Oid
  readonly plan: Plan
  readonly source: PlanText
}

/** A commit and the output of the step that it records. */
export interface CommitOutput {
  readonly commit: Oid
  readonly output: Uint8Array | undefined
}

export class Run {
  readonly id: PlanId
  /** Identifies this run in commits and processes. */
  readonly token: string
  readonly settings: RunSettings
  readonly world: RunEnvironment
  readonly dir: PlanDir
  readonly #lock: Lock
  #treeLock: { readonly gitDir: string; readonly lock: Lock } | undefined
  /** The repository as seen from the directory of the command. */
  readonly home: Repository
  /** The work tree that has the plan's branch checked out; undefined: none. */
  workspace: Workspace | undefined
  readonly #objects: ObjectWriter
  readonly #intents: IntentFile
  /** The highest attempt number of each step; see restore.ts. */
  attempts: Promise<Map<string, number>> | undefined
  /** Pushes the records before an external effect happens; see remote/publish.ts. */
  publish: (() => Promise<void>) | undefined
  /** Reads what reviewers wrote on the pull request, for agents. */
  readRemarks: (() => Promise<readonly string[]>) | undefined
  /** Set when a step was handed to a driver: until when other clones have to leave the plan alone. */
  handedUntil: Date | undefined
  /** Set by the gate: true if records of other clones are trusted, and the permit without which nothing runs. */
  trustsRecords = true
  permit: Permit | undefined
  /** Set by the gate with the permit, for the record. */
  risk: Risk | undefined
  /** The tests before the plan, by test; see step/baseline.ts. */
  baselines: Map<string, Baseline> | undefined
  /** When the plan must end, in milliseconds since 1970; set when its steps begin. */
  deadline: number | undefined
  /** `--no-cache` */
  skipsCache = false
  /** The fingerprint that a person accepts with this command; see step/git-changes.ts. */
  acceptedGitState: string | undefined
  /** The events of this command that changed only the plan file, with the status that each led to. */
  readonly recorded: {
    readonly event: PlanEventName
    readonly status: PlanStatus
    readonly step?: string | undefined
    readonly reason?: string | undefined
    readonly approvedBy?: string | undefined
  }[] = []
  /** Added to the body of the next commit of this run. */
  readonly remarks: string[] = []
  readonly #secrets: KnownSecrets
  #turn: Promise<unknown> = Promise.resolve()
  /** Set by `load`. */
  at!: PlanAtTip

  private constructor(parts: {
    id: PlanId
    token: string
    settings: RunSettings
    world: RunEnvironment
    dir: PlanDir
    repo: Repository
    lock: Lock
  }) {
    this.id = parts.id
    this.token = parts.token
    this.settings = parts.settings
    this.world = {
      ...parts.world,
      emit: (event) => parts.world.emit({ ...this.#maskEvent(event), plan: parts.id }),
    }
    this.#secrets = new KnownSecrets(parts.world.env)
    this.dir = parts.dir
    this.home = parts.repo
    this.#objects = new ObjectWriter(parts.repo)
    this.#intents = this.intentsIn(parts.dir, parts.token)
    this.#lock = parts.lock
  }

  /** The intents of a workspace whose files are in this directory. */
  intentsIn(dir: PlanDir, mark: string): IntentFile {
    return new IntentFile(dir, { id: this.id, run: this.token, mark, now: () => this.world.now() })
  }

  /** Takes the lock. The caller must close the run in any case. */
  static async open(options: {
    repo: Repository
    id: PlanId
    command: string
    settings: RunSettings
    world: RunEnvironment
  }): Promise<Run> {
    const { repo, id, world } = options
    await identityOf(repo, 'COMMITTER')
    const dir = new PlanDir(repo.commonDir, id)
    const token = `${world
      .now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')
      .toLowerCase()}-${randomBytes(4).toString('hex')}`
    const lock = await acquireLock(
      dir,
      { run: token, command: options.command, since: world.now().toISOString() },
      { plan: id, isAgent: agentMark(world.env) !== undefined },
    )
    const marked = repo.at(repo.root, repo.gitDir, { env: { [gitMarker]: token } })
    const run = new Run({ id, token, settings: options.settings, world, dir, repo: marked, lock })
    try {
      await run.findWorkspace()
      if (run.workspace !== undefined) await run.holdWorkTree()
    } catch (error) {
      await run.close()
      throw error
    }
    return run
  }

  /** The name of the command. */
  get command(): string {
    return this.#lock.holder.command
  }

  /** The repository as seen from the plan's work tree, if it has one. */
  get repo(): Repository {
    return this.workspace?.repo ?? this.home
  }

  get objects(): ObjectWriter {
    return this.workspace?.objects ?? this.#objects
  }

  get tree(): WorkTree | undefined {
    return this.workspace?.tree
  }

  /** Throws if the plan is not checked out. */
  get checkedOut(): Workspace {
    if (this.workspace === undefined) throw new Error(`plan ${this.id} is not checked out`)
    return this.workspace
  }

  /** Performs steps in the plan's own checkout. */
  get worker(): Worker {
    return new PlanWorker(this, this.checkedOut)
  }

  get branch(): string {
    return planBranch(this.id)
  }

  get planPath(): string {
    return planFile(this.settings.dir, this.id)
  }

  /** Values that a step of the plan declares as secrets. */
  get known(): KnownValues {
    return this.#secrets.of(this.at.plan).values
  }

  /** For texts that leave the run: removes these values and anything that looks like a token. */
  get mask(): Mask {
    return this.#secrets.of(this.at.plan).mask
  }

  #maskEvent(event: RunEvent): RunEvent {
    const isLoaded = (this.at as PlanAtTip | undefined) !== undefined
    return isLoaded && this.known.needles.length > 0 ? maskEvent(event, this.mask) : event
  }

  async findWorkspace(): Promise<void> {
    const found = await workTreeOf(this.home, this.branch)
    this.forgetWorkspace()
    if (found !== undefined) this.useWorkspace(found.root, found.gitDir)
  }

  useWorkspace(root: string, gitDir: string): void {
    const repo = root === this.home.root ? this.home : this.home.at(root, gitDir)
    this.workspace?.close()
    this.workspace = new Workspace({
      repo,
      objects: repo === this.home ? this.#objects : new ObjectWriter(repo),
      dir: this.dir,
      intents: this.#intents,
    })
  }

  /** Saves output as notes on commits. Returns the moves to make together with their refs. */
  async note(objects: ObjectWriter, ...outputs: readonly CommitOutput[]): Promise<RefMove[]> {
    const notes = new Map<Oid, Uint8Array>()
    for (const { commit, output } of outputs) if (output !== undefined && output.length > 0) notes.set(commit, output)
    if (notes.size === 0) return []
    try {
      return [await objects.notes(notesRef(this.id), notes)]
    } catch (error) {
      if (isMachineError(error)) throw error
      this.#reportLostNote(error as Error)
      return []
    }
  }

  #reportLostNote(error: Error): void {
    this.world.emit({
      kind: 'notice',
      message: `the output could not be saved as a note: ${error.message}`,
      hint: `it is in ${this.dir.file('logs')}`,
    })
  }

  /** If only the note cannot be saved, a notice says so and the other refs move: a note is not worth a step. */
  async moveWithNote(note: readonly RefMove[], moves: readonly RefMove[], repo = this.repo): Promise<void> {
    noteMade(this.dir, moves)
    try {
      await repo.moveRefs([...note, ...moves])
    } catch (error) {
      const isNoteError =
        error instanceof PlanError && note.some(({ ref }) => JSON.stringify(error.facts ?? {}).includes(ref))
      if (!isNoteError) throw error
      this.#reportLostNote(error)
      await repo.moveRefs(moves)
    }
  }

  forgetWorkspace(): void {
    this.workspace?.close()
    if (this.repo !== this.home) this.repo.close()
    this.workspace = undefined
  }

  /** Two plans must not run in one work tree: each would commit the other's files. */
  async holdWorkTree(repo: Repository = this.repo): Promise<void> {
    if (this.#treeLock?.gitDir === repo.gitDir) return
    await this.#treeLock?.lock.release()
    this.#treeLock = undefined
    const dir = new PlanDir(repo.gitDir, treeLockName)
    this.#treeLock = {
      gitDir: repo.gitDir,
      lock: await acquireLock(
        dir,
        { run: this.token, command: this.#lock.holder.command, since: this.world.now().toISOString(), plan: this.id },
        { plan: this.id, workTree: repo.root, isAgent: agentMark(this.world.env) !== undefined },
      ),
    }
  }

  /** Reads the plan at the tip of its branch again. */
  async load(): Promise<PlanAtTip> {
    this.at = await loadPlan(this.repo, this.id, this.settings.dir)
    return this.at
  }

  /** `repo`: as seen from the work tree that the intent is about, if that is not the plan's. */
  intend(intention: Intention, repo: Repository = this.repo): Promise<Intent> {
    return this.#intents.write(repo, intention)
  }

  /** Keeps new objects until a ref names them: see git/write/object-store.ts. */
  withKeptObjects<T>(action: () => Promise<T>): Promise<T> {
    return this.repo.store.withKeptObjects(action)
  }

  /** Runs actions that read and move the same refs one after the other, whichever worker they come from. */
  inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(action)
    this.#turn = done.catch(() => {})
    return done
  }

  /** Moves refs when no other intent is open: without an intent, locks left by a crash could not be attributed. */
  async moveRefsWithIntent(move: () => Promise<void>, others: readonly string[] = []): Promise<void> {
    await this.intend({ kind: 'refs', input: this.at.tip, refs: others })
    try {
      await move()
    } catch (error) {
      // A killed Git leaves its locks: the intent stays and proves to the next command that they are ours.
      if (!(error instanceof PlanError) || error.code !== 'system') await this.settle()
      throw error
    }
    await this.settle()
  }

  settle(): Promise<void> {
    return this.#intents.clear()
  }

  async close(): Promise<void> {
    this.repo.close()
    this.home.close()
    await this.#intents.remove()
    await this.#treeLock?.lock.release()
    await this.#lock.release()
    this.workspace?.close()
  }
}

/** True if the disk or the machine failed, not the operation itself: it would fail again. */
const isMachineError = (error: unknown): boolean =>
  error instanceof PlanError ? error.code === 'system' : typeof (error as NodeJS.ErrnoException).code === 'string'

export async function openRepository(world: { cwd: string; env: Environment }): Promise<Repository> {
  return Repository.open({
    cwd: world.cwd,
    env: gitEnvironment(world.env),
    mayFetch: true,
    isFast: hasFastPaths(world.env),
  })
}

async function loadPlan(repo: Repository, id: PlanId, dir: string): Promise<PlanAtTip> {
  const tip = await repo.tipOf(planBranch(id))
  if (tip === undefined)
    throw new PlanError('unknown-plan', `there is no plan ${id}: no branch plan/${id}`, { hint: 'git plan list' })
  return { tip, ...(await loadPlanAt(repo, tip, { id, file: planFile(dir, id) })) }
}
