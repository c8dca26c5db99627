// Moves refs: several in one transaction, each with its expected old value. The last ref in the list moves last, so the
// plan's branch belongs there: it is the commit point.

import { PlanError } from '../../errors.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { GitChild, type ParsedAnswer } from '../command/git-child.ts'
import { gitFailure, type GitRunner } from '../command/runner.ts'

export interface RefMove {
  readonly ref: string
  /** The expected current value; undefined: the ref must not exist. */
  readonly from: Oid | undefined
  /** undefined: delete the ref. */
  readonly to: Oid | undefined
}

/** A long-lived `git update-ref --stdin`. It ends on the first failure and is restarted for the next transaction. */
export class RefMover {
  readonly #child: GitChild

  constructor(git: GitRunner) {
    this.#child = new GitChild(git, ['update-ref', '-m', 'git plan', '--stdin'])
  }

  async move(moves: readonly RefMove[], zero: string): Promise<void> {
    if (moves.length === 0) return
    for (const { ref } of moves)
      // A detached HEAD is a ref of its work tree.
      if (/[\s\0]/.test(ref) || !(ref.startsWith('refs/') || ref === 'HEAD'))
        throw new Error(`not a ref: ${JSON.stringify(ref)}`)
    const lines = moves.map(({ ref, from, to }) =>
      to === undefined
        ? `delete ${ref} ${from ?? zero}`
        : from === undefined
          ? `create ${ref} ${to}`
          : `update ${ref} ${to} ${from}`,
    )
    const request = ['start', ...lines, 'prepare', 'commit', ''].join('\n')
    await this.#child.ask(request, readConfirmation, (end) => refFailure(moves, { code: 128, ...end }))
  }

  close(): void {
    this.#child.close()
  }
}

/** Git confirms each part of the transaction; the last confirmation ends it. */
function readConfirmation(bytes: Buffer): ParsedAnswer<undefined> {
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
      hint: removalHint(blocked[1] ?? ''),
      facts: { ref: blocked[2] },
    })
  }
  return gitFailure(['update-ref', ...moves.map((move) => move.ref)], answer)
}

/** Refs of a plan have reserved names, so somebody else made the one that is in the way. */
const removalHint = (ref: string): string =>
  ref.startsWith('refs/heads/')
    ? `git branch -m ${ref.slice('refs/heads/'.length)} ANOTHER-NAME`
    : `git update-ref -d ${ref}`
