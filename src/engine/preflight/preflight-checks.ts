// The names of the checks before the first step, apart from the checks: completion offers them and must not load the
// executor.

export const preflightChecks = ['tools', 'disk', 'signing', 'commit-msg', 'files', 'plan', 'commands'] as const
export type PreflightCheck = (typeof preflightChecks)[number]
