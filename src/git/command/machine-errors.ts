// Git that failed because of the machine, not of what it was asked: it was killed, or could not write. Neither is a bug
// of ours.

import { PlanError } from '../../errors.ts'

/** Git's own words, or those of the system. What has no reason of its own is most often a full disk. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/Read-only file system/, 'make the file system writable'],
  [/File too large/, 'raise the file size limit (ulimit -f)'],
  [/Input\/output error/, 'check the disk'],
  [/insufficient permission for adding an object/, 'check the permissions of the Git directory'],
  [/Permission denied|Operation not permitted/, 'check the permissions of that path'],
  [/Too many open files/, 'raise the limit on open files (ulimit -n)'],
  [/Cannot allocate memory|out of memory/i, 'stop some programs (the system is out of memory)'],
  [
    /No space left on device|Out of diskspace|Disk quota exceeded|couldn't (write|close|set) '|: write error\b|[Uu]nable to (write|append|create|unlink|set up|stream) /,
    'free disk space',
  ],
  [
    /nonexistent object|unable to read tree|invalid object \d{6} |unable to read [0-9a-f]{40}|unable to rename temporary|temporary file .*: No such file/,
    'an object that was just written is gone: wait for a running `git prune` or `git gc --force` to finish, else: git fsck',
  ],
]

/** undefined: it failed for a reason of its own. */
export function troubleOf(
  command: string,
  answer: { readonly signal?: string | null | undefined; readonly stderr: string },
): PlanError | undefined {
  const said = answer.stderr.trim().split('\n').slice(0, 6).join('\n')
  if (typeof answer.signal === 'string')
    return new PlanError('system', `git ${command} was killed by a signal (${answer.signal})`, {
      hint: 'run the command again, or after start: git plan resume',
    })
  const remedy = remedies.find(([words]) => words.test(answer.stderr))?.[1]
  return remedy === undefined
    ? undefined
    : new PlanError('system', `git ${command} failed: ${said}`, { hint: `${remedy}, then: git plan resume` })
}
