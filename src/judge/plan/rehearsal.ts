// The file steps of a plan, carried out on a tree that is only thought of: what each would write, or why it would fail.
// What a command changes is not known: where its step names `files`, nothing is said about these; else the tree is
// taken to be as it was, and what is said from there on is not sure.

import { isSettled } from '../../plan/model/step-status.ts'
import { escapeGlob, globBase, globMatcher } from '../../plan/text/glob.ts'
import { type Plan, type Step } from '../../plan/model/plan.ts'
import type { VerbContext } from '../../plan/model/verb.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import type { Look } from './repository-facts.ts'

export interface Rehearsed {
  readonly step: Step
  /** What the step would leave, by path. `before`: what was there; undefined: nothing, or it is not known. */
  readonly writes: ReadonlyMap<string, { readonly before: Uint8Array | undefined; readonly after: Uint8Array }>
  /** Why it would fail. */
  readonly failure?: string
  /** No command before it may have made this untrue. */
  readonly isSure: boolean
}

export interface Rehearsal {
  readonly steps: readonly Rehearsed[]
  /** As the plan would leave it. */
  readonly end: ThoughtTree
}

/** Steps that are still to be done, in their order. `arrive` sees the tree as each finds it. */
export async function rehearse(
  plan: Plan,
  look: Look,
  arrive: (step: Step, tree: ThoughtTree) => Promise<void> = async () => {},
): Promise<Rehearsal> {
  const tree = new ThoughtTree(look)
  const steps: Rehearsed[] = []
  for (const step of plan.steps.toSorted((a, b) => a.wave - b.wave)) {
    if (isSettled(plan, step.id)) continue
    await arrive(step, tree)
    steps.push(await perform(step, tree))
  }
  return { steps, end: tree }
}

async function perform(step: Step, tree: ThoughtTree): Promise<Rehearsed> {
  const verb = verbOf(step)
  const { writes, deletes } = verb.paths(step.spec)
  const { isSure } = tree
  if (writes.length + deletes.length === 0) {
    if (step.changes !== 'none') tree.doubt(step.files)
    return { step, writes: new Map(), isSure }
  }
  const written = new Map<string, { before: Uint8Array | undefined; after: Uint8Array }>()
  let failure: string | undefined
  try {
    const done = await verb.perform(step.spec, { shell: noShell, program: noShell, tree: tree.forStep(written) })
    if (done.kind === 'failed') failure = done.message
  } catch (error) {
    if (!(error instanceof NotKnown)) throw error
    tree.forget([...writes, ...deletes].flatMap((path) => [escapeGlob(path), `${escapeGlob(path)}/**`]))
    // A new file is what the plan says, wherever it goes.
    const content = verb.content?.(step.spec)
    if (content !== undefined) for (const path of writes) await tree.forStep(written).write(path, Buffer.from(content))
  }
  if (failure !== undefined) tree.forget([...writes, ...deletes].map(escapeGlob))
  // Its checks may run commands, which should change nothing: what they do is not foreseen.
  return { step, writes: written, isSure, ...(failure === undefined ? {} : { failure }) }
}

class NotKnown extends Error {}

const noShell = (): never => {
  throw new NotKnown()
}

interface Forgotten {
  readonly matches: (path: string) => boolean
  /** Everything it matches is at or below this. */
  readonly base: string
}

/** A commit's tree, and what steps have done to it. */
export class ThoughtTree {
  readonly #look: Look
  /** undefined: taken away. */
  readonly #files = new Map<string, Uint8Array | undefined>()
  /** How many of these are below each directory. */
  readonly #made = new Map<string, number>()
  readonly #lost = new Map<string, number>()
  readonly #forgotten: Forgotten[] = []
  /** Where it is spent, nothing is known any more. */
  readonly #budget = { steps: 20e6 }
  #isSure = true

  constructor(look: Look) {
    this.#look = look
  }

  /** A command may have changed what these globs match; without globs, anything. */
  doubt(globs: readonly string[] = ['**']): void {
    if (globs.includes('**')) this.#isSure = false
    else this.forget(globs)
  }

  get isSure(): boolean {
    return this.#isSure
  }

  /** What these globs match may be anything from here on. */
  forget(globs: readonly string[]): void {
    const added = globs.map((glob): Forgotten => {
      const matches = globMatcher([glob], this.#budget)
      return { matches: (path) => matches(path) || this.#budget.steps < 0, base: globBase(glob) }
    })
    this.#forgotten.push(...added)
    for (const path of this.#files.keys()) if (added.some(({ matches }) => matches(path))) this.#drop(path)
  }

  /** Whether a step has made it, or taken it away. */
  isTouched(path: string): boolean {
    return this.#files.has(path)
  }

  /** Whether the plan changes what git ignores there: the rules are asked of the files as they lie on the disk. */
  mayIgnoreOtherwise(path: string): boolean {
    const directories = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))
    const rules = directories.map((directory) => (directory === '' ? '.gitignore' : `${directory}/.gitignore`))
    return rules.some((each) => this.isTouched(each) || this.#isForgotten(each))
  }

  /** undefined: nobody can tell. */
  async kind(path: string): Promise<'absent' | 'file' | 'directory' | 'symlink' | 'submodule' | undefined> {
    if (this.#files.get(path) !== undefined) return 'file'
    if ((this.#made.get(path) ?? 0) > 0) return 'directory'
    if (this.#files.has(path)) return 'absent'
    if (this.#isForgotten(path)) return undefined
    const found = await this.#look.kind(path)
    if (found !== 'directory' || (this.#lost.get(path) ?? 0) === 0) return found
    return (await this.tracked(path))?.length === 0 ? 'absent' : found
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    if (this.#files.has(path)) return this.#files.get(path)
    return this.#isForgotten(path) ? undefined : this.#look.read(path)
  }

  /** undefined: nobody can tell. */
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
    const files = new Set([...(await this.#look.tracked(path)), ...own.map(([each]) => each)])
    return [...files].filter((each) => !gone.has(each))
  }

  /** The world of one step; what it writes is noted. */
  forStep(written: Map<string, { before: Uint8Array | undefined; after: Uint8Array }>): VerbContext['tree'] {
    const known = <T>(value: T | undefined): T => {
      if (value === undefined) throw new NotKnown()
      return value
    }
    const put = async (path: string, after: Uint8Array): Promise<void> => {
      written.set(path, { before: await this.read(path), after })
      this.#put(path, after)
    }
    const remove = async (path: string): Promise<void> => this.#put(path, undefined)
    return {
      kind: async (path) => {
        const kind = known(await this.kind(path))
        return kind === 'submodule' ? 'directory' : kind
      },
      read: async (path) => known(await this.read(path)),
      write: put,
      tracked: async (path) => known(await this.tracked(path)),
      remove,
      rename: async (from, to) => {
        for (const path of known(await this.tracked(from))) {
          const bytes = known(await this.read(path))
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

/** For every directory above a path. */
function count(directories: Map<string, number>, path: string, more: number): void {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const directory = path.slice(0, end)
    directories.set(directory, (directories.get(directory) ?? 0) + more)
  }
}

const isAbove = (above: string, below: string): boolean => below.startsWith(`${above}/`)
