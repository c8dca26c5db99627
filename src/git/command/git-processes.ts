// Git processes that may hold a lock in a repository.

import { readFileSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { isSelfOrAbove, listProcesses } from '../../process/kill-descendants.ts'

/** Live Git processes whose directory is at or below one of these, except those that cannot hold a lock. */
export async function gitProcessesIn(directories: readonly string[]): Promise<number[]> {
  const all = listProcesses()
  const found: number[] = []
  for (const facts of all.values()) {
    // Our own long-lived children hold no lock between two requests.
    if (facts.isZombie || facts.parent === process.pid || !/^git(-|$)/.test(facts.name) || facts.name === 'git-plan')
      continue
    const cwd = await readlink(`/proc/${facts.pid}/cwd`).catch(() => undefined)
    const isHere =
      cwd !== undefined && directories.some((directory) => cwd === directory || cwd.startsWith(`${directory}/`))
    const command = isHere ? commandOf(facts.pid) : ''
    // Long-lived children of another git plan, which wait for requests.
    if (!isHere || command === 'cat-file' || command === 'check-ignore') continue
    if (!isSelfOrAbove(facts.pid, all) || lockingCommands.has(command)) found.push(facts.pid)
  }
  return found
}

/**
 * Git commands that take locks. Of the processes above us only these matter: a commit holds index.lock while its hook
 * or its editor runs `git plan`. Any other Git above us runs `git plan` itself, or an alias for it, and only waits.
 */
const lockingCommands = new Set(
  `add am apply branch checkout checkout-index cherry-pick clean clone commit fetch gc maintenance merge mv notes
  pack-refs prune pull push read-tree rebase receive-pack reflog remote repack replace reset restore revert rm
  sparse-checkout stash submodule switch symbolic-ref tag update-index update-ref worktree`.split(/\s+/),
)

/** Options of Git itself that take the next word as their value. */
const optionsWithValue = new Set([
  '-c',
  '-C',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
  '--super-prefix',
  '--attr-source',
])

/** `commit` for `git -C dir commit -a` and for `git-commit`. Empty: the process is gone or cannot be read. */
function commandOf(pid: number): string {
  let words: string[]
  try {
    words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
  } catch {
    return ''
  }
  const program = basename(words[0] ?? '')
  if (program.startsWith('git-')) return program.slice('git-'.length)
  let at = 1
  while (words[at]?.startsWith('-') === true) at += optionsWithValue.has(words[at] ?? '') ? 2 : 1
  return words[at] ?? ''
}
