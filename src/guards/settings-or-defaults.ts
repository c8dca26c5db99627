// The settings in force, or the defaults if the policy is not valid: a hook must not block the commit that repairs it.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { readSettings, type PolicySource, type Settings } from '../operation/settings.ts'

export interface SettingsOrDefaults {
  readonly settings: Settings
  /** The error and its position. */
  readonly problem?: string
}

export async function settingsOrDefaults(repo: Repository, policy?: PolicySource): Promise<SettingsOrDefaults> {
  try {
    return { settings: await readSettings(repo, policy) }
  } catch (error) {
    if (!(error instanceof PlanError) || error.code !== 'invalid-plan') throw error
    return { settings: await readSettings(repo, { ref: undefined, source: 'default' }), problem: error.message }
  }
}
