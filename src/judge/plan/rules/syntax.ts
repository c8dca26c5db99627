// Checks that the files which steps write parse.

import type { Finding } from '../../../plan/model/finding.ts'
import { newProblems } from '../../syntax/new-problems.ts'
import type { RehearsedStep } from '../rehearsal.ts'

export async function syntax({
  writes,
}: RehearsedStep): Promise<Pick<Finding, 'rule' | 'severity' | 'message' | 'advice'>[]> {
  const found: Pick<Finding, 'rule' | 'severity' | 'message' | 'advice'>[] = []
  for (const [path, { before, after }] of writes) {
    const [problem] = await newProblems(path, before, after).catch((error: unknown) => {
      found.push({
        rule: 'syntax',
        severity: 'warning',
        message: `${path} was not parsed: ${(error as Error).message}`,
      })
      return []
    })
    if (problem === undefined) continue
    found.push({
      rule: 'syntax',
      severity: 'error',
      message: `${path} would not parse: line ${problem.line}, column ${problem.column}: ${problem.message}`,
      advice: 'correct the content that the step writes',
    })
  }
  return found
}
