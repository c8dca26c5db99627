// Turns a source text into a plan text: values of parameters are inserted, included plans are flattened. The result is
// what the one reader reads, what is approved, and what the plan file keeps.

import { isDeepStrictEqual } from 'node:util'
import type { Finding } from '../model/finding.ts'
import type { Params } from '../model/params.ts'
import { maxFileBytes } from '../file/split.ts'
import { readDeclarations } from './declarations.ts'
import { encode, isRecord, readFrontMatter, setTopKey, type FrontMatter } from './front-matter.ts'
import { describeParam, giveValues, type Given, type GivenParams } from './give-values.ts'
import { flattenIncludes } from './include.ts'
import {
  locateFile,
  relocateIn,
  spliceLocated,
  type LocatedEdit,
  type LocatedText,
  type Place,
} from './located-text.ts'
import { hasReference, insertInMatter, insertValues, valueAt } from './references.ts'
import type { Expanded, ExpandOptions, SourceText } from './source.ts'

export async function expandSource(source: SourceText, options: ExpandOptions): Promise<Expanded> {
  const unchanged: Expanded = { ok: true, bytes: source.bytes, located: undefined }
  const isAsked = (options.given?.size ?? 0) > 0 || options.title !== undefined || options.entry !== undefined
  if (source.bytes.byteLength > maxFileBytes || !(isAsked || mayExpand(source.bytes))) return unchanged
  const matter = readFrontMatter(source.bytes)
  if (matter === undefined) return unchanged
  const text = locateFile(matter.split.text, source.file)
  const declared = readDeclarations(matter.yaml)
  const given = giveValues(declared.declarations, options.given ?? new Map())
  const problems = [
    ...declared.findings.map(relocateIn(text)),
    ...paramFindings(given, matter, source.file, options.givenAt),
  ]
  if (problems.length > 0) return refused(problems, given, options.givenAt === undefined ? options.given : undefined)
  const inserted = insertParams(text, matter, given.values, options)
  if (inserted.findings.length > 0) return refused(inserted.findings.map(relocateIn(text)), given)
  const included = await flattenIncludes(inserted.located, source, options, expandSource)
  if (!included.ok) return refused(included.findings, given)
  if (included.located.text === text.text) return unchanged
  const bytes = encode(included.located.text)
  if (bytes.byteLength > maxFileBytes)
    return refused(
      [
        {
          rule: 'too-large',
          severity: 'error',
          message: `the expanded text has ${bytes.byteLength} bytes; at most ${maxFileBytes} are read`,
          ...text.place(0),
        },
      ],
      given,
    )
  return { ok: true, bytes, located: included.located }
}

/** Most texts have nothing to expand, and need not be parsed twice. */
const mayExpand = (bytes: Uint8Array): boolean => /\b(params|include)\b/.test(new TextDecoder().decode(bytes))

/** Parameters as `NAME=VALUE`, each read by its type later. Returns the first that is not. */
export function readGiven(
  words: readonly string[],
): { readonly ok: true; readonly given: Given } | { readonly ok: false; readonly word: string } {
  const given = new Map<string, { texts: string[] }>()
  for (const word of words) {
    const equals = word.indexOf('=')
    if (equals < 1) return { ok: false, word }
    const name = word.slice(0, equals)
    given.set(name, { texts: [...(given.get(name)?.texts ?? []), word.slice(equals + 1)] })
  }
  return { ok: true, given }
}

const refused = (findings: readonly Finding[], { missing, problems }: GivenParams, given?: Given): Expanded => ({
  ok: false,
  findings: findings.slice(0, 50),
  missing,
  wrong: problems.filter(({ name }) => given?.has(name) === true),
})

function paramFindings(
  { missing, problems }: GivenParams,
  { yaml, root }: FrontMatter,
  file: string,
  givenAt: Place | undefined,
): Finding[] {
  const at = (name: string): Place => {
    if (givenAt !== undefined) return givenAt
    const isThere = isRecord(root['params']) && Object.hasOwn(root['params'], name)
    return { file, ...yaml.position(isThere ? ['params', name] : ['params'], { key: true }) }
  }
  const of = givenAt === undefined ? '' : ` (of ${file})`
  return [
    ...problems.map(({ name, ...problem }): Finding => ({
      ...problem,
      message: problem.message + of,
      severity: 'error',
      ...at(name),
    })),
    ...missing.map((declared): Finding => ({
      rule: 'missing-parameter',
      severity: 'error',
      message: `no value for the parameter ${describeParam(declared)}${of}`,
      ...at(declared.name),
      advice:
        givenAt === undefined ? `give one: -p ${declared.name}=VALUE` : `add it: \`with: { ${declared.name}: … }\``,
    })),
  ]
}

/** A text without `params` is left alone: other programs use the same notation. */
function insertParams(
  text: LocatedText,
  matter: FrontMatter,
  params: Params,
  { title, entry }: ExpandOptions,
): { located: LocatedText; findings: readonly Finding[] } {
  const { yaml, split, root } = matter
  const edits: LocatedEdit[] = []
  const findings: Finding[] = []
  let inserted: ReturnType<typeof insertInMatter>['edits'] = []
  if (root['params'] !== undefined) {
    const found = insertInMatter(text.text, yaml, params)
    findings.push(...found.findings)
    inserted = found.edits.filter(({ start }) => title === undefined || start !== yaml.span(['title'])?.start)
    edits.push(
      ...inserted.map(({ start, end, text: value }) => ({
        start,
        end,
        pieces: [{ text: value, place: text.place(start) }],
      })),
    )
    if (Object.values(root['params'] as object).some(isRecord)) edits.push(setTopKey(text, matter, 'params', params))
    const start = text.text.length - split.prose.length
    if (hasReference(split.prose)) {
      const prose = insertValues(split.prose, params)
      if (prose.ok)
        edits.push({ start, end: text.text.length, pieces: [{ text: prose.value, place: text.place(start) }] })
      else
        findings.push({ rule: 'bad-reference', severity: 'error', message: prose.message, ...positionOf(text, start) })
    }
  }
  if (title !== undefined) edits.push(setTopKey(text, matter, 'title', title))
  if (entry !== undefined) {
    const before = Array.isArray(root['sources']) ? (root['sources'] as unknown[]) : []
    edits.push(setTopKey(text, matter, 'sources', [entry, ...before]))
  }
  const located = edits.length === 0 ? text : spliceLocated(text, edits)
  if (findings.length === 0 && inserted.length > 0) requireInserted(located, inserted, params)
  return { located, findings }
}

/** A value that reads differently would be proposed and approved as something else. */
function requireInserted(
  located: LocatedText,
  inserted: ReturnType<typeof insertInMatter>['edits'],
  params: Params,
): void {
  const root = readFrontMatter(encode(located.text))?.root
  const isRight = inserted.every(({ path, value }) => isDeepStrictEqual(valueAt(root, path), value))
  if (!isRight || !isDeepStrictEqual(root?.['params'], { ...params }))
    throw new Error('the text with the values of its parameters reads differently')
}

const positionOf = (text: LocatedText, offset: number): Pick<Finding, 'line' | 'column'> => {
  const { line, column } = text.place(offset)
  return { line, column }
}
