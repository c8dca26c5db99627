// What changed between two commits, by git's own plumbing, with everything off that a repository could make it run.

import type { Repository } from '../git/repository.ts'
import type { Oid } from '../plan/values.ts'

export interface FileChange {
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
  /** null: binary. */
  readonly added: number | null
  readonly removed: number | null
}

const safely = ['-r', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none']

/** `except`: a path that is left out. `from` undefined: everything is new. */
export async function patchBetween(repo: Repository, from: Oid | undefined, to: Oid, options: { except?: string | undefined } = {}): Promise<string> {
  const answer = await repo.git.run(['diff-tree', '-p', '-M', ...safely, ...range(from, to), ...without(options.except)], {
    env: { GIT_LITERAL_PATHSPECS: '0' },
  })
  return answer.stdout.toString()
}

export async function changesBetween(repo: Repository, from: Oid | undefined, to: Oid, options: { except?: string | undefined } = {}): Promise<FileChange[]> {
  const answer = await repo.git.run(['diff-tree', '--raw', '--numstat', '-z', '--no-renames', ...safely, ...range(from, to), ...without(options.except)], {
    env: { GIT_LITERAL_PATHSPECS: '0' },
  })
  return parseChanges(answer.stdout.toString())
}

/** Of each commit against its parent, with one process for all of them. A commit that changed nothing is not there. */
export async function changesOfEach(
  repo: Repository,
  commits: readonly string[],
  options: { except?: string | undefined } = {},
): Promise<Map<string, FileChange[]>> {
  if (commits.length === 0) return new Map()
  const answer = await repo.git.run(
    ['diff-tree', '--stdin', '--diff-merges=first-parent', '--raw', '--numstat', '-z', '--no-renames', ...safely, ...without(options.except)],
    {
      env: { GIT_LITERAL_PATHSPECS: '0' },
      input: commits.map((commit) => `${commit}\n`).join(''),
    },
  )
  const records = new Map<string, string[]>()
  const fields = answer.stdout.toString().split('\0')
  let current: string[] = []
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? ''
    // A path stands behind a raw record or in a count. What is neither is a commit, whatever files are called.
    if (field.startsWith(':')) current.push(field, fields[++at] ?? '')
    else if (counts.test(field)) current.push(field)
    else if (field !== '') records.set(field, (current = []))
  }
  const changes = new Map([...records].map(([commit, lines]) => [commit, parseChanges(lines.join('\0'))]))
  return changes
}

const counts = /^(\d+|-)\t(\d+|-)\t([^]*)$/

/** Of `--raw --numstat -z`: first all raw records, then all counts. */
export function parseChanges(text: string): FileChange[] {
  const kinds = new Map<string, FileChange['change']>()
  const changes: FileChange[] = []
  const fields = text.split('\0')
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? ''
    if (field.startsWith(':')) {
      const letter = field.split(' ').at(-1)?.[0]
      kinds.set(fields[++at] ?? '', letter === 'A' ? 'created' : letter === 'D' ? 'deleted' : 'modified')
      continue
    }
    const match = counts.exec(field)
    if (match === null) continue
    const [, added = '', removed = '', path = ''] = match
    changes.push({
      path,
      change: kinds.get(path) ?? 'modified',
      added: added === '-' ? null : Number(added),
      removed: removed === '-' ? null : Number(removed),
    })
  }
  return changes
}

// Against the empty tree, which git knows by heart, where there is no parent.
const emptyTree: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
}
const range = (from: Oid | undefined, to: Oid): string[] => [from ?? emptyTree[to.length] ?? '', to]
const without = (path: string | undefined): string[] => (path === undefined ? [] : ['--', `:(top,exclude,literal)${path}`])
