// The environment that a child process inherits. Git variables set by a calling hook would point our commands at
// another repository, and variables such as NODE_OPTIONS load code into every program we start.

export type Environment = Readonly<Record<string, string | undefined>>

const identityVariables = new Set([
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_AUTHOR_DATE',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_COMMITTER_DATE',
])
const codeLoadingVariables = new Set([
  'NODE_OPTIONS',
  'NODE_PATH',
  'LD_PRELOAD',
  'LD_AUDIT',
  'BASH_ENV',
  'ENV',
  'PERL5OPT',
  'RUBYOPT',
  'PYTHONSTARTUP',
])

/** For steps: the user's environment without Git's variables, our own, and those that load code. */
export function stepEnvironment(environment: Environment): Record<string, string> {
  return filterVariables(
    environment,
    (name) => !name.startsWith('GIT_') && !name.startsWith('PLAN_') && !codeLoadingVariables.has(name),
  )
}

/** For Git: the user's environment without Git's variables, except the identity that the caller set. */
export function gitEnvironment(environment: Environment): Record<string, string> {
  return {
    ...filterVariables(
      environment,
      (name) => (!name.startsWith('GIT_') || identityVariables.has(name)) && !codeLoadingVariables.has(name),
    ),
    GIT_TERMINAL_PROMPT: '0',
  }
}

/**
 * The variables with which Git tells a hook its repository and index, and where the objects of a push are until it is
 * accepted.
 */
const hookVariables = {
  client: ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR', 'GIT_INDEX_FILE'],
  server: ['GIT_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH'],
} as const

/** For a Git called by one of our hooks: `gitEnvironment` plus the variables that Git set for the hook. */
export function hookEnvironment(environment: Environment, side: keyof typeof hookVariables): Record<string, string> {
  const names: readonly string[] = hookVariables[side]
  return { ...gitEnvironment(environment), ...filterVariables(environment, (name) => names.includes(name)) }
}

/** False: objects, packs and index files are written by Git itself. For tests, and to tell our faults from Git's. */
export const hasFastPaths = (environment: Environment): boolean => environment['GIT_PLAN_NO_FAST_PATHS'] !== '1'

function filterVariables(environment: Environment, keep: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) if (value !== undefined && keep(name)) kept[name] = value
  return kept
}
