// `git plan guard`: the verdict on one tool call of an agent, from the payload of its hook. Everything that is not
// understood is denied while plan mode is on, and allowed while it is off.

import { agentNames, isAgent, kindOfTool, type AgentName, type ToolKind } from '../../judge/agents/tools.ts'
import { readPayload, type ToolCall } from '../../judge/agents/payload.ts'
import { judgeCall, mayTakeDecision, type Verdict } from '../../judge/agents/judge-call.ts'
import { enclosingRepositories, type RepositoryPaths } from '../../git/read/enclosing-repositories.ts'
import { Repository } from '../../git/repository.ts'
import { gitEnvironment, type Environment } from '../../process/environment.ts'
import { findLiveRun } from '../../store/holder.ts'
import { readPlanMode } from '../../store/plan-mode.ts'
import { readSessionEntries } from '../../store/session-safety.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { openStepTools } from '../../operation/open-step-tools.ts'
import { readSettings, type Settings } from '../../operation/settings.ts'
import { wrongEntries } from '../../operation/safety.ts'
import type { GuardSetting, SafetySetting } from '../../plan/config/config.ts'

export interface GuardRequest {
  readonly agent?: string
}

export interface GuardData {
  readonly decision: 'allow' | 'deny'
  readonly reason: string
  readonly tool: string | null
  readonly toolKind: ToolKind | null
  readonly planMode: boolean
}

/** A verdict and what has to be recorded of it. */
export interface Decision extends Verdict {
  readonly tool: string | undefined
  readonly kind: ToolKind | undefined
  readonly session: string | undefined
  readonly isPlanMode: boolean
  /** The innermost repository in which the agent works. */
  readonly repository: RepositoryPaths | undefined
}

export interface GuardWorld {
  readonly cwd: string
  readonly env: Environment
  now(): Date
}

/** Larger payloads are not read: a file of this size is not written by hand. */
export const mostPayload = 32 * 1024 * 1024

/** For people and programs that ask; agents are answered by adapters/agent-guard. */
export async function guard(request: GuardRequest, context: CommandContext): Promise<CommandResult<GuardData>> {
  const bytes = await context.readInput(mostPayload + 1)
  const { decision, reason, tool = null, kind = null, isPlanMode } = await decide(request.agent, bytes, context)
  return {
    kind: 'guard',
    exitCode: decision === 'allow' ? 0 : 2,
    data: { decision, reason, tool, toolKind: kind, planMode: isPlanMode },
  }
}

export async function decide(agent: string | undefined, payload: Uint8Array, world: GuardWorld): Promise<Decision> {
  const call = payload.byteLength > mostPayload ? undefined : readPayload(new TextDecoder().decode(payload))
  const known = call === undefined || call === 'other' ? undefined : call
  const { repositories, isPlanMode } = await placesOf(known, world)
  const [repository] = repositories
  const tool = known?.tool
  const kind = known !== undefined && agent !== undefined && isAgent(agent) ? kindOfTool(agent, known.tool) : undefined
  const decided = (verdict: Verdict): Decision => ({
    ...verdict,
    tool,
    kind,
    session: known?.session,
    isPlanMode,
    repository,
  })
  if (repository === undefined) return decided({ decision: 'allow', reason: 'not in a repository' })
  if (call === 'other') return decided({ decision: 'allow', reason: 'no tool is about to be used' })
  if (agent === undefined || !isAgent(agent)) {
    const name = agent === undefined ? 'no agent' : JSON.stringify(agent.slice(0, 40))
    return decided(unclear(isPlanMode, `--agent must be one of ${agentNames.join(', ')}, not ${name}`))
  }
  if (known === undefined) return decided(unclear(isPlanMode, 'the payload of the hook cannot be read'))
  try {
    return decided(await judge(agent, known, { isPlanMode, repository, world }))
  } catch (error) {
    return decided(unclear(isPlanMode, `the guard failed: ${error instanceof Error ? error.message : String(error)}`))
  }
}

/** If nothing can be said, plan mode decides. */
export const unclear = (isPlanMode: boolean, why: string): Verdict =>
  isPlanMode
    ? { decision: 'deny', reason: `plan mode is on, and ${why}; see: git plan agents status` }
    : { decision: 'allow', reason: `plan mode is off, and ${why}` }

/** The variables in which agents name their project. */
const projectVariables = ['CLAUDE_PROJECT_DIR', 'COPILOT_PROJECT_DIR', 'GEMINI_PROJECT_DIR', 'CURSOR_PROJECT_DIR']

/**
 * The mode counts wherever the agent works: in the directory of the call, in the one in which the hook runs, and in its
 * project, since an agent may change its directory.
 */
export async function placesOf(
  call: ToolCall | undefined,
  { cwd, env }: GuardWorld,
): Promise<{ readonly repositories: readonly RepositoryPaths[]; readonly isPlanMode: boolean }> {
  const projects = projectVariables.flatMap((name) => env[name] ?? [])
  const directories = new Set([...(call?.directories ?? []), cwd, ...projects])
  const repositories = [
    ...new Map(
      [...directories].flatMap((directory) => enclosingRepositories(directory)).map((each) => [each.gitDir, each]),
    ).values(),
  ]
  const modes = await Promise.all(repositories.map(({ gitDir }) => readPlanMode(gitDir)))
  return { repositories, isPlanMode: modes.some(({ state }) => state === 'on') }
}

async function judge(
  agent: AgentName,
  call: ToolCall,
  { isPlanMode, repository, world }: { isPlanMode: boolean; repository: RepositoryPaths; world: GuardWorld },
): Promise<Verdict> {
  const isShell = kindOfTool(agent, call.tool) === 'shell'
  const load = () => (isShell ? import('../../judge/agents/judge-command.ts') : undefined)
  const openStep = openStepTools(repository, world.now())
  if (isPlanMode || openStep !== undefined) {
    const state = { isPlanMode, openStep, guard: nothingConfigured.guard, isPlanRunning: false }
    const commands = await load()
    const verdict = judgeCall(agent, call, state, commands?.judgeCommand(call))
    if (verdict.decision === 'allow' || commands === undefined) return verdict
    // The built-in tables come first: what they allow needs no configuration.
    const { safety: ofProject } = await configuredFor(repository, world)
    const safety = [...ofProject, ...(await allowedIn(repository, call))]
    return safety.length === 0 ? verdict : judgeCall(agent, call, state, commands.judgeCommand(call, safety))
  }
  const [{ guard, safety }, run] = await Promise.all([
    configuredFor(repository, world),
    findLiveRun(repository.commonDir, ['start', 'resume', 'rebase']),
  ])
  const state = { isPlanMode, openStep, guard, isPlanRunning: run !== undefined }
  const commands = guard.tools.length > 0 || mayTakeDecision(call) ? await load() : undefined
  return judgeCall(agent, call, state, commands?.judgeCommand(call, safety))
}

/** The entries of the session that a person has allowed. What the tables know is theirs to judge. */
async function allowedIn({ commonDir }: RepositoryPaths, { session }: ToolCall): Promise<SafetySetting[]> {
  const allowed = readSessionEntries(commonDir).filter((entry) => entry.session === session && entry.allowedAt !== null)
  if (allowed.length === 0) return []
  const { declarationProblem } = await import('../../judge/shell/declarable.ts')
  return allowed.filter((entry) => declarationProblem(entry) === undefined)
}

interface Configured {
  readonly guard: GuardSetting
  readonly safety: readonly SafetySetting[]
}

const nothingConfigured: Configured = { guard: { tools: [], withoutPlan: 'log' }, safety: [] }

/** From the policy branch. If it cannot be read, or is not valid, the built-in tables alone decide. */
async function configuredFor({ root }: RepositoryPaths, { env }: GuardWorld): Promise<Configured> {
  try {
    const repo = await Repository.openAny({ cwd: root, env: gitEnvironment(env) })
    try {
      const { config }: Settings = await readSettings(repo)
      const isWrong = (await wrongEntries(config.safety)).length > 0
      return { guard: config.guard, safety: isWrong ? [] : config.safety }
    } finally {
      repo.close()
    }
  } catch {
    return nothingConfigured
  }
}
