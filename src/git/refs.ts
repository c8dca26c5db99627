// Moving refs: several in one transaction, each with the value that it must still have. The last one in the list moves last,
// so the plan's branch goes there: it is the commit point.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { PlanError } from '../errors.ts'
import type { Oid } from '../plan/values.ts'
import { gitFailure, type GitRunner } from './runner.ts'

export interface RefMove {
  readonly ref: string
  /** The value it must have now; undefined: it must not exist. */
  readonly from: Oid | undefined
  /** undefined: delete it. */
  readonly to: Oid | undefined
}

/** A long-lived `git update-ref --stdin`; it ends on the first failure and is started again for the next transaction. */
export class RefMover {
  readonly #git: GitRunner
  #child: ChildProcessWithoutNullStreams | undefined
  #said = ''
  #complaint = ''
  #signal: string | null = null
  #heard: (() => void) | undefined

  constructor(git: GitRunner) {
    this.#git = git
  }

  async move(moves: readonly RefMove[], zero: string): Promise<void> {
    if (moves.length === 0) return
    for (const { ref } of moves) if (/[\s\0]/.test(ref) || !ref.startsWith('refs/')) throw new Error(`not a ref: ${JSON.stringify(ref)}`)
    const lines = moves.map(({ ref, from, to }) =>
      to === undefined ? `delete ${ref} ${from ?? zero}` : from === undefined ? `create ${ref} ${to}` : `update ${ref} ${to} ${from}`,
    )
    const child = this.#start()
    this.#said = ''
    child.stdin.write(['start', ...lines, 'prepare', 'commit', ''].join('\n'))
    const isMoved = await new Promise<boolean>((resolve) => {
      this.#heard = () => {
        if (this.#said.includes('commit: ok\n')) resolve(true)
        else if (this.#child !== child) resolve(false)
      }
      this.#heard()
    })
    this.#heard = undefined
    if (!isMoved) throw refFailure(moves, { code: 128, signal: this.#signal, stderr: this.#complaint })
  }

  close(): void {
    this.#child?.stdin.end()
    this.#child?.unref()
    this.#child = undefined
  }

  #start(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child
    const child = spawn('git', this.#git.commandLine(['update-ref', '-m', 'git plan', '--stdin']), {
      cwd: this.#git.cwd,
      env: this.#git.environment(),
      stdio: 'pipe',
      detached: true,
    })
    this.#child = child
    this.#complaint = ''
    child.stdout.on('data', (chunk: Buffer) => {
      this.#said += chunk.toString()
      this.#heard?.()
    })
    child.stderr.on('data', (chunk: Buffer) => (this.#complaint += chunk.toString()))
    child.stdin.on('error', () => {})
    const ended = (signal: string | null): void => {
      if (this.#child === child) this.#child = undefined
      this.#signal = signal
      this.#heard?.()
    }
    child.on('error', () => ended(null))
    child.on('close', (_, signal) => ended(signal))
    return child
  }
}

function refFailure(moves: readonly RefMove[], answer: { code: number; signal: string | null; stderr: string }): PlanError {
  const complaint = answer.stderr
  const moved = /cannot lock ref '([^']+)': (is at|reference already exists|unable to resolve reference|reference is missing)/.exec(complaint)
  if (moved !== null) return new PlanError('branch-moved', `${moved[1]} moved meanwhile`, { hint: 'git plan status', facts: { ref: moved[1] } })
  const blocked = /'([^']+)' exists; cannot create '([^']+)'/.exec(complaint)
  if (blocked !== null) {
    return new PlanError('plan-exists', `${blocked[2]} cannot be made: ${blocked[1]} is in its place`, {
      hint: clearWay(blocked[1] ?? ''),
      facts: { ref: blocked[2] },
    })
  }
  return gitFailure(['update-ref', ...moves.map((move) => move.ref)], answer)
}

/** What belongs to a plan has names of our own: one that is in their way was made by somebody else. */
const clearWay = (ref: string): string =>
  ref.startsWith('refs/heads/') ? `rename it: git branch -m ${ref.slice('refs/heads/'.length)} <another name>` : `git update-ref -d ${ref}`
