// `git plan completion`: prints or installs the completion script of a shell.

import { PlanError } from '../../errors.ts'
import { install, installationFor, scripts, type InstalledFile, type Shell } from './completion/install.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'

export interface CompletionRequest {
  readonly shell: string
  readonly install?: boolean
}

export type CompletionData =
  | { readonly shell: Shell; readonly script: string }
  | { readonly shell: Shell; readonly files: readonly InstalledFile[]; readonly message: readonly string[] }

export async function completion(
  request: CompletionRequest,
  context: CommandContext,
): Promise<CommandResult<CompletionData>> {
  const { shell } = request
  if (!isShell(shell))
    throw new PlanError(
      'usage',
      `no completion for ${JSON.stringify(shell.slice(0, 80))}; the shells are ${Object.keys(scripts).join(', ')}`,
      {
        hint: 'git plan completion bash --install',
      },
    )
  if (request.install !== true) return { kind: 'completion', exitCode: 0, data: { shell, script: scripts[shell] } }
  const installation = installationFor(shell, context.env)
  const files = await install(installation)
  const message = [...files.map(({ path, state }) => sentences[state](path)), ...installation.advice]
  return { kind: 'completion', exitCode: 0, data: { shell, files, message } }
}

const isShell = (name: string): name is Shell => Object.hasOwn(scripts, name)

const sentences: Record<InstalledFile['state'], (path: string) => string> = {
  written: (path) => `Wrote ${path}`,
  replaced: (path) => `Replaced ${path}`,
  unchanged: (path) => `${path} is up to date`,
}
