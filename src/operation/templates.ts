// Templates: plan files with parameters. The first found wins: the repository's, the user's, ours.

import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rawPath } from '../git/read/raw-path.ts'
import { NoFollowStat } from '../git/worktree/no-follow-stat.ts'
import type { Repository } from '../git/repository.ts'
import { isId } from '../plan/model/ids.ts'
import { maxFileBytes } from '../plan/file/split.ts'
import type { Environment } from '../process/environment.ts'

export type TemplateOrigin = 'repository' | 'user' | 'git plan'

export interface Template {
  readonly name: string
  readonly from: TemplateOrigin
  readonly path: string
}

export interface TemplatePlaces {
  /** Without one, and in a bare one, there are no templates of a repository. */
  readonly repo?: Pick<Repository, 'root' | 'isBare'> | undefined
  /** plan.dir */
  readonly dir: string
  readonly env: Environment
}

/** The same in the sources and in the bundle, whose chunks are in dist/chunks. */
const shipped = (): string => fileURLToPath(new URL('../../templates/', import.meta.url))

/** A file of `templates/` of the package. */
export const shippedText = (name: string): Promise<string> => readFile(join(shipped(), name), 'utf8')

export const userTemplates = (env: Environment): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '/', '.config'), 'git-plan', 'templates')

export const repositoryTemplates = (dir: string): string => `${dir}/templates`

/** Sorted by name. */
export async function listTemplates(places: TemplatePlaces): Promise<Template[]> {
  const found = new Map<string, Template>()
  for (const { from, path } of directories(places)) {
    for (const entry of await readdir(path).catch(() => [])) {
      const name = entry.endsWith('.md') ? entry.slice(0, -'.md'.length) : ''
      if (!isId(name) || found.has(name)) continue
      const template = { name, from, path: join(path, entry) }
      if (await isTemplate(template, places)) found.set(name, template)
    }
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** A name that is not an id names no template, so that no path can be built from it. */
export async function findTemplate(name: string, places: TemplatePlaces): Promise<Template | undefined> {
  if (!isId(name)) return undefined
  for (const { from, path } of directories(places)) {
    const template = { name, from, path: join(path, `${name}.md`) }
    if (await isTemplate(template, places)) return template
  }
  return undefined
}

/** One byte more than the limit stands for a file that is too large: the reader reports it. */
export async function readTemplate({ path }: Template): Promise<Uint8Array> {
  const { size } = await stat(path)
  return size > maxFileBytes ? new Uint8Array(maxFileBytes + 1) : readFile(path)
}

function directories({ repo, dir, env }: TemplatePlaces): { from: TemplateOrigin; path: string }[] {
  return [
    ...(repo === undefined || repo.isBare
      ? []
      : [{ from: 'repository' as const, path: join(repo.root, repositoryTemplates(dir)) }]),
    { from: 'user', path: userTemplates(env) },
    { from: 'git plan', path: shipped() },
  ]
}

/** A template of the repository is a file of it, not what a symlink points to. */
async function isTemplate({ name, from, path }: Template, { repo, dir }: TemplatePlaces): Promise<boolean> {
  if (from !== 'repository' || repo === undefined) return (await stat(path).catch(() => undefined))?.isFile() === true
  const found = await new NoFollowStat(repo.root).stat(rawPath(`${repositoryTemplates(dir)}/${name}.md`))
  return found.kind === 'there' && found.facts.isFile()
}
