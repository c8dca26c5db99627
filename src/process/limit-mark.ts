// A mark that goes along with whatever a command starts: through fork and exec, into another session, with an empty
// environment and another output. It is the soft limit of file locks, which Linux keeps for every process and has not
// looked at since version 2.4. Nobody else has this number, so who has it was started by the run.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Fifteen digits, the same for all commands of a run. */
const markOf = (run: string): string =>
  `${10 ** 14 + Number.parseInt(createHash('sha256').update(run).digest('hex').slice(0, 12), 16)}`

/** For the shell that starts a command; the letter differs from shell to shell. Where none has it there is no mark. */
export const markingWords = (run: string): string =>
  `ulimit -S -w ${markOf(run)} 2>/dev/null || ulimit -S -x ${markOf(run)} 2>/dev/null; `

/** Whether a process has the mark of a run, and is ours to end. */
export function hasLimitMark(pid: number, run: string): boolean {
  try {
    const [, soft] = /^Max file locks +(\d+) /m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1')) ?? []
    // One that runs with the rights of somebody else can be seen, and nothing more.
    return soft === markOf(run) && process.kill(pid, 0)
  } catch {
    return false
  }
}
