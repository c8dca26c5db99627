// One judge for each language. To know one more: its extensions in languages.ts, its judge here, and a grammar in grammar-files.ts if it needs one.

import { bracketProblems } from './brackets.ts'
import { corrections, type Corrections } from './corrections.ts'
import { isTooDeep } from './depth.ts'
import type { GrammarName } from './grammar-files.ts'
import { commentedJsonProblems, jsonProblems } from './json.ts'
import type { Language } from './languages.ts'
import type { SyntaxProblem } from './problem.ts'

/** Long enough for every text that people write, on a slow machine. */
const milliseconds = 2000

type Judge = (text: string, path: string) => readonly SyntaxProblem[] | Promise<readonly SyntaxProblem[]>

// Parsers are loaded when a text is judged by them, and not before.
const byGrammar =
  (name: GrammarName): Judge =>
  async (text) => {
    if (isTooDeep(name, text)) return []
    const [{ withTree }, { treeProblems }] = await Promise.all([import('./grammars.ts'), import('./tree-problems.ts')])
    const { mask = (given: string): string => given, more = () => [], lets = () => true }: Corrections = corrections[name] ?? {}
    const found = await withTree(name, mask(text), milliseconds, (tree) => [...treeProblems(tree, text), ...more(tree, text)])
    return (found ?? []).filter((problem) => lets(problem, text))
  }

const looksLikeCpp = /^[ \t]*(class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w+[ \t]*[=:])|\w::\w/m

/** A header may be for either of them: where it is not clear, it is wrong only if it is wrong for both. */
const byMacros =
  (given: 'c' | 'cpp'): Judge =>
  async (text, path) => {
    const unbalanced = bracketProblems(given, text)
    if (unbalanced.length > 0 || isTooDeep(given, text)) return unbalanced
    const [{ withAttempts }, { cProblems }] = await Promise.all([import('./grammars.ts'), import('./c/c-problems.ts')])
    const judgeAs = async (dialect: 'c' | 'cpp'): Promise<readonly SyntaxProblem[]> =>
      (await withAttempts(dialect, milliseconds, (attempts) => cProblems(attempts, text, dialect))) ?? []
    if (given === 'cpp' || !/\.h$/i.test(path)) return judgeAs(given)
    if (looksLikeCpp.test(text)) return judgeAs('cpp')
    const found = await judgeAs('c')
    return found.length > 0 && (await judgeAs('cpp')).length > 0 ? found : []
  }

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
  c: byMacros('c'),
  cpp: byMacros('cpp'),
  ruby: byGrammar('ruby'),
  php: byGrammar('php'),
  shell: async (text) => (await import('./shell.ts')).shellProblems(text, milliseconds),
  html: byGrammar('html'),
  css: async (text) => (await import('./css.ts')).cssProblems(text, milliseconds),
}

export const judge = async (language: Language, path: string, text: string): Promise<readonly SyntaxProblem[]> => judges[language](text, path)
