/** An expected problem as a value: the problem, its position, and advice. */
export interface Finding {
  /** Stable name of the rule, such as `unknown-key` or `path-outside`. */
  readonly rule: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
  readonly file?: string
  /** From 1. */
  readonly line?: number
  /** From 1, in characters. */
  readonly column?: number
  readonly step?: string
  readonly advice?: string
}

export const hasErrors = (findings: readonly Finding[]): boolean =>
  findings.some((finding) => finding.severity === 'error')
