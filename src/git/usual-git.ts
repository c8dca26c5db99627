// The git that a Linux installs: of it is known where it keeps what is for all users, and that it is another one when its file is. A script in its place may start any.

import { realpathSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { stampOf } from './disk.ts'

const place = '/usr/bin/git'

/** Whether `git` is that one, for whoever looks it up. */
export function isUsualGit(env: Readonly<Record<string, string>>): boolean {
  if (process.platform !== 'linux') return false
  for (const directory of (env['PATH'] ?? '').split(':')) {
    if (!isAbsolute(directory)) return false
    const program = `${directory}/git`
    const facts = statSync(program, { throwIfNoEntry: false })
    if (facts === undefined) continue
    // Whether what is no file, or not for everybody, is passed over is for those to say who start it.
    return facts.isFile() && (facts.mode & 0o111) === 0o111 && realpathSync.native(program) === place
  }
  return false
}

/** Another value, and it is another git. Undefined where that cannot be told. */
export const stampOfGit = (env: Readonly<Record<string, string>>): string | undefined => (isUsualGit(env) ? stampOf(place) : undefined)
