// Performs one check, and says what proves it.

import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { languageOf } from '../../judge/syntax/languages.ts'
import type { Check } from '../../plan/model/plan.ts'
import type { ShellResult } from '../../plan/model/verb.ts'
import { isNamedIn, manifestNames } from '../../plan/packages/manifest-names.ts'
import { readRegular, searchFile } from '../record/search-file.ts'
import { filesMatching } from './files-matching.ts'
import { describeResult, type Shell } from './step-shell.ts'

/** `evidence`: a path with lines or bytes, or the end of a command's output. */
export type CheckOutcome =
  | { readonly ok: true; readonly evidence: string }
  | { readonly ok: false; readonly message: string; readonly result?: ShellResult }

const proven = (evidence: string): CheckOutcome => ({ ok: true, evidence: evidence.slice(0, 200) })
const refuted = (message: string): CheckOutcome => ({ ok: false, message })

export async function runCheck(root: string, check: Check, shell: Shell): Promise<CheckOutcome> {
  switch (check.kind) {
    case 'run':
      return runCommand(check.command, shell)
    case 'exists': {
      const facts = await lstat(join(root, check.path)).catch(() => undefined)
      return facts === undefined ? refuted(`${check.path} does not exist`) : proven(`${check.path}${sizeText(facts)}`)
    }
    case 'absent': {
      const facts = await lstat(join(root, check.path)).catch(() => undefined)
      return facts === undefined ? proven(`${check.path} does not exist`) : refuted(`${check.path} exists`)
    }
    case 'not_empty': {
      const problem = await emptyProblem(root, check.path)
      if (problem !== undefined) return refuted(`${check.path} ${problem}`)
      return proven(`${check.path}${sizeText(await lstat(join(root, check.path)))}`)
    }
    case 'contains':
    case 'lacks':
      return searchCheck(root, check)
    case 'parses':
      return parseCheck(root, check.path)
    case 'dependency':
      return dependencyCheck(root, check)
    case 'size': {
      const facts = await lstat(join(root, check.file)).catch(() => undefined)
      if (facts?.isFile() !== true) return refuted(`${check.file} is not a regular file`)
      return within(facts.size, check, `${check.file} has ${facts.size} bytes`)
    }
    case 'count':
      return countCheck(root, check)
  }
}

async function runCommand(command: string, shell: Shell): Promise<CheckOutcome> {
  let tail = Buffer.alloc(0)
  const result = await shell(command, {
    onOutput: (chunk) => {
      tail = Buffer.concat([tail, chunk]).subarray(-2048)
    },
  })
  if (result.kind !== 'exited' || result.code !== 0)
    return { ok: false, message: `\`${command}\`: ${describeResult(result)}`, result }
  const last = tail.toString().trimEnd().split('\n').at(-1) ?? ''
  return proven(`exit code 0${last === '' ? '' : `: ${last}`}`)
}

/** undefined: there is a file with content, or a directory with entries. */
export async function emptyProblem(root: string, path: string): Promise<string | undefined> {
  const facts = await lstat(join(root, path)).catch(() => undefined)
  if (facts === undefined) return 'does not exist'
  if (facts.isFile()) return facts.size === 0 ? 'is empty' : undefined
  if (!facts.isDirectory()) return undefined
  return (await filesMatching(root, [`${path}/**`])).length === 0 ? 'is empty' : undefined
}

const sizeText = (facts: { isFile(): boolean; readonly size: number }): string =>
  facts.isFile() ? `, ${facts.size} bytes` : ''

async function searchCheck(
  root: string,
  { kind, file, pattern }: Extract<Check, { kind: 'contains' | 'lacks' }>,
): Promise<CheckOutcome> {
  const found = await searchFile(join(root, file), pattern)
  if (typeof found === 'string') return refuted(`${file} ${found}`)
  const { count, line, text } = found
  if (count > 0 !== (kind === 'contains'))
    return refuted(`${file} ${count > 0 ? 'contains' : 'does not contain'} /${pattern}/`)
  return proven(count === 0 ? `${file}: no line matches` : `${file}:${line}: ${text.trim()}`)
}

async function parseCheck(root: string, path: string): Promise<CheckOutcome> {
  const problem = await parseProblem(root, path)
  if (problem !== undefined) return refuted(problem)
  const language = languageOf(path)
  return language === undefined
    ? refuted(`${path}: its language is not known`)
    : proven(`${path} parses as ${language}`)
}

/** undefined: it parses, or nothing is known about its language. */
export async function parseProblem(root: string, path: string): Promise<string | undefined> {
  const facts = await lstat(join(root, path)).catch(() => undefined)
  if (facts?.isDirectory() === true) return undefined
  const bytes = await readRegular(join(root, path))
  if (typeof bytes === 'string') return `${path} ${bytes}`
  if (languageOf(path, bytes.subarray(0, 200).toString()) === undefined) return undefined
  const { newProblems } = await import('../../judge/syntax/new-problems.ts')
  const [problem] = await newProblems(path, undefined, bytes)
  return problem && `${path} does not parse: line ${problem.line}, column ${problem.column}: ${problem.message}`
}

/** In the manifest that the check names, or in any at the top. */
async function dependencyCheck(
  root: string,
  { name, manifest }: Extract<Check, { kind: 'dependency' }>,
): Promise<CheckOutcome> {
  const paths = manifest === undefined ? manifestNames : [manifest]
  const seen: string[] = []
  for (const path of paths) {
    const bytes = await readRegular(join(root, path))
    if (typeof bytes === 'string') continue
    seen.push(path)
    if (await isNamedIn(path, bytes.toString(), name)) return proven(`${path} names ${name}`)
  }
  const where = dirname(paths[0] ?? '') === '.' ? 'at the top of the repository' : dirname(paths[0] ?? '')
  return refuted(
    seen.length === 0
      ? `there is no manifest ${manifest ?? where} that could name ${name}`
      : `${seen.join(', ')} does not name ${name}`,
  )
}

async function countCheck(root: string, check: Extract<Check, { kind: 'count' }>): Promise<CheckOutcome> {
  if (check.files !== undefined) {
    const files = await filesMatching(root, [check.files])
    const some = files.slice(0, 3).join(', ')
    return within(files.length, check, `${files.length} files match ${check.files}${some === '' ? '' : `: ${some}`}`)
  }
  const found = await searchFile(join(root, check.file ?? ''), check.pattern ?? '')
  if (typeof found === 'string') return refuted(`${check.file} ${found}`)
  const first = found.count === 0 ? '' : `: line ${found.line}`
  return within(found.count, check, `${found.count} lines of ${check.file} match /${check.pattern}/${first}`)
}

function within(value: number, { min, max }: { min?: number | undefined; max?: number | undefined }, what: string) {
  if (min !== undefined && value < min) return refuted(`${what}; at least ${min} are required`)
  if (max !== undefined && value > max) return refuted(`${what}; at most ${max} are allowed`)
  return proven(what)
}
