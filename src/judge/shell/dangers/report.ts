// Collects findings, each once, at their offset in the command.

import type { Finding } from './call.ts'

/** Maps an offset in the script being walked to an offset in the command. */
export type Origin = (offset: number) => number

export class Report {
  readonly findings: (Finding & { readonly offset: number })[] = []
  readonly #seen = new Set<string>()
  /** Offsets of text in single quotes and here-documents: a script in it has positions of its own. */
  readonly #quoted = new Map<string, number>()
  origin: Origin = (offset) => offset

  /** `offset`: in the script being walked. */
  add(finding: Finding, offset: number): void {
    this.addAt(finding, this.origin(offset))
  }

  /** `offset`: in the command. */
  addAt(finding: Finding, offset: number): void {
    const key = `${finding.rule}:${offset}`
    if (!this.#seen.has(key)) this.findings.push({ ...finding, offset })
    this.#seen.add(key)
  }

  /** Runs with another origin. */
  from<T>(origin: Origin, run: () => T): T {
    const outer = this.origin
    this.origin = origin
    const result = run()
    this.origin = outer
    return result
  }

  quote(text: string, offset: number): void {
    this.#quoted.set(text, this.origin(offset))
  }

  originOf(text: string): Origin | undefined {
    const start = this.#quoted.get(text)
    return start === undefined ? undefined : (at) => start + at
  }
}
