// The grammars, for syntax checks and for `refactor`, and the packages that contain them. The build reads this table too,
// so it must import nothing.

export const grammarFiles = {
  yaml: '@tree-sitter-grammars/tree-sitter-yaml/tree-sitter-yaml.wasm',
  toml: '@tree-sitter-grammars/tree-sitter-toml/tree-sitter-toml.wasm',
  html: 'tree-sitter-html/tree-sitter-html.wasm',
  python: '@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm',
  go: '@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm',
  rust: '@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm',
  java: '@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm',
  ruby: '@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm',
  php: '@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm',
  javascript: '@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm',
  typescript: '@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm',
  tsx: '@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm',
  css: '@vscode/tree-sitter-wasm/wasm/tree-sitter-css.wasm',
} as const

export type GrammarName = keyof typeof grammarFiles

/** The engine that runs the grammars. */
export const engineFile = 'web-tree-sitter/web-tree-sitter.wasm'

/** ast-grep, which finds patterns in the trees of the engine. */
export const searchFile = '@ast-grep/wasm/wasm_bg.wasm'
