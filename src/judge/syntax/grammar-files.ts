// The grammars and the packages that contain them. The build reads this table too, so it must import nothing.

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
} as const

export type GrammarName = keyof typeof grammarFiles

/** The engine that runs the grammars. */
export const engineFile = 'web-tree-sitter/web-tree-sitter.wasm'
