// Runs a command of the repository over files: the names of the files are added to it.

import { createHash } from 'node:crypto'
import { performedBy } from '../model/performed-by.ts'
import type { Performed, VerbContext } from '../model/verb.ts'
import { count, firstTen } from '../text/display.ts'
import { unexpected, type Expected } from './expected.ts'

/** The kernel accepts 128 KiB for one word of a command line, and the whole command is one word of the shell. */
const maxLength = 100_000

type Context = Pick<VerbContext, 'shell' | 'tree'>

export async function runCodemod(
  command: string,
  { over, expect }: { readonly over: readonly string[]; readonly expect?: Expected | undefined },
  { shell, tree }: Context,
): Promise<Performed> {
  const failed = (message: string): Performed => ({ kind: 'failed', reason: 'verb', message })
  const before = await contents(over, tree)
  if (before.size === 0) return failed(`no tracked file matches ${over.join(', ')}`)
  for (const files of batches([...before.keys()])) {
    const performed = performedBy(await shell(command, files), 'the codemod')
    if (performed.kind !== 'performed') return performed
  }
  const after = await contents(over, tree)
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )
  if (changed.length === 0) return failed(`the codemod changed none of ${count(before.size, 'file')}`)
  const wanted = unexpected(expect, changed.length)
  return wanted === undefined
    ? {
        kind: 'performed',
        writes: changed.filter((path) => after.has(path)),
        summary: count(changed.length, 'file'),
      }
    : failed(`the codemod changed ${count(changed.length, 'file')}, expected ${wanted}: ${firstTen(changed)}`)
}

/** The content of each file that the globs match, as a hash. */
async function contents(over: readonly string[], tree: VerbContext['tree']): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const path of await tree.matching(over))
    if ((await tree.kind(path)) === 'file')
      found.set(
        path,
        createHash('sha256')
          .update(await tree.read(path))
          .digest('base64'),
      )
  return found
}

function batches(paths: readonly string[]): string[][] {
  const all: string[][] = []
  let length = maxLength
  for (const path of paths) {
    // Quoting a quote takes four characters; a name must not be read as an option.
    const word = path.startsWith('-') ? `./${path}` : path
    length += Buffer.byteLength(word) + 4 * word.split("'").length
    if (length > maxLength) {
      all.push([])
      length = Buffer.byteLength(word)
    }
    all.at(-1)?.push(word)
  }
  return all
}
