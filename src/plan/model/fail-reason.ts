/**
 * The reason why a step failed. In its own file because events expose it to users of the library, who may not have zod,
 * which `verb.ts` needs.
 */
export type FailReason =
  | 'exit'
  | 'timeout'
  | 'plan-timeout'
  | 'cpu-limit'
  | 'memory-limit'
  | 'signal'
  | 'output-limit'
  | 'idle'
  | 'agent-limit'
  | 'agent'
  | 'interrupted'
  | 'verb'
  | 'scope'
  | 'changes'
  | 'verify'
  | 'criteria'
  | 'test'
  | 'hook'
  | 'out-of-bounds'
  | 'git-changed'
  | 'base-moved'
  | 'nested-repository'
  | 'secret'
  | 'syntax'
