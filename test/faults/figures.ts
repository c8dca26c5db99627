// How much is tried, and what came of it. `npm test` tries a sample; `npm run test:faults` everything, and prints the
// figures as a table.

import { appendFileSync } from 'node:fs'

export const isWhole = process.env['GIT_PLAN_FAULTS'] === 'all'

/** How many of something: in `npm test`, and in the whole run. */
export const many = (sample: number, whole: number): number => (isWhole ? whole : sample)

/** One row of the table at the end: the same columns for every row of a section. */
export function figure(section: string, row: string, columns: Readonly<Record<string, number | string>>): void {
  const out = process.env['GIT_PLAN_FAULTS_OUT']
  if (out !== undefined) appendFileSync(out, `${JSON.stringify({ section, row, columns })}\n`)
}

/** The whole run takes its time: what is wrong is said at once. */
export function tell(line: string): void {
  if (isWhole) process.stderr.write(`${line}\n`)
}
