// Which package manager a directory is for: its manifests say the language, lock files and fields of manifests the
// manager. The lock file of a workspace is at its top, so directories above count where there is none. Nobody guesses:
// what does not say it, or says two things, is to be settled in the plan.

import type { Dialect, ManagerName } from './package-managers.ts'

/** Of the files as they are at that moment. */
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
  /** What a manifest says itself. */
  readonly declared?: (directory: string, look: Look) => Promise<ManagerName | undefined>
  /** Where nothing says more than that. */
  readonly usual: (directory: string, look: Look) => Promise<ManagerName | undefined>
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
    declared: async (directory, look) =>
      /^(npm|pnpm|yarn|bun)@/.exec(await packageManager(directory, look))?.[1] as ManagerName | undefined,
    usual: async () => 'npm',
  },
  {
    manifests: ['pyproject.toml', 'requirements.txt'],
    locks: { 'uv.lock': 'uv', 'poetry.lock': 'poetry' },
    declared: async (directory, look) =>
      /^\s*\[tool\.(poetry|uv)[\].]/m.exec(await look.text(joined(directory, 'pyproject.toml')))?.[1] as
        | ManagerName
        | undefined,
    usual: async (directory, look) => ((await look.has(joined(directory, 'requirements.txt'))) ? 'pip' : undefined),
  },
  { manifests: ['Cargo.toml'], locks: {}, usual: async () => 'cargo' },
  { manifests: ['go.mod'], locks: {}, usual: async () => 'go' },
  { manifests: ['Gemfile'], locks: {}, usual: async () => 'bundle' },
  { manifests: ['composer.json'], locks: {}, usual: async () => 'composer' },
]

/** `directory`: from the top of the repository; empty for the top itself. `named`: what the plan says. */
export async function managerIn(
  directory: string,
  named: ManagerName | undefined,
  files: ManifestFiles,
): Promise<ManagerFound> {
  const look = lookAt(files)
  if (named !== undefined) return { ok: true, dialect: await dialectOf(named, directory, look) }
  const place = directory === '' ? 'at the top of the repository' : `in ${directory}`
  const spoken: Language[] = []
  const seen: string[] = []
  for (const language of languages) {
    const found = await look.those(directory, [...language.manifests, ...Object.keys(language.locks)])
    if (found.length > 0) spoken.push(language)
    seen.push(...found)
  }
  const [language, other] = spoken
  if (language === undefined) return { ok: false, message: `no manifest or lock file ${place} names a package manager` }
  if (other !== undefined)
    return { ok: false, message: `${seen.join(', ')} ${place} belong to different package managers` }
  const signs = await signsFrom(directory, language, look)
  if (signs.size > 1) return { ok: false, message: `both ${[...signs].join(' and ')} are used ${place}, or above it` }
  const [manager = await language.usual(directory, look)] = signs
  if (manager === undefined)
    return { ok: false, message: `${seen.join(', ')} ${place} can belong to several package managers` }
  return { ok: true, dialect: await dialectOf(manager, directory, look) }
}

/** The managers that the nearest directory with a sign of any has signs of. */
async function signsFrom(
  directory: string,
  { locks, declared }: Language,
  look: Look,
): Promise<ReadonlySet<ManagerName>> {
  for (const at of upwards(directory)) {
    const found = (await look.those(at, Object.keys(locks))).flatMap((name) => locks[name] ?? [])
    const said = await declared?.(at, look)
    const signs = new Set(said === undefined ? found : [said, ...found])
    if (signs.size > 0) return signs
  }
  return new Set()
}

/** Yarn 1 and those after it share a name and a lock file, and little else. */
async function dialectOf(manager: ManagerName, directory: string, look: Look): Promise<Dialect> {
  if (manager !== 'yarn') return manager
  for (const at of upwards(directory)) {
    const said = await packageManager(at, look)
    if (said.startsWith('yarn@')) return said.startsWith('yarn@1') && !/^yarn@1\d/.test(said) ? 'yarn' : 'yarn-berry'
    if (await look.has(joined(at, '.yarnrc.yml'))) return 'yarn-berry'
    const lock = await look.text(joined(at, 'yarn.lock'))
    if (lock !== '') return /^__metadata:/m.test(lock) ? 'yarn-berry' : 'yarn'
  }
  return 'yarn'
}

/** `packageManager` of a package.json; empty where there is none. */
async function packageManager(directory: string, look: Look): Promise<string> {
  try {
    const { packageManager: said } = JSON.parse(await look.text(joined(directory, 'package.json'))) as {
      packageManager?: unknown
    }
    return typeof said === 'string' ? said : ''
  } catch {
    return ''
  }
}

interface Look {
  has(path: string): Promise<boolean>
  /** Those of the names that are files there. */
  those(directory: string, names: readonly string[]): Promise<string[]>
  /** Empty where there is none. */
  text(path: string): Promise<string>
}

function lookAt(files: ManifestFiles): Look {
  const has = async (path: string): Promise<boolean> => (await files.kind(path)) === 'file'
  return {
    has,
    those: async (directory, names) => {
      const found: string[] = []
      for (const name of names) if (await has(joined(directory, name))) found.push(name)
      return found
    },
    text: async (path) => ((await has(path)) ? new TextDecoder().decode(await files.read(path)) : ''),
  }
}

export const joined = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`)

/** A directory and those above it, to the top. */
function upwards(directory: string): string[] {
  const parts = directory === '' ? [] : directory.split('/')
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join('/')), '']
}
