// plan-mode-runner: `checkpoints/<uuid>.json`, written when a step fails.

import { UnreadableSource, type ImportFormat, type ImportedState, type ImportedStep } from './format.ts'
import { isMap, keysAsList, keysAsText, listIn, readJson, restKeys, textIn, textsIn, tryJson } from './json.ts'
import { nameOf, Notes, quote } from './notes.ts'
import { stateOf } from './states.ts'

export const planModeRunner: ImportFormat = {
  name: 'plan-mode-runner',
  tool: 'plan-mode-runner',
  usual: 'checkpoints/<uuid>.json',
  recognizes({ files }) {
    const value = files.length === 1 ? tryJson(files[0]!.text) : undefined
    const first = isMap(value) ? listIn(value.steps)[0] : undefined
    return isMap(value) && 'plan_id' in value && isMap(first) && 'step_id' in first ? 'certain' : undefined
  },
  read({ files, location }) {
    const file = files[0]!
    const source = readJson(file)
    if (!isMap(source.value) || !Array.isArray(source.value.steps))
      throw new UnreadableSource('there is no list `steps`', { file: file.path, line: 1 })
    const plan = source.value
    const notes = new Notes()
    const steps: ImportedStep[] = []
    for (const [index, step] of listIn(plan.steps).entries()) {
      const line = source.line(['steps', index])
      if (!isMap(step)) {
        notes.lost(`entry ${index + 1} of \`steps\` is not a step`, { line })
        continue
      }
      const id = textIn(step.step_id) ?? String(index + 1)
      const { state, why } = stateIn(step.status, { id, line }, notes)
      const logs = textsIn(step.logs)
      const times = ['started_at', 'ended_at'].flatMap((key) =>
        textIn(step[key]) === undefined ? [] : [`${key} ${textIn(step[key])}`],
      )
      const more = restKeys(step, ['step_id', 'description', 'status', 'started_at', 'ended_at', 'logs'])
      steps.push({
        id: `step ${id}`,
        title: textIn(step.description) ?? `Step ${id}`,
        line,
        state,
        why: [...(state === 'pending' ? [] : [why]), ...times, ...logs].join('; '),
        text: keysAsText(step, more),
      })
    }
    const failed = steps.findIndex(({ state }) => state === 'failed')
    const after = steps.findLastIndex(({ state }) => state === 'done')
    if (failed >= 0 && after > failed)
      notes.contradiction(
        `${steps[after]!.id} is done although ${steps[failed]!.id} before it failed: a resume has skipped the failed step`,
        { line: steps[after]!.line },
      )
    const status = textIn(plan.status)
    if (status !== undefined && !['initialized', 'failed', 'resumed'].includes(status))
      notes.unknown(`the plan has the status ${quote(status)}, which plan-mode-runner does not write`, {
        line: source.line(['status']),
      })
    const more = restKeys(plan, ['steps'])
    return {
      title: nameOf(location),
      steps,
      notes: notes.all,
      prose: keysAsList(plan, more),
    }
  },
}

function stateIn(
  status: unknown,
  { id, line }: { id: string; line: number | undefined },
  notes: Notes,
): { state: ImportedState; why: string } {
  const word = textIn(status)
  const state = word === undefined ? undefined : stateOf(word)
  if (state === undefined || state === 'unknown')
    notes.unknown(
      word === undefined ? `step ${id} has no status` : `step ${id} is ${quote(word)}: it may or may not be done`,
      { line },
    )
  return { state: state ?? 'unknown', why: word ?? 'no status' }
}
