// The seven promises that must hold after every injection. Each complaint names the promise that was broken.

import { runProcesses } from '../helpers/crash.ts'
import { leftLocks, type World } from './faulty-repo.ts'
import type { Way } from './ways.ts'

export const promises = {
  complete: 'the ref names a complete commit',
  once: 'a committed step never runs again',
  unknown: 'an external step in flight is unknown',
  files: "the user's files are as they were",
  locks: 'only locks of our own dead are removed',
  converges: 'recovery comes to the same end',
  single: 'of two executors one wins',
} as const
export type PromiseName = keyof typeof promises

export interface Complaint {
  readonly promise: PromiseName
  readonly what: string
}

export const complain = (promise: PromiseName, what: string): Complaint => ({ promise, what })

/** What `git fsck` says of a work tree whose `git worktree add` was killed. Recovery removes it. */
const ofHalfMadeTree =
  /^(Command failed|fatal: failed to read \.git\/worktrees\/demo\.\d\/commondir|error: (worktrees\/demo\.\d|bad ref for .*\/logs\/HEAD|invalid worktrees\/)|$)/

/** Objects: as the crash left them, and after recovery. */
export function incomplete(world: World, { isRecovered }: { readonly isRecovered: boolean }): Complaint[] {
  try {
    const said = world.repo.fsck()
    return said === '' ? [] : [complain('complete', said)]
  } catch (error) {
    const lines = (error as Error).message.split('\n').filter((line) => isRecovered || !ofHalfMadeTree.test(line))
    return lines.length === 0 ? [] : [complain('complete', lines.join('\n'))]
  }
}

export interface Moment {
  /** Steps that have a commit of their own, and how often each has run by then. */
  readonly committed: ReadonlyMap<string, number>
  readonly paid: number
  readonly effect: string | undefined
}

/** As the crash left it, before anybody looks. */
export function momentOf(world: World): Moment {
  const steps = world.hasBranch()
    ? world.repo.git([
        'log',
        '--first-parent',
        '--format=%(trailers:key=Plan-Event,valueonly,separator=)/%(trailers:key=Plan-Step,valueonly,separator=)',
        'plan/demo',
      ])
    : ''
  const done = [...steps.matchAll(/^(?:step|declared)\/(\S+)$/gm)].map(([, step = '']) => step)
  const effect = world.repo
    .git([
      'for-each-ref',
      '--sort=-refname',
      '--format=%(trailers:key=Plan-Effect,valueonly)',
      'refs/plan/demo/effects/pay/',
    ])
    .split('\n')
    .find((line) => line !== '')
  return {
    committed: new Map(done.map((step) => [step, world.ledger.count(step)])),
    paid: world.ledger.count('pay') - world.ledger.count('unpay'),
    effect,
  }
}

/** An effect that may have happened is known to have been intended, and is called unknown by everybody who looks. */
export async function effectComplaints(world: World, moment: Moment): Promise<Complaint[]> {
  if (moment.paid > 0 && moment.effect === undefined)
    return [complain('unknown', 'it happened, and no ref says that it was intended')]
  if (moment.effect !== 'intended' || moment.committed.has('pay')) return []
  const status = await world.statusOf('pay')
  return status === 'unknown' ? [] : [complain('unknown', `pay is called ${status}`)]
}

export function ranAgain(world: World, moment: Moment, kept: readonly string[]): Complaint[] {
  return [...moment.committed]
    .filter(([step, times]) => kept.includes(step) && world.ledger.count(step) > times)
    .map(([step]) => complain('once', `${step} was committed, and ran again`))
}

/** With the plan finished or cancelled: all of the user's is back. */
export function userComplaints(world: World): Complaint[] {
  const { repo } = world
  const facts: readonly (readonly [string, () => string, string])[] = [
    ['HEAD', () => repo.git(['rev-parse', '--abbrev-ref', 'HEAD']), 'main'],
    ['status', () => repo.git(['status', '--porcelain', '--', ':!.plans']), ' M b.txt\nM  c.txt\n?? mine/'],
    ['b.txt', () => repo.read('b.txt'), 'the user changed this\n'],
    ['c.txt', () => repo.read('c.txt'), 'staged\n'],
    ['mine/untracked.txt', () => repo.read('mine/untracked.txt'), 'mine\r\n'],
    ['keep.log', () => repo.read('keep.log'), 'ignored\n'],
  ]
  return facts.flatMap(([name, actual, expected]) => {
    const found = attempted(actual)
    return found === expected ? [] : [complain('files', `${name}: ${JSON.stringify(found)}`)]
  })
}

const attempted = (read: () => string): string => {
  try {
    return read()
  } catch (error) {
    return (error as Error).message
  }
}

export function lockComplaints(world: World): Complaint[] {
  // Of gc too. Our own claims are by design what they were: that of a dead process holds nobody up, and the next one
  // removes it.
  const left = leftLocks(world.repo)
  return [
    ...(world.isForeignLockThere() ? [] : [complain('locks', 'a foreign lock is gone')]),
    ...(left.length === 0 ? [] : [complain('locks', `left: ${left.join(', ')}`)]),
    ...runProcesses(world.repo).map((pid) => complain('converges', `process ${pid} of the run is alive`)),
  ]
}

/**
 * What a step left that failed for good is in one of its attempts, as it left it; what a command leaves behind has a
 * ref.
 */
export function unsaved({ repo }: World, { saves, names }: Pick<Way, 'saves' | 'names'>): Complaint[] {
  const refs = (below: string): string[] =>
    repo
      .git(['for-each-ref', '--format=%(refname)', below])
      .split('\n')
      .filter((ref) => ref !== '')
  const holds = (ref: string, [file, text]: readonly [string, string]): boolean =>
    repo.git(['ls-tree', ref, file]) !== '' && repo.git(['show', `${ref}:${file}`]) === text
  const isSaved = saves === undefined || refs('refs/plan/demo/attempts/').some((ref) => holds(ref, saves))
  const isNamed = names === undefined || refs(names).length > 0
  return [
    ...(isSaved ? [] : [complain('files', `${saves[0]} was not saved`)]),
    ...(isNamed ? [] : [complain('files', `nothing is left under ${names}`)]),
  ]
}
