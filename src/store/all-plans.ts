// The events of all plans, for counting: one pass of `git log` over their branches, final tips, saved tips and attempts,
// and one list of refs. No plan file is read, and there is no process per plan.

import { PlanError } from '../errors.ts'
import { gitFailure } from '../git/command/runner.ts'
import type { Repository } from '../git/repository.ts'
import { claimFromText, type Claim } from '../plan/model/claim.ts'
import { allPlanRefs, finalRef, isId, planBranch, type Oid, type PlanId } from '../plan/model/ids.ts'
import { numberedRefs } from '../plan/record/numbered-refs.ts'
import { eventOf, parseTrailers, type PlanEvent } from '../plan/record/trailers.ts'

export interface CountedEvent extends PlanEvent {
  readonly commit: Oid
  /** The committer date, in milliseconds since 1970: there are many of them. */
  readonly at: number
}

/** An attempt that failed, or whose result was not taken. */
export interface CountedAttempt {
  readonly step: string
  readonly number: number
  readonly claim: Claim | undefined
}

export interface CountedRollback {
  readonly kind: 'rollback' | 'undo' | 'rebase'
}

export interface PlanEvents {
  readonly id: PlanId
  /** Oldest first, with those that a rollback took off the branch. */
  readonly events: readonly CountedEvent[]
  /** The newest event on the branch. */
  readonly newest: CountedEvent | undefined
  readonly attempts: readonly CountedAttempt[]
  readonly rollbacks: readonly CountedRollback[]
}

interface PlanRefsRead {
  /** The branch, else the final tip. */
  tip: Oid | undefined
  /** All commits to start from. */
  readonly starts: Oid[]
  readonly rollbacks: CountedRollback[]
}

/** Ordered by id. */
export async function readAllPlans(repo: Repository): Promise<PlanEvents[]> {
  const refs = await readRefs(repo)
  const nodes = await walk(repo, refs)
  const depths = new Depths(nodes.parents)
  return [...refs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { tip, rollbacks }]) => {
      const { events = [], attempts = [] } = nodes.found.get(id) ?? {}
      return {
        id,
        // Commits have whole seconds, and a commit that a ref names may have come before those above it.
        events: events.toSorted((a, b) => a.at - b.at || depths.of(a.commit) - depths.of(b.commit)),
        newest: newestOn(tip, nodes.parents, events),
        attempts,
        rollbacks,
      }
    })
}

/** The number of commits of plans below a commit. */
class Depths {
  readonly #parents: ReadonlyMap<Oid, Oid | undefined>
  readonly #known = new Map<Oid, number>()

  constructor(parents: ReadonlyMap<Oid, Oid | undefined>) {
    this.#parents = parents
  }

  of(commit: Oid): number {
    const above: Oid[] = []
    let at: Oid | undefined = commit
    for (; at !== undefined && !this.#known.has(at) && this.#parents.has(at); at = this.#parents.get(at)) above.push(at)
    let depth = at === undefined ? 0 : (this.#known.get(at) ?? 0)
    for (const each of above.toReversed()) this.#known.set(each, ++depth)
    return depth
  }
}

function newestOn(
  tip: Oid | undefined,
  parents: ReadonlyMap<Oid, Oid | undefined>,
  events: readonly CountedEvent[],
): CountedEvent | undefined {
  for (let at = tip; at !== undefined && parents.has(at); at = parents.get(at)) {
    const commit = at
    const event = events.find((each) => each.commit === commit)
    if (event !== undefined) return event
  }
  return undefined
}

const refFormat =
  '%(objectname)%00%(*objectname)%00%(refname)%00%(if:equals=tag)%(objecttype)%(then)%(contents)%(end)%00%00'

/** The message of a rollback is in its tag. */
async function readRefs(repo: Repository): Promise<Map<PlanId, PlanRefsRead>> {
  const text = (await repo.git.run(['for-each-ref', `--format=${refFormat}`, ...allPlanRefs])).stdout.toString()
  const plans = new Map<PlanId, PlanRefsRead>()
  for (const record of text.split('\0\0\n')) {
    const [object = '', peeled = '', name = '', message = ''] = record.split('\0')
    const id = /^refs\/(?:heads\/)?plan\/([^/]+)/.exec(name)?.[1] ?? ''
    if (!isId(id)) continue
    const plan = plans.get(id as PlanId) ?? { tip: undefined, starts: [], rollbacks: [] }
    plans.set(id as PlanId, plan)
    const oid = (peeled === '' ? object : peeled) as Oid
    const [numbered] = numberedRefs(id as PlanId, [{ name }])
    if (name === planBranch(id as PlanId)) plan.tip = oid
    else if (name === finalRef(id as PlanId)) plan.tip ??= oid
    else if (numbered === undefined || numbered.kind === 'effects') continue
    plan.starts.push(oid)
    const kind = parseTrailers(message).get('Plan-Event')
    if (numbered?.kind === 'rollbacks' && (kind === 'rollback' || kind === 'undo' || kind === 'rebase'))
      plan.rollbacks.push({ kind })
  }
  // A plan that was deleted by hand leaves records that belong to nothing.
  for (const [id, { tip }] of plans) if (tip === undefined) plans.delete(id)
  return plans
}

interface Walked {
  readonly found: ReadonlyMap<PlanId, { readonly events: CountedEvent[]; readonly attempts: CountedAttempt[] }>
  readonly parents: ReadonlyMap<Oid, Oid | undefined>
}

/** All messages of a plan are in memory, and anybody can push one of half a gigabyte. */
const maxRecord = 4 * 1024 * 1024

/**
 * Commits come newest first, and the walk ends when the beginning of each plan was seen: the history below is not read.
 * `expected`: the commits of which the walk knows that they belong to a plan; true: only if it is an event of that plan,
 * because the commit above it may have been the first.
 */
async function walk(repo: Repository, refs: ReadonlyMap<PlanId, PlanRefsRead>): Promise<Walked> {
  const found = new Map<PlanId, { events: CountedEvent[]; attempts: CountedAttempt[] }>()
  const parents = new Map<Oid, Oid | undefined>()
  const expected = new Map<Oid, Map<PlanId, boolean>>()
  const expect = (oid: Oid | undefined, plan: PlanId, isMaybe: boolean): void => {
    if (oid === undefined || parents.has(oid)) return
    const plans = expected.get(oid) ?? new Map<PlanId, boolean>()
    plans.set(plan, isMaybe && plans.get(plan) !== false)
    expected.set(oid, plans)
  }
  for (const [id, { starts }] of refs) for (const oid of starts) expect(oid, id, false)
  if (expected.size === 0) return { found, parents }
  const take = (record: string): void => {
    const [oid = '', parent = '', date = ''] = record.split('\n', 3)
    const plans = expected.get(oid as Oid)
    if (plans === undefined) return
    expected.delete(oid as Oid)
    const [below] = parent.split(' ') as [Oid]
    const next = below === ('' as Oid) ? undefined : below
    parents.set(oid as Oid, next)
    const trailers = parseTrailers(record.slice(oid.length + parent.length + date.length + 3))
    const event = eventOf({ trailers })
    const at = millisecondsOf(date)
    for (const [plan, isMaybe] of plans) {
      const own = found.get(plan) ?? { events: [], attempts: [] }
      found.set(plan, own)
      const step = trailers.get('Plan-Step') ?? ''
      const isOwn = event?.plan === plan
      if (isOwn) own.events.push({ ...event, commit: oid as Oid, at })
      else if (trailers.get('Plan-Id') === plan && isId(step))
        own.attempts.push({
          step,
          number: Number(trailers.get('Plan-Attempt')) || 1,
          claim: claimFromText(trailers.get('Plan-Claim')),
        })
      if (isOwn || !isMaybe) expect(next, plan, isOwn && (event.event === 'proposed' || event.event === 'rebased'))
    }
  }
  const args = ['log', '--stdin', '--first-parent', '--no-show-signature', '-z', '--format=%H%n%P%n%ct%n%B']
  const child = repo.git.open(args)
  let rest = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const records = `${rest}${chunk}`.split('\0')
    rest = records.pop() ?? ''
    for (const record of records) take(record)
    if (expected.size === 0 || rest.length > maxRecord) child.kill()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk))
  // Git may have been ended before it has read all.
  child.stdin.on('error', () => {})
  child.stdin.end(`${[...expected.keys()].join('\n')}\n`)
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (rest !== '' && rest.length <= maxRecord) take(rest)
  if (rest.length > maxRecord)
    throw new PlanError('too-large', `the message of ${rest.slice(0, 10)} exceeds ${maxRecord / 1024 / 1024} MB`, {
      hint: `git log --oneline ${rest.slice(0, 10)}`,
    })
  if (expected.size > 0 && code !== 0) throw gitFailure(args, { code: code ?? 128, signal: null, stderr: complaint })
  return { found, parents }
}

/** Anybody can write any date into a commit. */
const millisecondsOf = (seconds: string): number => Math.min(Math.max(Number(seconds) || 0, 0), 253_402_300_799) * 1000
