// Checks that a manifest lists a package. The exit code of a package manager is only its own claim; the manifest is the
// proof.

import { readToml } from '../text/toml.ts'
import type { Dialect } from './package-managers.ts'
import { namesRequired, pythonName } from './requirements.ts'

interface Manifest {
  /** The names that the manifest lists, as dependencies or as development dependencies. */
  readonly names: (text: string, isDev: boolean) => readonly string[] | Promise<readonly string[]>
  /** Maps spellings of the same name to one. */
  readonly normalize?: (name: string) => string
  /** True if a listed name provides the wanted one; default: they are equal. */
  readonly covers?: (there: string, wanted: string) => boolean
}

type Path = readonly string[]

/** Names at each path of keys: the keys of a table, or the requirements in a list. */
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
  async (text, isDev) =>
    namesAt(await readToml(text), isDev ? development : use)

const node: Manifest = { names: inJson([['dependencies'], ['optionalDependencies']], [['devDependencies']]) }

const manifests: Readonly<Record<Dialect, Manifest>> = {
  npm: node,
  pnpm: node,
  yarn: node,
  'yarn-berry': node,
  bun: node,
  pip: { names: namesRequired, normalize: pythonName },
  uv: {
    names: inToml(
      [['project', 'dependencies']],
      [
        ['dependency-groups', 'dev'],
        ['tool', 'uv', 'dev-dependencies'],
      ],
    ),
    normalize: pythonName,
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
    normalize: pythonName,
  },
  // Cargo writes the crate's own spelling, whichever of `-` and `_` was asked for.
  cargo: { names: inToml([['dependencies']], [['dev-dependencies']]), normalize: (name) => name.replaceAll('_', '-') },
  go: {
    names: (text) => [...text.matchAll(/^\s*(?:require\s+)?([^\s()/]\S*)\s+v\d\S*/gm)].map(([, name = '']) => name),
    // The plan may ask for a package; go.mod lists the module that contains it.
    covers: (there, wanted) => there === wanted || wanted.startsWith(`${there}/`),
  },
  bundle: { names: (text) => [...text.matchAll(/^\s*gem\s*\(?\s*["']([^"']+)["']/gm)].map(([, name = '']) => name) },
  composer: { names: inJson([['require']], [['require-dev']]), normalize: (name) => name.toLowerCase() },
}

/** The wanted names that a manifest does not list. Throws if the manifest cannot be parsed. */
export async function missingNames(
  dialect: Dialect,
  text: string,
  wanted: readonly string[],
  { isDev }: { isDev: boolean },
): Promise<string[]> {
  const { names, normalize: plain = (name) => name, covers = (there, name) => there === name } = manifests[dialect]
  const there = (await names(text, isDev)).map(plain)
  return wanted.filter((name) => !there.some((each) => covers(each, plain(name))))
}
