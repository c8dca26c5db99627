/**
 * Why a step failed. In a file of its own: events tell it to users of the library, who have no zod, which `verb.ts`
 * needs.
 */
export type FailReason =
  | 'exit'
  | 'timeout'
  | 'signal'
  | 'output-limit'
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
  | 'nested-repository'
  | 'secret'
  | 'syntax'
