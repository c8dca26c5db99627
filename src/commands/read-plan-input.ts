// A plan file named on the command line: a path, or `-` for standard input.

import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { PlanError } from '../errors.ts'
import { maxFileBytes } from '../plan/split.ts'
import type { CommandContext } from './context.ts'

export async function readPlanInput(name: string, context: CommandContext): Promise<{ bytes: Uint8Array; file: string; path: string | undefined }> {
  if (name === '-') return { bytes: await context.readInput(), file: 'standard-input.md', path: undefined }
  const path = isAbsolute(name) ? name : resolve(context.cwd, name)
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined) throw new PlanError('usage', `there is no file ${name}`, { hint: 'git plan list shows the plans that there are' })
  if (!facts.isFile()) throw new PlanError('usage', `${name} is not a file`)
  // One byte more than is read, so that the parser says so; it must not be handed a whole disk.
  if (facts.size > maxFileBytes) return { bytes: new Uint8Array(maxFileBytes + 1), file: name, path }
  return { bytes: await readFile(path), file: name, path }
}
