// The names of the preflight checks, in a file of their own: completion offers them and must not load the executor.

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
