// The verdict on one tool call, from the call and the state of the repository.

import type { GuardSetting } from '../../plan/config/config.ts'
import { matchesStars } from '../shell/registry.ts'
import type { JudgedCommand } from './judge-command.ts'
import type { ToolCall } from './payload.ts'
import { kindOfTool, ownTool, type AgentName, type ToolKind } from './tools.ts'

export interface Verdict {
  readonly decision: 'allow' | 'deny'
  /** One sentence; for a denial with the command to type. */
  readonly reason: string
  /** A guarded tool was used without a plan, which is only logged. */
  readonly isLogged?: boolean
}

/** A step that a driver has taken on, and the tools that its plan allows; undefined: any. */
export interface OpenStepTools {
  readonly plan: string
  readonly step: string
  readonly tools: readonly string[] | undefined
}

/** The state of the repository, as far as the verdict depends on it. `guard` has no effect in plan mode. */
export interface GuardedState {
  readonly isPlanMode: boolean
  readonly openStep: OpenStepTools | undefined
  readonly guard: GuardSetting
  /** A plan runs in this repository. */
  readonly isPlanRunning: boolean
}

interface Judged {
  readonly kind: ToolKind
  /** Changes nothing. For a command: it is classified so. */
  readonly reads: boolean
  /** In plan mode these pass too: the commands and tools with which plans are made and run. */
  readonly isOwn: boolean
  /** For messages: why it may write. */
  readonly why: string
  readonly command: JudgedCommand | undefined
}

const allow = (reason: string): Verdict => ({ decision: 'allow', reason })
const deny = (reason: string): Verdict => ({ decision: 'deny', reason })

/** `command`: for a shell tool, see judge-command.ts; without it the command is unknown. */
export function judgeCall(agent: AgentName, call: ToolCall, state: GuardedState, command?: JudgedCommand): Verdict {
  const judged = judgeTool(agent, call, command)
  if (command?.isDecision === true)
    return deny('a person decides this, not an agent; ask the user to type it, such as: git plan approve')
  if (state.openStep !== undefined) return judgeInStep(call, judged, state.openStep)
  if (state.isPlanMode) return judged.reads || judged.isOwn ? allow(judged.why) : deny(planModeReason(judged))
  const { guard, isPlanRunning } = state
  if (!isPlanRunning && !judged.isOwn && guard.tools.some((pattern) => isNamed(pattern, call, judged))) {
    if (guard.withoutPlan === 'deny')
      return deny(`${call.tool} is guarded: it is used while a plan runs, and none does; propose one: ${propose}`)
    return { ...allow(`${call.tool} is guarded, and no plan runs`), isLogged: true }
  }
  return allow('plan mode is off')
}

/** False: no need to look for a decision of a person in this input, which takes a parser. */
export const mayTakeDecision = ({ input }: ToolCall): boolean =>
  /approve|allow|resume|policyref/i.test(JSON.stringify(input).replace(/["'\\]/g, ''))

const propose = 'git plan new --from -'

function planModeReason({ why, command }: Judged): string {
  if (/\bplan\b[\s\S]*\bmode\b[\s\S]*\boff\b/.test(command?.text ?? ''))
    return 'plan mode is on, and a person leaves it, not an agent; ask the user to type: git plan mode off'
  return `plan mode is on: ${why}. Propose the change as a plan instead: the tool plan_propose, or ${propose}`
}

function judgeInStep(call: ToolCall, judged: Judged, { plan, step, tools }: OpenStepTools): Verdict {
  if (judged.reads || judged.isOwn || tools === undefined) return allow(`step ${step} of plan ${plan} is open`)
  if (tools.some((pattern) => isNamed(pattern, call, judged))) return allow(`step ${step} of plan ${plan} allows it`)
  return deny(
    `step ${step} of plan ${plan} does not allow ${call.tool}, only ${tools.join(', ') || 'reading'}; see: git plan show ${plan}`,
  )
}

function judgeTool(agent: AgentName, { tool, input }: ToolCall, command: JudgedCommand | undefined): Judged {
  const kind = kindOfTool(agent, tool)
  const judged = { kind, reads: false, isOwn: false, command: undefined }
  switch (kind) {
    case 'read':
      return { ...judged, reads: true, why: `${tool} only reads` }
    case 'write':
      return { ...judged, why: `${tool} may change files` }
    case 'skill':
      return isOurSkill(input)
        ? { ...judged, isOwn: true, why: 'this skill is ours' }
        : { ...judged, why: `${tool} may run commands` }
    case 'own':
      return mayInPlanMode(ownTool(tool) ?? '', input)
        ? { ...judged, isOwn: true, why: `${tool} is ours` }
        : { ...judged, why: `${tool} changes files, or leaves plan mode` }
    case 'shell':
      return command === undefined
        ? { ...judged, why: `${tool} may run anything` }
        : { ...judged, command, reads: command.reads, isOwn: command.isOwn, why: command.why }
    case 'unknown':
      return { ...judged, why: `nothing is known about the tool ${tool}` }
  }
}

const ourSkills = new Set(['git-plan', 'plan', 'plans', 'safety'])
const isOurSkill = (input: ToolCall['input']): boolean => {
  const names = ['skill', 'name', 'command'].flatMap((key) => input[key] ?? [])
  return names.length > 0 && names.every((name) => typeof name === 'string' && ourSkills.has(name.replace(/^\//, '')))
}

/** Tools of our MCP server that change the work tree or refs of others; the gate asks about the rest. */
const changing = new Set(['plan_rollback'])
const mayInPlanMode = (name: string, input: ToolCall['input']): boolean =>
  name === 'plan_mode' ? !/"off"|false/.test(JSON.stringify(input)) : !changing.has(name)

/**
 * A name in `guard.tools` or in `tools` of a step: a tool as the agent spells it, with `*` for any text; `write` for
 * whatever may write; or a program, such as `kubectl`, for the commands that call it.
 */
function isNamed(pattern: string, call: ToolCall, { kind, reads, command }: Judged): boolean {
  if (matchesName(pattern, call.tool)) return true
  if (pattern === 'write') return !reads
  if (pattern === 'shell') return kind === 'shell'
  return command?.programs.some((program) => matchesName(pattern, program)) === true
}

const matchesName = (pattern: string, name: string): boolean => matchesStars(pattern.toLowerCase(), name.toLowerCase())
