// Loads ast-grep on first use, with the engine and the grammars of the syntax check. The only importer of @ast-grep/wasm.

import * as glue from '@ast-grep/wasm/wasm_bg.js'
import type { SgNode } from '@ast-grep/wasm/wasm_bg.js'
import type { RefactorGrammar } from '../../plan/refactor/languages.ts'
import { withinTime } from '../../plan/text/within-time.ts'
import { searchFile } from '../syntax/grammar-files.ts'
import { grammar, loadEngine, noteTrap, readWasm, refuseAfterTrap, type Tree } from '../syntax/grammars.ts'

export type { SgNode } from '@ast-grep/wasm/wasm_bg.js'

/** Stands for `$` in patterns while they are parsed: a letter of identifiers in the grammar, as ast-grep itself has it. */
const expandoChars: Readonly<Record<RefactorGrammar, string>> = {
  javascript: '$',
  typescript: '$',
  tsx: '$',
  java: '$',
  yaml: '$',
  python: 'µ',
  go: 'µ',
  rust: 'µ',
  ruby: 'µ',
  css: '_',
  html: 'z',
}

type Call = (self: Record<string, (...words: unknown[]) => unknown>, ...rest: unknown[]) => unknown

/** Trees that were parsed since the last search ended. ast-grep leaves them to the garbage collector, which is too late. */
const trees: Tree[] = []

/** A call of `self.parse` that remembers the tree. */
const rememberTree =
  (call: Call): Call =>
  (self, ...rest) =>
    call(
      {
        parse: (...words) => {
          const tree = self['parse']!(...words)
          if (tree !== null) trees.push(tree as Tree)
          return tree
        },
      },
      ...rest,
    )

async function loadSearch(): Promise<void> {
  await loadEngine()
  const textAt = (at: number, length: number): string =>
    new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length))
  const imports: Record<string, unknown> = { ...glue }
  const nameOf = (start: string): string => {
    const name = Object.keys(glue).find((each) => each.startsWith(start))
    if (name === undefined) throw new Error(`ast-grep has no import ${start}`)
    return name
  }
  const parse = nameOf('__wbg_parse_')
  imports[parse] = rememberTree(imports[parse] as Call)
  // The library path is the name of a grammar, which may be compressed.
  imports[nameOf('__wbg_load_')] = (at: number, length: number) => grammar(textAt(at, length) as RefactorGrammar)
  const wasm = await WebAssembly.instantiate(new Uint8Array(await readWasm(searchFile)), {
    './wasm_bg.js': imports,
  })
  const exports = wasm.instance.exports as { memory: WebAssembly.Memory } & Record<string, () => void>
  const setWasm = imports['__wbg_set_wasm'] as (exports: object) => void
  setWasm(exports)
  exports['__wbindgen_start']!()
  await glue.initializeTreeSitter()
}

let search: Promise<void> | undefined
const registered = new Map<RefactorGrammar, Promise<void>>()

async function prepare(name: RefactorGrammar): Promise<void> {
  search ??= loadSearch()
  await search
  const known = registered.get(name)
  if (known !== undefined) return known
  const registering = glue.registerDynamicLanguage({ [name]: { libraryPath: name, expandoChar: expandoChars[name] } })
  registered.set(name, registering)
  return registering
}

/** A rule that ast-grep refuses, or an engine that cannot be used. */
export class RuleError extends Error {}

/**
 * Passes the root of the tree to `use` and returns its result; undefined on timeout, after which nothing can be searched
 * in this process. Nodes must not be kept.
 */
export async function withRoot<T>(
  name: RefactorGrammar,
  text: string,
  milliseconds: number,
  use: (root: SgNode) => T,
): Promise<T | undefined> {
  return inSearch(name, milliseconds, () => {
    const parsed = glue.parse(name, text)
    const root = parsed.root()
    const result = use(root)
    root.free()
    parsed.free()
    return result
  })
}

/** True if the pattern parses. A token may be missing: a statement without its semicolon is a good pattern. */
export const isParsed = (name: RefactorGrammar, pattern: string, milliseconds: number): Promise<boolean | undefined> =>
  inSearch(name, milliseconds, () => !hasError(glue.dumpPattern(name, pattern)))

const hasError = ({ kind, children }: glue.PatternNode): boolean => kind === 'ERROR' || children.some(hasError)

async function inSearch<T>(name: RefactorGrammar, milliseconds: number, work: () => T): Promise<T | undefined> {
  // After a trap no tree can be deleted: the memory may be corrupt.
  let hasEnded = false
  try {
    refuseAfterTrap()
    await prepare(name)
    const result = withinTime(milliseconds, () => ({ value: work() }))
    hasEnded = result !== undefined
    if (!hasEnded) noteTrap(new Error('a search took too long, or was nested too deeply'))
    return result?.value
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) {
      noteTrap(error)
      return undefined
    }
    // A rule was refused. Nothing was stopped.
    hasEnded = true
    throw new RuleError((error as Error).message.replace(/\.?\s*\|->\s*/g, ': ').replaceAll('µ', '$'), { cause: error })
  } finally {
    for (const tree of trees.splice(0)) if (hasEnded) tree.delete()
  }
}
