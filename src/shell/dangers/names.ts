// The name of a program: which program is meant, and whether it is written so that nobody sees it.

import type { Word, WordPart } from '../parse.ts'
import { isComputed, markedMatcher, marks, shown } from './marks.ts'
import type { Variables } from './variables.ts'

/** A variable of the environment that stands for a program, such as `$CC` or `$PYTHON`. */
const conventional = /^"?\$\{?([A-Z][A-Z0-9_]*)(:?-[^}]*)?\}?"?$/

const isLiteral = (part: WordPart): boolean =>
  part.type === 'Literal' ||
  part.type === 'SingleQuoted' ||
  (part.type === 'DoubleQuoted' && part.parts.every((each) => each.type === 'Literal'))
const isExpansion = (part: WordPart): boolean =>
  part.type === 'DoubleQuoted' ? part.parts.some(isExpansion) : !isLiteral(part)
const expansions = (parts: readonly WordPart[]): WordPart[] =>
  parts.flatMap((part) => (part.type === 'DoubleQuoted' ? expansions(part.parts) : isLiteral(part) ? [] : [part]))

/** Why the name of a program hides what runs; undefined where it does not. */
export function hiddenName({ text, parts = [] }: Word, variables: Variables): string | undefined {
  const hidden = `${shown(text)}: which program that is cannot be seen`
  if (/^.+\\[A-Za-z]/s.test(text) && !/\$'/.test(text)) return hidden
  const base = text.slice(text.lastIndexOf('/') + 1)
  if (parts.some((part) => part.type === 'AnsiCQuoted' && part.text.includes('\\'))) return hidden
  if (parts.length > 1 && parts.every(isLiteral) && !text.includes('/') && !/\s/.test(text)) return hidden
  if (!parts.some(isExpansion)) return undefined
  const inside = expansions(parts)
  if (inside.some((part) => part.type === 'Glob' || part.type === 'BraceExpansion' || part.type === 'ExtendedGlob'))
    return hidden
  // What only says where the program lies does not hide which one it is.
  if (/^[\w.+-]+"?$/.test(base) && text.includes('/')) return undefined
  const [only, ...others] = inside
  if (only === undefined || others.length > 0) return hidden
  const isWhole =
    parts.length === 1 && (only === parts[0] || (parts[0]?.type === 'DoubleQuoted' && parts[0].parts.length === 1))
  if (!isWhole) return hidden
  if (only.type === 'CommandExpansion')
    return /^\$\((which|command -v|type -p|npm bin)\b/.test(only.text) ? undefined : hidden
  if (only.text === '$@' || only.text === '$SHELL') return undefined
  if (only.type === 'ParameterExpansion' && only.operation !== undefined && only.operation.type !== 'Default')
    return hidden
  const name =
    only.type === 'SimpleExpansion' ? only.text.slice(1) : only.type === 'ParameterExpansion' ? only.parameter : ''
  if (!variables.isSet(name)) return conventional.test(text) ? undefined : hidden
  return variables.of(name).some(isComputed) ? hidden : undefined
}

/** `$RM`, `$SUDO`: what such a variable stands for where nobody set it. */
export function guessedProgram({ text }: Word, variables: Variables): string | undefined {
  const name = conventional.exec(text)?.[1]
  return name === undefined || variables.isSet(name) || name === 'SHELL' || text.includes('-')
    ? undefined
    : name.toLowerCase()
}

/** Without its directory; versions of interpreters count as the one that they are of. */
export function programsOf(program: string): string[] {
  const base = program.slice(program.lastIndexOf('/') + 1)
  const name = base.replace(/\.exe$/i, '')
  if (name === '') return []
  if (name.includes(marks.glob)) return globbed(name)
  const [, interpreter] = /^(python[23]?|ruby|perl|php|lua|node|pypy3?|tclsh)-?[\d.]+$/.exec(name) ?? []
  return [interpreter ?? name]
}

/** `r?`, `/bin/r*`: what is worst among those that it may match. */
function globbed(name: string): string[] {
  return ['rm', 'sh', 'bash', 'dd', 'sudo', 'curl', 'shred'].filter(markedMatcher(name))
}
