// Reads a step with `include`.

import { describeValue } from '../file/issues.ts'
import { isId } from '../model/ids.ts'
import { slug } from '../model/names.ts'
import { suggest } from '../text/nearest.ts'
import { pathProblem } from '../text/repo-path.ts'
import { isRecord } from './front-matter.ts'
import type { Given } from './give-values.ts'
import type { IncludeReference } from './source.ts'

export interface Include {
  readonly id: string
  readonly reference: IncludeReference
  readonly given: Given
}

export interface IncludeProblem {
  /** The key of the step. */
  readonly key: string
  readonly message: string
  readonly advice?: string
}

export const isInclude = (entry: unknown): entry is Record<string, unknown> =>
  isRecord(entry) && Object.hasOwn(entry, 'include')

const keys = ['id', 'include', 'with', 'needs']
const advice = 'write `include: PATH`, `include: { template: NAME }` or `include: { plan: ID, at: COMMIT }`'

export function readInclude(
  entry: Readonly<Record<string, unknown>>,
): { readonly ok: true; readonly include: Include } | { readonly ok: false; readonly problems: IncludeProblem[] } {
  const { needs, with: given = {} } = entry
  const problems: IncludeProblem[] = Object.keys(entry)
    .filter((key) => !keys.includes(key))
    .map((key) => ({ key, message: `${describeValue(key)} does not go with \`include\``, advice: suggest(key, keys) }))
  const reference = readReference(entry['include'])
  if ('message' in reference) problems.push({ key: 'include', ...reference })
  if (!isRecord(given)) problems.push({ key: 'with', message: `\`with\` should be a map, not ${describeValue(given)}` })
  if (needs !== undefined && !(Array.isArray(needs) && needs.every((each) => typeof each === 'string')))
    problems.push({ key: 'needs', message: `\`needs\` should be a list of ids, not ${describeValue(needs)}` })
  const id = entry['id'] ?? ('message' in reference ? 'include' : slug(nameOf(reference), 'include'))
  const isNamed = typeof id === 'string' && isId(id)
  if (!isNamed) problems.push({ key: 'id', message: `${describeValue(id)} is not a valid id` })
  if (!isNamed || problems.length > 0 || 'message' in reference) return { ok: false, problems }
  const values = Object.entries(given as object).map(([name, value]) => [name, { value: value as unknown }] as const)
  return { ok: true, include: { id, reference, given: new Map(values) } }
}

const nameOf = (reference: IncludeReference): string =>
  reference.kind === 'file'
    ? (reference.path.split('/').at(-1) ?? '').replace(/\.(md|markdown)$/i, '')
    : reference.kind === 'template'
      ? reference.name
      : reference.id

type Refused = Pick<IncludeProblem, 'message' | 'advice'>

function readReference(value: unknown): IncludeReference | Refused {
  if (typeof value === 'string') return fileReference(value)
  const wrong: Refused = { message: `\`include\` cannot be ${describeValue(value)}`, advice }
  if (!isRecord(value)) return wrong
  const { file, template, plan, at, ...rest } = value
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return { message: `unknown key ${describeValue(unknown)} of \`include\``, advice }
  const forms = [file, template, plan].filter((each) => each !== undefined)
  if (forms.length !== 1 || (at !== undefined && plan === undefined)) return wrong
  if (typeof file === 'string') return fileReference(file)
  if (typeof template === 'string')
    return isId(template)
      ? { kind: 'template', name: template }
      : { message: `${describeValue(template)} is not the name of a template`, advice: 'git plan template list' }
  if (typeof plan !== 'string') return wrong
  if (!isId(plan)) return { message: `${describeValue(plan)} is not the id of a plan`, advice: 'git plan list' }
  if (at !== undefined && !(typeof at === 'string' && /^[0-9a-f]{7,64}$/.test(at)))
    return { message: `\`at\` should be a commit, not ${describeValue(at)}`, advice: 'quote a commit of digits only' }
  return { kind: 'plan', id: plan, at }
}

function fileReference(path: string): IncludeReference | Refused {
  const problem = pathProblem(path)
  return problem === undefined ? { kind: 'file', path } : { message: `\`include\`: ${problem}` }
}
