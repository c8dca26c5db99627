// Describes a check in one line, identically in output, records and reports.

import type { Check } from './plan.ts'

export function describeCheck(check: Check): string {
  switch (check.kind) {
    case 'run':
      return check.command
    case 'exists':
    case 'absent':
    case 'not_empty':
    case 'parses':
      return `${check.kind} ${check.path}`
    case 'contains':
    case 'lacks':
      return `${check.file} ${check.kind} ${check.pattern}`
    case 'dependency':
      return `dependency ${check.name}${check.manifest === undefined ? '' : ` in ${check.manifest}`}`
    case 'size':
      return `size of ${check.file}${boundsText(check)}`
    case 'count':
      return `count of ${check.files ?? `/${check.pattern}/ in ${check.file}`}${boundsText(check)}`
  }
}

const boundsText = ({ min, max }: { readonly min?: number | undefined; readonly max?: number | undefined }): string =>
  min === max
    ? `: ${min}`
    : `${min === undefined ? '' : `, at least ${min}`}${max === undefined ? '' : `, at most ${max}`}`

/** Name of the check that declared deliverables exist. */
export const deliverablesCheck = 'deliverables'

/** Name of the check that a step changed only its `files` and left those that it names. */
export const scopeCheck = 'files'
