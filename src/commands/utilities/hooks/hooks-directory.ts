// Where git looks for the hooks of this repository, and whose that place is.

import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { PlanError } from '../../../errors.ts'
import type { Repository } from '../../../git/repository.ts'

export interface HooksPlace {
  readonly directory: string
  /**
   * In the git directory; in the work tree, where a manager of hooks or the project keeps them; outside, for other
   * repositories as well; nowhere.
   */
  readonly kind: 'own' | 'tree' | 'shared' | 'off'
  /** What core.hooksPath says, and where it says so. */
  readonly setting: { readonly value: string; readonly scope: string } | undefined
}

export async function placeOf(repo: Repository): Promise<HooksPlace> {
  const directory = await repo.hooksPath()
  const entry = (await repo.config.entries()).findLast(({ key }) => key === 'core.hookspath')
  const setting = entry === undefined ? undefined : { value: entry.value, scope: entry.scope }
  return { directory, kind: setting === undefined ? 'own' : kindOf(repo, directory), setting }
}

function kindOf(repo: Repository, directory: string): HooksPlace['kind'] {
  const facts = statSync(directory, { throwIfNoEntry: false })
  if (facts !== undefined && !facts.isDirectory()) return 'off'
  if (isInside(directory, repo.commonDir)) return 'own'
  return repo.root !== repo.commonDir && isInside(directory, repo.root) ? 'tree' : 'shared'
}

function isInside(path: string, directory: string): boolean {
  const way = relative(real(directory), real(path))
  return way === '' || (way !== '..' && !way.startsWith('../'))
}

/** Of what is not there yet: below the nearest directory that is. */
function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}

/** Only where nobody else is surprised by it. */
export function refusePlace(
  place: HooksPlace,
  request: { readonly action: string; readonly names?: readonly string[]; readonly shared?: boolean },
): void {
  const { kind, setting } = place
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
          .map((name) => `add this line to ${join(filesOf(place), name)}: git-plan hook ${name} "$@"`)
          .join('\n'),
      },
    )
  if (kind === 'shared' && shared !== true)
    throw new PlanError('path-refused', `${where}: hooks there also run in other repositories`, {
      hint: `git plan hooks ${[action, ...names].join(' ')} --shared`,
    })
}

/** Where the files are that people write: husky keeps its own below them. */
export const filesOf = ({ directory, kind }: HooksPlace): string =>
  kind === 'tree' && basename(directory) === '_' ? dirname(directory) : directory
