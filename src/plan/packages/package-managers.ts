// Table of package managers: the command that adds packages, and the options that keep packages from running code.

import { readPackage, exampleOf, type PackageName, type Registry } from './package-names.ts'

export const managerNames = [
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'pip',
  'uv',
  'poetry',
  'cargo',
  'go',
  'bundle',
  'composer',
] as const
export type ManagerName = (typeof managerNames)[number]
/** `yarn` in a plan means one of two programs, which take different options. */
export type Dialect = ManagerName | 'yarn-berry'

/** The keys of the verb `install`. */
export interface InstallSpec {
  readonly install: string | readonly string[]
  readonly manager?: ManagerName | undefined
  readonly in?: string | undefined
  readonly dev?: boolean | undefined
  readonly scripts?: boolean | undefined
}

interface Order {
  /** The packages as written in the plan. */
  readonly texts: readonly string[]
  readonly packages: readonly PackageName[]
  readonly isDev: boolean
  /** True if packages may run their install scripts. */
  readonly scripts: boolean
}

interface Manager {
  /** Program that must be on PATH. */
  readonly program: string
  readonly registry: Registry
  /** Name of the manifest in the directory. */
  readonly manifest: (isDev: boolean) => string
  /** Program and arguments; several commands if it takes one package at a time. */
  readonly commands: (order: Order) => readonly (readonly string[])[]
  /** Why `dev` is not supported. */
  readonly withoutDev?: string
  /** Why it cannot be kept from running code of packages. */
  readonly alwaysRuns?: string
  /** Directory that it installs packages into, which Git should ignore. */
  readonly leaves?: string
}

const packageJson = (): string => 'package.json'
const pyproject = (): string => 'pyproject.toml'
/** The words without the false ones. */
const words = (...all: readonly (string | false | readonly string[])[]): readonly string[] =>
  all.flatMap((each) => (each === false ? [] : each))

export const managers: Readonly<Record<Dialect, Manager>> = {
  npm: {
    program: 'npm',
    registry: 'npm',
    manifest: packageJson,
    leaves: 'node_modules',
    commands: ({ texts, isDev, scripts }) => [
      // Always one of the two: npm then moves a package that is listed under the other.
      words(
        'npm',
        'install',
        isDev ? '--save-dev' : '--save-prod',
        '--no-audit',
        '--no-fund',
        !scripts && '--ignore-scripts',
        texts,
      ),
    ],
  },
  pnpm: {
    program: 'pnpm',
    registry: 'npm',
    manifest: packageJson,
    leaves: 'node_modules',
    commands: ({ texts, isDev, scripts }) => [
      // The plan names the top of the workspace on purpose, so pnpm's check does not apply.
      words(
        'pnpm',
        'add',
        isDev ? '--save-dev' : '--save-prod',
        '--ignore-workspace-root-check',
        !scripts && '--ignore-scripts',
        texts,
      ),
    ],
  },
  yarn: {
    program: 'yarn',
    registry: 'npm',
    manifest: packageJson,
    leaves: 'node_modules',
    commands: ({ texts, isDev, scripts }) => [
      words(
        'yarn',
        'add',
        isDev && '--dev',
        '--non-interactive',
        '--ignore-workspace-root-check',
        !scripts && '--ignore-scripts',
        texts,
      ),
    ],
  },
  'yarn-berry': {
    program: 'yarn',
    registry: 'npm',
    manifest: packageJson,
    // The variable is for yarn 1, which ignores unknown options: if that is the one on PATH after all, it must not run
    // scripts either.
    commands: ({ texts, isDev, scripts }) => [
      words(
        !scripts && ['env', 'yarn_ignore_scripts=true'],
        'yarn',
        'add',
        isDev && '--dev',
        !scripts && '--mode=skip-build',
        texts,
      ),
    ],
  },
  bun: {
    program: 'bun',
    registry: 'npm',
    manifest: packageJson,
    leaves: 'node_modules',
    commands: ({ texts, isDev, scripts }) => [
      words('bun', 'add', isDev && '--dev', !scripts && '--ignore-scripts', texts),
    ],
  },
  pip: {
    program: 'pip',
    registry: 'pypi',
    manifest: (isDev) => (isDev ? 'requirements-dev.txt' : 'requirements.txt'),
    commands: ({ texts, scripts }) => [
      // Outside a virtual environment pip would change the machine, which no rollback restores.
      words(
        'pip',
        'install',
        '--require-virtualenv',
        '--no-input',
        '--disable-pip-version-check',
        !scripts && ['--only-binary', ':all:'],
        texts,
      ),
    ],
  },
  uv: {
    program: 'uv',
    registry: 'pypi',
    manifest: pyproject,
    commands: ({ texts, isDev, scripts }) => [words('uv', 'add', isDev && '--dev', !scripts && '--no-build', texts)],
  },
  poetry: {
    program: 'poetry',
    registry: 'poetry',
    manifest: pyproject,
    alwaysRuns: 'poetry builds packages without a wheel to find their dependencies',
    commands: ({ texts, isDev }) => [words('poetry', 'add', '--no-interaction', isDev && ['--group', 'dev'], texts)],
  },
  cargo: {
    program: 'cargo',
    registry: 'crates',
    manifest: () => 'Cargo.toml',
    // Writes the manifest and builds nothing.
    commands: ({ texts, isDev }) => [words('cargo', 'add', isDev && '--dev', texts)],
  },
  go: {
    program: 'go',
    registry: 'go',
    manifest: () => 'go.mod',
    withoutDev: 'go.mod has no development dependencies',
    // Downloads and builds nothing.
    commands: ({ texts }) => [words('go', 'get', texts)],
  },
  bundle: {
    program: 'bundle',
    registry: 'gems',
    manifest: () => 'Gemfile',
    alwaysRuns: 'bundle builds native extensions of gems when it installs them',
    commands: ({ packages, isDev }) =>
      packages.map(({ name, wanted }) =>
        words('bundle', 'add', name, wanted !== '' && ['--version', wanted], isDev && ['--group', 'development']),
      ),
  },
  composer: {
    program: 'composer',
    registry: 'packagist',
    manifest: () => 'composer.json',
    leaves: 'vendor',
    commands: ({ texts, isDev, scripts }) => [
      words(
        'composer',
        'require',
        '--no-interaction',
        isDev && '--dev',
        !scripts && ['--no-scripts', '--no-plugins'],
        texts,
      ),
    ],
  },
}

export const textsOf = ({ install }: InstallSpec): readonly string[] =>
  typeof install === 'string' ? [install] : install

export interface InstallProblem {
  /** The key of the step that the problem is about. */
  readonly key: 'install' | 'dev' | 'manager'
  readonly message: string
}

/** Why a manager cannot perform this install; undefined if it can. */
export function installProblem(spec: InstallSpec, dialect: Dialect): InstallProblem | undefined {
  const { program, registry, withoutDev, alwaysRuns } = managers[dialect]
  const wrong = textsOf(spec).find((text) => readPackage(registry, text) === undefined)
  if (wrong !== undefined)
    return {
      key: 'install',
      message: `${wrong} is not a valid package for ${program}; write it like ${exampleOf(registry)}`,
    }
  if (spec.dev === true && withoutDev !== undefined) return { key: 'dev', message: `${withoutDev}; remove \`dev\`` }
  if (spec.scripts !== true && alwaysRuns !== undefined)
    return {
      key: spec.manager === undefined ? 'install' : 'manager',
      message: `${alwaysRuns}, and this cannot be disabled: allow it with \`scripts: true\`, or use \`run\``,
    }
  return undefined
}

/** The packages of a spec that has no problem. */
export function packagesOf(spec: InstallSpec, dialect: Dialect): readonly PackageName[] {
  return textsOf(spec).flatMap((text) => readPackage(managers[dialect].registry, text) ?? [])
}

export const commandsFor = (spec: InstallSpec, dialect: Dialect): readonly (readonly string[])[] =>
  managers[dialect].commands({
    texts: textsOf(spec),
    packages: packagesOf(spec, dialect),
    isDev: spec.dev === true,
    scripts: spec.scripts === true,
  })
