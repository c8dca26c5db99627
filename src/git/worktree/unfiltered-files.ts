// Files that git would store byte for byte: no filter, no conversion of line ends, no attribute at all. These can be
// hashed here; all others are git's to add.

import { existsSync, lstatSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import type { Oid } from '../../plan/model/ids.ts'
import { systemDirectories, userFile } from '../command/git-config.ts'
import type { ObjectWriter } from '../write/objects.ts'
import { onDisk, type RawPath } from '../read/raw-path.ts'
import type { Repository } from '../repository.ts'
import type { TreeEdits, TreeFile } from '../read/tree-text.ts'

/** What is larger is streamed by git. */
const mostBytes = 16 * 1024 * 1024

/**
 * Settings with which git stores something else than what lies there, or knows a file under another name; and the
 * values that mean nothing.
 */
const plainSettings: Readonly<Record<string, readonly string[]>> = {
  'core.autocrlf': ['false', 'no', 'off', '0', ''],
  'core.ignorecase': ['false', 'no', 'off', '0', ''],
  'core.precomposeunicode': ['false', 'no', 'off', '0', ''],
  'core.sparsecheckout': ['false', 'no', 'off', '0', ''],
  'core.symlinks': ['true', 'yes', 'on', '1'],
  'core.filemode': ['true', 'yes', 'on', '1'],
  'core.sharedrepository': ['false', 'no', 'off', '0', '', 'umask'],
}

/**
 * Whether files of this repository can be plain at all. Attributes and settings can come at any time: both are looked
 * for each time.
 */
const isPlainRepository = async (repo: Repository): Promise<boolean> =>
  (await hasPlainSettings(repo)) && !attributeFiles(repo).some((path) => existsSync(path))

async function hasPlainSettings(repo: Repository): Promise<boolean> {
  // The last one counts.
  const values = new Map((await repo.config.entries()).map(({ key, value }) => [key, value.toLowerCase()]))
  const isPlain = Object.entries(plainSettings).every(
    ([name, plain]) => !values.has(name) || plain.includes(values.get(name) ?? ''),
  )
  return isPlain && !values.has('core.attributesfile') && !values.has('attr.tree')
}

/** Attributes that do not come from the work tree. */
function attributeFiles(repo: Repository): string[] {
  const { env } = repo.git
  const system = systemDirectories.map((directory) => join(directory, 'gitattributes'))
  return [join(repo.commonDir, 'info/attributes'), userFile(env, 'attributes'), ...system]
}

/** Whether git stores what lies at a path as it is. */
export const isPlain = async (repo: Repository, path: RawPath): Promise<boolean> =>
  (await isPlainRepository(repo)) && new Look(repo.root).isUntouchedByAttributes(path)

/** Those of which git may store something else. */
export async function notPlain(repo: Repository, paths: readonly RawPath[]): Promise<RawPath[]> {
  if (!(await isPlainRepository(repo))) return [...paths]
  const look = new Look(repo.root)
  return paths.filter((path) => !look.isUntouchedByAttributes(path))
}

/**
 * Whether attributes that concern one of these paths have a word in them; where they may come from elsewhere, too, it
 * is asked for.
 */
export async function haveAttributesWord(repo: Repository, paths: readonly RawPath[], word: string): Promise<boolean> {
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

/** What these paths are in a tree, their blobs written. undefined: git has to look at them. */
export async function plainFiles(
  repo: Repository,
  objects: ObjectWriter,
  paths: Iterable<RawPath>,
): Promise<TreeEdits | undefined> {
  if (!(await isPlainRepository(repo))) return undefined
  const look = new Look(repo.root)
  const found: { path: RawPath; facts: BigIntStats | undefined }[] = []
  for (const path of paths) {
    if (!look.isUntouchedByAttributes(path) || hasOddName(path)) return undefined
    const facts = look.at(path)
    if (facts === 'above') return undefined
    if (facts !== undefined && !facts.isSymbolicLink() && !(facts.isFile() && facts.size <= mostBytes)) return undefined
    // Git does not hold links in the place of its own files.
    if (facts?.isSymbolicLink() === true && /(^|\/)\.git[^/]*$/i.test(path)) return undefined
    found.push({ path, facts })
  }
  const files = new Map<RawPath, TreeFile | undefined>()
  for (const { path, facts } of found)
    files.set(path, facts === undefined ? undefined : await stored(objects, onDisk(repo.root, path), facts))
  return files
}

/**
 * `facts` are from before the reading: whoever changes the file in between or afterwards has changed it in the eyes of
 * git, too.
 */
async function stored(objects: ObjectWriter, place: Buffer, facts: BigIntStats): Promise<TreeFile> {
  const bytes = facts.isSymbolicLink() ? readlinkSync(place, { encoding: 'buffer' }) : readFileSync(place)
  const oid: Oid = await objects.blob(bytes)
  return { mode: facts.isSymbolicLink() ? '120000' : (facts.mode & 0o100n) === 0n ? '100644' : '100755', oid, facts }
}

/** Remembers the directories that it has seen. */
class Look {
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

  /** `above`: something that is no directory stands where one of its directories would be. */
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

/** What git may refuse to hold, or knows by another name on other systems: it has the last word. */
const hasOddName = (path: RawPath): boolean =>
  path
    .split('/')
    .some(
      (name) =>
        /[\\:]|^git~/i.test(name) ||
        (/^\.git/i.test(name.replace(/[^ -~]/g, '')) && !/^\.git[a-z-]+(\.[a-z]+)*$/.test(name)),
    )

/** The work tree itself, and every directory on the way to a path. */
function directoriesOf(path: RawPath): string[] {
  const found = ['']
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) found.push(path.slice(0, at))
  return found
}
