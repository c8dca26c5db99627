// `git plan compose`: combines plans into one plan text. Proposes nothing.

import { resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { isId, nameOfPlan, planId } from '../../plan/model/ids.ts'
import { titleProblem } from '../../plan/file/text-problems.ts'
import { readPlan } from '../../plan/file/read-plan.ts'
import { composeParts } from '../../plan/sources/compose.ts'
import { expandSource } from '../../plan/sources/expand.ts'
import { readPart, type Part } from '../../plan/sources/part.ts'
import type { LoadedSource } from '../../plan/sources/source.ts'
import { writeNewFile } from '../../operation/write-new-file.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { invalidPlan } from '../../operation/invalid-plan.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { digestOfBytes, sourceLoader } from '../../operation/load-source.ts'
import { readPlanInput } from '../../operation/read-plan-input.ts'
import { planIds } from '../../store/resolve-plan.ts'
import { withRepository, type ReadContext } from '../with-repository.ts'

export interface ComposeRequest {
  readonly plans?: readonly string[]
  readonly output?: string
  readonly parallel?: boolean
  readonly title?: string
}

export interface ComposedData {
  readonly title: string
  readonly steps: readonly string[]
  readonly text: string
  /** Null: it was not written to a file. */
  readonly file: string | null
}

export function compose(request: ComposeRequest, context: CommandContext): Promise<CommandResult<ComposedData>> {
  const { plans = [], output, title } = request
  if (plans.length < 2)
    throw new PlanError('usage', 'compose needs at least two plans or files', { hint: 'git plan compose -h' })
  const problem = title === undefined ? undefined : titleProblem(title)
  if (problem !== undefined) throw new PlanError('usage', problem, { hint: 'git plan compose -h' })
  return withRepository(context, async (reading) => {
    const parts: Part[] = []
    for (const name of plans) parts.push(await partOf(name, reading, context))
    const composed = composeParts(parts, { title, isParallel: request.parallel === true })
    if (!composed.ok)
      throw new PlanError('usage', composed.message, {
        hint: 'make them equal, or remove one of them',
        ...(composed.facts === undefined ? {} : { facts: composed.facts }),
      })
    const file = output === undefined ? null : resolve(context.cwd, output)
    const read = readPlan(Buffer.from(composed.text), { file: output ?? 'plan.md' })
    if (!read.ok)
      throw new PlanError('invalid-plan', 'the plans do not fit together', { facts: { findings: read.findings } })
    if (file !== null) await writeNewFile(file, composed.text, output ?? '', preview(plans))
    const { title: made, steps, text } = composed
    return {
      kind: 'composed',
      exitCode: 0,
      data: { title: made, steps, text, file },
      ...(output === undefined ? {} : { next: nextOf(output) }),
    }
  })
}

const preview = (plans: readonly string[]): string => ['git plan compose', ...plans.map(quoteIfNeeded)].join(' ')

const nextOf = (file: string): string[] => [
  `git plan check ${quoteIfNeeded(file)}`,
  `git plan new --from ${quoteIfNeeded(file)}`,
]

async function partOf(name: string, reading: ReadContext, context: CommandContext): Promise<Part> {
  const load = sourceLoader({ repo: reading.repo, dir: reading.settings.dir, env: context.env })
  const id = nameOfPlan(name)
  const isPlan = isId(id) && (await planIds(reading.repo)).includes(planId(id))
  const source: LoadedSource | { ok: false; message: string } = isPlan
    ? await load({ kind: 'plan', id })
    : await fileSource(name, context)
  if ('message' in source) throw new PlanError('usage', source.message, { hint: 'git plan list' })
  const read = await readPart(source, { load }, expandSource)
  if (read.ok) return read.part
  throw invalidPlan(name, read.findings)
}

async function fileSource(name: string, context: CommandContext): Promise<LoadedSource> {
  const { bytes, file, path } = await readPlanInput(name, context)
  return { bytes, file, key: `path:${path ?? file}`, entry: { file, digest: digestOfBytes(bytes) } }
}
