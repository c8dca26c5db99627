// Git that failed because of the machine, not of what it was asked: it was killed, or could not write. Neither is a bug of ours.

import { PlanError } from '../../errors.ts'

/** Git's own words, or those of the system. What has no reason of its own is most often a full disk. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/Read-only file system/, 'the file system is read-only: make it writable'],
  [/File too large/, 'raise the limit of the size of files (ulimit -f)'],
  [/Input\/output error/, 'the disk has a problem'],
  [/insufficient permission for adding an object/, 'look at the permissions of the git directory'],
  [/Permission denied|Operation not permitted/, 'look at the permissions there'],
  [/Too many open files/, 'raise the limit of open files (ulimit -n)'],
  [/Cannot allocate memory|out of memory/i, 'the machine is out of memory: end something'],
  [
    /No space left on device|Out of diskspace|Disk quota exceeded|couldn't (write|close|set) '|: write error\b|[Uu]nable to (write|append|create|unlink|set up|stream) /,
    'make room on the disk',
  ],
  [
    /nonexistent object|unable to read tree|invalid object \d{6} |unable to read [0-9a-f]{40}|unable to rename temporary|temporary file .*: No such file/,
    'an object is gone that had just been written: is a `git prune` or a `git gc --force` running? Let it end; if not: git fsck',
  ],
]

/** undefined: it failed for a reason of its own. */
export function troubleOf(command: string, answer: { readonly signal?: string | null | undefined; readonly stderr: string }): PlanError | undefined {
  const said = answer.stderr.trim().split('\n').slice(0, 6).join('\n')
  if (typeof answer.signal === 'string')
    return new PlanError('system', `git ${command} was ended by a signal (${answer.signal})`, { hint: 'run the command again; after start: git plan resume' })
  const remedy = remedies.find(([words]) => words.test(answer.stderr))?.[1]
  return remedy === undefined ? undefined : new PlanError('system', `git ${command} failed: ${said}`, { hint: `${remedy}, then: git plan resume` })
}
