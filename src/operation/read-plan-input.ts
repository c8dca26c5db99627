// A plan file named on the command line: a path, or `-` for standard input.

import { readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { isId, nameOfPlan, planId } from '../plan/model/ids.ts'
import { slug } from '../plan/model/names.ts'
import { readPlan } from '../plan/file/read-plan.ts'
import { maxFileBytes } from '../plan/file/split.ts'
import { planFile } from '../store/plan-at.ts'
import { remoteWithPlan } from '../store/plans-elsewhere.ts'
import { planIds } from '../store/resolve-plan.ts'
import type { CommandContext } from './context.ts'

export interface PlanInput {
  readonly bytes: Uint8Array
  /** The name as given on the command line. */
  readonly file: string
  readonly path: string | undefined
  /** Derived from the title of a text that has no name. */
  readonly id?: string
}

export const nameOfStandardInput = '<stdin>'

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

/** Text from standard input has no file name: its title names the plan, or else its first step. */
function standardInput(bytes: Uint8Array): PlanInput {
  const input = { bytes, file: nameOfStandardInput, path: undefined }
  const parsed = readPlan(bytes, input)
  if (!parsed.ok || !parsed.source.derived.plan) return input
  const { id, title, steps } = parsed.plan
  return { ...input, id: slug(title === id ? (steps[0]?.title ?? '') : title, 'plan') }
}

/**
 * The path of `.plans/NAME.md`, relative to the current directory, if NAME is not a plan yet. A plan of the remote is
 * meant to be fetched: the file here may be an old copy.
 */
export async function findUnproposedFile(
  repo: Repository,
  { name, dir }: { readonly name: string; readonly dir: string },
  context: CommandContext,
): Promise<string | undefined> {
  const id = nameOfPlan(name)
  if (!isId(id) || (await planIds(repo)).includes(planId(id)) || (await remoteWithPlan(repo, id)) !== undefined)
    return undefined
  const path = join(repo.root, planFile(dir, planId(id)))
  const facts = await stat(path).catch(() => undefined)
  return facts?.isFile() === true ? relative(await realpath(context.cwd), path) : undefined
}
