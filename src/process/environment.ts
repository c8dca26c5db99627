// What a child may inherit. Git variables of a calling hook would send our commands to another repository,
// and variables such as NODE_OPTIONS load code into every program that we start.

export type Environment = Readonly<Record<string, string | undefined>>

const identityVariables = new Set([
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_AUTHOR_DATE',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_COMMITTER_DATE',
])
const loaders = new Set([
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

/** For steps: the user's environment without git's, ours and what loads code. */
export function stepEnvironment(environment: Environment): Record<string, string> {
  return filtered(environment, (name) => !name.startsWith('GIT_') && !name.startsWith('PLAN_') && !loaders.has(name))
}

/** For git: the same, with the identity that the caller set. */
export function gitEnvironment(environment: Environment): Record<string, string> {
  return {
    ...filtered(environment, (name) => (!name.startsWith('GIT_') || identityVariables.has(name)) && !loaders.has(name)),
    GIT_TERMINAL_PROMPT: '0',
  }
}

/**
 * What git tells a hook: which repository and index it is about, and where the objects of a push are until it is
 * accepted.
 */
const toldToHooks = {
  client: ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR', 'GIT_INDEX_FILE'],
  server: ['GIT_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH'],
} as const

/** For git that is called by a hook of ours: the same, with what git has told the hook and nothing else of it. */
export function hookEnvironment(environment: Environment, side: keyof typeof toldToHooks): Record<string, string> {
  const told: readonly string[] = toldToHooks[side]
  return { ...gitEnvironment(environment), ...filtered(environment, (name) => told.includes(name)) }
}

/** Off: what we write in git's place is left to git. For tests, and to find out whose fault something is. */
export const hasFastPaths = (environment: Environment): boolean => environment['GIT_PLAN_NO_FAST_PATHS'] !== '1'

function filtered(environment: Environment, keep: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) if (value !== undefined && keep(name)) kept[name] = value
  return kept
}
