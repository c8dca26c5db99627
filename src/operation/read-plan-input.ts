// A plan file named on the command line: a path, or `-` for standard input.

import { readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { isId, nameOfPlan, planId } from '../plan/model/ids.ts'
import type { Finding } from '../plan/model/finding.ts'
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
  /** Moves a finding about an expanded text to where it was written. */
  readonly relocate?: (finding: Finding) => Finding
}

export const nameOfStandardInput = '<stdin>'

/** Returns undefined if there is no such file. */
export async function findPlanInput(name: string, context: CommandContext): Promise<PlanInput | undefined> {
  if (name === '-')
    return { bytes: await context.readInput(maxFileBytes + 1), file: nameOfStandardInput, path: undefined }
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
