// Performs the file steps of a plan on a simulated tree: the files that each step would write, or why it would fail.
// The effect of a command is unknown. If its step declares `files`, nothing is claimed about those; otherwise the tree
// is assumed unchanged and all later results are uncertain.

import { isSettled } from '../../plan/model/step-status.ts'
import { escapeGlob, globBase, globMatcher } from '../../plan/text/glob.ts'
import { type Plan, type Step } from '../../plan/model/plan.ts'
import type { SpecPlace, VerbContext } from '../../plan/model/verb.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import type { RepositoryFacts } from './repository-facts.ts'

export interface RehearsedStep {
  readonly step: Step
  /** Files that the step would write, by path. `before` is undefined if the file is new or its content is unknown. */
  readonly writes: ReadonlyMap<string, { readonly before: Uint8Array | undefined; readonly after: Uint8Array }>
  /** What the step would change, and what a reviewer should know about it. */
  readonly summary?: string | undefined
  readonly warning?: string | undefined
  /** True if the result could not be computed, because a file is not known. */
  readonly isUnknown?: true
  /** Why the step would fail. */
  readonly failure?: { readonly message: string; readonly place?: SpecPlace | undefined }
  /** False if a command of an earlier step may make the result untrue. */
  readonly isSure: boolean
}

export interface Rehearsal {
  readonly steps: readonly RehearsedStep[]
  /** The tree after the last step. */
  readonly end: SimulatedTree
}

/** Rehearses the remaining steps in order. `arrive` is called with the tree that each step finds. */
export async function rehearse(
  plan: Plan,
  repository: RepositoryFacts,
  arrive: (step: Step, tree: SimulatedTree) => Promise<void> = async () => {},
): Promise<Rehearsal> {
  const tree = new SimulatedTree(repository)
  const steps: RehearsedStep[] = []
  for (const step of plan.steps.toSorted((a, b) => a.wave - b.wave)) {
    if (isSettled(plan, step.id)) continue
    await arrive(step, tree)
    steps.push(await perform(step, tree))
  }
  return { steps, end: tree }
}

/** True if `check` can tell what the step changes. */
export function isRehearsed(step: Step): boolean {
  const verb = verbOf(step)
  const { writes, deletes } = verb.paths(step.spec)
  return writes.length + deletes.length > 0 || verb.isRehearsed?.(step.spec) === true
}

/** For the searches of one step. */
const searchMs = 60_000

async function perform(step: Step, tree: SimulatedTree): Promise<RehearsedStep> {
  const verb = verbOf(step)
  const { writes, deletes } = verb.paths(step.spec)
  const { isSure } = tree
  if (!isRehearsed(step)) {
    if (step.changes !== 'none') tree.doubt(step.files)
    return { step, writes: new Map(), isSure }
  }
  const written = new Map<string, { before: Uint8Array | undefined; after: Uint8Array }>()
  const globs = [...writes, ...deletes].map(escapeGlob)
  const scope = verb.scope?.(step.spec) ?? []
  let failure: RehearsedStep['failure']
  let told: Pick<RehearsedStep, 'summary' | 'warning' | 'isUnknown'> = {}
  try {
    const context = {
      shell: noShell,
      program: noShell,
      agent: noShell,
      rewrite: rewriter(),
      tree: tree.forStep(written),
    }
    const done = await verb.perform(step.spec, context)
    if (done.kind === 'performed') told = { summary: done.summary, warning: done.warning }
    if (done.kind === 'failed') failure = { message: done.message, place: done.place }
  } catch (error) {
    if (!(error instanceof UnknownPathError)) throw error
    tree.forget([...globs.flatMap((glob) => [glob, `${glob}/**`]), ...scope])
    told = { isUnknown: true }
    // The content of a new file is in the plan, so it is known anyway.
    const content = verb.content?.(step.spec)
    if (content !== undefined) for (const path of writes) await tree.forStep(written).write(path, Buffer.from(content))
  }
  if (failure !== undefined) tree.forget([...globs, ...scope])
  // Checks of the step may run commands, which should change nothing; their effects are not predicted.
  return { step, writes: written, isSure, ...told, ...(failure === undefined ? {} : { failure }) }
}

/** The parser is loaded with the first search. */
function rewriter(): VerbContext['rewrite'] {
  let made: VerbContext['rewrite'] | undefined
  return async (text, request) => {
    made ??= (await import('../refactor/rewriter.ts')).makeRewriter({ totalMs: searchMs })
    return made(text, request)
  }
}

class UnknownPathError extends Error {}

const noShell = (): never => {
  throw new UnknownPathError()
}

interface Forgotten {
  readonly matches: (path: string) => boolean
  /** All matches are at or below this directory. */
  readonly base: string
}

/** The tree of a commit with the changes of the steps so far. */
export class SimulatedTree {
  readonly #repository: RepositoryFacts
  /** undefined: deleted. */
  readonly #files = new Map<string, Uint8Array | undefined>()
  /** Number of created and deleted files below each directory. */
  readonly #made = new Map<string, number>()
  readonly #lost = new Map<string, number>()
  readonly #forgotten: Forgotten[] = []
  /** Once it is exhausted, every path is unknown. */
  readonly #budget = { steps: 20e6 }
  #isSure = true

  constructor(repository: RepositoryFacts) {
    this.#repository = repository
  }

  /** Notes that a command may have changed files that match these globs; without globs, any file. */
  doubt(globs: readonly string[] = ['**']): void {
    if (globs.includes('**')) this.#isSure = false
    else this.forget(globs)
  }

  get isSure(): boolean {
    return this.#isSure
  }

  /** Notes that files that match these globs are unknown from now on. */
  forget(globs: readonly string[]): void {
    const added = globs.map((glob): Forgotten => {
      const matches = globMatcher([glob], this.#budget)
      return { matches: (path) => matches(path) || this.#budget.steps < 0, base: globBase(glob) }
    })
    this.#forgotten.push(...added)
    for (const path of this.#files.keys()) if (added.some(({ matches }) => matches(path))) this.#drop(path)
  }

  /** True if a step created or deleted the path. */
  isTouched(path: string): boolean {
    return this.#files.has(path)
  }

  /** True if the plan changes a .gitignore above the path: ignore rules are evaluated from the files on disk. */
  mayChangeIgnoreRules(path: string): boolean {
    const directories = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))
    const rules = directories.map((directory) => (directory === '' ? '.gitignore' : `${directory}/.gitignore`))
    return rules.some((each) => this.isTouched(each) || this.#isForgotten(each))
  }

  /** undefined: unknown. */
  async kind(path: string): Promise<'absent' | 'file' | 'directory' | 'symlink' | 'submodule' | undefined> {
    if (this.#files.get(path) !== undefined) return 'file'
    if ((this.#made.get(path) ?? 0) > 0) return 'directory'
    if (this.#files.has(path)) return 'absent'
    if (this.#isForgotten(path)) return undefined
    const found = await this.#repository.kind(path)
    if (found !== 'directory' || (this.#lost.get(path) ?? 0) === 0) return found
    return (await this.tracked(path))?.length === 0 ? 'absent' : found
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    if (this.#files.has(path)) return this.#files.get(path)
    return this.#isForgotten(path) ? undefined : this.#repository.read(path)
  }

  /** undefined: unknown. */
  async tracked(path: string): Promise<readonly string[] | undefined> {
    if (
      this.#forgotten.some(
        ({ matches, base }) =>
          matches(path) || base === '' || base === path || isAbove(path, base) || isAbove(base, path),
      )
    )
      return undefined
    const own = [...this.#files].filter(([each]) => each === path || isAbove(path, each))
    const gone = new Set(own.filter(([, bytes]) => bytes === undefined).map(([each]) => each))
    const files = new Set([...(await this.#repository.tracked(path)), ...own.map(([each]) => each)])
    return [...files].filter((each) => !gone.has(each))
  }

  /** undefined: unknown. */
  async matching(globs: readonly string[]): Promise<readonly string[] | undefined> {
    const bases = globs.map(globBase)
    const meets = ({ base }: Forgotten): boolean =>
      bases.some((each) => each === '' || base === '' || each === base || isAbove(each, base) || isAbove(base, each))
    if (this.#forgotten.some(meets)) return undefined
    const files = new Set(await this.#repository.files())
    for (const [path, bytes] of this.#files) {
      if (bytes === undefined) files.delete(path)
      else files.add(path)
    }
    return [...files].filter(globMatcher(globs)).toSorted()
  }

  /** The tree as one step sees it; its writes are recorded in `written`. */
  forStep(written: Map<string, { before: Uint8Array | undefined; after: Uint8Array }>): VerbContext['tree'] {
    const requireKnown = <T>(value: T | undefined): T => {
      if (value === undefined) throw new UnknownPathError()
      return value
    }
    const put = async (path: string, after: Uint8Array): Promise<void> => {
      written.set(path, { before: await this.read(path), after })
      this.#put(path, after)
    }
    const remove = async (path: string): Promise<void> => this.#put(path, undefined)
    return {
      kind: async (path) => {
        const kind = requireKnown(await this.kind(path))
        return kind === 'submodule' ? 'directory' : kind
      },
      read: async (path) => requireKnown(await this.read(path)),
      readUpTo: async (path, bytes) => {
        const found = await this.read(path)
        if (found === undefined && ((await this.#repository.size(path)) ?? 0) > bytes) return undefined
        return requireKnown(found).byteLength > bytes ? undefined : found
      },
      matching: async (globs) => requireKnown(await this.matching(globs)),
      write: put,
      tracked: async (path) => requireKnown(await this.tracked(path)),
      remove,
      rename: async (from, to) => {
        for (const path of requireKnown(await this.tracked(from))) {
          const bytes = requireKnown(await this.read(path))
          await remove(path)
          this.#put(`${to}${path.slice(from.length)}`, bytes)
        }
      },
    }
  }

  #isForgotten(path: string): boolean {
    return this.#forgotten.some(({ matches }) => matches(path))
  }

  #put(path: string, bytes: Uint8Array | undefined): void {
    this.#drop(path)
    this.#files.set(path, bytes)
    count(bytes === undefined ? this.#lost : this.#made, path, 1)
  }

  #drop(path: string): void {
    if (!this.#files.has(path)) return
    count(this.#files.get(path) === undefined ? this.#lost : this.#made, path, -1)
    this.#files.delete(path)
  }
}

/** Adds `more` to the count of every directory above a path. */
function count(directories: Map<string, number>, path: string, more: number): void {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const directory = path.slice(0, end)
    directories.set(directory, (directories.get(directory) ?? 0) + more)
  }
}

const isAbove = (above: string, below: string): boolean => below.startsWith(`${above}/`)
