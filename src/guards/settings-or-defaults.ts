// The settings in force, or the defaults where what the policy says is not valid: a hook must not be in the way of
// whoever repairs it.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { readSettings, type PolicyPlace, type Settings } from '../operation/settings.ts'

export interface SettingsOrDefaults {
  readonly settings: Settings
  /** What is not valid, and where. */
  readonly problem?: string
}

export async function settingsOrDefaults(repo: Repository, place?: PolicyPlace): Promise<SettingsOrDefaults> {
  try {
    return { settings: await readSettings(repo, place) }
  } catch (error) {
    if (!(error instanceof PlanError) || error.code !== 'invalid-plan') throw error
    return { settings: await readSettings(repo, { ref: undefined, source: 'default' }), problem: error.message }
  }
}
