// Moving refs: several in one transaction, each with the value that it must still have. The last one in the list moves
// last, so the plan's branch goes there: it is the commit point.

import { PlanError } from '../../errors.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { GitChild, type Reading } from '../command/git-child.ts'
import { gitFailure, type GitRunner } from '../command/runner.ts'

export interface RefMove {
  readonly ref: string
  /** The value it must have now; undefined: it must not exist. */
  readonly from: Oid | undefined
  /** undefined: delete it. */
  readonly to: Oid | undefined
}

/**
 * A long-lived `git update-ref --stdin`; it ends on the first failure and is started again for the next transaction.
 */
export class RefMover {
  readonly #child: GitChild

  constructor(git: GitRunner) {
    this.#child = new GitChild(git, ['update-ref', '-m', 'git plan', '--stdin'])
  }

  async move(moves: readonly RefMove[], zero: string): Promise<void> {
    if (moves.length === 0) return
    for (const { ref } of moves)
      if (/[\s\0]/.test(ref) || !ref.startsWith('refs/')) throw new Error(`not a ref: ${JSON.stringify(ref)}`)
    const lines = moves.map(({ ref, from, to }) =>
      to === undefined
        ? `delete ${ref} ${from ?? zero}`
        : from === undefined
          ? `create ${ref} ${to}`
          : `update ${ref} ${to} ${from}`,
    )
    const question = ['start', ...lines, 'prepare', 'commit', ''].join('\n')
    await this.#child.ask(question, readCommitted, (end) => refFailure(moves, { code: 128, ...end }))
  }

  close(): void {
    this.#child.close()
  }
}

/** Git confirms each part of the transaction; it is over with the last one. */
function readCommitted(bytes: Buffer): Reading<undefined> {
  const at = bytes.indexOf(committed)
  return at < 0 ? { needed: 0 } : { value: undefined, length: at + committed.length }
}

const committed = 'commit: ok\n'

function refFailure(
  moves: readonly RefMove[],
  answer: { code: number; signal: string | null; stderr: string },
): PlanError {
  const complaint = answer.stderr
  const moved =
    /cannot lock ref '([^']+)': (is at|reference already exists|unable to resolve reference|reference is missing)/.exec(
      complaint,
    )
  if (moved !== null)
    return new PlanError('branch-moved', `${moved[1]} has moved in the meantime`, {
      hint: 'git plan status',
      facts: { ref: moved[1] },
    })
  const blocked = /'([^']+)' exists; cannot create '([^']+)'/.exec(complaint)
  if (blocked !== null) {
    return new PlanError('plan-exists', `${blocked[2]} cannot be created: ${blocked[1]} is in its place`, {
      hint: clearWay(blocked[1] ?? ''),
      facts: { ref: blocked[2] },
    })
  }
  return gitFailure(['update-ref', ...moves.map((move) => move.ref)], answer)
}

/** What belongs to a plan has names of our own: one that is in their way was made by somebody else. */
const clearWay = (ref: string): string =>
  ref.startsWith('refs/heads/')
    ? `git branch -m ${ref.slice('refs/heads/'.length)} ANOTHER-NAME`
    : `git update-ref -d ${ref}`
