// Node 22 and newer can keep what it has compiled, which is a good part of a short command; for Node 20 we do. It is a convenience: no command fails for want of it.

import { existsSync, statSync } from 'node:fs'
import nodeModule from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import { compileByHand } from './compiled-by-hand.ts'

type Keep = (directory: string) => unknown

/** Node 20 has none of its own. */
const isByHand = Number(process.versions.node.split('.')[0]) < 22
const enable: Keep = (directory) => {
  if (isByHand) compileByHand(directory, /^[a-z]{1,20}$/.exec(process.argv[2] ?? '')?.[0] ?? 'other')
  else (nodeModule as { enableCompileCache?: Keep }).enableCompileCache?.(directory)
}

/** The user's own directory: what lies in the temporary one may be somebody else's, and it is going to be executed. */
export function keepCompiled({ env, keep = enable }: { env: Readonly<Record<string, string | undefined>>; keep?: Keep }): void {
  try {
    const given = env['XDG_CACHE_HOME'] ?? ''
    // The variable first, as `homedir` does: to ask it takes a module.
    const directory = `${isAbsolute(given) ? given : `${env['HOME'] || homedir()}/.cache`}/git-plan`
    if (!isInWorkTree(directory) && isOurs(directory)) keep(directory)
  } catch {
    // No home, or none that can be read.
  }
}

/** What is in it is going to be executed: nobody else may have put it there, as under `sudo` with another's home. */
function isOurs(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return dirname(path) === path || isOurs(dirname(path))
  return process.geteuid === undefined || (facts.uid === process.geteuid() && (facts.mode & 0o022) === 0)
}

/** Some keep their home directory in Git: what we write there would be a change in their repository. */
function isInWorkTree(path: string): boolean {
  const above = dirname(path)
  return existsSync(`${path}/.git`) || (above !== path && isInWorkTree(above))
}
