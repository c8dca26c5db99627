// Valid package names and versions for each kind of registry. Strict on purpose: anything else could be an option, a
// path or a URL to the program that receives it.

import { hasHidden } from '../text/display.ts'

export type Registry = 'npm' | 'pypi' | 'poetry' | 'crates' | 'go' | 'gems' | 'packagist'

export interface PackageName {
  readonly name: string
  /** The version or range as written; empty if there is none. */
  readonly wanted: string
}

interface NameRule {
  /** Named groups: `name`, and `wanted` for the version. */
  readonly pattern: RegExp
  /** Examples of the notation. */
  readonly example: string
}

/**
 * Comparison operators, as most registries have them. The space belongs to the operator: if it could match in two ways,
 * a long text would make the expression backtrack exponentially.
 */
const compare = String.raw`(?:(?:[~^=]|[<>]=?) ?)?`
const part = String.raw`(?:\d+|[xX*])`
const suffix = String.raw`(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`
const version = String.raw`v?${part}(?:\.${part}){0,2}${suffix}`
const comparator = String.raw`${compare}${version}`
const comparators = String.raw`${comparator}(?: - ${version}|(?: ${comparator})*)`
const npmRange = String.raw`${comparators}(?: ?\|\| ?${comparators})*`
const tag = String.raw`[A-Za-z][A-Za-z0-9._-]*`

const pythonVersion = String.raw`\d[0-9A-Za-z.*+!-]*`
const pythonSpecifier = String.raw`(?:==|~=|!=|[<>]=?) ?${pythonVersion}`
const pythonName = String.raw`(?<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)`
const pythonExtras = String.raw`(?:\[[A-Za-z0-9][A-Za-z0-9._-]*(?:,[A-Za-z0-9][A-Za-z0-9._-]*)*\])?`
const pythonWanted = String.raw`${pythonSpecifier}(?: ?, ?${pythonSpecifier})*`

const rules: Readonly<Record<Registry, NameRule>> = {
  npm: {
    pattern: new RegExp(
      `^(?<name>(?:@[a-z0-9][a-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*)(?:@(?<wanted>${npmRange}|${tag}))?$`,
    ),
    example: 'express, express@^5 or @types/node@20',
  },
  pypi: {
    pattern: new RegExp(`^${pythonName}${pythonExtras}(?<wanted>${pythonWanted})?$`),
    example: 'requests, requests==2.32.3 or requests[socks]>=2,<3',
  },
  poetry: {
    pattern: new RegExp(
      `^${pythonName}${pythonExtras}(?:(?<wanted>${pythonWanted})|@(?:[~^]?${pythonVersion}|latest))?$`,
    ),
    example: 'requests, requests@^2.32 or requests>=2,<3',
  },
  crates: {
    pattern: new RegExp(
      String.raw`^(?<name>[A-Za-z][A-Za-z0-9_-]{0,63})(?:@(?<wanted>${compare}\d+(?:\.${part}){0,2}${suffix}(?:, ?${compare}\d+(?:\.${part}){0,2}${suffix})*))?$`,
    ),
    example: 'serde or serde@1.0',
  },
  go: {
    // `none` would remove the module.
    pattern:
      /^(?<name>[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*)(?:@(?<wanted>(?!none$)[A-Za-z0-9][A-Za-z0-9._+-]*))?$/,
    example: 'golang.org/x/sync or golang.org/x/sync@v0.10.0',
  },
  gems: {
    pattern:
      /^(?<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:@(?<wanted>(?:(?:~>|[<>]=?|!?=) ?)?\d[0-9A-Za-z.]*(?:, ?(?:(?:~>|[<>]=?|!?=) ?)?\d[0-9A-Za-z.]*)*))?$/,
    example: 'rack or rack@~> 3.1',
  },
  packagist: {
    pattern: new RegExp(
      String.raw`^(?<name>[a-z0-9]+(?:[_.-][a-z0-9]+)*/[a-z0-9]+(?:(?:[_.]|-{1,2})[a-z0-9]+)*)(?::(?<wanted>${npmRange}|dev-[A-Za-z0-9][A-Za-z0-9._-]*))?$`,
    ),
    example: 'monolog/monolog or monolog/monolog:^3.0',
  },
}

/** Package managers take names with such an ending for local files. */
const archive = /\.(tgz|tar|tar\.\w+|tbz2?|txz|zip|whl|egg|gem|crate)$/i
/** A URL, a path, a repository or an alias: the source of a package instead of its name. */
const origin =
  /^[./~]|:\/\/|^git@|(^|@)([a-z]+\+)?(git|https?|ssh|file|link|portal|patch|workspace|catalog|exec|npm|jsr|github|gitlab|bitbucket|gist|vcs):|\.git$/i
const allowedCharacters = /^[@A-Za-z0-9][A-Za-z0-9@/._~^<>=!|*,:+[\] -]*$/

/** The problem with a package for any manager; undefined if there is none. */
export function packageProblem(text: string): string | undefined {
  if (text === '') return 'the name of a package cannot be empty'
  if (text.length > 250) return 'the package is longer than 250 characters'
  if (hasHidden(text)) return 'the package contains control, bidirectional or zero-width characters'
  if (text.startsWith('-')) return 'a package cannot begin with `-`, which would be read as an option'
  if (origin.test(text) || archive.test(text))
    return 'only packages of a registry can be installed; use `run` to install from another source'
  return allowedCharacters.test(text) ? undefined : 'the package contains characters that no name or version has'
}

/** undefined if the text is not valid for this registry. */
export function readPackage(registry: Registry, text: string): PackageName | undefined {
  if (packageProblem(text) !== undefined) return undefined
  const groups = rules[registry].pattern.exec(text)?.groups
  return groups?.['name'] === undefined ? undefined : { name: groups['name'], wanted: groups['wanted'] ?? '' }
}

export const exampleOf = (registry: Registry): string => rules[registry].example
