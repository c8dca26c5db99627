// One class stops a command; one table says with which exit code. The codes are stable: they are in the JSON.

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
  'dirty-tree': 2,
  'wrong-state': 2,
  preflight: 2,
  'path-refused': 2,
  'not-approved': 3,
  'spec-changed': 3,
  'not-allowed': 3,
  held: 4,
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

/** What stops a command: what was attempted on what, and the command to type next. */
export class PlanError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly facts: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown; facts?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PlanError'
    this.code = code
    this.hint = options.hint
    this.facts = options.facts ?? {}
  }

  get exitCode(): number {
    return exitCodes[this.code]
  }
}

/** What the machine refuses is no bug of ours. By the code that Node gives it, and by the words in which git reports it: not all of them name the cause. */
const refusals: readonly (readonly [code: string, inWords: RegExp, remedy: string])[] = [
  ['ENOSPC', /No space left on device|Out of diskspace/, 'make room on the disk'],
  ['EDQUOT', /Disk quota exceeded/, 'make room: your quota is used up'],
  ['EROFS', /Read-only file system/, 'the file system is read-only'],
  ['EFBIG', /File too large/, 'raise the limit of the size of files (ulimit -f)'],
  ['EACCES', /Permission denied/, 'look at the permissions there'],
  ['EPERM', /Operation not permitted/, 'look at the permissions there'],
  ['EMFILE', /Too many open files/, 'raise the limit of open files (ulimit -n)'],
  ['ENFILE', /Too many open files in system/, 'the machine has no more open files to give'],
  ['ENOMEM', /Cannot allocate memory|out of memory/i, 'the machine is out of memory'],
  [
    'EIO',
    /Input\/output error|couldn't (write|set|read)|[Uu]nable to (write|create|append|unlink)|[Ff]ailed to write|unable to (set up|process) /,
    'look at the disk: something could not be written',
  ],
]

/** Any other error is given back as it is. `mkdir -p` says ENOENT for whatever keeps it from making a directory. */
export function refusedByMachine(error: unknown): unknown {
  const { code, path, message, syscall } = error as NodeJS.ErrnoException
  const remedy = remedyFor({ code: code === 'ENOENT' && syscall === 'mkdir' ? 'EIO' : code })
  if (error instanceof PlanError || remedy === undefined) return error
  return new PlanError('system', `${message}${path === undefined || message.includes(path) ? '' : ` (${path})`}`, {
    hint: `${remedy}, then: git plan resume`,
    cause: error,
  })
}

/** By the code of an error, or by what git said. */
export function remedyFor(found: { readonly code?: string | undefined; readonly said?: string | undefined }): string | undefined {
  return refusals.find(([code, inWords]) => code === found.code || (found.said !== undefined && inWords.test(found.said)))?.[2]
}
