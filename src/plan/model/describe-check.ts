// A check in one line, the same where it runs, where it is recorded and where it is reported.

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

/** That a step changed nothing outside its `files`, and left those that it names. */
export const scopeCheck = 'files'
