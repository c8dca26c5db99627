// `git plan init`: writes the configuration with its defaults as comments. Never overwrites, never commits.

import { lstat, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { bareRepositoryError } from '../../git/repository.ts'
import { configTemplate } from '../../plan/config/config-template.ts'
import { remoteOf } from '../../store/remote-name.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withRepository } from '../with-repository.ts'

export interface InitData {
  readonly file: string
  readonly created: boolean
  readonly message: readonly string[]
}

export interface InitRequest {
  /** Also install the client-side hooks. */
  readonly hooks?: boolean
}

export const init = (request: InitRequest, context: CommandContext): Promise<CommandResult<InitData>> =>
  withRepository(context, async ({ repo, settings }) => {
    if (repo.isBare) throw bareRepositoryError()
    const file = `${settings.dir}/config.yml`
    const path = join(repo.root, file)
    const hooks =
      request.hooks === true ? await (await import('../utilities/hooks.ts')).installHooks(repo, context) : []
    await mkdirInside(repo.root, settings.dir)
    const isCreated = await writeFile(path, configTemplate, { flag: 'wx' }).then(
      () => true,
      (error: unknown) => {
        const { code, message } = error as NodeJS.ErrnoException
        if (code === 'EEXIST') return false
        throw new PlanError('path-refused', `${file} could not be written: ${message}`, {
          hint: `ls -ld ${settings.dir}`,
          cause: error,
        })
      },
    )
    const remote = await remoteOf(repo)
    const isPushed = (await repo.config.value(`remote.${remote}.url`)) !== undefined
    const head = await repo.headBranch()
    const branch = head?.startsWith('refs/heads/') === true && isPushed ? head.slice('refs/heads/'.length) : undefined
    const where = settings.policyRef?.replace(/^refs\/(heads|remotes)\//, '') ?? 'the default branch'
    const message = isCreated
      ? [
          `Wrote ${file}: every setting with its default, as a comment.`,
          `It takes effect once committed${isPushed ? ' and pushed' : ''} to ${where}; until then the defaults apply.`,
          `Plans are stored as ${settings.dir}/ID.md on branches plan/ID. Nothing else was changed.`,
        ]
      : [`${file} already exists and was not changed.`]
    const commitCommands = [
      `git plan check ${file}`,
      `git add ${file} && git commit -m 'Configure git plan'`,
      ...(branch === undefined ? [] : [`git push ${remote} ${branch}`]),
    ]
    const next = [...(isCreated ? commitCommands : ['git plan config']), "git plan new 'TITLE'"]
    return { kind: 'init', exitCode: 0, data: { file, created: isCreated, message: [...message, ...hooks] }, next }
  })

/** Follows no symlinks: a tracked `.plans` that points elsewhere must not make us write there. */
async function mkdirInside(root: string, dir: string): Promise<void> {
  let path = root
  for (const part of dir.split('/')) {
    path = join(path, part)
    const found = await lstat(path).catch(() => undefined)
    if (found === undefined) await mkdir(path)
    else if (!found.isDirectory())
      throw new PlanError('path-refused', `${dir} is not a directory`, { hint: 'git config plan.dir OTHER' })
  }
}
