// Git processes that may hold a lock in a repository.

import { readFileSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { isSelfOrAbove, listProcesses } from '../../process/kill-descendants.ts'

/** Live git processes that work at or below one of these directories, except those that cannot hold a lock. */
export async function gitProcessesIn(directories: readonly string[]): Promise<number[]> {
  const all = listProcesses()
  const found: number[] = []
  for (const facts of all.values()) {
    // Our own helpers hold no lock between two requests.
    if (facts.isZombie || facts.parent === process.pid || !/^git(-|$)/.test(facts.name) || facts.name === 'git-plan')
      continue
    const cwd = await readlink(`/proc/${facts.pid}/cwd`).catch(() => undefined)
    const isHere =
      cwd !== undefined && directories.some((directory) => cwd === directory || cwd.startsWith(`${directory}/`))
    const command = isHere ? commandOf(facts.pid) : ''
    // Helpers of another git plan, which wait for questions.
    if (!isHere || command === 'cat-file' || command === 'check-ignore') continue
    if (!isSelfOrAbove(facts.pid, all) || locking.has(command)) found.push(facts.pid)
  }
  return found
}

/**
 * Commands of Git that take locks. Above us, only these count: a commit holds index.lock while its hook or its editor
 * runs `git plan`. Every other git above us runs `git plan` itself, or an alias for it, and does nothing but wait.
 */
const locking = new Set(
  `add am apply branch checkout checkout-index cherry-pick clean clone commit fetch gc maintenance merge mv notes pack-refs prune pull push read-tree rebase
  receive-pack reflog remote repack replace reset restore revert rm sparse-checkout stash submodule switch symbolic-ref tag update-index update-ref worktree`.split(
    /\s+/,
  ),
)

/** Options of git itself whose value is the next word. */
const withValue = new Set([
  '-c',
  '-C',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
  '--super-prefix',
  '--attr-source',
])

/** `commit` of `git -C dir commit -a`, and of `git-commit`. Empty where the process is gone or cannot be read. */
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
  while (words[at]?.startsWith('-') === true) at += withValue.has(words[at] ?? '') ? 2 : 1
  return words[at] ?? ''
}
