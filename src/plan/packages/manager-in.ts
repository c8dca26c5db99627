// Detects the package manager of a directory: manifests tell the language, lock files and manifest fields the manager.
// The lock file of a workspace is at its top, so parent directories are searched too. Nothing is guessed: if the files
// say nothing, or contradict each other, the plan must name the manager.

import type { Dialect, ManagerName } from './package-managers.ts'

/** Access to files in their current state. */
export interface ManifestFiles {
  kind(path: string): Promise<string | undefined>
  read(path: string): Promise<Uint8Array | undefined>
}

export type ManagerFound =
  | { readonly ok: true; readonly dialect: Dialect }
  | { readonly ok: false; readonly message: string }

interface Language {
  readonly manifests: readonly string[]
  readonly locks: Readonly<Record<string, ManagerName>>
  /** The manager that a manifest names. */
  readonly declared?: (directory: string, reader: ManifestReader) => Promise<ManagerName | undefined>
  /** The manager if there is no other sign. */
  readonly usual: (directory: string, reader: ManifestReader) => Promise<ManagerName | undefined>
}

const languages: readonly Language[] = [
  {
    manifests: ['package.json'],
    locks: {
      'package-lock.json': 'npm',
      'npm-shrinkwrap.json': 'npm',
      'pnpm-lock.yaml': 'pnpm',
      'yarn.lock': 'yarn',
      'bun.lock': 'bun',
      'bun.lockb': 'bun',
    },
    declared: async (directory, reader) =>
      /^(npm|pnpm|yarn|bun)@/.exec(await packageManager(directory, reader))?.[1] as ManagerName | undefined,
    usual: async () => 'npm',
  },
  {
    manifests: ['pyproject.toml', 'requirements.txt'],
    locks: { 'uv.lock': 'uv', 'poetry.lock': 'poetry' },
    declared: async (directory, reader) =>
      /^\s*\[tool\.(poetry|uv)[\].]/m.exec(await reader.text(joinPath(directory, 'pyproject.toml')))?.[1] as
        | ManagerName
        | undefined,
    usual: async (directory, reader) =>
      (await reader.has(joinPath(directory, 'requirements.txt'))) ? 'pip' : undefined,
  },
  { manifests: ['Cargo.toml'], locks: {}, usual: async () => 'cargo' },
  { manifests: ['go.mod'], locks: {}, usual: async () => 'go' },
  { manifests: ['Gemfile'], locks: {}, usual: async () => 'bundle' },
  { manifests: ['composer.json'], locks: {}, usual: async () => 'composer' },
]

/**
 * `directory` is relative to the top of the repository, empty for the top. `named`: the manager that the plan names.
 */
export async function managerIn(
  directory: string,
  named: ManagerName | undefined,
  files: ManifestFiles,
): Promise<ManagerFound> {
  const reader = manifestReader(files)
  if (named !== undefined) return { ok: true, dialect: await dialectOf(named, directory, reader) }
  const location = directory === '' ? 'at the top of the repository' : `in ${directory}`
  const spoken: Language[] = []
  const seen: string[] = []
  for (const language of languages) {
    const found = await reader.existing(directory, [...language.manifests, ...Object.keys(language.locks)])
    if (found.length > 0) spoken.push(language)
    seen.push(...found)
  }
  const [language, other] = spoken
  if (language === undefined)
    return { ok: false, message: `no manifest or lock file ${location} names a package manager` }
  if (other !== undefined)
    return { ok: false, message: `${seen.join(', ')} ${location} belong to different package managers` }
  const signs = await signsFrom(directory, language, reader)
  if (signs.size > 1)
    return { ok: false, message: `both ${[...signs].join(' and ')} are used ${location}, or above it` }
  const [manager = await language.usual(directory, reader)] = signs
  if (manager === undefined)
    return { ok: false, message: `${seen.join(', ')} ${location} can belong to several package managers` }
  return { ok: true, dialect: await dialectOf(manager, directory, reader) }
}

/** The managers that the nearest directory with any sign points to. */
async function signsFrom(
  directory: string,
  { locks, declared }: Language,
  reader: ManifestReader,
): Promise<ReadonlySet<ManagerName>> {
  for (const at of withParents(directory)) {
    const found = (await reader.existing(at, Object.keys(locks))).flatMap((name) => locks[name] ?? [])
    const declaration = await declared?.(at, reader)
    const signs = new Set(declaration === undefined ? found : [declaration, ...found])
    if (signs.size > 0) return signs
  }
  return new Set()
}

/** Yarn 1 and later versions share a name and a lock file, but few options. */
async function dialectOf(manager: ManagerName, directory: string, reader: ManifestReader): Promise<Dialect> {
  if (manager !== 'yarn') return manager
  for (const at of withParents(directory)) {
    const declaration = await packageManager(at, reader)
    if (declaration.startsWith('yarn@'))
      return declaration.startsWith('yarn@1') && !/^yarn@1\d/.test(declaration) ? 'yarn' : 'yarn-berry'
    if (await reader.has(joinPath(at, '.yarnrc.yml'))) return 'yarn-berry'
    const lock = await reader.text(joinPath(at, 'yarn.lock'))
    if (lock !== '') return /^__metadata:/m.test(lock) ? 'yarn-berry' : 'yarn'
  }
  return 'yarn'
}

/** The field `packageManager` of a package.json; empty if there is none. */
async function packageManager(directory: string, reader: ManifestReader): Promise<string> {
  try {
    const { packageManager: declaration } = JSON.parse(await reader.text(joinPath(directory, 'package.json'))) as {
      packageManager?: unknown
    }
    return typeof declaration === 'string' ? declaration : ''
  } catch {
    return ''
  }
}

interface ManifestReader {
  has(path: string): Promise<boolean>
  /** The names that are files in the directory. */
  existing(directory: string, names: readonly string[]): Promise<string[]>
  /** Empty if there is no such file. */
  text(path: string): Promise<string>
}

function manifestReader(files: ManifestFiles): ManifestReader {
  const has = async (path: string): Promise<boolean> => (await files.kind(path)) === 'file'
  return {
    has,
    existing: async (directory, names) => {
      const found: string[] = []
      for (const name of names) if (await has(joinPath(directory, name))) found.push(name)
      return found
    },
    text: async (path) => ((await has(path)) ? new TextDecoder().decode(await files.read(path)) : ''),
  }
}

export const joinPath = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`)

/** A directory and its parents, up to the top. */
function withParents(directory: string): string[] {
  const parts = directory === '' ? [] : directory.split('/')
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join('/')), '']
}
