// What a plan can be seen to be, besides what its file says.

export const displayStatuses = ['running', 'stalled', 'paused', 'rolled-back', 'merged', 'stale'] as const
