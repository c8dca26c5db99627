// Writes an imported plan as the text of a plan file: steps in the front matter, everything else as prose.

import { pathProblem } from '../../text/repo-path.ts'
import { maxSteps } from '../../model/plan.ts'
import { titleFrom } from '../../model/names.ts'
import { singleLine } from '../../text/display.ts'
import {
  UnreadableSource,
  type ImportFormat,
  type ImportNote,
  type ImportedPlan,
  type ImportedState,
} from './format.ts'
import { Notes } from './notes.ts'
import { resolveSteps, type ResolvedStep } from './resolve-needs.ts'

export interface PlanText {
  readonly text: string
  readonly title: string
  readonly steps: readonly ImportedStepView[]
  readonly notes: readonly ImportNote[]
  readonly refused: string | undefined
}

export interface ImportedStepView {
  readonly id: string
  readonly title: string
  readonly state: ImportedState
  /** The id in the source. */
  readonly from: string
  readonly line: number | null
}

/** `file`: the name of the source, for people. */
export function planText(plan: ImportedPlan, format: Pick<ImportFormat, 'tool'>, file: string): PlanText {
  const notes = new Notes()
  const steps = resolveSteps(plan.steps, notes).map((step) => withValidPaths(step, notes))
  if (steps.length === 0)
    throw new UnreadableSource(
      plan.steps.length === 0 ? 'it has no steps' : `none of its ${plan.steps.length} steps is left to do or done`,
    )
  if (steps.length > maxSteps)
    throw new UnreadableSource(`it has ${steps.length} steps; a plan has at most ${maxSteps}`)
  const all = inOrder([...plan.notes, ...notes.all])
  const title = titleFrom(plan.title) ?? `Import from ${format.tool}`
  const prose = [
    `Imported from \`${singleLine(file).replaceAll('`', "'")}\` (${format.tool}).`,
    ...(all.length === 0 ? [] : ['## Notes of the import', all.map((note) => `- ${noteText(note)}`).join('\n')]),
    ...(plan.prose.trim() === '' ? [] : ['## Text of the source', plan.prose.trim()]),
  ].join('\n\n')
  const front = [
    `title: ${scalar(title)}`,
    ...(plan.request === undefined ? [] : [`request: ${scalar(plan.request, 2)}`]),
    'steps:',
    ...steps.map((step) => stepText(step, format.tool)),
  ].join('\n')
  return {
    text: clean(`---\n${front}\n---\n\n${prose}\n`),
    title,
    steps: steps.map((step) => ({
      id: step.stepId,
      title: titleOf(step),
      state: step.state,
      from: step.id,
      line: step.line ?? null,
    })),
    notes: all,
    refused: plan.refused,
  }
}

function noteText({ message, line, file }: Omit<ImportNote, 'kind'>): string {
  const position = [file, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined)
  return `${position.length === 0 ? '' : `${position.join(', ')}: `}${singleLine(message)}`
}

/** A path that no plan may name makes the step manual. */
function withValidPaths(step: ResolvedStep, notes: Notes): ResolvedStep {
  const { action } = step
  if (action === undefined || step.state === 'done') return step
  const path = 'create' in action ? action.create : 'edit' in action ? action.edit : action.delete
  const problem =
    pathProblem(path) ??
    (/^\.plans(\/|$)/i.test(path) ? 'it belongs to git plan, and no step may change it' : undefined)
  if (problem === undefined) return step
  notes.lost(`${step.id} names the path ${path}: ${problem}; it is left to a person`, step)
  const content = 'create' in action ? action.content : 'edit' in action ? action.with : ''
  const { action: _action, ...rest } = step
  return { ...rest, text: [step.text, path, content].filter(Boolean).join('\n') }
}

const titleOf = (step: ResolvedStep): string => titleFrom(step.title) ?? step.stepId

function stepText(step: ResolvedStep, tool: string): string {
  const title = titleOf(step)
  const isFile = step.action !== undefined && step.state !== 'done'
  const remark = remarkOf(step, tool)
  const full = singleLine(step.title)
  const details = step.text?.trim() ?? ''
  // In full: the title may be cut.
  const body = [full || title, details, remark].filter(Boolean).join('\n')
  const meta = {
    ...(step.id.toLowerCase().replaceAll(' ', '-') === step.stepId ? {} : { source: step.id }),
    ...(isFile && details + remark !== '' ? { note: [details, remark].filter(Boolean).join('\n') } : {}),
  }
  const keys: readonly (readonly [string, string | undefined])[] = [
    ['id', scalar(step.stepId)],
    ['title', scalar(title)],
    ['needs', step.stepNeeds === undefined ? undefined : `[${step.stepNeeds.map((id) => scalar(id)).join(', ')}]`],
    ...(isFile
      ? Object.entries(step.action ?? {}).map(([key, value]) => [key, scalar(value, 6)] as const)
      : [['manual', scalar(body, 6)] as const]),
    ['done', step.state === 'done' ? scalar(doneText(step, tool)) : undefined],
    ['goal', step.goal?.trim() ? scalar(singleLine(step.goal)) : undefined],
    ['owner', step.owner?.trim() ? scalar(singleLine(step.owner)) : undefined],
    ['phase', step.phase],
    ['criteria', listText((step.criteria ?? []).map(singleLine).filter((text) => text !== ''))],
    ['risk', step.risk],
    ['meta', Object.keys(meta).length === 0 ? undefined : JSON.stringify(meta)],
  ]
  return keys
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value], index) => `${index === 0 ? '  - ' : '    '}${key}:${value?.startsWith('\n') ? '' : ' '}${value}`,
    )
    .join('\n')
}

const doneText = ({ why }: ResolvedStep, tool: string): string =>
  `in ${tool}, before the import${why ? `: ${singleLine(why)}` : ''}`

function remarkOf({ state, why }: ResolvedStep, tool: string): string {
  if (state === 'failed') return `It failed in ${tool}: ${why ?? 'no reason is given'}`
  if (state === 'unknown')
    return `It is not known whether this is done. ${tool} says: ${why ?? 'nothing'}. Find out before you do it.`
  return state === 'pending' && why ? `${tool} says: ${why}` : ''
}

const listText = (texts: readonly string[]): string | undefined =>
  texts.length === 0 ? undefined : texts.map((text) => `\n      - ${scalar(text)}`).join('')

/** A YAML scalar: plain words, a block of lines, or quoted as JSON. */
function scalar(text: string, indent?: number): string {
  const valid = clean(text)
  if (/^[a-z][a-z0-9-]*$/.test(valid) && !/^(true|false|null|yes|no|on|off|y|n)$/.test(valid)) return valid
  const lines = valid.replace(/\n$/, '').split('\n')
  const isBlock =
    indent !== undefined &&
    lines.length > 1 &&
    /^\S/.test(lines[0]!) &&
    /\S$/.test(lines.at(-1)!) &&
    !/[^\P{C}\n]|[\u2028\u2029]/u.test(valid)
  if (!isBlock) return JSON.stringify(valid).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped)
  const end = valid.endsWith('\n') ? '|' : '|-'
  return [end, ...lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line))].join('\n')
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Without the characters that no plan file may hold. */
const clean = (text: string): string => text.replace(/\0|\p{Cs}/gu, '\ufffd')

function inOrder(notes: readonly ImportNote[]): ImportNote[] {
  const once = new Map(notes.map((note) => [`${note.file} ${note.line} ${note.message}`, note]))
  return [...once.values()].toSorted(
    (a, b) => (a.file ?? '').localeCompare(b.file ?? '', 'en') || (a.line ?? 0) - (b.line ?? 0),
  )
}
