// PlanError, the one class that stops a command, and the table of exit codes. The codes appear in JSON output, so they
// are stable.

export const exitCodes = {
  'step-failed': 1,
  'check-failed': 1,
  'merge-conflict': 1,
  usage: 2,
  'invalid-plan': 2,
  'unknown-plan': 2,
  'plan-exists': 2,
  'unknown-step': 2,
  'not-a-repository': 2,
  'bare-repository': 2,
  'no-commits': 2,
  'no-identity': 2,
  'old-git': 2,
  'not-fetched': 2,
  'too-large': 2,
  'dirty-tree': 2,
  'wrong-state': 2,
  preflight: 2,
  'path-refused': 2,
  'not-approved': 3,
  'spec-changed': 3,
  'not-allowed': 3,
  forge: 3,
  held: 4,
  'rate-limited': 4,
  'branch-moved': 4,
  survivors: 4,
  'foreign-lock': 4,
  waiting: 5,
  'unknown-effect': 5,
  'cannot-save': 5,
  system: 5,
  'git-failed': 70,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const

export type ErrorCode = keyof typeof exitCodes

/** One command to type, or several commands keyed by purpose. */
type Hint = string | Readonly<Record<string, string>>

function alignedList(commands: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(commands).map((purpose) => purpose.length))
  return Object.entries(commands)
    .map(([purpose, command]) => `${`${purpose}:`.padEnd(width + 1)} ${command}`)
    .join('\n')
}

/** Stops a command. The message says what was attempted on what; the hint is the command to type next. */
export class PlanError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: Hint; cause?: unknown; facts?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PlanError'
    this.code = code
    this.hint = typeof options.hint === 'object' ? alignedList(options.hint) : options.hint
    this.facts = options.facts ?? {}
  }

  get exitCode(): number {
    return exitCodes[this.code]
  }
}

/** A `catch` handler for callers that treat an object too large to read as missing. */
export function noneIfTooLarge(error: unknown): undefined {
  if (!(error instanceof PlanError) || error.code !== 'too-large') throw error
}

/** Keyed by Node's error code. git/command/machine-errors.ts has the same for Git's error messages. */
const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'free disk space',
  EDQUOT: 'free disk space (your quota is used up)',
  EROFS: 'make the file system writable',
  EFBIG: 'raise the file size limit (ulimit -f)',
  EACCES: 'check the permissions of that path',
  EPERM: 'check the permissions of that path',
  EMFILE: 'raise the limit on open files (ulimit -n)',
  ENFILE: 'stop some programs (the system has too many open files)',
  ENOMEM: 'stop some programs (the system is out of memory)',
  EAGAIN: 'stop some programs (the system has too many processes)',
  EIO: 'check the disk',
}

/**
 * Turns an error of the machine (full disk, missing permission) into a `system` error: it is not a bug of ours, and the
 * next command recovers interrupted work. Returns any other error unchanged.
 */
export function toMachineError(error: unknown): unknown {
  const { code = '', path, message, syscall } = error as NodeJS.ErrnoException
  // The parts of the program are loaded when they are needed, and have other names in another build.
  if (code === 'ERR_MODULE_NOT_FOUND' && /[\\/]dist[\\/]chunks[\\/]/.test(message))
    return new PlanError('system', 'git plan was updated while it ran', {
      hint: 'start it again',
      cause: error,
    })
  // `mkdir -p` reports ENOENT for any reason that keeps it from making a directory.
  const remedy = remedies[code === 'ENOENT' && syscall === 'mkdir' ? 'EIO' : code]
  if (error instanceof PlanError || remedy === undefined) return error
  return new PlanError('system', `${message}${path === undefined || message.includes(path) ? '' : ` (${path})`}`, {
    hint: `${remedy}, then: git plan resume`,
    cause: error,
  })
}
