// The manifests in which a dependency can be named, and whether one names it.

import { missingNames } from './named-in.ts'
import type { Dialect } from './package-managers.ts'

const dialects: Readonly<Record<string, readonly Dialect[]>> = {
  'package.json': ['npm'],
  'pyproject.toml': ['poetry', 'uv'],
  'Cargo.toml': ['cargo'],
  'go.mod': ['go'],
  'requirements.txt': ['pip'],
  Gemfile: ['bundle'],
  'composer.json': ['composer'],
}

export const manifestNames: readonly string[] = Object.keys(dialects)

export const isManifest = (path: string): boolean => manifestNames.includes(path.slice(path.lastIndexOf('/') + 1))

/** As a dependency or a development dependency. False if the manifest cannot be parsed. */
export async function isNamedIn(path: string, text: string, name: string): Promise<boolean> {
  for (const dialect of dialects[path.slice(path.lastIndexOf('/') + 1)] ?? [])
    for (const isDev of [false, true]) {
      const missing = await missingNames(dialect, text, [name], { isDev }).catch(() => [name])
      if (missing.length === 0) return true
    }
  return false
}
