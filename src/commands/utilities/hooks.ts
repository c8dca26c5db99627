// `git plan hooks`: the hooks of hooks/ in this repository, chained with those that are there.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { Repository } from '../../git/repository.ts'
import { suggest } from '../../plan/text/nearest.ts'
import { isId, type PlanId } from '../../plan/model/ids.ts'
import { gitEnvironment } from '../../process/environment.ts'
import { isOnPath } from '../../process/on-path.ts'
import { readHolding } from '../../store/holder.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { installHook, refuseInstall } from './hooks/install.ts'
import { lookAt, states, type FoundHook, type HookState } from './hooks/inspect-hook.ts'
import { filesOf, placeOf, refusePlace, type HooksPlace } from './hooks/hooks-directory.ts'
import { hookNames, type HookName } from './hooks/scripts.ts'
import { refuseUninstall, uninstallHook } from './hooks/uninstall.ts'

export interface HooksRequest {
  readonly action: string
  readonly names?: readonly string[]
  /** Also where core.hooksPath leads out of the repository. */
  readonly shared?: boolean
}

export interface HooksData {
  /** Where Git looks for them. */
  readonly directory: string
  readonly hooks: readonly {
    readonly name: HookName
    readonly path: string
    readonly state: HookState
    /** What was there before, and is run first; null where nothing was. */
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
  const { repo, isBare } = await openAny(context)
  try {
    const names = namesIn(request.names ?? [], { action, isBare })
    const place = await placeOf(repo)
    const message = await actions[action]({ repo, place, names, request, context })
    const found = names.map((name) => lookAt(filesOf(place), name))
    return { kind: 'hooks', exitCode: 0, data: { directory: place.directory, hooks: found.map(described), message } }
  } finally {
    repo.close()
  }
}

/** `install`, in the repository that is open. */
export const installHooks = async (repo: Repository, context: CommandContext): Promise<string[]> =>
  install({
    repo,
    place: await placeOf(repo),
    names: namesIn([], { action: 'install', isBare: false }),
    request: { action: 'install' },
    context,
  })

const isAction = (name: string): name is keyof typeof actions => Object.hasOwn(actions, name)

async function openAny(context: CommandContext): Promise<{ repo: Repository; isBare: boolean }> {
  const options = { cwd: context.cwd, env: gitEnvironment(context.env) }
  try {
    return { repo: await Repository.open(options), isBare: false }
  } catch (error) {
    if (!(error instanceof PlanError) || error.code !== 'bare-repository') throw error
    return { repo: await Repository.openStore(options), isBare: true }
  }
}

/**
 * Nothing is pushed to where people work, and nobody commits where there is no work tree. What is there is looked at
 * and taken away by any name.
 */
function namesIn(
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

const described = ({ name, path, state, before, hasBefore }: FoundHook): HooksData['hooks'][number] => ({
  name,
  path,
  state,
  before: hasBefore ? before : null,
})

interface Work {
  readonly repo: Repository
  readonly place: HooksPlace
  readonly names: readonly HookName[]
  readonly request: HooksRequest
  readonly context: CommandContext
}

async function install({ repo, place, names, request, context }: Work): Promise<string[]> {
  const found = names.map((name) => lookAt(filesOf(place), name))
  const open = found.filter(({ state }) => state !== 'called')
  if (open.length > 0) refusePlace(place, { ...request, names: open.map(({ name }) => name) })
  open.forEach(refuseInstall)
  if (open.some(({ state }) => state !== 'installed')) await refuseRunning(repo)
  const lines = found.flatMap((each) => {
    const done = installHook(each)
    const now = lookAt(filesOf(place), each.name)
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

async function status({ place, names }: Work): Promise<string[]> {
  const found = names.map((name) => lookAt(filesOf(place), name))
  const from = place.setting === undefined ? '' : ` (core.hooksPath, ${place.setting.scope})`
  return [
    `Git looks for hooks in ${place.directory}${from}`,
    ...found.map(
      (each) => `${each.name}: ${place.kind === 'off' ? 'hooks are disabled' : states[each.state]}${chainText(each)}`,
    ),
  ]
}

async function uninstall({ repo, place, names, request }: Work): Promise<string[]> {
  const found = names.map((name) => lookAt(filesOf(place), name))
  found.forEach(refuseUninstall)
  const ours = found.filter(({ state }) => ['installed', 'outdated', 'not-executable', 'left'].includes(state))
  if (place.kind === 'shared' && ours.length > 0) refusePlace(place, request)
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

/** A run that finds other hooks than it began with stops: a step might have put them there. */
async function refuseRunning({ commonDir }: Repository): Promise<void> {
  for (const id of plansIn(join(commonDir, 'plan'))) {
    const { locks } = await readHolding(commonDir, id)
    const live = locks.find(({ liveness }) => liveness === 'alive')
    if (live !== undefined)
      throw new PlanError('held', `plan ${id} is running and would stop if the hooks changed`, {
        hint: `git plan status ${id}`,
      })
  }
}

function plansIn(directory: string): PlanId[] {
  try {
    return readdirSync(directory).filter(isId) as PlanId[]
  } catch {
    return []
  }
}
