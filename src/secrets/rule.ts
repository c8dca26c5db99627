// A rule of ours, and a secret that it finds.

export interface Secret {
  readonly rule: string
  readonly message: string
  readonly line: number
  readonly column: number
  /** The secret itself, for comparison with the previous content of the file. Never shown. */
  readonly value: string
}

export interface Rule {
  readonly rule: string
  /** Description with its article. */
  readonly says: string
  /** Global, with an optional group `value`. */
  readonly pattern: RegExp
  /** False if the value only looks like a secret. */
  readonly accept?: (value: string, match: RegExpExecArray) => boolean
  /** Paths in which the pattern means something else. */
  readonly notIn?: RegExp
  /** Also applies to binary files. */
  readonly inBinary?: boolean
}
