// The keys of a check, each a kind of its own.

export const checkKinds = [
  'run',
  'exists',
  'absent',
  'not_empty',
  'contains',
  'lacks',
  'parses',
  'dependency',
  'size',
  'count',
] as const
