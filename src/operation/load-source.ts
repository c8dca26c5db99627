// Reads what a plan includes: a file of the work tree, a template, or a plan at a commit. Runs nothing and follows no
// symlinks.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { noneIfTooLarge } from '../errors.ts'
import { rawPath } from '../git/read/raw-path.ts'
import type { Repository } from '../git/repository.ts'
import { NoFollowStat } from '../git/worktree/no-follow-stat.ts'
import { maxFileBytes } from '../plan/file/split.ts'
import { finalRef, planBranch, planId } from '../plan/model/ids.ts'
import { suggest } from '../plan/text/nearest.ts'
import type { SourceEntry } from '../plan/model/source-entry.ts'
import type { Load, LoadResult } from '../plan/sources/source.ts'
import { planFile } from '../store/plan-at.ts'
import { findTemplate, listTemplates, readTemplate, repositoryTemplates, type TemplatePlaces } from './templates.ts'

export interface SourcePlaces extends TemplatePlaces {
  readonly repo?: Repository | undefined
}

export const sourceLoader =
  (places: SourcePlaces): Load =>
  async (reference) => {
    if (reference.kind === 'template') return loadTemplate(reference.name, places)
    const { repo } = places
    if (repo === undefined) return refused('outside a repository only templates can be included')
    return reference.kind === 'file'
      ? loadFile(reference.path, repo)
      : loadPlan(reference.id, reference.at, repo, places.dir)
  }

const refused = (message: string, advice?: string): LoadResult => ({
  ok: false,
  message,
  ...(advice === undefined ? {} : { advice }),
})

const loaded = (bytes: Uint8Array, file: string, key: string, entry: Omit<SourceEntry, 'digest'>): LoadResult => ({
  ok: true,
  bytes,
  file,
  key,
  entry: { ...entry, digest: digestOfBytes(bytes) },
})

export const digestOfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export async function loadTemplate(name: string, places: SourcePlaces): Promise<LoadResult> {
  const template = await findTemplate(name, places)
  if (template === undefined) {
    const names = (await listTemplates(places)).map((each) => each.name)
    return refused(`there is no template ${JSON.stringify(name.slice(0, 80))}`, suggest(name.slice(0, 80), names))
  }
  const { from, path } = template
  const file = from === 'repository' ? `${repositoryTemplates(places.dir)}/${name}.md` : path
  return loaded(await readTemplate(template), file, `template:${path}`, { template: name, from })
}

/** The key of a file of the work tree. */
export const fileKey = (path: string): string => `file:${path}`

async function loadFile(path: string, repo: Repository): Promise<LoadResult> {
  const found = repo.isBare ? ({ kind: 'absent' } as const) : await new NoFollowStat(repo.root).stat(rawPath(path))
  if (found.kind === 'absent') return refused(`there is no file ${path}`, 'a path begins at the top of the repository')
  if (found.kind === 'above') return refused(`${path} leads through ${found.path}, which is not a directory`)
  if (found.facts.isSymbolicLink()) return refused(`${path} is a symlink`)
  if (!found.facts.isFile()) return refused(`${path} is not a file`)
  if (found.facts.size > maxFileBytes) return refused(`${path} has more than ${maxFileBytes} bytes`)
  return loaded(await readFile(join(repo.root, path)), path, fileKey(path), { file: path })
}

async function loadPlan(id: string, at: string | undefined, repo: Repository, dir: string): Promise<LoadResult> {
  const name = planId(id)
  const tip = at ?? (await repo.tipOf(planBranch(name))) ?? (await repo.tipOf(finalRef(name)))
  const commit = tip === undefined ? undefined : await repo.resolve(tip)
  if (commit === undefined)
    return at === undefined
      ? refused(`plan ${id} not found`, 'git plan list')
      : refused(`commit ${at} not found`, `git log plan/${id}`)
  const file = planFile(dir, name)
  const bytes = await repo.readBlob(`${commit}:${file}`).catch(noneIfTooLarge)
  if (bytes === undefined) return refused(`the commit ${commit.slice(0, 10)} has no ${file}`, `git log plan/${id}`)
  return loaded(bytes, `${file} at ${commit.slice(0, 10)}`, `plan:${commit}:${file}`, { plan: id, at: commit })
}
