// Checks that imports in files of the plan resolve when the plan is done, as far as paths tell: relative imports, and
// packages in package.json. Python has rules of its own, in python-imports.ts. Imports are found by expressions instead
// of a parser: a doubtful one costs a warning, an overlooked one nothing.

import { isBuiltinModule } from '../builtin-modules.ts'
import type { SimulatedTree } from '../rehearsal.ts'
import { unresolvedPythonImports } from './python-imports.ts'
import type { Problem } from './targets.ts'

interface Language {
  readonly files: RegExp
  readonly patterns: readonly RegExp[]
  /** Paths that an import may resolve to, best first; empty if they cannot be determined. */
  readonly candidates: (from: string, name: string) => readonly string[]
}

const scriptEndings = [
  '',
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.d.ts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.json',
  '.vue',
  '.svelte',
  '/index.ts',
  '/index.tsx',
  '/index.js',
  '/index.mjs',
  '/index.cjs',
]
const isRelative = (name: string): boolean => /^\.{1,2}(\/|$)/.test(name)

const languages: readonly Language[] = [
  {
    files: /\.([cm]?[jt]sx?)$/,
    patterns: [
      /^\s*(?:import|export)\s+(?:[\w*${}\s,]+\s+from\s+)?['"]([^'"\n]+)['"]/gm,
      /(?<![\w.])(?:require|import)\(\s*['"]([^'"\n]+)['"]\s*\)/g,
    ],
    candidates: (from, name) => {
      if (!isRelative(name)) return []
      const path = resolvePath(from, name.replace(/[?#].*$/, ''))
      // The top of the repository is there, and what it exports is its package's business.
      if (path === undefined || path === '') return []
      // TypeScript imports name the compiled file.
      const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
      return [
        ...scriptEndings.map((ending) => `${path}${ending}`),
        ...(source === path ? [] : [source, source.replace(/\.ts$/, '.tsx')]),
      ]
    },
  },
  { files: /\.(c|h|cc|cpp|cxx|hpp|hh)$/, patterns: [/^\s*#\s*include\s+"([^"\n]+)"/gm], candidates: includeCandidates },
  {
    files: /\.rb$/,
    patterns: [/^\s*require_relative\s*\(?\s*['"]([^'"\n]+)['"]/gm],
    candidates: (from, name) => candidatesWith(from, name, ['', '.rb']),
  },
  {
    files: /\.php$/,
    patterns: [/^\s*(?:require|include)(?:_once)?\s*\(?\s*__DIR__\s*\.\s*['"]\/([^'"\n]+)['"]/gm],
    candidates: (from, name) => candidatesWith(from, name, ['']),
  },
  {
    files: /\.(css|scss)$/,
    patterns: [/@import\s+(?:url\()?['"](\.{1,2}\/[^'"\n]+)['"]/g],
    candidates: (from, name) => candidatesWith(from, name, ['', '.css', '.scss']),
  },
]

const candidatesWith = (from: string, name: string, endings: readonly string[]): string[] => {
  const path = resolvePath(from, name)
  return path === undefined ? [] : endings.map((ending) => `${path}${ending}`)
}

/** Only the compiler knows the include paths, so only explicitly relative includes are checked. */
function includeCandidates(from: string, name: string): string[] {
  return isRelative(name) ? candidatesWith(from, name, ['']) : []
}

export interface UnresolvedImport extends Problem {
  readonly path: string
}

/** `installed`: packages that a step adds. */
export async function unresolvedImports(
  path: string,
  text: string,
  tree: SimulatedTree,
  installed: ReadonlySet<string> = new Set(),
): Promise<UnresolvedImport[]> {
  const missing = path.endsWith('.py')
    ? await unresolvedPythonImports(path, text, tree)
    : await unresolvedNames(path, text, tree, installed)
  return missing.map((name) => ({
    rule: 'import-unresolved',
    message: `${path} imports ${JSON.stringify(name)}, which does not exist when the plan is done`,
    advice:
      path.endsWith('.py') || isRelative(name)
        ? 'correct the path, or let a step create the file'
        : `add it to package.json, or let a step install it`,
    path,
  }))
}

async function unresolvedNames(
  path: string,
  text: string,
  tree: SimulatedTree,
  installed: ReadonlySet<string>,
): Promise<string[]> {
  const language = languages.find(({ files }) => files.test(path))
  if (language === undefined) return []
  const names = new Set(
    language.patterns.flatMap((pattern) => [...withoutComments(text).matchAll(pattern)].map(([, name = '']) => name)),
  )
  const missing: string[] = []
  for (const name of names)
    if (!installed.has(packageOf(name)) && !(await isResolved(path, name, language, tree))) missing.push(name)
  return missing
}

async function isResolved(
  path: string,
  name: string,
  { candidates: candidatesOf, files }: Language,
  tree: SimulatedTree,
): Promise<boolean> {
  const candidates = candidatesOf(path, name)
  if (candidates.length === 0) return !files.test('x.ts') || isRelative(name) || hasPackage(name, tree)
  for (const candidate of candidates) {
    // An unknown path is assumed to exist.
    if ((await tree.kind(candidate)) !== 'absent') return true
  }
  return false
}

/** Name of the package that an import refers to. */
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

/** True if package.json at the top lists the package, or if that cannot be determined. */
async function hasPackage(name: string, tree: SimulatedTree): Promise<boolean> {
  if (isBuiltinModule(name) || /^[#~@]\/|^[#~]|^\/|:|^virtual/.test(name)) return true
  const own = packageOf(name)
  const kind = await tree.kind('package.json')
  if (kind !== 'file') return true
  const bytes = await tree.read('package.json')
  if (bytes === undefined) return true
  try {
    const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
    // With workspaces or path aliases, names are defined in other files.
    if (
      manifest['workspaces'] !== undefined ||
      (await tree.kind('pnpm-workspace.yaml')) !== 'absent' ||
      (await hasAliases(tree))
    )
      return true
    const named = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].map(
      (key) => manifest[key],
    )
    return (
      manifest['name'] === own ||
      named.some((each) => typeof each === 'object' && each !== null && Object.hasOwn(each, own))
    )
  } catch {
    return true
  }
}

async function hasAliases(tree: SimulatedTree): Promise<boolean> {
  for (const path of ['tsconfig.json', 'jsconfig.json']) {
    if ((await tree.kind(path)) === 'absent') continue
    const bytes = await tree.read(path)
    if (bytes === undefined || /"(paths|baseUrl|extends)"/.test(new TextDecoder().decode(bytes))) return true
  }
  return false
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*(\/\/|#(?!\s*include)).*$/gm, '')

/** A path relative to the top; undefined if it leaves the repository. */
function resolvePath(from: string, name: string): string | undefined {
  const parts = from.split('/').slice(0, -1)
  for (const part of name.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
