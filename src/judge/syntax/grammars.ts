// Loads the parser engine and grammars on first use. The only importer of web-tree-sitter.

import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { Language, Parser, type Tree } from 'web-tree-sitter'
import { engineFile, grammarFiles, type GrammarName } from './grammar-files.ts'

export type { Node, Tree } from 'web-tree-sitter'

declare const GIT_PLAN_VERSION: string | undefined

/**
 * The build stores them beside its chunks, compressed to an eleventh of their size; the sources read them from the
 * packages.
 */
export async function readWasm(file: string): Promise<Uint8Array> {
  if (typeof GIT_PLAN_VERSION !== 'string') return readFile(new URL(`../../../node_modules/${file}`, import.meta.url))
  const name = file.slice(file.lastIndexOf('/') + 1)
  return promisify(brotliDecompress)(await readFile(new URL(`../grammars/${name}.br`, import.meta.url)))
}

let engine: Promise<void> | undefined
const loaded = new Map<GrammarName, Promise<Language>>()

/** The engine is initialized once: later calls of `Parser.init`, also by ast-grep, use the same one. */
export function loadEngine(): Promise<void> {
  engine ??= readWasm(engineFile).then((wasmBinary) => Parser.init({ wasmBinary: new Uint8Array(wasmBinary).buffer }))
  return engine
}

async function load(name: GrammarName): Promise<Language> {
  await loadEngine()
  return Language.load(await readWasm(grammarFiles[name]))
}

export async function grammar(name: GrammarName): Promise<Language> {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const loading = load(name)
  loaded.set(name, loading)
  try {
    return await loading
  } catch (cause) {
    // A file that is missing now may exist at the next attempt.
    loaded.delete(name)
    engine = undefined
    throw new Error(
      `the grammar of ${name} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
}

let trap: Error | undefined

/** All grammars share one memory: after a trap in one of them, or if one was stopped, it may be corrupt. */
export function refuseAfterTrap(): void {
  if (trap !== undefined)
    throw new Error(`a parser has crashed and cannot be used again in this process: ${trap.message}`, { cause: trap })
}

export function noteTrap(error: unknown): void {
  trap = error instanceof Error ? error : new Error(String(error))
}

/** Number of characters that the engine requests at a time. */
const pieceLength = 10 * 1024

/** Passes the tree to `use` and returns its result; undefined on timeout. The tree is deleted afterwards. */
export async function withTree<T>(
  name: GrammarName,
  text: string,
  milliseconds: number,
  use: (tree: Tree) => T,
): Promise<T | undefined> {
  const language = await grammar(name)
  refuseAfterTrap()
  const end = performance.now() + milliseconds
  const isLate = (): boolean => performance.now() > end
  try {
    const parser = new Parser()
    parser.setLanguage(language)
    // Text is passed in pieces: some lexers scan to the end of the text for each token, and call back only every
    // hundred tokens. After the deadline the text just ends.
    const tree = parser.parse((index) => (isLate() ? '' : text.slice(index, index + pieceLength)), null, {
      progressCallback: isLate,
    })
    const made = tree === null || isLate() ? undefined : use(tree)
    tree?.delete()
    parser.delete()
    return made
  } catch (error) {
    noteTrap(error)
    return undefined
  }
}
