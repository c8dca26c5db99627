// The files that differ between two commits or trees, by mode and object id only, without their contents.

import type { Repository } from '../repository.ts'

export interface FileVersion {
  /** `000000` and a zero id if there is no file. */
  readonly mode: string
  readonly id: string
}

export interface RawChange {
  readonly before: FileVersion
  readonly after: FileVersion
}

/** Keyed by path, as Git prints it. Not affected by the repository's configuration. */
export async function rawChanges(repo: Repository, from: string, to: string): Promise<Map<string, RawChange>> {
  const answer = await repo.git.run([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--ignore-submodules=none',
    from,
    to,
  ])
  const fields = answer.stdout.toString('latin1').split('\0')
  const changes = new Map<string, RawChange>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (fields[at] ?? '').slice(1).split(' ')
    changes.set(fields[at + 1] ?? '', { before: { mode: oldMode, id: oldId }, after: { mode: newMode, id: newId } })
  }
  return changes
}

export const isSameVersion = (one: FileVersion, other: FileVersion): boolean =>
  one.mode === other.mode && one.id === other.id
