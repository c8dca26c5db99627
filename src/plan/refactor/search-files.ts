// Finds a structure in files and rewrites it. Everything is computed before the first write.

import type { Performed, VerbContext } from '../model/verb.ts'
import { count, firstTen } from '../text/display.ts'
import { pathProblem } from '../text/repo-path.ts'
import { unexpected, type Expected } from './expected.ts'
import { grammarFor, mainGrammar, type RefactorGrammar } from './languages.ts'
import type { RewriteRule } from './rewrite-rule.ts'

/** Larger files are not searched: they are generated, and take long to parse. */
const maxBytes = 1024 * 1024
/** Files that are read at a time. */
const batch = 32

type Context = Pick<VerbContext, 'tree' | 'rewrite'>

interface Found {
  readonly path: string
  readonly text: string
  readonly isChanged: boolean
  readonly places: readonly string[]
}

export async function searchFiles(
  rule: RewriteRule,
  {
    over,
    expect,
    place,
  }: { readonly over: readonly string[]; readonly expect?: Expected | undefined; readonly place: readonly string[] },
  { tree, rewrite }: Context,
): Promise<Performed> {
  const failed = (message: string, reason: 'verb' | 'timeout' | 'interrupted' = 'verb'): Performed => ({
    kind: 'failed',
    reason,
    message,
    place: { path: place },
  })
  // A pattern that does not parse is refused even if no file contains its words.
  const valid = await rewrite('', { ...rule, grammar: mainGrammar(rule.language) })
  if (!valid.ok) return failed(valid.message, valid.reason)
  const matching = await tree.matching(over)
  const files = matching.flatMap((path) => {
    const grammar = grammarFor(rule.language, path) ?? (over.includes(path) ? mainGrammar(rule.language) : undefined)
    return grammar === undefined ? [] : [{ path, grammar }]
  })
  if (files.length === 0)
    return failed(
      matching.length === 0
        ? `no tracked file matches ${over.join(', ')}`
        : `none of the ${matching.length} files that match ${over.join(', ')} is a file of ${rule.language}`,
    )
  const skipped: string[] = []
  const found: Found[] = []
  for (let from = 0; from < files.length; from += batch) {
    const texts = await Promise.all(files.slice(from, from + batch).map((file) => readFile(file, rule, tree)))
    for (const { path, grammar, text } of texts) {
      if (typeof text !== 'string') {
        if (text.skipped !== undefined) skipped.push(`${path} (${text.skipped})`)
        continue
      }
      const result = await rewrite(text, { ...rule, grammar })
      if (!result.ok) return failed(`${path}: ${result.message}`, result.reason)
      if (result.places.length > 0)
        found.push({
          path,
          text: result.text,
          isChanged: result.text !== text,
          places: result.places.map(({ line, column }) => `${path}:${line}:${column}`),
        })
    }
  }
  const places = found.flatMap(({ places: each }) => each)
  const left = skipped.length === 0 ? '' : `; not searched: ${firstTen(skipped)}`
  if (places.length === 0) return failed(`no match in ${count(files.length, 'file')} of ${rule.language}${left}`)
  const wanted = unexpected(expect, places.length)
  if (wanted !== undefined)
    return failed(
      `${count(places.length, 'match')} in ${count(found.length, 'file')}, expected ${wanted}: ${firstTen(places)}${left}`,
    )
  const changed = found.filter(({ isChanged }) => isChanged)
  if (changed.length === 0) return failed(`the rewrite changes none of the ${count(places.length, 'match')}`)
  for (const { path, text } of changed) await tree.write(path, new TextEncoder().encode(text))
  return {
    kind: 'performed',
    writes: changed.map(({ path }) => path),
    summary: `${count(places.length, 'place')} in ${count(changed.length, 'file')}`,
    ...(skipped.length === 0 ? {} : { warning: `not searched: ${firstTen(skipped)}` }),
  }
}

interface ReadFile {
  readonly path: string
  readonly grammar: RefactorGrammar
  /** `skipped`: why a file that may contain a match is not searched. */
  readonly text: string | { readonly skipped: string | undefined }
}

async function readFile(
  { path, grammar }: { readonly path: string; readonly grammar: RefactorGrammar },
  { literals }: RewriteRule,
  tree: VerbContext['tree'],
): Promise<ReadFile> {
  const skip = (skipped?: string): ReadFile => ({ path, grammar, text: { skipped } })
  if (pathProblem(path) !== undefined) return skip('unusual name')
  if ((await tree.kind(path)) !== 'file') return skip('not a file')
  const bytes = await tree.readUpTo(path, maxBytes)
  if (bytes === undefined) return skip('larger than 1 MB')
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!literals.every((literal) => buffer.includes(literal))) return skip()
  try {
    return { path, grammar, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return skip('not UTF-8')
  }
}
