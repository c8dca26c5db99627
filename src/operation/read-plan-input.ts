// A plan file named on the command line: a path, or `-` for standard input.

import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PlanError } from '../errors.ts'
import { slug } from '../plan/model/names.ts'
import { readPlan } from '../plan/file/read-plan.ts'
import { maxFileBytes } from '../plan/file/split.ts'
import type { CommandContext } from './context.ts'

export interface PlanInput {
  readonly bytes: Uint8Array
  /** The name as given on the command line. */
  readonly file: string
  readonly path: string | undefined
  /** Derived from the title of a text that has no name. */
  readonly id?: string
}

export const nameOfStandardInput = 'standard-input.md'

/** Returns undefined if there is no such file. */
export async function findPlanInput(name: string, context: CommandContext): Promise<PlanInput | undefined> {
  if (name === '-') return standardInput(await context.readInput(maxFileBytes + 1))
  const path = resolve(context.cwd, name)
  const facts = await stat(path).catch(() => undefined)
  if (facts?.isFile() !== true) return undefined
  // A file that is too large is replaced by one byte more than the limit: the parser then reports it, and no huge file
  // is read into memory.
  return {
    bytes: facts.size > maxFileBytes ? new Uint8Array(maxFileBytes + 1) : await readFile(path),
    file: name,
    path,
  }
}

export async function readPlanInput(name: string, context: CommandContext): Promise<PlanInput> {
  const found = await findPlanInput(name, context)
  if (found === undefined) throw new PlanError('usage', `there is no file ${name}`)
  return found
}

function standardInput(bytes: Uint8Array): PlanInput {
  const file = nameOfStandardInput
  const parsed = readPlan(bytes, { file })
  const isNamed = !parsed.ok || !parsed.source.derived.plan
  return { bytes, file, path: undefined, ...(isNamed ? {} : { id: slug(parsed.plan.title, 'plan') }) }
}
