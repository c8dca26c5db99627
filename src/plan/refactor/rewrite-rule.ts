// What a refactoring finds and writes: a pattern of the plan, or a rule file of ast-grep in the repository.

import { readYaml } from '../file/yaml.ts'
import { languageNamed, refactorLanguages, type RefactorGrammar, type RefactorLanguage } from './languages.ts'
import { literalsIn } from './literals.ts'

export interface RewriteRule {
  readonly language: RefactorLanguage
  /** A rule of ast-grep: `rule`, and maybe `constraints`, `utils` and `transform`. */
  readonly matcher: Readonly<Record<string, unknown>>
  /** The replacement, with metavariables. */
  readonly fix: string
  /** Words that every text with a match contains. */
  readonly literals: readonly string[]
}

export type RewriteRequest = Pick<RewriteRule, 'matcher' | 'fix'> & { readonly grammar: RefactorGrammar }

/** Positions are counted from 1. */
export type Rewritten =
  | { readonly ok: true; readonly text: string; readonly places: readonly { line: number; column: number }[] }
  | { readonly ok: false; readonly reason: 'verb' | 'timeout' | 'interrupted'; readonly message: string }

export const patternRule = (language: RefactorLanguage, pattern: string, fix: string): RewriteRule => ({
  language,
  matcher: { rule: { pattern } },
  fix,
  literals: literalsIn(pattern),
})

/** Keys of a rule file that describe it, or are used. `files` and `ignores` would compete with `over`. */
const description = new Set(['id', 'message', 'note', 'severity', 'url', 'metadata', 'labels'])
const matcherKeys = ['rule', 'constraints', 'utils', 'transform']

/** A text: why the file is refused. */
export function readRule(text: string): RewriteRule | string {
  const read = readYaml(text, { offset: 0, line: 0 })
  const [problem] = read.findings
  if (!read.ok || problem !== undefined) return `line ${problem?.line ?? 1}: ${problem?.message ?? 'it is not YAML'}`
  const { value } = read.yaml
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'a rule is a map'
  const map = value as Readonly<Record<string, unknown>>
  const unknown = Object.keys(map).find(
    (key) => !description.has(key) && !matcherKeys.includes(key) && key !== 'language' && key !== 'fix',
  )
  if (unknown !== undefined) return `\`${unknown}\` is not supported`
  const language = typeof map['language'] === 'string' ? languageNamed(map['language']) : undefined
  if (language === undefined) return `its \`language\` must be one of ${refactorLanguages.join(', ')}`
  const fix = map['fix']
  if (typeof fix !== 'string') return fix === undefined ? 'it has no `fix`' : 'its `fix` must be text'
  const rule = map['rule']
  if (typeof rule !== 'object' || rule === null) return 'it has no `rule`'
  const matcher = Object.fromEntries(matcherKeys.flatMap((key) => (map[key] === undefined ? [] : [[key, map[key]]])))
  return { language, matcher, fix, literals: ruleLiterals(rule as Readonly<Record<string, unknown>>) }
}

/** Of a rule with a plain pattern, and of one in which several rules must match; no words otherwise. */
function ruleLiterals(rule: Readonly<Record<string, unknown>>): string[] {
  const { pattern, all } = rule
  const below = Array.isArray(all) ? all.filter((each) => typeof each === 'object' && each !== null) : []
  return [
    ...(typeof pattern === 'string' ? literalsIn(pattern) : []),
    ...below.flatMap((each) => ruleLiterals(each as Readonly<Record<string, unknown>>)),
  ]
}
