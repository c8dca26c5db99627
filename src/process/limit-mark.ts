// A mark inherited by every process that a command starts: it survives fork, exec, a new session, an empty environment
// and redirected output. It is the soft limit on file locks, which Linux keeps per process and has ignored since 2.4.
// No other program sets this number, so a process that has it was started by the run.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Fifteen digits, the same for every command of a run. */
const markOf = (run: string): string =>
  `${10 ** 14 + Number.parseInt(createHash('sha256').update(run).digest('hex').slice(0, 12), 16)}`

/** For the shell that starts a command. The option letter differs between shells; a shell with neither sets no mark. */
export const setMarkCommand = (run: string): string =>
  `ulimit -S -w ${markOf(run)} 2>/dev/null || ulimit -S -x ${markOf(run)} 2>/dev/null; `

/** True if the process has the mark of the run and we may kill it. */
export function hasLimitMark(pid: number, run: string): boolean {
  try {
    const [, soft] = /^Max file locks +(\d+) /m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1')) ?? []
    // A process of another user can be seen but not signalled.
    return soft === markOf(run) && process.kill(pid, 0)
  } catch {
    return false
  }
}
