// Git failures caused by the machine or the server, not by the request: Git was killed or could not write, or the server
// takes no more requests. They are not bugs of ours.

import { PlanError } from '../../errors.ts'

/** Matches messages of Git or of the system. A write error without a reason is most often a full disk. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/Read-only file system/, 'make the file system writable'],
  [/File too large/, 'raise the file size limit (ulimit -f)'],
  [/Input\/output error/, 'check the disk'],
  [/insufficient permission for adding an object/, 'check the permissions of the Git directory'],
  [/Permission denied|Operation not permitted/, 'check the permissions of that path'],
  [/Too many open files/, 'raise the limit on open files (ulimit -n)'],
  [/Cannot allocate memory|out of memory/i, 'stop some programs (the system is out of memory)'],
  [
    /No space left on device|Out of diskspace|Disk quota exceeded|couldn't (write|close|set) '|: write error\b|[Uu]nable to (write|append|create|unlink|set up|stream) |[Cc]ould not (write|create) /,
    'free disk space',
  ],
  [
    /nonexistent object|unable to read tree|invalid object \d{6} |unable to read [0-9a-f]{40}|unable to rename temporary|temporary file .*: No such file/,
    'an object that was just written is gone: wait for a running `git prune` or `git gc --force` to finish, else: git fsck',
  ],
]

/** undefined: Git failed for another reason. */
export function machineErrorOf(
  command: string,
  answer: { readonly signal?: string | null | undefined; readonly stderr: string },
): PlanError | undefined {
  const firstLines = answer.stderr.trim().split('\n').slice(0, 6).join('\n')
  if (typeof answer.signal === 'string')
    return new PlanError('system', `git ${command} was killed by a signal (${answer.signal})`, {
      hint: 'run the command again, or after start: git plan resume',
    })
  if (/returned error: 429\b/.test(answer.stderr))
    return new PlanError('rate-limited', `git ${command} failed: ${firstLines}`, {
      hint: 'wait a minute, then run the command again',
    })
  const remedy = remedies.find(([words]) => words.test(answer.stderr))?.[1]
  return remedy === undefined
    ? undefined
    : new PlanError('system', `git ${command} failed: ${firstLines}`, { hint: `${remedy}, then: git plan resume` })
}
