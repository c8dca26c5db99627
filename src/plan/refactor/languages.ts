// Languages in which `refactor` can search. To add one: a row here, its grammar in judge/syntax/grammar-files.ts, and the
// character of its metavariables in judge/refactor/ast-grep.ts.

/** Grammars, and the extensions of the files that each parses. */
const rows = {
  javascript: { javascript: ['js', 'mjs', 'cjs', 'jsx'] },
  typescript: { typescript: ['ts', 'mts', 'cts'], tsx: ['tsx'] },
  tsx: { tsx: ['tsx'] },
  python: { python: ['py', 'pyi'] },
  go: { go: ['go'] },
  rust: { rust: ['rs'] },
  java: { java: ['java'] },
  ruby: { ruby: ['rb', 'rake', 'gemspec'] },
  css: { css: ['css'] },
  html: { html: ['html', 'htm'] },
  yaml: { yaml: ['yaml', 'yml'] },
} as const

export type RefactorLanguage = keyof typeof rows
type KeyOfEach<T> = T extends unknown ? keyof T : never
export type RefactorGrammar = KeyOfEach<(typeof rows)[RefactorLanguage]>

export const refactorLanguages = Object.keys(rows) as RefactorLanguage[]

/** Names that rule files of ast-grep use. */
const aliases: Readonly<Record<string, RefactorLanguage>> = {
  js: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  py: 'python',
  golang: 'go',
  rs: 'rust',
  rb: 'ruby',
  yml: 'yaml',
}

export function languageNamed(name: string): RefactorLanguage | undefined {
  const plain = name.toLowerCase()
  return (
    refactorLanguages.find((each) => each === plain) ?? (Object.hasOwn(aliases, plain) ? aliases[plain] : undefined)
  )
}

/** The grammar for a file; undefined if the file is of another language. */
export function grammarFor(language: RefactorLanguage, path: string): RefactorGrammar | undefined {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  const grammars = Object.entries(rows[language]) as [RefactorGrammar, readonly string[]][]
  return grammars.find(([, extensions]) => extensions.includes(extension))?.[0]
}

/** The grammar for a file that the step names, whatever its extension. */
export const mainGrammar = (language: RefactorLanguage): RefactorGrammar =>
  Object.keys(rows[language])[0] as RefactorGrammar
