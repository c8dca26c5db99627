// Files that Git would store byte for byte: no filter, no line ending conversion, no attribute at all. These are hashed
// here; Git has to add any other file.

import { existsSync, lstatSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import type { Oid } from '../../plan/model/ids.ts'
import { systemDirectories, userFile } from '../command/git-config.ts'
import type { ObjectWriter } from '../write/objects.ts'
import { onDisk, type RawPath } from '../read/raw-path.ts'
import type { Repository } from '../repository.ts'
import type { TreeEdits, TreeFile } from '../read/tree-text.ts'

/** Git streams larger files. */
const maxBytes = 16 * 1024 * 1024

/** Settings that make Git store other bytes or another name than on disk, with the values that have no such effect. */
const harmlessValues: Readonly<Record<string, readonly string[]>> = {
  'core.autocrlf': ['false', 'no', 'off', '0', ''],
  'core.ignorecase': ['false', 'no', 'off', '0', ''],
  'core.precomposeunicode': ['false', 'no', 'off', '0', ''],
  'core.sparsecheckout': ['false', 'no', 'off', '0', ''],
  'core.symlinks': ['true', 'yes', 'on', '1'],
  'core.filemode': ['true', 'yes', 'on', '1'],
  'core.sharedrepository': ['false', 'no', 'off', '0', '', 'umask'],
}

/** True if Git can store files of this repository unchanged. Checked each time: attributes and settings may change. */
const storesUnfiltered = async (repo: Repository): Promise<boolean> =>
  (await hasHarmlessSettings(repo)) && !attributeFiles(repo).some((path) => existsSync(path))

async function hasHarmlessSettings(repo: Repository): Promise<boolean> {
  // The last entry takes effect.
  const values = new Map((await repo.config.entries()).map(({ key, value }) => [key, value.toLowerCase()]))
  const isHarmless = Object.entries(harmlessValues).every(
    ([name, plain]) => !values.has(name) || plain.includes(values.get(name) ?? ''),
  )
  return isHarmless && !values.has('core.attributesfile') && !values.has('attr.tree')
}

/** Attribute files outside the work tree. */
function attributeFiles(repo: Repository): string[] {
  const { env } = repo.git
  const system = systemDirectories.map((directory) => join(directory, 'gitattributes'))
  return [join(repo.commonDir, 'info/attributes'), userFile(env, 'attributes'), ...system]
}

/** True if Git stores the file at the path unchanged. */
export const isUnfiltered = async (repo: Repository, path: RawPath): Promise<boolean> =>
  (await storesUnfiltered(repo)) && new AttributeCheck(repo.root).isUntouchedByAttributes(path)

/** The paths that Git may store in another form. */
export async function filteredPaths(repo: Repository, paths: readonly RawPath[]): Promise<RawPath[]> {
  if (!(await storesUnfiltered(repo))) return [...paths]
  const check = new AttributeCheck(repo.root)
  return paths.filter((path) => !check.isUntouchedByAttributes(path))
}

/**
 * True if attributes that concern one of these paths contain a word. Also true if attributes may come from elsewhere:
 * then Git has to be asked.
 */
export async function attributesContain(repo: Repository, paths: readonly RawPath[], word: string): Promise<boolean> {
  const keys = new Set((await repo.config.entries()).map(({ key }) => key))
  if (keys.has('core.attributesfile') || keys.has('attr.tree')) return true
  const directories = new Set(paths.flatMap(directoriesOf))
  const inTree = Array.from(directories, (directory) =>
    onDisk(repo.root, `${directory === '' ? '' : `${directory}/`}.gitattributes` as RawPath),
  )
  return [...inTree, ...attributeFiles(repo)].some((file) => textOf(file).includes(word))
}

function textOf(file: string | Buffer): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** The tree entries of these paths, with their blobs written. undefined: Git has to add them. */
export async function unfilteredEntries(
  repo: Repository,
  objects: ObjectWriter,
  paths: Iterable<RawPath>,
): Promise<TreeEdits | undefined> {
  if (!(await storesUnfiltered(repo))) return undefined
  const check = new AttributeCheck(repo.root)
  const found: { path: RawPath; facts: BigIntStats | undefined }[] = []
  for (const path of paths) {
    if (!check.isUntouchedByAttributes(path) || hasOddName(path)) return undefined
    const facts = check.at(path)
    if (facts === 'above') return undefined
    if (facts !== undefined && !facts.isSymbolicLink() && !(facts.isFile() && facts.size <= maxBytes)) return undefined
    // Git does not store a symlink in the place of one of its own files.
    if (facts?.isSymbolicLink() === true && /(^|\/)\.git[^/]*$/i.test(path)) return undefined
    found.push({ path, facts })
  }
  const files = new Map<RawPath, TreeFile | undefined>()
  for (const { path, facts } of found)
    files.set(path, facts === undefined ? undefined : await storeFile(objects, onDisk(repo.root, path), facts))
  return files
}

/** `facts` must be from before the read: then Git, too, sees any later change of the file as a change. */
async function storeFile(objects: ObjectWriter, file: Buffer, facts: BigIntStats): Promise<TreeFile> {
  const bytes = facts.isSymbolicLink() ? readlinkSync(file, { encoding: 'buffer' }) : readFileSync(file)
  const oid: Oid = await objects.blob(bytes)
  return { mode: facts.isSymbolicLink() ? '120000' : (facts.mode & 0o100n) === 0n ? '100644' : '100755', oid, facts }
}

/** Caches the directories that it has seen. */
class AttributeCheck {
  readonly #root: string
  readonly #directories = new Map<string, { readonly isDirectory: boolean; readonly hasAttributes: boolean }>()

  constructor(root: string) {
    this.#root = root
  }

  isUntouchedByAttributes(path: RawPath): boolean {
    if (path === '.gitattributes' || path.endsWith('/.gitattributes')) return false
    for (const directory of directoriesOf(path)) {
      const { isDirectory, hasAttributes } = this.#directory(directory)
      if (!isDirectory || hasAttributes) return !hasAttributes
    }
    return true
  }

  /** `above`: something other than a directory is in the place of one of its parents. */
  at(path: RawPath): BigIntStats | 'above' | undefined {
    for (const directory of directoriesOf(path)) {
      if (!this.#directory(directory).isDirectory)
        return lstatSync(onDisk(this.#root, directory as RawPath), { throwIfNoEntry: false }) === undefined
          ? undefined
          : 'above'
    }
    return lstatSync(onDisk(this.#root, path), { bigint: true, throwIfNoEntry: false })
  }

  #directory(directory: string): { readonly isDirectory: boolean; readonly hasAttributes: boolean } {
    const known = this.#directories.get(directory)
    if (known !== undefined) return known
    const isDirectory =
      directory === '' ||
      lstatSync(onDisk(this.#root, directory as RawPath), { throwIfNoEntry: false })?.isDirectory() === true
    const attributes = `${directory === '' ? '' : `${directory}/`}.gitattributes` as RawPath
    const seen = {
      isDirectory,
      hasAttributes: isDirectory && lstatSync(onDisk(this.#root, attributes), { throwIfNoEntry: false }) !== undefined,
    }
    this.#directories.set(directory, seen)
    return seen
  }
}

/** Names that Git may refuse, or that mean something else on other systems: Git decides. */
const hasOddName = (path: RawPath): boolean =>
  path
    .split('/')
    .some(
      (name) =>
        /[\\:]|^git~/i.test(name) ||
        (/^\.git/i.test(name.replace(/[^ -~]/g, '')) && !/^\.git[a-z-]+(\.[a-z]+)*$/.test(name)),
    )

/** The top of the work tree and every parent directory of the path. */
function directoriesOf(path: RawPath): string[] {
  const found = ['']
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) found.push(path.slice(0, at))
  return found
}
