// The configuration of a plain repository, read from its files: what `git config --list` would say, or undefined where git might say anything else.
// Files that include others, that are written in an unusual way, and a git that may look elsewhere are git's to read.

import { closeSync, existsSync, lstatSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parseConfigText } from './config-text.ts'
import { systemDirectories, userFile, type ConfigEntry } from './git-config.ts'
import { openPlainly, readAt } from './stored-object.ts'
import { isUsualGit } from './usual-git.ts'

type Environment = Readonly<Record<string, string>>

/** Nobody writes more by hand. */
const mostBytes = 256 * 1024

/** `env` is that of git, scrubbed: no variable in it names another file or a value. */
export function readPlainConfig(root: string, env: Environment): ConfigEntry[] | undefined {
  try {
    return readFiles(root, env)
  } catch {
    return undefined
  }
}

function readFiles(root: string, env: Environment): ConfigEntry[] | undefined {
  const home = env['HOME'] ?? ''
  const own = userFile(env, 'config')
  if (!isUsualGit(env) || !isAbsolute(home) || !isAbsolute(own)) return undefined
  // One that is built in another way keeps it elsewhere.
  const [usual, ...others] = systemDirectories.map((directory) => `${directory}/gitconfig`)
  if (usual === undefined || others.some((path) => existsSync(path))) return undefined
  const files = [
    { scope: 'system', origin: usual },
    { scope: 'global', origin: own },
    { scope: 'global', origin: join(home, '.gitconfig') },
    { scope: 'local', origin: '.git/config' },
  ]
  const entries: ConfigEntry[] = []
  for (const { scope, origin } of files) {
    const read = entriesIn(scope === 'local' ? join(root, origin) : origin)
    if (read === undefined) return undefined
    for (const { key, value } of read) entries.push({ scope, origin: `file:${origin}`, key, value })
  }
  return entries
}

/** None where there is no file; undefined where it is for git to say. */
function entriesIn(path: string): readonly { readonly key: string; readonly value: string }[] | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
  const file = openPlainly(path)
  if (file === undefined) return undefined
  try {
    return file.size > mostBytes ? undefined : parseConfigText(readAt(file, 0, file.size).toString())
  } finally {
    closeSync(file.descriptor)
  }
}
