// Where a machine keeps what it needs to work on campaigns: a copy of the control repository and a clone of each target.
// All of it can be deleted: the truth is in the control repository and in the targets.

import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { PlanError } from '../errors.ts'
import { isId } from '../plan/model/ids.ts'
import type { Environment } from '../process/environment.ts'

export interface FleetHome {
  readonly root: string
  /** The control repository, if the user named no other. */
  readonly control: string
  /** The copy of the control repository. */
  readonly copy: string
  /** The tips of the plans of all targets. */
  readonly tips: string
  /** The approvals that were given on this machine. */
  readonly approvals: string
  readonly target: (key: string) => string
}

function fleetRoot(env: Environment): string {
  const { XDG_STATE_HOME: state = '', HOME: home = '' } = env
  const directory = isAbsolute(state) ? state : join(home, '.local/state')
  if (!isAbsolute(directory))
    throw new PlanError('usage', 'there is no place for the clones of a fleet: neither XDG_STATE_HOME nor HOME is set')
  return join(directory, 'git-plan', 'fleet')
}

export function fleetHome(env: Environment, id: string): FleetHome {
  const root = join(fleetRoot(env), id)
  mkdirSync(root, { recursive: true })
  return {
    root,
    control: join(root, 'control.git'),
    copy: join(root, 'copy.git'),
    tips: join(root, 'tips'),
    approvals: join(root, 'approved'),
    target: (key) => join(root, 'targets', key),
  }
}

/** A campaign that was asked for and does not exist has a copy without refs. */
const refsIn = (copy: string): boolean =>
  [join('refs', 'heads', 'campaign'), 'packed-refs'].some((name) => existsSync(join(copy, name)))

/** The campaigns that this machine has worked on. */
export function knownCampaigns(env: Environment): string[] {
  try {
    const root = fleetRoot(env)
    return readdirSync(root)
      .filter((id) => isId(id) && refsIn(join(root, id, 'copy.git')))
      .toSorted()
  } catch {
    return []
  }
}
