// Types for the part of @ast-grep/wasm in use. Its main module imports WebAssembly as a module, which Node 20 cannot do.

declare module '@ast-grep/wasm/wasm_bg.js' {
  interface Freed {
    free(): void
  }
  export interface Pos extends Freed {
    readonly index: number
  }
  export interface SgRange extends Freed {
    readonly start: Pos
    readonly end: Pos
  }
  export interface SgNode extends Freed {
    findAll(matcher: object): SgNode[]
    getMatch(name: string): SgNode | undefined
    getMultipleMatches(name: string): SgNode[]
    getTransformed(name: string): string | undefined
    range(): SgRange
  }
  export interface SgRoot extends Freed {
    root(): SgNode
  }
  export function initializeTreeSitter(): Promise<void>
  export function registerDynamicLanguage(
    languages: Readonly<Record<string, { libraryPath: string; expandoChar: string }>>,
  ): Promise<void>
  export function parse(language: string, text: string): SgRoot
  export interface PatternNode {
    readonly kind: string
    readonly children: readonly PatternNode[]
  }
  export function dumpPattern(language: string, pattern: string): PatternNode
}

// Node has these; its types do not.
declare namespace WebAssembly {
  class RuntimeError extends Error {}
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  function instantiate(
    bytes: Uint8Array,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Promise<{ readonly instance: { readonly exports: object } }>
}
