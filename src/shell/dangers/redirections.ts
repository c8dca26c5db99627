// What redirections open: files that are written, and what is read instead of the input.

import type { Redirection } from '../parse.ts'
import type { Flow, Target } from './call.ts'
import { contentOf, flow, nothing, written } from './flow.ts'
import type { Known } from './known.ts'
import { asVariables } from './marks.ts'
import type { State } from './state.ts'
import { fieldsOf, type Surroundings } from './values.ts'

export interface Opened {
  readonly targets: readonly Target[]
  /** Undefined where nothing is said about it. */
  readonly input: Flow | undefined
}

/** A descriptor with a number is a file of /dev/fd, for this command and those after it. */
export function openedBy(
  redirections: readonly Redirection[],
  state: State,
  around: Surroundings,
  known: Known,
): Opened {
  const targets: Target[] = []
  let input: Flow | undefined
  for (const each of redirections) {
    const content = each.type === 'HereDoc' ? flow('command', each.body.text) : undefined
    if (content === undefined && (each.type === 'HereDoc' || each.target === undefined)) continue
    const fields = each.type === 'HereDoc' || each.target === undefined ? [] : fieldsOf(each.target, around)
    const read = content ?? contentBy(each, fields, state, known)
    if (each.type === 'Redirect') for (const path of fields) targets.push({ path, operator: each.operator })
    if (read === undefined) continue
    const descriptor = each.descriptor?.type === 'FileDescriptor' ? each.descriptor.value : undefined
    if (each.descriptor?.type === 'FileDescriptorVariable') {
      state.variables.set(each.descriptor.name, [known.descriptor(read).slice('/dev/fd/'.length)], true)
    } else if (descriptor === undefined || descriptor === 0) input = read
    else known.write(`/dev/fd/${descriptor}`, '', read)
  }
  return { targets, input }
}

function contentBy(each: Redirection, fields: readonly string[], { cwd }: State, known: Known): Flow | undefined {
  if (each.type === 'HereString') {
    const text = fields.join(' ')
    return { ...written(text), text: asVariables(text) }
  }
  const [path] = fields
  if (each.type !== 'Redirect' || path === undefined) return undefined
  if (each.operator === '<&') return known.holds(`/dev/fd/${path.replace(/-$/, '')}`, '')
  return each.operator === '<' || each.operator === '<>'
    ? contentOf(path, { input: nothing, files: known, cwd })
    : undefined
}
