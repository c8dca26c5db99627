// A rule of ours, and what it finds.

export interface Secret {
  readonly rule: string
  readonly message: string
  readonly line: number
  readonly column: number
  /** The secret itself: to compare with what the file held before. Never shown. */
  readonly value: string
}

export interface Rule {
  readonly rule: string
  /** What it is, with its article. */
  readonly says: string
  /** Global, with a group `value`. */
  readonly pattern: RegExp
  /** Whether the value is one, or only looks like it. */
  readonly accept?: (value: string, match: RegExpExecArray) => boolean
  /** Paths in which it means something else. */
  readonly notIn?: RegExp
  /** Also looked for in files that are no text. */
  readonly inBinary?: boolean
}
