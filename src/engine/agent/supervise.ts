// Starts an agent with a task, counts its turns and its cost as it goes, and ends it when it takes too long, prints
// nothing, or exceeds its limits. What it says becomes a claim.

import { rmSync, writeFileSync } from 'node:fs'
import { agentWords } from '../../plan/agents/command-line.ts'
import type { AgentPreset } from '../../plan/agents/presets.ts'
import { EventReader } from '../../plan/agents/read-events.ts'
import { claimOf } from '../../plan/agents/read-report.ts'
import { parseDuration } from '../../plan/model/ids.ts'
import { deniedText, type Claim } from '../../plan/model/claim.ts'
import { performedBy } from '../../plan/model/performed-by.ts'
import type { Performed } from '../../plan/model/verb.ts'
import type { AgentSpec } from '../../plan/verbs/agent.ts'
import { quoteWord } from '../../process/shell-words.ts'
import type { Shell } from '../step/step-shell.ts'

const defaultTimeoutMs = 30 * 60_000
const defaultIdleMs = 10 * 60_000
const defaultTurns = 200

export interface Supervision {
  readonly preset: AgentPreset
  readonly spec: Omit<AgentSpec, 'prompt' | 'repair'>
  readonly prompt: string
  /** The prompt is written to this file, which is removed afterwards. */
  readonly promptFile: string
  readonly session?: string | undefined
  /** Globs of the files that it may change. */
  readonly files?: readonly string[] | undefined
  /** It must not change anything. */
  readonly isReadOnly?: boolean
  readonly shell: Shell
  /** Gets what the agent says, as it says it. */
  readonly onText?: (text: string) => void
}

type Ended = Extract<Performed, { kind: 'performed' | 'failed' }>

export async function supervise(request: Supervision): Promise<{ ended: Ended; claim: Claim; text: string }> {
  const { preset, spec, prompt, promptFile, session, isReadOnly, shell, onText } = request
  const reader = new EventReader(preset, onText)
  const limit = new AbortController()
  const most = spec.turns ?? defaultTurns
  writeFileSync(promptFile, prompt)
  try {
    const words = agentWords(preset, spec, { session, prompt, isReadOnly })
    const input = preset.prompt === 'stdin' ? ` < ${quoteWord(promptFile)}` : ''
    const result = await shell(`exec ${words.map(quoteWord).join(' ')}${input}`, {
      env: { ...preset.env, ...(preset.events === undefined ? environmentOf(spec) : {}), ...scopeOf(request) },
      timeoutMs: defaultTimeoutMs,
      idleMs: spec.idle === undefined ? defaultIdleMs : parseDuration(spec.idle),
      limitSignal: limit.signal,
      onOutput: (chunk, stream) => {
        reader.push(chunk, stream)
        // Once more than allowed: agents with a limit of their own end by themselves.
        if (reader.turns > most) limit.abort(`it took more than ${most} turns`)
        if (spec.cost !== undefined && reader.cost > spec.cost) limit.abort(`it cost more than ${spec.cost} US dollars`)
      },
    })
    const report = reader.report()
    const claim = claimOf(spec.agent, report)
    const ended = endOf(spec.agent, performedBy(result, spec.agent), report.failure, claim)
    if (ended.kind === 'failed' && report.stray !== '') onText?.(`${report.stray}\n`)
    return { ended, claim, text: report.text }
  } finally {
    rmSync(promptFile, { force: true })
  }
}

const scopeOf = ({ preset, spec, files, isReadOnly = false }: Supervision): Record<string, string> =>
  preset.isScoped === true
    ? { PLAN_AGENT_SCOPE: JSON.stringify({ files: isReadOnly ? [] : (files ?? null), tools: spec.tools ?? [] }) }
    : {}

/** An agent that says that it failed has failed, whatever its exit code. */
function endOf(agent: string, ended: Performed, failure: string | undefined, claim: Claim): Ended {
  const denied = deniedText(claim)
  if (ended.kind === 'failed')
    return { ...ended, message: `${failure === undefined ? ended.message : `${agent}: ${failure}`}${denied}`, claim }
  if (failure !== undefined) return { kind: 'failed', reason: 'agent', message: `${agent}: ${failure}${denied}`, claim }
  return {
    kind: 'performed',
    claim,
    ...(denied === '' ? {} : { warning: `${agent} was denied ${claim.denied.join(', ')}` }),
  }
}

/** For a command of a setting, which has no options of its own. */
const environmentOf = ({ agent, model, as, tools, turns, cost }: Supervision['spec']): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      '': agent,
      _MODEL: model,
      _ROLE: as,
      _TOOLS: tools?.join(','),
      _TURNS: turns,
      _COST: cost,
    }).flatMap(([name, value]) => (value === undefined ? [] : [[`PLAN_AGENT${name}`, String(value)]])),
  )
