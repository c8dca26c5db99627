// The checker of each language. To add a language: its extensions in languages.ts, its checker here, and a grammar in
// grammar-files.ts if it needs one.

import { bracketProblems } from './brackets.ts'
import { corrections, type Corrections } from './corrections.ts'
import { isTooDeep } from './depth.ts'
import type { GrammarName } from './grammar-files.ts'
import { commentedJsonProblems, jsonProblems } from './json.ts'
import type { Language } from './languages.ts'
import type { SyntaxProblem } from './problem.ts'

/** Long enough for any text that people write, on a slow machine. */
const milliseconds = 2000

type Judge = (text: string, path: string) => readonly SyntaxProblem[] | Promise<readonly SyntaxProblem[]>

// Parsers are loaded on first use.
const byGrammar =
  (name: GrammarName): Judge =>
  async (text) => {
    if (isTooDeep(name, text)) return []
    const [{ withTree }, { treeProblems }] = await Promise.all([import('./grammars.ts'), import('./tree-problems.ts')])
    const {
      mask = (given: string): string => given,
      moreProblems: more = () => [],
      isProblem: lets = () => true,
    }: Corrections = corrections[name] ?? {}
    const found = await withTree(name, mask(text), milliseconds, (tree) => [
      ...treeProblems(tree, text),
      ...more(tree, text),
    ])
    return (found ?? []).filter((problem) => lets(problem, text))
  }

/** Only brackets, because a macro can be anything. */
const byBrackets: Judge = (text) => bracketProblems('c', text)

const byScript =
  (language: 'javascript' | 'typescript' | 'tsx'): Judge =>
  async (text, path) =>
    (await import('./script.ts')).scriptProblems(language, path, text, milliseconds)

const judges: Readonly<Record<Language, Judge>> = {
  typescript: byScript('typescript'),
  tsx: byScript('tsx'),
  javascript: byScript('javascript'),
  json: jsonProblems,
  jsonc: commentedJsonProblems,
  yaml: byGrammar('yaml'),
  toml: byGrammar('toml'),
  python: byGrammar('python'),
  go: byGrammar('go'),
  rust: byGrammar('rust'),
  java: byGrammar('java'),
  c: byBrackets,
  cpp: byBrackets,
  ruby: byGrammar('ruby'),
  php: byGrammar('php'),
  shell: async (text) => (await import('./shell.ts')).shellProblems(text, milliseconds),
  html: byGrammar('html'),
  css: async (text) => (await import('./css.ts')).cssProblems(text, milliseconds),
}

export const judge = async (language: Language, path: string, text: string): Promise<readonly SyntaxProblem[]> =>
  judges[language](text, path)
