// Describes a check in one line, identically in output, records and reports.

import type { Check } from './plan.ts'

export function describeCheck(check: Check): string {
  switch (check.kind) {
    case 'run':
      return check.command
    case 'exists':
    case 'absent':
      return `${check.kind} ${check.path}`
    case 'contains':
    case 'lacks':
      return `${check.file} ${check.kind} ${check.pattern}`
  }
}

/** Name of the check that a step changed only its `files` and left those that it names. */
export const scopeCheck = 'files'
