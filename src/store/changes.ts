// What changed between two commits, by git's own plumbing, with everything off that a repository could make it run.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { Oid } from '../plan/model/ids.ts'

export interface FileChange {
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
  /** null: binary. */
  readonly added: number | null
  readonly removed: number | null
}

const safely = ['-r', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none']

/** `except`: a path that is left out. `from` undefined: everything is new. */
export async function patchBetween(
  repo: Repository,
  from: Oid | undefined,
  to: Oid,
  options: { except?: string | undefined } = {},
): Promise<string> {
  const answer = await repo.git.run(
    ['diff-tree', '-p', '-M', ...safely, ...(await range(repo, from, to)), ...without(options.except)],
    {
      env: { GIT_LITERAL_PATHSPECS: '0' },
    },
  )
  return answer.stdout.toString()
}

export async function changesBetween(
  repo: Repository,
  from: Oid | undefined,
  to: Oid,
  options: { except?: string | undefined } = {},
): Promise<FileChange[]> {
  const answer = await repo.git.run(
    [
      'diff-tree',
      '--raw',
      '--numstat',
      '-z',
      '--no-renames',
      ...safely,
      ...(await range(repo, from, to)),
      ...without(options.except),
    ],
    {
      env: { GIT_LITERAL_PATHSPECS: '0' },
    },
  )
  return parseChanges(answer.stdout.toString())
}

/**
 * Of each commit against its first parent, with one process for all of them; one without a parent brings all that it
 * holds. By their trees: where a clone is shallow, git takes a commit for a root whose parent is only not there. A
 * commit that changed nothing is not in the answer.
 */
export async function changesOfEach(
  repo: Repository,
  commits: readonly Oid[],
  options: { except?: string | undefined } = {},
): Promise<Map<string, FileChange[]>> {
  const records = await recordsOfEach(repo, commits, { ...options, isCounted: true })
  return new Map([...records].map(([commit, fields]) => [commit, parseChanges(fields.join('\0'))]))
}

/** The same without counting lines, which would read every file. */
export async function pathsOfEach(
  repo: Repository,
  commits: readonly Oid[],
  options: { except?: string | undefined } = {},
): Promise<Map<string, string[]>> {
  const records = await recordsOfEach(repo, commits, { ...options, isCounted: false })
  return new Map([...records].map(([commit, fields]) => [commit, fields.filter((_, at) => at % 2 === 1)]))
}

async function recordsOfEach(
  repo: Repository,
  commits: readonly Oid[],
  options: { except?: string | undefined; isCounted: boolean },
): Promise<Map<string, string[]>> {
  const pairs = new Map<string, string[]>()
  for (const commit of commits) {
    const pair = await treesOf(repo, commit)
    pairs.set(pair, [...(pairs.get(pair) ?? []), commit])
  }
  if (pairs.size === 0) return new Map()
  const answer = await repo.git.run(
    [
      'diff-tree',
      '--stdin',
      '--raw',
      ...(options.isCounted ? ['--numstat'] : []),
      '-z',
      '--no-renames',
      ...safely,
      ...without(options.except),
    ],
    {
      env: { GIT_LITERAL_PATHSPECS: '0' },
      input: [...pairs.keys()].map((pair) => `${pair}\n`).join(''),
    },
  )
  const records = new Map<string, string[]>()
  const fields = answer.stdout.toString().split('\0')
  let current: string[] = []
  for (let at = 0; at < fields.length; at += 1) {
    // A path stands behind a raw record or in a count. What is neither begins with a pair of trees, whatever files are
    // called; one without changes is followed by the next.
    const [, trees = '', field = ''] = /^((?:[0-9a-f]+ [0-9a-f]+\n)*)(.*)$/s.exec(fields[at] ?? '') ?? []
    for (const pair of trees.trimEnd().split('\n')) if (pair !== '') records.set(pair, (current = []))
    if (field.startsWith(':')) current.push(field, fields[++at] ?? '')
    else if (counts.test(field)) current.push(field)
  }
  return new Map(
    [...records].flatMap(([pair, fields]) => (pairs.get(pair) ?? []).map((commit) => [commit, fields] as const)),
  )
}

async function treesOf(repo: Repository, oid: Oid): Promise<string> {
  const commit = await repo.readCommit(oid)
  const [first] = commit?.parents ?? []
  const parent = first === undefined ? undefined : await repo.readCommit(first)
  if (commit === undefined || (first !== undefined && parent === undefined)) throw notHere(first ?? oid)
  return `${parent?.tree ?? emptyTree[oid.length]} ${commit.tree}`
}

/** In a shallow clone the oldest commits name parents that are not there. */
export const notHere = (commit: Oid): PlanError =>
  new PlanError('not-fetched', `${commit} is not in this clone`, { hint: 'git fetch --unshallow' })

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
async function range(repo: Repository, from: Oid | undefined, to: Oid): Promise<string[]> {
  if (from !== undefined && (await repo.readCommit(from)) === undefined) throw notHere(from)
  return [from ?? emptyTree[to.length] ?? '', to]
}
const without = (path: string | undefined): string[] =>
  path === undefined ? [] : ['--', `:(top,exclude,literal)${path}`]
