// Writes status, state and derived values into the file without changing the author's bytes. Text is spliced, never
// re-serialised, and every result is read back and compared: a wrong byte would be committed.

import { isDeepStrictEqual } from 'node:util'
import { PlanError } from '../../errors.ts'
import type { Plan, PlanState, PlanStatus } from '../model/plan.ts'
import { readPlan, type PlanOrigin, type PlanSource, type PlanText } from './read-plan.ts'
import { maxFileBytes } from './split.ts'
import { isId } from '../model/ids.ts'
import type { PlanId } from '../model/ids.ts'

/** A plan with its text and the positions where derived values go. */
export interface PlanAndSource {
  readonly plan: Plan
  readonly source: PlanSource
}

/** The same without those positions: enough to write the state. */
export interface PlanAndText {
  readonly plan: Plan
  readonly source: PlanText
}

export interface Written extends PlanAndText {
  readonly bytes: Uint8Array
}

/** The file with this status and state. The digest does not change. */
export const withState = (at: PlanAndText, status: PlanStatus, state: PlanState): Written =>
  replaceTail(at, status, state) ?? rewriteTail(at, status, state)

/**
 * Replaces a status block that is exactly as we write it. The new one then parses as written and the text before it
 * parses as before, because `status:` at the start of a line ends any open scalar. So a checkpoint of a long plan need
 * not parse the plan again.
 */
function replaceTail({ plan, source }: PlanAndText, status: PlanStatus, state: PlanState): Written | undefined {
  const { tail, text, eol } = source
  if (tail === undefined || text.slice(tail.start, tail.end) !== tailText(plan.status, plan.state, eol))
    return undefined
  const kept = statesToWrite(plan, state)
  const next = tailText(status, kept, eol)
  const whole = text.slice(0, tail.start) + next + text.slice(tail.end)
  const bytes = encode(whole)
  if (bytes.byteLength > maxFileBytes) return undefined
  const end = tail.start + next.length
  return {
    bytes,
    plan: { ...plan, status, state: kept },
    source: { ...source, text: whole, matterEnd: end, tail: { start: tail.start, end } },
  }
}

function rewriteTail({ plan, source }: PlanAndText, status: PlanStatus, state: PlanState): Written {
  const kept = statesToWrite(plan, state)
  const text = splice(source.text, [tailEdit(source, status, kept)])
  return readBack(text, source.origin, { ...plan, status, state: kept }, { keepsDigest: true })
}

function tailEdit({ tail, matterEnd, eol }: PlanText, status: PlanStatus, state: PlanState): Edit {
  const { start, end } = tail ?? { start: matterEnd, end: matterEnd }
  return { start, end, text: tailText(status, state, eol) }
}

/** The states to write: in plan order, without `pending`. */
function statesToWrite(plan: Plan, state: PlanState): PlanState {
  const kept = new Map(
    plan.steps.flatMap((step) => (isWritten(state, step.id) ? [[step.id, state.get(step.id)!]] : [])),
  )
  const ids = new Set(plan.steps.map(({ id }) => id))
  for (const id of state.keys())
    if (!ids.has(id)) throw new Error(`the state names a step that is not in the plan: ${id}`)
  return kept
}

function tailText(status: PlanStatus, state: PlanState, eol: string): string {
  const lines = [
    `status: ${status}`,
    ...(state.size === 0
      ? ['state: {}']
      : ['state:', ...Array.from(state, ([id, value]) => `  ${scalar(id)}: ${value}`)]),
  ]
  return lines.map((line) => line + eol).join('')
}

const isWritten = (state: PlanState, id: Plan['steps'][number]['id']): boolean =>
  (state.get(id) ?? 'pending') !== 'pending'

/**
 * The file as proposed: derived values written out (plan, title and base at the top, id and title of each step), and no
 * state.
 */
export function asProposed({ plan, source }: PlanAndSource): Written {
  const top = [
    ...(source.derived.plan ? [`plan: ${scalar(plan.id)}`] : []),
    ...(source.derived.title ? [`title: ${scalar(plan.title)}`] : []),
    ...(source.derived.base && plan.base !== undefined ? [`base: ${scalar(plan.base)}`] : []),
  ]
  const edits: Edit[] = [
    { start: source.matterStart, end: source.matterStart, text: top.map((line) => line + source.eol).join('') },
  ]
  for (const [index, stepSource] of source.steps.entries()) {
    const step = plan.steps[index]!
    const keys = [
      ...(stepSource.derived.id ? [`id: ${scalar(step.id)}`] : []),
      ...(stepSource.derived.title ? [`title: ${scalar(step.title)}`] : []),
    ]
    if (keys.length === 0) continue
    if (stepSource.flow)
      edits.push({
        start: stepSource.start + 1,
        end: stepSource.start + 1,
        text: keys.map((key) => `${key}, `).join(''),
      })
    else
      edits.push({
        start: stepSource.start,
        end: stepSource.start,
        text: keys.map((key) => key + source.eol + ' '.repeat(stepSource.column - 1)).join(''),
      })
  }
  const { file, id } = source.origin
  const text = splice(source.text, [...edits, tailEdit(source, 'proposed', new Map())])
  return readBack(
    text,
    { file, ...(id === undefined ? {} : { id }) },
    { ...plan, status: 'proposed', state: new Map() },
  )
}

/** The file under another plan id. */
export function withPlanId({ plan, source }: PlanAndSource, id: PlanId): Written {
  if (!isId(id)) throw new TypeError(`not a plan id: ${JSON.stringify(id)}`)
  const at = source.planValue
  const edit: Edit = at
    ? // A block scalar ends with its line.
      { ...at, text: scalar(id) + (source.text[at.end - 1] === '\n' ? source.eol : '') }
    : { start: source.matterStart, end: source.matterStart, text: `plan: ${scalar(id)}${source.eol}` }
  const isTitled = !source.derived.title || plan.title !== plan.id
  return readBack(splice(source.text, [edit]), { file: `${id}.md` }, { ...plan, id, title: isTitled ? plan.title : id })
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

function splice(text: string, edits: readonly Edit[]): string {
  let result = ''
  let from = 0
  for (const edit of edits) {
    result += text.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return result + text.slice(from)
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function readBack(text: string, origin: PlanOrigin, expected: Plan, { keepsDigest = false } = {}): Written {
  const bytes = encode(text)
  const result = readPlan(bytes, origin)
  const problem = result.ok ? undefined : result.findings[0]
  // A file that grew too large is the only failure that the author can cause.
  if (problem?.rule === 'too-large')
    throw new PlanError('invalid-plan', `${origin.file} would become too large: ${problem.message}`, {
      hint: `git plan check ${origin.file}`,
    })
  if (!result.ok) throw new Error(`the written plan does not parse: line ${problem?.line}: ${problem?.message}`)
  // The digest of the new file covers the derived values; the old one does not.
  const digest = keepsDigest ? expected.digest : result.plan.digest
  if (!isDeepStrictEqual(result.plan, { ...expected, digest })) throw new Error('the written plan reads differently')
  return { bytes, plan: result.plan, source: result.source }
}

/** Unquoted if YAML cannot misread it, in a flow map either; otherwise quoted as JSON. */
export function scalar(text: string): string {
  const isPlain =
    /^[A-Za-z](?:[A-Za-z0-9 _./-]*[A-Za-z0-9_./-])?$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
  return isPlain ? text : JSON.stringify(text)
}
