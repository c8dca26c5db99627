// `git plan template`: lists, shows and creates templates.

import { mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { rawPath } from '../../git/read/raw-path.ts'
import { NoFollowStat } from '../../git/worktree/no-follow-stat.ts'
import { idAdvice } from '../../plan/file/text-problems.ts'
import { isId } from '../../plan/model/ids.ts'
import { describeTemplate, type TemplateFacts } from '../../plan/sources/describe-template.ts'
import { templateText } from '../../plan/sources/draft.ts'
import { suggest } from '../../plan/text/nearest.ts'
import { writeNewFile } from '../../operation/write-new-file.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import {
  findTemplate,
  listTemplates,
  readTemplate,
  repositoryTemplates,
  userTemplates,
  type Template,
  type TemplatePlaces,
} from '../../operation/templates.ts'
import { withRepository } from '../with-repository.ts'

export interface TemplateRequest {
  readonly action?: string
  readonly name?: string
  /** Create it in the user's configuration directory. */
  readonly user?: boolean
}

export interface TemplateData extends Template, TemplateFacts {
  /** Only from `show`. */
  readonly text?: string
}

export interface TemplatesData {
  readonly templates: readonly TemplateData[]
}

export interface NewTemplateData {
  readonly name: string
  readonly path: string
  readonly message: string
}

type Answer = CommandResult<TemplatesData | TemplateData | NewTemplateData>

export async function template(request: TemplateRequest, context: CommandContext): Promise<Answer> {
  const { action = 'list', name } = request
  if (!['list', 'show', 'new'].includes(action))
    throw new PlanError('usage', `unknown action ${JSON.stringify(action)}; use list, show or new`, {
      hint: 'git plan template list',
    })
  if (action !== 'list' && name === undefined)
    throw new PlanError('usage', `git plan template ${action} needs the name of a template`, {
      hint: 'git plan template list',
    })
  return withPlaces(context, async (places, repo) =>
    action === 'list'
      ? list(places)
      : action === 'show'
        ? show(name ?? '', places)
        : create(name ?? '', request, { places, repo, context }),
  )
}

/** Outside a repository there are the templates of the user and ours. */
async function withPlaces<T>(
  context: CommandContext,
  work: (places: TemplatePlaces, repo: Repository | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await withRepository(context, ({ repo, settings }) =>
      work({ repo, dir: settings.dir, env: context.env }, repo),
    )
  } catch (error) {
    if (!(error instanceof PlanError) || error.code !== 'not-a-repository') throw error
    return work({ dir: '.plans', env: context.env }, undefined)
  }
}

async function list(places: TemplatePlaces): Promise<CommandResult<TemplatesData>> {
  const found = await listTemplates(places)
  const templates = await Promise.all(
    found.map(async (each) => ({ ...each, ...describeTemplate(await readTemplate(each)) })),
  )
  const [first] = templates
  const next = first === undefined ? [] : [`git plan template show ${first.name}`]
  return { kind: 'templates', exitCode: 0, data: { templates }, next }
}

async function show(name: string, places: TemplatePlaces): Promise<CommandResult<TemplateData>> {
  const found = await findTemplate(name, places)
  if (found === undefined) {
    const names = (await listTemplates(places)).map((each) => each.name)
    const shown = JSON.stringify(name.slice(0, 80))
    throw new PlanError('usage', `there is no template ${shown}; ${suggest(name.slice(0, 80), names)}`, {
      hint: 'git plan template list',
    })
  }
  const bytes = await readTemplate(found)
  const facts = describeTemplate(bytes)
  const values = facts.params
    .filter((param) => param.default === undefined && param.fixed === undefined)
    .map((param) => `-p ${param.name}=VALUE`)
  return {
    kind: 'template',
    exitCode: 0,
    data: { ...found, ...facts, text: new TextDecoder().decode(bytes) },
    next: [['git plan new --template', name, ...values].join(' ')],
  }
}

async function create(
  name: string,
  { user }: TemplateRequest,
  { places, repo, context }: { places: TemplatePlaces; repo: Repository | undefined; context: CommandContext },
): Promise<CommandResult<NewTemplateData>> {
  if (!isId(name))
    throw new PlanError('usage', `${JSON.stringify(name.slice(0, 80))} is not a valid name`, { hint: idAdvice })
  if (user !== true && (repo === undefined || repo.isBare))
    throw new PlanError('usage', 'there is no work tree here', { hint: `git plan template new ${name} --user` })
  const inTree = `${repositoryTemplates(places.dir)}/${name}.md`
  const path =
    user === true || repo === undefined ? join(userTemplates(places.env), `${name}.md`) : join(repo.root, inTree)
  if (user !== true && repo !== undefined) await refuseSymlinks(repo, inTree)
  await mkdir(dirname(path), { recursive: true })
  await writeNewFile(path, templateText(name), path, `git plan template show ${name}`)
  const shown = user === true ? path : relative(context.cwd, path)
  return {
    kind: 'template-created',
    exitCode: 0,
    data: { name, path, message: `Created ${shown}: edit it, then try it` },
    next: [`git plan check ${quoteIfNeeded(shown)} -p name=example`, `git plan template show ${name}`],
  }
}

async function refuseSymlinks(repo: Repository, path: string): Promise<void> {
  const found = await new NoFollowStat(repo.root).stat(rawPath(path))
  if (found.kind === 'above')
    throw new PlanError('usage', `${found.path} is not a directory`, { hint: 'git plan template list' })
}
