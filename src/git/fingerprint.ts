// What git would run in this repository, as one value: configuration, hooks and attributes. A step that changes it stops the plan
// before git runs anything new.

import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from './repository.ts'

/** Name of each part → its hash; two fingerprints differ in the parts that changed. */
export type Fingerprint = ReadonlyMap<string, string>

export async function takeFingerprint(repo: Repository): Promise<Fingerprint> {
  const hooksPath = await repo.git.text(['rev-parse', '--path-format=absolute', '--git-path', 'hooks'], { hooks: true })
  const parts = new Map<string, string>()
  for (const path of ['config', 'info/attributes', 'info/exclude', 'info/sparse-checkout']) parts.set(path, await hashFile(join(repo.commonDir, path)))
  for (const path of ['config.worktree', 'info/sparse-checkout']) parts.set(`work tree's ${path}`, await hashFile(join(repo.gitDir, path)))
  for (const name of (await readdir(hooksPath).catch(() => [])).sort()) {
    const path = join(hooksPath, name)
    const facts = await stat(path).catch(() => undefined)
    if (facts?.isFile() === true) parts.set(`hooks/${name}`, `${facts.mode} ${await hashFile(path)}`)
  }
  return parts
}

export function changedParts(before: Fingerprint, after: Fingerprint): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((part) => before.get(part) !== after.get(part)).sort()
}

const hashFile = (path: string): Promise<string> =>
  readFile(path).then((bytes) => createHash('sha256').update(bytes).digest('hex'), () => 'absent')
