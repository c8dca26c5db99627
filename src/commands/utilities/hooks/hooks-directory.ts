// The directory where Git looks for the hooks of this repository, and who owns it.

import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { PlanError } from '../../../errors.ts'
import type { Repository } from '../../../git/repository.ts'

export interface HooksLocation {
  readonly directory: string
  /**
   * `own`: in the Git directory. `tree`: in the work tree, kept by a hook manager or the project. `shared`: outside the
   * repository, so other repositories may use it too. `off`: not a directory.
   */
  readonly kind: 'own' | 'tree' | 'shared' | 'off'
  /** The value and scope of core.hooksPath. */
  readonly setting: { readonly value: string; readonly scope: string } | undefined
}

export async function hooksLocation(repo: Repository): Promise<HooksLocation> {
  const directory = await repo.hooksPath()
  const entry = (await repo.config.entries()).findLast(({ key }) => key === 'core.hookspath')
  const setting = entry === undefined ? undefined : { value: entry.value, scope: entry.scope }
  return { directory, kind: setting === undefined ? 'own' : kindOf(repo, directory), setting }
}

function kindOf(repo: Repository, directory: string): HooksLocation['kind'] {
  const facts = statSync(directory, { throwIfNoEntry: false })
  if (facts !== undefined && !facts.isDirectory()) return 'off'
  if (isInside(directory, repo.commonDir)) return 'own'
  return repo.root !== repo.commonDir && isInside(directory, repo.root) ? 'tree' : 'shared'
}

function isInside(path: string, directory: string): boolean {
  const way = relative(resolveSymlinks(directory), resolveSymlinks(path))
  return way === '' || (way !== '..' && !way.startsWith('../'))
}

/** Resolves symlinks; for a path that does not exist, those of its nearest existing parent. */
function resolveSymlinks(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return dirname(path) === path ? path : join(resolveSymlinks(dirname(path)), basename(path))
  }
}

/** Refuses directories where an installation would affect other people or repositories. */
export function refuseLocation(
  location: HooksLocation,
  request: { readonly action: string; readonly names?: readonly string[]; readonly shared?: boolean },
): void {
  const { kind, setting } = location
  if (setting === undefined) return
  const { action, names = [], shared } = request
  const where = `core.hooksPath is ${JSON.stringify(setting.value)} (${setting.scope})`
  if (kind === 'off')
    throw new PlanError('path-refused', `hooks are disabled: ${where}`, {
      hint: `git config --${setting.scope} --unset core.hooksPath`,
    })
  if (kind === 'tree')
    throw new PlanError(
      'path-refused',
      `${where}: these hooks are files of the work tree, which git plan does not edit`,
      {
        hint: names
          .map((name) => `add this line to ${join(editableDirectory(location), name)}: git-plan hook ${name} "$@"`)
          .join('\n'),
      },
    )
  if (kind === 'shared' && shared !== true)
    throw new PlanError('path-refused', `${where}: hooks there also run in other repositories`, {
      hint: `git plan hooks ${[action, ...names].join(' ')} --shared`,
    })
}

/** The directory of the files that people edit: husky keeps its own scripts in a subdirectory. */
export const editableDirectory = ({ directory, kind }: HooksLocation): string =>
  kind === 'tree' && basename(directory) === '_' ? dirname(directory) : directory
