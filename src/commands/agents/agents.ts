// `git plan agents`: sets up coding agents for this repository or for the user, and says whether their guard works.

import { PlanError } from '../../errors.ts'
import { Repository } from '../../git/repository.ts'
import { homeOf } from '../../git/command/git-config.ts'
import { suggest } from '../../plan/text/nearest.ts'
import { gitEnvironment, type Environment } from '../../process/environment.ts'
import { isOnPath } from '../../process/on-path.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { installable, type AgentsData, type AgentStatus, type Installable } from './agent-status.ts'
import { adviceFor } from './setup/advice.ts'
import { diffOf } from './setup/diff.ts'
import { describeAgent, isGuarded } from './setup/inspect.ts'
import { isInstallable, piecesOf, type Piece, type Scope } from './setup/pieces.ts'
import { inspectPiece, planInstall, planUninstall, type FileChange } from './setup/plan-changes.ts'
import { writeTarget } from './setup/target-file.ts'

export interface AgentsRequest {
  readonly action?: string
  readonly names?: readonly string[]
  /** For all repositories of the user. */
  readonly user?: boolean
  readonly dryRun?: boolean
}

export interface AgentPlace {
  readonly top: string
  readonly commonDir: string
  readonly scope: Scope
  readonly env: Environment
  readonly now: Date
}

const actions = { install, uninstall, status }

export async function agents(request: AgentsRequest, context: CommandContext): Promise<CommandResult<AgentsData>> {
  const { action = 'status', names = [] } = request
  if (!isAction(action))
    throw new PlanError(
      'usage',
      `unknown action ${JSON.stringify(action.slice(0, 80))}; ${suggest(action.slice(0, 80), Object.keys(actions))}`,
      { hint: 'git plan agents status' },
    )
  for (const name of names)
    if (!isInstallable(name))
      throw new PlanError(
        'usage',
        `unknown agent ${JSON.stringify(name.slice(0, 80))}; ${suggest(name.slice(0, 80), installable)}`,
        {
          hint: 'git plan agents status',
        },
      )
  if (names.length === 0 && action !== 'status')
    throw new PlanError('usage', `${action} needs an agent: ${installable.join(', ')}`, {
      hint: `git plan agents ${action} claude`,
    })
  const repo = await Repository.open({ cwd: context.cwd, env: gitEnvironment(context.env) })
  try {
    const scope: Scope = request.user === true ? 'user' : 'project'
    return await actions[action](
      installable.filter((name) => names.includes(name)),
      request,
      {
        top: scope === 'user' ? homeOf(gitEnvironment(context.env)) : repo.root,
        commonDir: repo.commonDir,
        scope,
        env: context.env,
        now: context.now(),
      },
    )
  } finally {
    repo.close()
  }
}

const isAction = (name: string): name is keyof typeof actions => Object.hasOwn(actions, name)

type Names = readonly Installable[]

async function install(names: Names, request: AgentsRequest, place: AgentPlace): Promise<CommandResult<AgentsData>> {
  const notes: string[] = []
  const pieces: Piece[] = []
  for (const name of names) {
    const own = piecesOf(name, place.scope, place.env)
    const isRunByClaude = runsHooksOfClaude(name, place) && (names.includes('claude') || (await hasHookOfClaude(place)))
    if (isRunByClaude) notes.push(`${name} runs the hook of Claude in .claude/settings.json: it gets none of its own`)
    pieces.push(...own.filter(({ role }) => !isRunByClaude || !isHook(role)))
  }
  // Those that were installed before Claude would be asked twice.
  const doubled = names.includes('claude')
    ? installable
        .filter((name) => runsHooksOfClaude(name, place))
        .flatMap((name) => piecesOf(name, place.scope, place.env).filter(({ role }) => isHook(role)))
    : []
  const changes = [...(await planInstall(place.top, pieces)), ...(await planUninstall(place.top, doubled))]
  if (!(await isOnPath('git-plan', place.env['PATH'] ?? '')))
    notes.push('git-plan is not on PATH. Without it the guard answers nothing, and denies only in plan mode.')
  if (place.scope === 'project' && changes.some(({ before, after }) => before !== after))
    notes.push(
      'Commit these files before plan mode is on: plans start in a clean work tree, and their branches need them.',
    )
  return finish(names, request, place, {
    changes,
    notes,
    next: [`git plan agents status ${names.join(' ')}`, 'git plan mode on'],
  })
}

const isHook = (role: Piece['role']): boolean => role === 'guard' || role === 'context'

/** With hooks of their own, the guard would be asked twice. */
const runsHooksOfClaude = (name: Installable, { scope }: AgentPlace): boolean =>
  scope === 'project' && (name === 'copilot' || name === 'cursor')

async function hasHookOfClaude({ scope, top, env }: AgentPlace): Promise<boolean> {
  const guard = piecesOf('claude', scope, env).find(({ role }) => role === 'guard')
  return guard !== undefined && (await inspectPiece(top, guard)).state === 'installed'
}

async function uninstall(names: Names, request: AgentsRequest, place: AgentPlace): Promise<CommandResult<AgentsData>> {
  const { top, scope, env } = place
  const unguarded = names.includes('claude') ? await relyingOnClaude(names, place) : []
  const others = installable.filter((name) => !names.includes(name))
  const kept: Piece[] = []
  for (const name of others) {
    const own = piecesOf(name, scope, env)
    if (await isGuarded(top, own)) kept.push(...own)
  }
  // The skill and some MCP entries are shared.
  const pieces = names.flatMap((name) =>
    piecesOf(name, scope, env).filter((piece) => !kept.some((other) => isSamePiece(piece, other))),
  )
  const changes = await planUninstall(top, pieces)
  const notes = pieces.flatMap(({ kind, file }) => {
    const change = changes.find((each) => each.file === file)
    return kind === 'file' && change?.after !== undefined ? [`${file} was edited by hand and is left alone`] : []
  })
  notes.push(...unguarded.map((name) => `${name} was guarded by the hook of Claude, and has no guard now`))
  return finish(names, request, place, {
    changes,
    notes,
    next: unguarded.map((name) => `git plan agents install ${name}`),
  })
}

/** Agents that stay, have everything but hooks of their own, and are guarded by the hook that goes. */
async function relyingOnClaude(names: Names, place: AgentPlace): Promise<Installable[]> {
  if (!(await hasHookOfClaude(place))) return []
  const relying: Installable[] = []
  for (const name of installable.filter((each) => !names.includes(each) && runsHooksOfClaude(each, place))) {
    const pieces = piecesOf(name, place.scope, place.env)
    const found = await Promise.all(
      pieces.filter(({ role }) => !isHook(role)).map((each) => inspectPiece(place.top, each)),
    )
    if (found.every(({ state }) => state === 'installed') && !(await isGuarded(place.top, pieces))) relying.push(name)
  }
  return relying
}

const isSamePiece = (one: Piece, other: Piece): boolean =>
  one.file === other.file &&
  one.role === other.role &&
  (one.kind !== 'json' || other.kind !== 'json' || one.entry.path.join('\0') === other.entry.path.join('\0'))

async function finish(
  names: Names,
  request: AgentsRequest,
  place: AgentPlace,
  { changes, notes, next }: { changes: readonly FileChange[]; notes: readonly string[]; next: readonly string[] },
): Promise<CommandResult<AgentsData>> {
  const { dryRun = false } = request
  const made = changes.filter(({ before, after }) => before !== after)
  if (!dryRun) for (const { file, after } of made) writeTarget(place.top, file, after)
  const done = made.map(({ file, after }) => ({
    file,
    change: after === undefined ? ('removed' as const) : ('written' as const),
  }))
  const lines = dryRun
    ? made.flatMap(diffOf)
    : done.map(({ file, change }) => `${change === 'written' ? 'Wrote' : 'Removed'} ${file}`)
  const found = await Promise.all(names.map((name) => describeAgent(name, place)))
  const advice =
    dryRun || request.action !== 'install' ? [] : names.map((name) => `${name}: ${adviceFor(name, place.scope).start}`)
  return {
    kind: 'agents',
    exitCode: 0,
    data: {
      agents: found,
      changes: done,
      message: [...(made.length === 0 ? ['Nothing to change'] : lines), ...notes, ...advice],
    },
    ...(dryRun || next.length === 0 ? {} : { next }),
  }
}

/** In this repository, or else for all repositories of the user. */
async function describeAnywhere(name: Installable, place: AgentPlace): Promise<AgentStatus> {
  const here = await describeAgent(name, place)
  if (here.state !== 'absent' || place.scope === 'user') return here
  const ofUser = await describeAgent(name, { ...place, scope: 'user', top: homeOf(gitEnvironment(place.env)) })
  return ofUser.state === 'absent' ? here : ofUser
}

/** Whether any agent has a guard in this work tree. */
export async function hasGuard(root: string, env: Environment): Promise<boolean> {
  const places = [
    ['project', root],
    ['user', homeOf(gitEnvironment(env))],
  ] as const
  for (const name of installable)
    for (const [scope, top] of places) if (await isGuarded(top, piecesOf(name, scope, env))) return true
  return false
}

/** Exit code 1: an agent that was asked about, or any that is installed, has no guard, or was not seen to call it. */
async function status(names: Names, _request: AgentsRequest, place: AgentPlace): Promise<CommandResult<AgentsData>> {
  const all = await Promise.all((names.length > 0 ? names : installable).map((name) => describeAnywhere(name, place)))
  const asked = names.length > 0 ? all : all.filter(({ state }) => state !== 'absent')
  const message = [
    ...asked.flatMap(({ lines }) => lines),
    ...(names.length > 0 || asked.length === all.length
      ? []
      : [
          `not installed: ${all
            .filter(({ state }) => state === 'absent')
            .map(({ agent }) => agent)
            .join(', ')}`,
        ]),
  ]
  return {
    kind: 'agents',
    exitCode: asked.every(({ state, fired }) => state === 'installed' && fired !== null) ? 0 : 1,
    data: { agents: all, message },
    ...(asked.length === 0 ? { next: ['git plan agents install claude'] } : {}),
  }
}
