// Steps that write files and run nothing, one after the other: each is a commit of its own, and all of them go to the disk together. Until then the commits
// are in memory, and the plan file and the index lag behind; no command runs meanwhile. What the first of them began is what a crash leaves: it is saved and
// taken back, and they are performed again.

import type { Fingerprint } from '../git/fingerprint.ts'
import { IgnoreCheck } from '../git/ignore-check.ts'
import { isPlain, plainFiles } from '../git/plain-files.ts'
import { rawPath, type RawPath } from '../git/raw-path.ts'
import type { TreeEdits, TreeFile } from '../git/tree-text.ts'
import type { Step } from '../plan/plan.ts'
import type { Oid } from '../plan/values.ts'
import type { Performed } from '../plan/verb.ts'
import { refuseMovedBranch } from './checkpoint.ts'
import type { RunEvent } from './events.ts'
import { noteMade } from './made-here.ts'
import { keepNotOurs } from './not-ours.ts'
import { perform, stepCommit } from './perform-step.ts'
import { messageOf, planAfter, writePlanFile } from './record.ts'
import { newSecrets } from './secret-search.ts'
import { nextAttempt } from './restore.ts'
import type { PlanAtTip, Session } from './session.ts'
import { stepFiles } from './step-files.ts'
import { verifyChanges, verifyStep } from './verify.ts'

/** A reader sees a step at most so long after it was performed. */
const mostMs = 400
const mostSteps = 400
const mostBytes = 16 * 1024 * 1024

interface Kept {
  readonly step: Step
  readonly attempt: number
  readonly commit: Oid
  readonly durationMs: number
  /** What happened on the way, to be told when it is done: who listens expects one step after the other. */
  readonly events: readonly RunEvent[]
}

interface Begun {
  readonly at: PlanAtTip
  readonly since: number
  readonly ignores: IgnoreCheck
  readonly edits: Map<RawPath, TreeFile | undefined>
  tree: Oid
}

/** Those that ask git for nothing that a lagging index does not know. */
const fileVerbs = new Set(['create', 'edit'])

export class FileStreak {
  readonly #session: Session
  readonly #fingerprint: Fingerprint
  #begun: Begun | undefined
  #kept: Kept[] = []

  constructor(session: Session, fingerprint: Fingerprint) {
    this.#session = session
    this.#fingerprint = fingerprint
  }

  /** Whether a step can be one of a streak: only we perform and check it, and git would store what it writes as it is. */
  async takes(step: Step): Promise<boolean> {
    const session = this.#session
    const runs = [...step.verify, ...step.criteria.flatMap(({ verify }) => verify)].some(({ kind }) => kind === 'run')
    if (!fileVerbs.has(step.verb) || runs || step.test !== undefined || step.effect !== 'tree' || step.pause || session.settings.pauseEvery > 0) return false
    if (this.#begun !== undefined) return true
    const isUsual = !(await (await session.commitHooks()).hasAny()) && !(await session.objects.isSigning())
    return isUsual && (await session.place.isIndexKnown()) && session.place.isIndexPlain() && (await isPlain(session.repo, rawPath(session.planPath)))
  }

  /** undefined: it is kept. Else the streak is over, and the step is the usual way's to bring to its end from here. */
  async add(step: Step): Promise<Performed | undefined> {
    const session = this.#session
    const attempt = await nextAttempt(session, step.id)
    const begun = (this.#begun ??= await this.#begin(step, attempt))
    const { plan } = session.at
    const number = plan.steps.findIndex((each) => each.id === step.id) + 1
    const events: RunEvent[] = [{ kind: 'step-started', step: step.id, title: step.title, verb: step.verb, attempt, number, total: plan.steps.length }]
    const startedAt = session.world.now().getTime()
    const touched = new Set<RawPath>()
    const performed = await perform(step, {
      shell: noShell,
      program: noShell,
      tree: stepFiles(session, { ignores: begun.ignores, touched, made: begun.edits }),
    })
    const edits = performed.kind === 'performed' ? await this.#judged(step, begun, touched, events) : undefined
    if (edits === undefined) {
      await this.end({ isStopped: true })
      // Its checks are looked at again, and told then.
      for (const event of events.slice(0, 1)) session.world.emit(event)
      return performed
    }
    await this.#commit(step, begun, { ...edits, attempt, startedAt, events })
    if (touchesRules(touched)) begun.ignores.close()
    if (this.#kept.length >= mostSteps || performance.now() - begun.since > mostMs || session.objects.gatheredBytes > mostBytes) await this.end()
    return undefined
  }

  /** Everything to the disk: objects, then the plan file, then index and branch together. */
  async end({ isStopped = false } = {}): Promise<void> {
    const [session, begun, kept] = [this.#session, this.#begun, this.#kept]
    this.#begun = undefined
    this.#kept = []
    if (begun === undefined) return
    begun.ignores.close()
    const last = kept.at(-1)
    if (last === undefined) return session.objects.forget()
    const { place } = session
    const after = session.at
    session.at = begun.at
    await session.undisturbed(async () => {
      await refuseMovedBranch(session)
      await session.objects.flush()
      const planFile = begun.edits.get(rawPath(session.planPath))!
      const facts = await writePlanFile(session, planFile.oid, Buffer.from(after.source.text))
      const edits = new Map(begun.edits).set(rawPath(session.planPath), { ...planFile, ...facts })
      noteMade(
        session.dir,
        kept.map(({ commit }) => ({ ref: session.branch, from: undefined, to: commit })),
      )
      await place.putIntoIndex(edits, () => session.repo.moveRefs([{ ref: session.branch, from: begun.at.tip, to: last.commit }]))
    })
    session.at = after
    // A step that was stopped has left something: it is the next intent's, and this one stays until then.
    if (!isStopped) await session.settle()
    for (const { step, attempt, commit, durationMs, events } of kept)
      for (const event of [...events, { kind: 'step-done', step: step.id, attempt, commit, durationMs } as const]) session.world.emit(event)
  }

  async #begin(step: Step, attempt: number): Promise<Begun> {
    const session = this.#session
    await refuseMovedBranch(session)
    await keepNotOurs(session)
    await session.intend({ kind: 'step', step: step.id, attempt, input: session.at.tip, isStreak: true, gitState: this.#fingerprint.digest })
    const tree = await session.objects.treeOf(session.at.tip)
    session.objects.gather()
    return { at: session.at, since: performance.now(), ignores: new IgnoreCheck(session.repo.git), edits: new Map(), tree }
  }

  /** undefined: the usual way has to look at it. */
  async #judged(step: Step, begun: Begun, touched: ReadonlySet<RawPath>, events: RunEvent[]): Promise<{ edits: TreeEdits; verified: string[] } | undefined> {
    const session = this.#session
    // Before git looks at a single file: a filter or a hook that a step has just set up must not run. The usual way says so.
    if ((await this.#fingerprint.changes()).length > 0) return undefined
    const verdict = await verifyStep(session, step, noShell, (event) => events.push(event))
    if (!verdict.ok) return undefined
    // The usual way takes it out of the work tree.
    if ((await newSecrets(session, step, touched)).length > 0) return undefined
    const edits = await plainFiles(session.repo, session.objects, touched)
    if (edits === undefined) return undefined
    const scope = verifyChanges(session, step, await session.objects.changesBy(begun.tree, edits))
    return scope.ok ? { edits, verified: [...verdict.verified, ...scope.verified] } : undefined
  }

  async #commit(
    step: Step,
    begun: Begun,
    {
      edits,
      verified,
      attempt,
      startedAt,
      events,
    }: { edits: TreeEdits; verified: readonly string[]; attempt: number; startedAt: number; events: readonly RunEvent[] },
  ): Promise<void> {
    const session = this.#session
    const durationMs = session.world.now().getTime() - startedAt
    const request = stepCommit(session, step, { event: 'step', attempt, durationMs, verified })
    const { bytes, plan, source } = planAfter(session, request)
    const all = new Map(edits).set(rawPath(session.planPath), { mode: '100644', oid: await session.objects.blob(bytes) })
    begun.tree = await session.objects.treeWithAll(begun.tree, all)
    const commit = await session.objects.commit({ tree: begun.tree, parents: [session.at.tip], message: messageOf(session, request, plan.digest) })
    for (const [path, file] of all) begun.edits.set(path, file)
    session.at = { tip: commit, plan, source }
    this.#kept.push({ step, attempt, commit, durationMs, events })
  }
}

const touchesRules = (touched: ReadonlySet<RawPath>): boolean => [...touched].some((path) => path === '.gitignore' || path.endsWith('/.gitignore'))

const noShell = (): never => {
  throw new Error('a step that writes files runs no command')
}
