// The name of a program: which program it means, and whether the spelling hides that.

import type { Word, WordPart } from '../parse.ts'
import { argumentOf } from '../words.ts'
import { finding, type Finding } from './call.ts'
import { excerpt, unknown } from './marks.ts'

const finds = /^\$\((which|command -v|type -p|npm bin)\b/
const variable = new RegExp(`^${unknown}\\{?([A-Z][A-Z0-9_]*)\\}?$`, 'u')

const isPattern = ({ type }: WordPart): boolean => /^(Glob|BraceExpansion|ExtendedGlob)$/.test(type)

/** Why the name hides which program runs. `program`: the name as far as it is known. */
export function hiddenName(name: Word, program: string): Finding | undefined {
  const { text, parts = [] } = name
  const hidden = finding('shell-obfuscated', `${excerpt(text)} does not show which program runs`)
  const { literal } = argumentOf(name)
  // `"rm"` and `\rm` are ordinary spellings; `r''m` and `r\m` are not.
  const isPlain =
    literal === text.replaceAll('\\\n', '') || text.includes('/') || /^(\\?[\w.-]+|(['"])[^'"]*\2)$/.test(text)
  if (literal !== undefined) return isPlain ? undefined : hidden
  if (parts.some(isPattern)) return hidden
  // An unknown directory does not hide the program in it.
  if (/\/[\w.+-]+["']?$/.test(text)) return undefined
  const [only, ...others] = parts[0]?.type === 'DoubleQuoted' && parts.length === 1 ? parts[0].parts : parts
  if (only === undefined || others.length > 0 || only.type === 'AnsiCQuoted') return hidden
  if (only.type === 'CommandExpansion') return finds.test(only.text) ? undefined : hidden
  const isKnown = !program.includes(unknown) || variable.test(program) || /^.[@*]$/u.test(program)
  const isChanged = only.type === 'ParameterExpansion' && (only.operation?.type ?? 'Default') !== 'Default'
  return isKnown && !isChanged ? undefined : hidden
}

/** The base name. `$SUDO` means sudo; a versioned interpreter means that interpreter. */
export function programName(program: string): string {
  const base = program.slice(program.lastIndexOf('/') + 1).replace(/\.exe$/i, '')
  const [, interpreter] = /^(python[23]?|ruby|perl|php|lua|node)-?[\d.]+$/.exec(base) ?? []
  return interpreter ?? variable.exec(base)?.[1]?.toLowerCase() ?? base
}
