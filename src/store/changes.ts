// The changes between two commits, from Git's plumbing, with everything disabled that a repository could make it run.

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

const safeOptions = ['-r', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none']

/** `except`: a path to leave out. `from` undefined: everything is new. */
export async function patchBetween(
  repo: Repository,
  from: Oid | undefined,
  to: Oid,
  options: { except?: string | undefined } = {},
): Promise<string> {
  const answer = await repo.git.run(
    ['diff-tree', '-p', '-M', ...safeOptions, ...(await range(repo, from, to)), ...excludePath(options.except)],
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
      ...safeOptions,
      ...(await range(repo, from, to)),
      ...excludePath(options.except),
    ],
    {
      env: { GIT_LITERAL_PATHSPECS: '0' },
    },
  )
  return parseChanges(answer.stdout.toString())
}

/**
 * The changes of each commit against its first parent, or all its files if it has none, from one Git process. Compares
 * trees: in a shallow clone Git would treat a commit whose parent is missing as a root. Commits without changes are not
 * in the result.
 */
export async function changesOfEach(
  repo: Repository,
  commits: readonly Oid[],
  options: { except?: string | undefined } = {},
): Promise<Map<string, FileChange[]>> {
  const records = await recordsOfEach(repo, commits, { ...options, isCounted: true })
  return new Map([...records].map(([commit, fields]) => [commit, parseChanges(fields.join('\0'))]))
}

/** The same without line counts, which would need to read every file. */
export async function pathsOfEach(
  repo: Repository,
  commits: readonly Oid[],
  options: { except?: string | undefined } = {},
): Promise<Map<string, string[]>> {
  const records = await recordsOfEach(repo, commits, { ...options, isCounted: false })
  return new Map([...records].map(([commit, fields]) => [commit, fields.filter((_, at) => at % 2 === 1)]))
}

/** The patch of each commit against its first parent, from one Git process. */
export async function patchOfEach(
  repo: Repository,
  commits: readonly Oid[],
  options: { except?: string | undefined } = {},
): Promise<Map<string, string>> {
  const pairs = await pairsOf(repo, commits)
  const patches = new Map<string, string[]>()
  let current: string[] = []
  // No line of a patch looks like a pair of trees: each begins with a word of Git, a sign or a space.
  for (const line of (await diffOfPairs(repo, pairs, ['-p', '-M'], options)).split('\n'))
    if (/^[0-9a-f]{40,64} [0-9a-f]{40,64}$/.test(line)) patches.set(line, (current = []))
    else current.push(line)
  return new Map(
    [...pairs].flatMap(([pair, own]) => own.map((commit) => [commit, (patches.get(pair) ?? []).join('\n')] as const)),
  )
}

async function pairsOf(repo: Repository, commits: readonly Oid[]): Promise<Map<string, Oid[]>> {
  const pairs = new Map<string, Oid[]>()
  for (const commit of commits) {
    const pair = await treesOf(repo, commit)
    pairs.set(pair, [...(pairs.get(pair) ?? []), commit])
  }
  return pairs
}

async function diffOfPairs(
  repo: Repository,
  pairs: ReadonlyMap<string, readonly Oid[]>,
  format: readonly string[],
  { except }: { except?: string | undefined },
): Promise<string> {
  if (pairs.size === 0) return ''
  const answer = await repo.git.run(['diff-tree', '--stdin', ...format, ...safeOptions, ...excludePath(except)], {
    env: { GIT_LITERAL_PATHSPECS: '0' },
    input: [...pairs.keys()].map((pair) => `${pair}\n`).join(''),
  })
  return answer.stdout.toString()
}

async function recordsOfEach(
  repo: Repository,
  commits: readonly Oid[],
  options: { except?: string | undefined; isCounted: boolean },
): Promise<Map<string, string[]>> {
  const pairs = await pairsOf(repo, commits)
  const format = ['--raw', ...(options.isCounted ? ['--numstat'] : []), '-z', '--no-renames']
  const text = await diffOfPairs(repo, pairs, format, options)
  const records = new Map<string, string[]>()
  const fields = text.split('\0')
  let current: string[] = []
  for (let at = 0; at < fields.length; at += 1) {
    // A path follows a raw record or is part of a count. Any other field starts with a pair of trees, whatever the file
    // names are; a pair without changes is followed directly by the next.
    const [, trees = '', field = ''] = /^((?:[0-9a-f]+ [0-9a-f]+\n)*)(.*)$/s.exec(fields[at] ?? '') ?? []
    for (const pair of trees.trimEnd().split('\n')) if (pair !== '') records.set(pair, (current = []))
    if (field.startsWith(':')) current.push(field, fields[++at] ?? '')
    else if (countRecord.test(field)) current.push(field)
  }
  return new Map(
    [...records].flatMap(([pair, fields]) => (pairs.get(pair) ?? []).map((commit) => [commit, fields] as const)),
  )
}

async function treesOf(repo: Repository, oid: Oid): Promise<string> {
  const commit = await repo.readCommit(oid)
  const [first] = commit?.parents ?? []
  const parent = first === undefined ? undefined : await repo.readCommit(first)
  if (commit === undefined || (first !== undefined && parent === undefined)) throw notFetchedError(first ?? oid)
  return `${parent?.tree ?? emptyTree[oid.length]} ${commit.tree}`
}

/** In a shallow clone the oldest commits name parents that are missing. */
export const notFetchedError = (commit: Oid): PlanError =>
  new PlanError('not-fetched', `${commit} is not in this clone`, { hint: 'git fetch --unshallow' })

const countRecord = /^(\d+|-)\t(\d+|-)\t([^]*)$/

/** Parses `--raw --numstat -z`: first all raw records, then all counts. */
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
    const match = countRecord.exec(field)
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

// The base of a commit without a parent. Git knows the empty tree without storing it.
const emptyTree: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
}
async function range(repo: Repository, from: Oid | undefined, to: Oid): Promise<string[]> {
  if (from !== undefined && (await repo.readCommit(from)) === undefined) throw notFetchedError(from)
  return [from ?? emptyTree[to.length] ?? '', to]
}
const excludePath = (path: string | undefined): string[] =>
  path === undefined ? [] : ['--', `:(top,exclude,literal)${path}`]
