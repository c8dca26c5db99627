// The names of the preflight checks: completion offers them, and the report lists them.

export const preflightChecks = [
  'tools',
  'agents',
  'disk',
  'memory',
  'signing',
  'commit-msg',
  'files',
  'plan',
  'commands',
] as const
export type PreflightCheck = (typeof preflightChecks)[number]

/** In the message of the first commit after a run that skipped some. */
export const skippedChecksRemark = 'Preflight checks skipped: '
