// The files of another tool that `git plan import` is given: one file with its companions, or a directory. Nothing of
// them is executed, symbolic links are not followed below the given path, and sizes are limited as for plan files.

import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { PlanError } from '../errors.ts'
import { maxFileBytes } from '../plan/file/split.ts'
import type { ImportFormat, ImportInput, ImportedFile } from '../plan/sources/import/format.ts'
import { formatsOf, importFormats } from '../plan/sources/import/index.ts'

const maxFiles = 2000
const maxDepth = 4
/** Of a Markdown file. */
const maxLines = 20_000
const maxBytes = 16 * maxFileBytes
const readNames = /\.(md|mdc|markdown|json|jsonl|ya?ml|txt)$/i
const skippedNames = new Set(['.git', 'node_modules'])

export interface ImportSource {
  /** The path for people: as given, or the file of the directory that was given. */
  readonly shown: string
  readonly input: ImportInput
  /** The formats that it may have. */
  readonly formats: readonly ImportFormat[]
}

/** `format`: the one that was asked for. */
export async function readImportSource(path: string, cwd: string, format?: ImportFormat): Promise<ImportSource> {
  const at = resolve(cwd, path)
  const facts = await stat(at).catch(() => undefined)
  if (facts === undefined || !(facts.isFile() || facts.isDirectory()))
    throw new PlanError('usage', `there is no file or directory ${path}`, { hint: 'git plan import -h' })
  return facts.isFile() ? readOne(at, path, format) : readDirectory(at, path, format)
}

async function readOne(at: string, shown: string, format: ImportFormat | undefined): Promise<ImportSource> {
  const file = { path: basename(at), text: await readText(at, shown) }
  const alone: ImportInput = { location: slashed(at), files: [file] }
  const formats = format === undefined ? formatsOf(alone) : [format]
  const companions = formats.length === 1 ? (formats[0]!.companions?.(file) ?? []) : []
  const files: ImportedFile[] = [file]
  for (const { directory, name } of companions) {
    const where = join(dirname(at), directory)
    const entries = await readdir(where, { withFileTypes: true }).catch(() => [])
    const names = entries.flatMap((entry) => (entry.isFile() && name.test(entry.name) ? [entry.name] : [])).toSorted()
    for (const each of names.slice(0, maxFiles)) {
      if (join(where, each) === at) continue
      const path = slashed(join(directory, each))
      files.push({ path, text: await readText(join(where, each), path) })
    }
  }
  refuseTooMuch(files, shown)
  return { shown, input: { location: alone.location, files }, formats }
}

/** A directory is one plan to some formats; else it must hold exactly one such directory, or one file that is a plan. */
async function readDirectory(at: string, shown: string, format: ImportFormat | undefined): Promise<ImportSource> {
  const files = await filesBelow(at, shown)
  const input: ImportInput = { location: slashed(at), files }
  const whole = formatsOf(input).filter(
    (each) => each.takesDirectory === true && (format === undefined || each === format),
  )
  if (whole.length > 0) return { shown, input, formats: whole }
  const inner = plansBelow(input, format)
  const isInside = ({ path }: ImportedFile): boolean => inner.some((directory) => path.startsWith(`${directory}/`))
  const single = files.filter((file) => {
    if (isInside(file)) return false
    const alone = { location: `${input.location}/${file.path}`, files: [file] }
    const found = formatsOf(alone, 'certain')
    return format === undefined ? found.length > 0 : found.includes(format) || format.recognizes(alone) !== undefined
  })
  const plans = [...inner, ...single.map(({ path }) => path)].toSorted()
  const [only, ...others] = plans
  if (only === undefined)
    throw new PlanError('usage', `${shown} has no file that is a plan of a known tool`, {
      hint: 'git plan import -h',
    })
  if (others.length > 0)
    throw new PlanError('usage', `${shown} has ${plans.length} plans; name one of them`, {
      hint: Object.fromEntries(plans.slice(0, 10).map((path) => [path, `git plan import ${join(shown, path)}`])),
      facts: { plans },
    })
  const [where, name] = [join(at, only), join(shown, only)]
  return inner.length > 0 ? readDirectory(where, name, format) : readOne(where, name, format)
}

/** The uppermost directories that are one plan. */
function plansBelow({ location, files }: ImportInput, format: ImportFormat | undefined): string[] {
  const formats = importFormats.filter((each) => each.takesDirectory === true && (format ?? each) === each)
  const directories = [...new Set(files.map(({ path }) => dirname(path)))].filter((path) => path !== '.').toSorted()
  const found: string[] = []
  for (const directory of directories) {
    if (found.some((each) => directory.startsWith(`${each}/`))) continue
    const own = files.flatMap(({ path, text }) =>
      path.startsWith(`${directory}/`) ? [{ path: path.slice(directory.length + 1), text }] : [],
    )
    const below = { location: `${location}/${directory}`, files: own }
    if (formats.some((each) => each.recognizes(below) === 'certain')) found.push(directory)
  }
  return found
}

async function filesBelow(root: string, shown: string): Promise<ImportedFile[]> {
  const files: ImportedFile[] = []
  const walk = async (directory: string, depth: number): Promise<void> => {
    const entries = await readdir(join(root, directory), { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name)
      if (entry.isDirectory() && depth < maxDepth && !skippedNames.has(entry.name)) await walk(path, depth + 1)
      // A file that is too large for a plan is not one of another tool either.
      if (!entry.isFile() || !readNames.test(entry.name) || (await lstat(join(root, path))).size > maxFileBytes)
        continue
      const text = await readText(join(root, path), path).catch((error: unknown) => {
        if (!(error instanceof PlanError)) throw error
      })
      if (text === undefined) continue
      files.push({ path: slashed(path), text })
      refuseTooMuch(files, shown)
    }
  }
  await walk('', 0)
  return files
}

function refuseTooMuch(files: readonly ImportedFile[], shown: string): void {
  const size = files.reduce((sum, { text }) => sum + text.length, 0)
  if (files.length <= maxFiles && size <= maxBytes) return
  throw new PlanError('too-large', `${shown} has more than ${maxFiles} files or ${maxBytes / 1024 / 1024} MB`, {
    hint: 'git plan import -h',
  })
}

/** Line ends become LF, and a byte order mark is removed. */
async function readText(path: string, shown: string): Promise<string> {
  const { size } = await stat(path)
  if (size > maxFileBytes)
    throw new PlanError('too-large', `${shown} has ${size} bytes; at most ${maxFileBytes} are read`, {
      hint: 'git plan import -h',
    })
  const bytes = await readFile(path)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (/\.(md|mdc|markdown)$/i.test(path) && text.split('\n').length > maxLines)
      throw new PlanError('too-large', `${shown} has more than ${maxLines} lines`, { hint: 'git plan import -h' })
    if (!text.includes('\0')) return text
  } catch (error) {
    // Anything else is not UTF-8.
    if (error instanceof PlanError) throw error
  }
  throw new PlanError('invalid-plan', `${shown} is not UTF-8 text`, { hint: 'git plan import -h' })
}

const slashed = (path: string): string => path.split(sep).join('/')
