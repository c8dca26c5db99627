// Whether a manifest names a package. That a manager ended without an error is what it says of itself; this is what
// counts.

import type { Dialect } from './package-managers.ts'
import { namesRequired, pythonName } from './requirements.ts'

interface Manifest {
  /** The names that it has, for use or for development. */
  readonly names: (text: string, isDev: boolean) => readonly string[] | Promise<readonly string[]>
  /** Names that are written differently and mean the same are the same after this. */
  readonly plain?: (name: string) => string
  /** Whether a name that is there stands for the one that is looked for, where that is more than being equal. */
  readonly covers?: (there: string, wanted: string) => boolean
}

type Path = readonly string[]

/** Below each path of keys: the keys of a table, or what the entries of a list require. */
function namesAt(value: unknown, paths: readonly Path[]): string[] {
  return paths.flatMap((path) => {
    const found = path.reduce<unknown>((at, key) => (isTable(at) ? at[key] : undefined), value)
    if (Array.isArray(found)) return namesRequired(found.filter((each) => typeof each === 'string').join('\n'))
    return isTable(found) ? Object.keys(found) : []
  })
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const inJson =
  (use: readonly Path[], development: readonly Path[]): Manifest['names'] =>
  (text, isDev) =>
    namesAt(JSON.parse(text), isDev ? development : use)

const inToml =
  (use: readonly Path[], development: readonly Path[]): Manifest['names'] =>
  async (text, isDev) => {
    const { parse } = await import('smol-toml')
    return namesAt(parse(text), isDev ? development : use)
  }

const node: Manifest = { names: inJson([['dependencies'], ['optionalDependencies']], [['devDependencies']]) }

const manifests: Readonly<Record<Dialect, Manifest>> = {
  npm: node,
  pnpm: node,
  yarn: node,
  'yarn-berry': node,
  bun: node,
  pip: { names: namesRequired, plain: pythonName },
  uv: {
    names: inToml(
      [['project', 'dependencies']],
      [
        ['dependency-groups', 'dev'],
        ['tool', 'uv', 'dev-dependencies'],
      ],
    ),
    plain: pythonName,
  },
  poetry: {
    names: inToml(
      [
        ['project', 'dependencies'],
        ['tool', 'poetry', 'dependencies'],
      ],
      [
        ['dependency-groups', 'dev'],
        ['tool', 'poetry', 'group', 'dev', 'dependencies'],
        ['tool', 'poetry', 'dev-dependencies'],
      ],
    ),
    plain: pythonName,
  },
  // A crate is added under the name that it has, whichever of the two was asked for.
  cargo: { names: inToml([['dependencies']], [['dev-dependencies']]), plain: (name) => name.replaceAll('_', '-') },
  go: {
    names: (text) => [...text.matchAll(/^\s*(?:require\s+)?([^\s()/]\S*)\s+v\d\S*/gm)].map(([, name = '']) => name),
    // A package is asked for, and the module that it is in is named.
    covers: (there, wanted) => there === wanted || wanted.startsWith(`${there}/`),
  },
  bundle: { names: (text) => [...text.matchAll(/^\s*gem\s*\(?\s*["']([^"']+)["']/gm)].map(([, name = '']) => name) },
  composer: { names: inJson([['require']], [['require-dev']]), plain: (name) => name.toLowerCase() },
}

/** Those of the names that a manifest does not have. Throws where it cannot be read. */
export async function notNamed(
  dialect: Dialect,
  text: string,
  wanted: readonly string[],
  { isDev }: { isDev: boolean },
): Promise<string[]> {
  const { names, plain = (name) => name, covers = (there, name) => there === name } = manifests[dialect]
  const there = (await names(text, isDev)).map(plain)
  return wanted.filter((name) => !there.some((each) => covers(each, plain(name))))
}
