// `git plan mode`: plan mode of a work tree.

import { refuseAgentShell } from '../../approval/rules/agent-shell.ts'
import { PlanError } from '../../errors.ts'
import { turnOffPlanMode, turnOnPlanMode } from '../../engine/run/plan-mode.ts'
import { Repository } from '../../git/repository.ts'
import { gitEnvironment } from '../../process/environment.ts'
import { suggest } from '../../plan/text/nearest.ts'
import { readPlanMode, type PlanMode } from '../../store/plan-mode.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { hasGuard } from './agents.ts'
import { editableDirectory, hooksLocation } from '../utilities/hooks/hooks-directory.ts'
import { inspectHook } from '../utilities/hooks/inspect-hook.ts'

export interface ModeRequest {
  readonly action?: string
}

export interface ModeData extends PlanMode {
  readonly workTree: string
  readonly message: readonly string[]
}

const actions = ['on', 'off', 'status']

export async function mode(
  { action = 'status' }: ModeRequest,
  context: CommandContext,
): Promise<CommandResult<ModeData>> {
  if (!actions.includes(action))
    throw new PlanError(
      'usage',
      `unknown action ${JSON.stringify(action.slice(0, 80))}; ${suggest(action.slice(0, 80), actions)}`,
      { hint: 'git plan mode status' },
    )
  // Also agents without a guard.
  if (action === 'off') refuseAgentShell(context.env, 'turns plan mode off', 'git plan mode off')
  const repo = await Repository.open({ cwd: context.cwd, env: gitEnvironment(context.env) })
  try {
    if (action === 'on') await turnOnPlanMode(repo.gitDir, context.now())
    if (action === 'off') await turnOffPlanMode(repo.gitDir)
    const found = await readPlanMode(repo.gitDir)
    return {
      kind: 'mode',
      exitCode: 0,
      data: {
        ...found,
        workTree: repo.root,
        message: [modeText(found, repo.root), ...(await unguardedText(found, repo.root, context))],
      },
      ...(action === 'on' ? { next: await afterTurnedOn(repo) } : {}),
    }
  } finally {
    repo.close()
  }
}

/** Commits are kept out by a hook, which may not be installed. */
async function afterTurnedOn(repo: Repository): Promise<string[]> {
  const hook = inspectHook(editableDirectory(await hooksLocation(repo)), 'pre-commit')
  const isKeptOut = ['installed', 'outdated', 'called'].includes(hook.state)
  return ['git plan agents status', ...(isKeptOut ? [] : ['git plan hooks install pre-commit']), 'git plan mode off']
}

/** A branch without the files of the guard may be checked out, or they may be stashed. */
async function unguardedText({ state }: PlanMode, root: string, { env }: CommandContext): Promise<string[]> {
  if (state !== 'on' || (await hasGuard(root, env))) return []
  return ['No agent has a guard in this work tree, so nothing holds one here: git plan agents status']
}

function modeText({ state, since, plan }: PlanMode, root: string): string {
  const from = since === null ? '' : ` since ${since.slice(0, 16).replace('T', ' ')}`
  if (state === 'off') return `Plan mode is off in ${root}`
  if (state === 'left') return `Plan mode is on in ${root}${from}, but not while plan ${plan} runs there`
  return `Plan mode is on in ${root}${from}: agents only read, and nothing is committed by hand`
}
