// TinyCode: `data/plans/<id>.json`, in the shape that its code writes (`actions`) and in that of its documentation
// (`steps`), with the logs of its executor.

import { riskLevels, type Risk } from '../../model/plan.ts'
import {
  UnreadableSource,
  type FileAction,
  type ImportFormat,
  type ImportInput,
  type ImportedState,
  type ImportedStep,
} from './format.ts'
import {
  isMap,
  keysAsList,
  keysAsText,
  listIn,
  readJson,
  restKeys,
  textIn,
  textsIn,
  tryJson,
  type Json,
  type JsonSource,
} from './json.ts'
import { singleLine } from '../../text/display.ts'
import { nameOf, Notes, quote } from './notes.ts'
import { stateOf } from './states.ts'

interface Shape {
  readonly list: 'actions' | 'steps'
  readonly type: 'action_type' | 'type'
  readonly target: 'target_path' | 'target'
}
const ofCode: Shape = { list: 'actions', type: 'action_type', target: 'target_path' }
const ofDocs: Shape = { list: 'steps', type: 'type', target: 'target' }

const shapeOf = (plan: Json): Shape | undefined =>
  [ofCode, ofDocs].find(({ list, type }) => listIn(plan[list]).some((step) => isMap(step) && type in step))

const isLog = (path: string): boolean => path.endsWith('_summary.json')

export const tinycode: ImportFormat = {
  name: 'tinycode',
  tool: 'TinyCode',
  usual: 'data/plans/<id>.json',
  recognizes({ files }) {
    const plans = files.filter(({ path }) => !isLog(path))
    const value = plans.length === 1 ? tryJson(plans[0]!.text) : undefined
    return isMap(value) && shapeOf(value) !== undefined ? 'certain' : undefined
  },
  companions({ text }) {
    const value = tryJson(text)
    const id = isMap(value) ? textIn(value.id) : undefined
    if (id === undefined) return []
    const name = new RegExp(`^${id.slice(0, 200).replace(/[^\w-]/g, '\\$&')}_\\d+_\\d+_summary\\.json$`)
    return [{ directory: '../execution_logs', name }]
  },
  read(input) {
    const file = input.files.find(({ path }) => !isLog(path))!
    const source = readJson(file)
    if (!isMap(source.value)) throw new UnreadableSource('it is not an object', { file: file.path, line: 1 })
    const plan = source.value
    const shape = shapeOf(plan)
    if (shape === undefined) throw new UnreadableSource('there is no list `actions` or `steps`', { line: 1 })
    const notes = new Notes()
    const status = textIn(plan.status)
    const stateAt = statesOf(plan, { log: logOf(input, plan, notes), source }, notes)
    const types = listIn(plan[shape.list]).map((step) => (isMap(step) ? textIn(step[shape.type]) : undefined))
    // Git has no directories: creating one is no step, unless it is all that the plan does.
    const isDropped = (type: string | undefined): boolean =>
      type === 'create_directory' && types.some((each) => each !== undefined && each !== type)
    const steps = listIn(plan[shape.list]).flatMap((step, index): ImportedStep[] => {
      const line = source.line([shape.list, index])
      if (isMap(step)) {
        const dropped = isDropped(types[index])
        const read = readStep(step, index, { shape, line, dropped }, notes)
        const why = 'Git has no directories'
        return [{ ...read, ...(dropped ? { state: 'dropped', why } : stateAt(step, index)) }]
      }
      notes.lost(`entry ${index + 1} of \`${shape.list}\` is not an action`, { line })
      return []
    })
    reportOrder(plan, shape, source, notes)
    const lines = (textIn(plan.title) ?? textIn(plan.description) ?? nameOf(input.location)).split('\n')
    const more = restKeys(plan, ['title', 'user_request', shape.list])
    const request = textIn(plan.user_request)
    return {
      title: lines[0]!,
      ...(request === undefined ? {} : { request }),
      steps,
      notes: notes.all,
      prose: keysAsList(plan, more),
      ...(status === 'rejected' ? { refused: 'rejected in TinyCode, before the import' } : {}),
    }
  },
}

function readStep(
  step: Json,
  index: number,
  { shape, line, dropped }: { shape: Shape; line: number | undefined; dropped: boolean },
  notes: Notes,
): Omit<ImportedStep, 'state'> {
  const type = textIn(step[shape.type]) ?? ''
  const target = textIn(step[shape.target])
  const id = textIn(step.id) ?? `${shape.list === 'actions' ? 'action' : 'step'} ${index + 1}`
  const words = textIn(step.description) ?? textIn(step.name)
  const action = actionOf(step, type, { shape, target })
  const risk = riskOf(step.risk_level)
  const read = [
    'id',
    'description',
    shape.type,
    'dependencies',
    ...(risk === undefined ? [] : ['risk_level']),
    ...(action === undefined ? [] : [shape.target, 'content']),
  ]
  const more = restKeys(step, read)
  const without = more.filter((key) =>
    ['rollback_info', 'rollback', 'validation', 'checkpoint', 'timeout', 'line_range'].includes(key),
  )
  if (without.length > 0) notes.lost(`${id}: no counterpart, kept as text: ${without.join(', ')}`, { line })
  const level = textIn(step.risk_level)
  if (risk === undefined && level !== undefined)
    notes.unknown(`${id} has the risk ${quote(level)}, which is unknown; kept as text`, { line })
  if (action === undefined && !dropped) notes.lost(`${id}: ${whyManual(type, step)}; it is left to a person`, { line })
  return {
    id,
    title: words ?? `${type.replaceAll('_', ' ')} ${target ?? ''}`.trim(),
    line,
    text: keysAsText(step, more),
    action,
    risk,
  }
}

function actionOf(
  step: Json,
  type: string,
  { shape, target }: { shape: Shape; target: string | undefined },
): FileAction | undefined {
  if (target === undefined) return undefined
  const content = typeof step.content === 'string' ? step.content : undefined
  if (type === 'create_file' && content !== undefined) return { create: target, content }
  if (type === 'delete_file') return { delete: target }
  // The code replaces the whole file; what the documentation means depends on other keys.
  if (type === 'modify_file' && content !== undefined && shape === ofCode)
    return { edit: target, match: '^[\\s\\S]*$', with: content.replaceAll('$', '$$$$') }
  return undefined
}

const reasons: Readonly<Record<string, string>> = {
  run_command: 'a command of another tool does not run',
  execute_command: 'a command of another tool does not run',
  execute_code: 'TinyCode runs nothing for execute_code',
  create_file: 'it has no path or no content',
  modify_file: 'how it changes the file is not exact',
  delete_file: 'it has no path',
  move_file: 'move_file has no field for the destination',
  copy_file: 'copy_file has no field for the destination',
  install_package: 'TinyCode cannot run install_package',
  create_directory: 'Git has no directories',
}

const whyManual = (type: string, step: Json): string =>
  reasons[type] ?? `the type ${quote(type || JSON.stringify(step.type ?? null))} is not one of TinyCode`

const riskOf = (value: unknown): Risk | undefined => riskLevels.find((level) => level === textIn(value)?.toUpperCase())

/** TinyCode never looks at dependencies: the order of the list is the order. */
function reportOrder(plan: Json, shape: Shape, source: JsonSource, notes: Notes): void {
  const ids = listIn(plan[shape.list]).map((step) => (isMap(step) ? textIn(step.id) : undefined))
  for (const [index, step] of listIn(plan[shape.list]).entries())
    for (const need of isMap(step) ? textsIn(step.dependencies) : []) {
      const at = ids.indexOf(need)
      if (at >= 0 && at < index) continue
      const why = at < 0 ? 'is not in the plan' : at === index ? 'is the action itself' : 'comes after it'
      notes.contradiction(
        `${ids[index] ?? index + 1} depends on ${need}, which ${why}; TinyCode runs the list in its order, and so does the plan`,
        { line: source.line([shape.list, index]) },
      )
    }
}

type StateAt = (step: Json, index: number) => Pick<ImportedStep, 'state' | 'why'>

interface Log {
  readonly states: ReadonlyMap<string, Pick<ImportedStep, 'state' | 'why'>>
}

function statesOf(plan: Json, { log, source }: { log: Log | undefined; source: JsonSource }, notes: Notes): StateAt {
  const status = textIn(plan.status) ?? 'none'
  const line = source.line(['status'])
  const ofPlan = planState(status)
  if (status === 'approved')
    notes.approval('the plan is approved in TinyCode; here it needs an approval of its own', { line })
  if (ofPlan === undefined) notes.unknown(`the plan has the status ${quote(status)}, which is unknown`, { line })
  const execution = isMap(plan.metadata) && isMap(plan.metadata.execution) ? plan.metadata.execution : {}
  const completed = typeof execution.steps_completed === 'number' ? execution.steps_completed : 0
  if (log !== undefined) {
    const found = [...log.states.values()]
    if (ofPlan === 'done' && found.some(({ state }) => state !== 'done'))
      notes.contradiction(`the plan is ${status}, but the log of its execution has actions that did not succeed`, {
        line,
      })
    if (status === 'failed' && found.length > 0 && found.every(({ state }) => state === 'done'))
      notes.contradiction('the plan is failed, but every action in the log succeeded', { line })
    return (step) =>
      log.states.get(textIn(step.id) ?? '') ?? { state: 'pending', why: 'it is not in the log of the execution' }
  }
  if (completed > 0 && ofPlan !== 'done')
    return (_, index) =>
      index < completed
        ? { state: 'done', why: `steps_completed is ${completed}` }
        : { state: index === completed && ofPlan === 'failed' ? 'unknown' : 'pending' }
  if (ofPlan === 'done')
    notes.unknown(`only the status of the plan (${status}) says that its actions are done; there is no log`, { line })
  if (ofPlan === 'failed')
    notes.unknown('the plan is failed, and there is no log: which actions are done is not known', { line })
  const state: ImportedState = ofPlan === 'failed' ? 'unknown' : (ofPlan ?? 'unknown')
  return () => (state === 'pending' ? { state } : { state, why: `the plan is ${status}` })
}

const planState = (status: string): ImportedState | undefined => {
  if (['draft', 'pending', 'approved', 'rejected', 'none'].includes(status)) return 'pending'
  return status === 'executed' ? 'done' : stateOf(status)
}

const results: Readonly<Record<string, ImportedState>> = {
  success: 'done',
  failed: 'failed',
  skipped: 'pending',
  rolled_back: 'pending',
}

/** The last result of each action: an execution that is repeated has a log of its own. */
function logOf(input: ImportInput, plan: Json, notes: Notes): Log | undefined {
  const id = textIn(plan.id)
  const known = new Set(
    [ofCode, ofDocs]
      .flatMap(({ list }) => listIn(plan[list]))
      .map((step) => (isMap(step) ? textIn(step.id) : undefined)),
  )
  const states = new Map<string, Pick<ImportedStep, 'state' | 'why'>>()
  const logs = input.files.filter(({ path }) => isLog(path)).toSorted((a, b) => (a.path < b.path ? -1 : 1))
  let count = 0
  for (const { path, text } of logs) {
    const log = tryJson(text)
    if (!isMap(log)) {
      notes.lost('the log is not valid JSON and was not read', { file: path })
      continue
    }
    if (textIn(log.plan_id) !== id) continue
    count++
    for (const result of listIn(log.action_results)) {
      if (!isMap(result)) continue
      const word = textIn(result.result) ?? 'no result'
      const state = results[word]
      if (state === undefined)
        notes.unknown(`the result of ${textIn(result.action_id)} is ${quote(word)}, which is unknown`, { file: path })
      const action = textIn(result.action_id)
      if (!known.has(action))
        notes.contradiction(`the log has a result of ${quote(action ?? '')} (${word}), which is not in the plan`, {
          file: path,
        })
      const why = [word, textIn(result.error), textIn(log.execution_id)].filter((part) => part !== undefined).join(', ')
      states.set(action ?? '', { state: state ?? 'unknown', why })
    }
    const error = textIn(log.error_message)
    if (error !== undefined) notes.unknown(`the execution has an error: ${singleLine(error)}`, { file: path })
    const status = textIn(log.status)
    if (status === 'in_progress' || status === 'rolled_back')
      notes.unknown(`the execution is ${status}: files may have changed since`, { file: path })
  }
  return count === 0 ? undefined : { states }
}
