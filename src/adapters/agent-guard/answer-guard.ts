// The answer to an agent's hook. Nothing here throws: an exit code other than 0 and 2 would let the tool run.

import { decide, mostPayload, placesOf, unclear, type Decision, type GuardWorld } from '../../commands/agents/guard.ts'
import { isAgent, type AgentName } from '../../judge/agents/tools.ts'
import type { Verdict } from '../../judge/agents/judge-call.ts'
import type { Environment } from '../../process/environment.ts'
import { singleLine } from '../../plan/text/display.ts'
import { logUnplanned, writeHeartbeat } from '../../store/guard-records.ts'
import { version } from '../../version.ts'

export interface GuardAnswer {
  readonly exitCode: 0 | 2
  readonly stdout: string
  readonly stderr: string
  /** Writes the records of the call: after the answer, which does not wait for them. */
  record(): Promise<void>
}

export interface GuardInput extends GuardWorld {
  readInput(atMost: number): Promise<Uint8Array>
}

/** `words` follow `guard`. */
export async function answerGuard(words: readonly string[], input: GuardInput): Promise<GuardAnswer> {
  const agent = agentIn(words)
  try {
    const decision = await decide(agent, await input.readInput(mostPayload + 1), input)
    return answer(agent, decision, () => record(agent, decision, input))
  } catch (error) {
    return answerWithout(`the guard failed: ${error instanceof Error ? error.message : String(error)}`, words, input)
  }
}

/** Without a payload: it did not come in time, or the guard is about to be killed. */
export async function answerWithout(why: string, words: readonly string[], world: GuardWorld): Promise<GuardAnswer> {
  const isPlanMode = await placesOf(undefined, world).then(
    (places) => places.isPlanMode,
    () => true,
  )
  return answer(agentIn(words), unclear(isPlanMode, why), async () => {})
}

function agentIn(words: readonly string[]): string | undefined {
  const at = words.indexOf('--agent')
  if (at >= 0) return words[at + 1]
  return words.find((word) => word.startsWith('--agent='))?.slice('--agent='.length)
}

/** Some agents show the reason to their model, and cut it. */
const longestReason = 500

function answer(agent: string | undefined, verdict: Verdict, record: () => Promise<void>): GuardAnswer {
  if (verdict.decision === 'deny')
    return { exitCode: 2, stdout: '', stderr: `${singleLine(verdict.reason).slice(0, longestReason)}\n`, record }
  // Cursor takes an empty answer for a failure, if failures are to block.
  return { exitCode: 0, stdout: agent === 'cursor' ? '{"permission":"allow"}\n' : '', stderr: '', record }
}

/** Copilot and Cursor run the hooks of Claude. */
function callerOf(agent: AgentName, env: Environment): AgentName {
  if (agent !== 'claude') return agent
  return env['COPILOT_CLI'] !== undefined ? 'copilot' : env['CURSOR_VERSION'] !== undefined ? 'cursor' : agent
}

async function record(agent: string | undefined, decision: Decision, input: GuardInput): Promise<void> {
  const { repository, session = null, tool = null } = decision
  if (repository === undefined || agent === undefined || !isAgent(agent)) return
  const at = input.now().toISOString()
  const { commonDir } = repository
  await writeHeartbeat(commonDir, callerOf(agent, input.env), {
    at,
    version,
    session,
    tool,
    decision: decision.decision,
  })
  if (decision.isLogged === true) await logUnplanned(commonDir, { at, agent, session, tool, reason: decision.reason })
}
