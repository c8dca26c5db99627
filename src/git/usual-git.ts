// The git that a Linux installs: of it is known where it keeps what is for all users, and that it is another one when its file is. A script in its place may start any.

import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { stampOf } from './disk.ts'

const usual = '/usr/bin/git'

/** Whether `git` is that one, for whoever looks it up. */
export function isUsualGit(env: Readonly<Record<string, string>>, place = usual): boolean {
  if (process.platform !== 'linux') return false
  for (const directory of (env['PATH'] ?? '').split(':')) {
    if (!isAbsolute(directory)) return false
    const program = `${directory}/git`
    const facts = statSync(program, { throwIfNoEntry: false })
    if (facts === undefined) continue
    // Whether what is no file, or not for everybody, is passed over is for those to say who start it.
    return facts.isFile() && (facts.mode & 0o111) === 0o111 && realpathSync.native(program) === place && isMachineCode(place)
  }
  return false
}

/** Another value, and it is another git. Undefined where that cannot be told. */
export const stampOfGit = (env: Readonly<Record<string, string>>): string | undefined => (isUsualGit(env) ? stampOf(usual) : undefined)

function isMachineCode(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(4)
    readSync(file, head, 0, 4, 0)
    return head.toString('latin1') === '\x7fELF'
  } finally {
    closeSync(file)
  }
}
