// `${{ params.NAME }}` in the texts of a plan. A value is inserted into values that YAML has already parsed, never into
// YAML, and never into a shell command.

import type { Finding } from '../model/finding.ts'
import { paramText, paramVariable, type Params, type ParamValue } from '../model/params.ts'
import { isSafeBlock, readYaml, type Path, type YamlText, type YamlValue } from '../file/yaml.ts'
import { scalar } from '../file/write.ts'
import { metavariablesIn } from '../refactor/literals.ts'
import { suggest } from '../text/nearest.ts'

const reference = /\$\{\{\s*params\.([A-Za-z0-9_-]+)\s*\}\}/g
const anyReference = /\$\{\{\s*params\b[^}]{0,60}/

export const hasReference = (text: string): boolean => anyReference.test(text)

export type Inserted =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string; readonly advice?: string }

/** `escape` makes the value stand for itself in an expression or a replacement. */
export function insertValues(
  text: string,
  params: Params,
  escape: (value: string) => string = (value) => value,
): Inserted {
  let problem: Extract<Inserted, { ok: false }> | undefined
  const value = text.replace(reference, (whole, name: string) => {
    const given = Object.hasOwn(params, name) ? params[name] : undefined
    if (given === undefined)
      problem ??= {
        ok: false,
        message: `there is no parameter ${JSON.stringify(name.slice(0, 60))}`,
        advice: suggest(name, Object.keys(params)),
      }
    else if (Array.isArray(given))
      problem ??= {
        ok: false,
        message: `the list ${name} cannot be part of a text`,
        advice: `use it alone: \`files: ${whole}\``,
      }
    return given === undefined ? whole : escape(paramText(given))
  })
  if (problem !== undefined) return problem
  const left = anyReference.exec(value)?.[0]
  return left === undefined
    ? { ok: true, value }
    : {
        ok: false,
        message: anyReference.test(text.replace(reference, ''))
          ? `\`${left}\` is not the reference of a parameter`
          : 'a value makes this text refer to another parameter',
        advice: 'write `${{ params.NAME }}`',
      }
}

/** Keys whose text is run by a shell. */
const commandKeys = new Set(['run', 'setup', 'preflight', 'test', 'verify', 'probe', 'undo', 'codemod'])
const dataKeys = new Set(['env', 'meta', 'params'])
const ownKeys = new Set(['params', 'sources', 'status', 'state'])

type TextUse = 'text' | 'expression' | 'replacement' | 'structure' | 'command' | 'own'

/** What the text at a path of the front matter is for. */
function useOf(path: Path, root: unknown): TextUse {
  const [top, index, key] = path
  if (ownKeys.has(String(top))) return 'own'
  const isStep = top === 'steps'
  const step = isStep ? valueAt(root, ['steps', index!]) : undefined
  if (dataKeys.has(String(isStep ? key : top)) || hasKey(step, 'include')) return 'text'
  const last = path.findLastIndex((part) => typeof part === 'string')
  const name = String(path[last])
  if (commandKeys.has(name)) return 'command'
  if (path[last - 1] === 'refactor' && ['pattern', 'rewrite'].includes(name)) return 'structure'
  if (name === 'match' || name === 'pattern') return 'expression'
  return name === 'with' && hasKey(valueAt(root, path.slice(0, last)), 'match') ? 'replacement' : 'text'
}

const namesIn = (text: string): string[] => [...text.matchAll(reference)].map(([, name]) => name ?? '')
const isWild = (value: ParamValue | undefined): boolean =>
  typeof value === 'string' && metavariablesIn(value).length > 0

const escapes: Readonly<Partial<Record<TextUse, (value: string) => string>>> = {
  expression: (value) => value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  replacement: (value) => value.replaceAll('$', '$$$$'),
}

interface Insertion {
  readonly start: number
  readonly end: number
  readonly text: string
  /** What must be read there afterwards. */
  readonly path: Path
  readonly value: ParamValue
}

/** The new text of each scalar that refers to a parameter, as an edit of the file. */
export function insertInMatter(
  source: string,
  yaml: YamlValue,
  params: Params,
): { edits: Insertion[]; findings: Finding[] } {
  const findings: Finding[] = []
  const edits = yaml.texts().flatMap((node): Insertion[] => {
    if (!hasReference(node.value)) return []
    const use = useOf(node.path, yaml.value)
    if (use === 'own') return []
    const problem = (message: string, advice?: string): [] => {
      findings.push({
        rule: 'bad-reference',
        severity: 'error',
        message,
        ...yaml.position(node.path),
        ...(advice === undefined ? {} : { advice }),
      })
      return []
    }
    if (use === 'command') {
      const name = new RegExp(reference.source).exec(node.value)?.[1]
      return problem(
        'a parameter cannot be inserted into a shell command',
        `use its environment variable: "$${paramVariable(name ?? 'NAME')}"`,
      )
    }
    const alone = node.style === 'plain' ? new RegExp(`^${reference.source}$`).exec(node.value)?.[1] : undefined
    const typed = alone !== undefined && Object.hasOwn(params, alone) ? params[alone] : undefined
    if (typed !== undefined && typeof typed !== 'string')
      return [{ start: node.start, end: node.end, text: typedText(typed), path: node.path, value: typed }]
    const inserted = insertValues(node.value, params, escapes[use])
    if (!inserted.ok) return problem(inserted.message, inserted.advice)
    const wild = use === 'structure' ? namesIn(node.value).find((name) => isWild(params[name])) : undefined
    if (wild !== undefined)
      return problem(
        `the value of ${wild} has a metavariable such as \`$A\`, which would match any code`,
        'give a value without one',
      )
    return [
      {
        start: node.start,
        end: node.end,
        text: textOf(inserted.value, node, source),
        path: node.path,
        value: inserted.value,
      },
    ]
  })
  return { edits, findings }
}

/** A number, boolean or list, in a form that is valid inside braces too. */
const typedText = (value: ParamValue): string =>
  typeof value === 'string' ? scalar(value) : Array.isArray(value) ? `[${value.map(scalar).join(', ')}]` : String(value)

/** The same value for YAML: a block stays a block where it can. */
function textOf(value: string, node: YamlText, source: string): string {
  if (node.style !== 'block') return scalar(value)
  const raw = source.slice(node.start, node.end)
  const eol = raw.includes('\r\n') ? '\r\n' : '\n'
  const end = raw.endsWith('\n') ? eol : ''
  const block = blockOf(value, raw, node.value, eol)
  return block !== undefined && readsAs(block, value) ? block : `${scalar(value)}${end}`
}

function blockOf(value: string, raw: string, before: string, eol: string): string | undefined {
  const [header = '', ...lines] = raw.split(/\r?\n/)
  const at = lines.findIndex((line) => line.trim() !== '')
  const indentation = /^ */.exec(lines[at] ?? '')![0].length - /^ */.exec(before.split('\n')[at] ?? '')![0].length
  if (at < 0 || indentation < 1 || !isSafeBlock(value)) return undefined
  const body = value.split('\n').map((line) => (line === '' ? '' : ' '.repeat(indentation) + line))
  const text = [header.replace(/^>/, '|'), ...body].join(eol)
  return text.endsWith('\n') || !raw.endsWith('\n') ? text : text + eol
}

function readsAs(block: string, value: string): boolean {
  const read = readYaml(`k: ${block}`, { offset: 0, line: 0 })
  return read.ok && (read.yaml.value as { k?: unknown } | null)?.k === value
}

const hasKey = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)

export const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, part) => (value as Record<string | number, unknown> | null)?.[part], root)
