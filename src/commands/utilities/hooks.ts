// `git plan hooks`: installs the scripts of hooks/ in this repository, chained with existing hooks.

import { PlanError } from '../../errors.ts'
import { Repository } from '../../git/repository.ts'
import { suggest } from '../../plan/text/nearest.ts'
import { gitEnvironment } from '../../process/environment.ts'
import { isOnPath } from '../../process/on-path.ts'
import { findLiveRun } from '../../store/holder.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { installHook, refuseInstall } from './hooks/install.ts'
import { inspectHook, states, type FoundHook, type HookState } from './hooks/inspect-hook.ts'
import { editableDirectory, hooksLocation, refuseLocation, type HooksLocation } from './hooks/hooks-directory.ts'
import { hookNames, type HookName } from './hooks/scripts.ts'
import { refuseUninstall, uninstallHook } from './hooks/uninstall.ts'

export interface HooksRequest {
  readonly action: string
  readonly names?: readonly string[]
  /** Allow a core.hooksPath outside the repository. */
  readonly shared?: boolean
}

export interface HooksData {
  /** The directory where Git looks for hooks. */
  readonly directory: string
  readonly hooks: readonly {
    readonly name: HookName
    readonly path: string
    readonly state: HookState
    /** The previous hook, which runs first; null if there was none. */
    readonly before: string | null
  }[]
  readonly message: readonly string[]
}

const actions = { install, status, uninstall }

export async function hooks(request: HooksRequest, context: CommandContext): Promise<CommandResult<HooksData>> {
  const { action } = request
  if (!isAction(action))
    throw new PlanError(
      'usage',
      `unknown action ${JSON.stringify(action.slice(0, 80))}; ${suggest(action.slice(0, 80), Object.keys(actions))}`,
      {
        hint: 'git plan hooks status',
      },
    )
  const repo = await Repository.openAny({ cwd: context.cwd, env: gitEnvironment(context.env) })
  try {
    const names = selectHooks(request.names ?? [], { action, isBare: repo.isBare })
    const location = await hooksLocation(repo)
    const message = await actions[action]({ repo, location, names, request, context })
    const found = names.map((name) => inspectHook(editableDirectory(location), name))
    return {
      kind: 'hooks',
      exitCode: 0,
      data: { directory: location.directory, hooks: found.map(describeHook), message },
    }
  } finally {
    repo.close()
  }
}

/** Installs the default hooks in an open repository. */
export const installHooks = async (repo: Repository, context: CommandContext): Promise<string[]> =>
  install({
    repo,
    location: await hooksLocation(repo),
    names: selectHooks([], { action: 'install', isBare: false }),
    request: { action: 'install' },
    context,
  })

const isAction = (name: string): name is keyof typeof actions => Object.hasOwn(actions, name)

/**
 * By default pre-receive is installed only in a bare repository, and the client-side hooks only in one with a work
 * tree. Status and uninstall apply to all hooks.
 */
function selectHooks(
  given: readonly string[],
  { action, isBare }: { action: string; isBare: boolean },
): readonly HookName[] {
  for (const name of given)
    if (!(hookNames as readonly string[]).includes(name))
      throw new PlanError(
        'usage',
        `unknown hook ${JSON.stringify(name.slice(0, 80))}; ${suggest(name.slice(0, 80), hookNames)}`,
        {
          hint: 'git plan hooks status',
        },
      )
  if (given.length > 0) return hookNames.filter((name) => given.includes(name))
  return action === 'install' ? hookNames.filter((name) => (name === 'pre-receive') === isBare) : hookNames
}

const describeHook = ({ name, path, state, before, hasBefore }: FoundHook): HooksData['hooks'][number] => ({
  name,
  path,
  state,
  before: hasBefore ? before : null,
})

interface Work {
  readonly repo: Repository
  readonly location: HooksLocation
  readonly names: readonly HookName[]
  readonly request: HooksRequest
  readonly context: CommandContext
}

async function install({ repo, location, names, request, context }: Work): Promise<string[]> {
  const found = names.map((name) => inspectHook(editableDirectory(location), name))
  const open = found.filter(({ state }) => state !== 'called')
  if (open.length > 0) refuseLocation(location, { ...request, names: open.map(({ name }) => name) })
  open.forEach(refuseInstall)
  if (open.some(({ state }) => state !== 'installed')) await refuseRunning(repo)
  const lines = found.flatMap((each) => {
    const done = installHook(each)
    const now = inspectHook(editableDirectory(location), each.name)
    const what =
      done === 'unchanged'
        ? `${each.path} is ${states[each.state]}`
        : `${done === 'written' ? 'Installed' : 'Updated'} ${each.path}`
    return [`${what}${chainText(now)}`]
  })
  const isFound = await isOnPath('git-plan', context.env['PATH'] ?? '')
  return isFound
    ? lines
    : [
        ...lines,
        'git-plan is not on PATH. Without it, pre-commit and pre-push accept everything, and pre-receive rejects everything.',
      ]
}

async function status({ location, names }: Work): Promise<string[]> {
  const found = names.map((name) => inspectHook(editableDirectory(location), name))
  const from = location.setting === undefined ? '' : ` (core.hooksPath, ${location.setting.scope})`
  return [
    `Git looks for hooks in ${location.directory}${from}`,
    ...found.map(
      (each) =>
        `${each.name}: ${location.kind === 'off' ? 'hooks are disabled' : states[each.state]}${chainText(each)}`,
    ),
  ]
}

async function uninstall({ repo, location, names, request }: Work): Promise<string[]> {
  const found = names.map((name) => inspectHook(editableDirectory(location), name))
  found.forEach(refuseUninstall)
  const ours = found.filter(({ state }) => ['installed', 'outdated', 'not-executable', 'left'].includes(state))
  if (location.kind === 'shared' && ours.length > 0) refuseLocation(location, request)
  if (ours.length > 0) await refuseRunning(repo)
  return found.map((each) => {
    const done = uninstallHook(each)
    if (done === 'unchanged') return `${each.name}: ${states[each.state]}${chainText(each)}`
    return done === 'restored' ? `${each.path} was restored` : `${each.path} was removed`
  })
}

function chainText({ state, before, hasBefore, isBeforeRun }: FoundHook): string {
  if (!hasBefore) return ''
  if (state === 'replaced' || state === 'left') return `; the previous hook is ${before}`
  return isBeforeRun
    ? `; the previous hook ${before} runs first`
    : `; the previous hook ${before} is not executable and does not run`
}

/** A run stops if the hooks change while it runs, since a step might have changed them. */
async function refuseRunning({ commonDir }: Repository): Promise<void> {
  const live = await findLiveRun(commonDir)
  if (live === undefined) return
  throw new PlanError('held', `plan ${live.id} is running and would stop if the hooks changed`, {
    hint: `git plan status ${live.id}`,
  })
}
