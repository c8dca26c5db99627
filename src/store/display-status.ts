// Statuses that are displayed but not recorded in the plan file.

export const displayStatuses = ['running', 'stalled', 'paused', 'rolled-back', 'merged', 'stale'] as const
