// Numbers of attempts and their results. `npm test` runs a sample; `npm run test:faults` runs everything and prints the
// figures as a table.

import { appendFileSync } from 'node:fs'

export const isWhole = process.env['GIT_PLAN_FAULTS'] === 'all'

/** A number for `npm test`, and one for the whole run. */
export const many = (sample: number, whole: number): number => (isWhole ? whole : sample)

/** One row of the final table; all rows of a section have the same columns. */
export function figure(section: string, row: string, columns: Readonly<Record<string, number | string>>): void {
  const out = process.env['GIT_PLAN_FAULTS_OUT']
  if (out !== undefined) appendFileSync(out, `${JSON.stringify({ section, row, columns })}\n`)
}

/** The whole run takes its time: what is wrong is said at once. */
export function tell(line: string): void {
  if (isWhole) process.stderr.write(`${line}\n`)
}
