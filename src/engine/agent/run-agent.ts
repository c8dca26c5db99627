// Runs an agent for a step, in the work tree, with everything that it needs to know. Whether it succeeded is decided by
// the checks of the step.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PlanError } from '../../errors.ts'
import { rawPath } from '../../git/read/raw-path.ts'
import { NoFollowStat } from '../../git/worktree/no-follow-stat.ts'
import { acpPreset, agentPresets, commandPreset, commonRoles, type AgentPreset } from '../../plan/agents/presets.ts'
import { withPlanTools } from '../../plan/agents/allowed-tools.ts'
import { roleNameProblem } from '../../plan/agents/names.ts'
import { promptFor } from '../../plan/agents/prompt.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { Performed } from '../../plan/model/verb.ts'
import type { AgentSpec } from '../../plan/verbs/agent.ts'
import { Redactor } from '../../secrets/mask.ts'
import type { Worker } from '../run/worker.ts'
import type { Intent } from '../workspace/intent.ts'
import { LogFile } from '../step/log-file.ts'
import type { StepOutput } from '../step/step-output.ts'
import { shellFor } from '../step/step-shell.ts'
import type { StepUsage } from '../step/step-usage.ts'
import { supervise } from './supervise.ts'
import { toldToAgent } from './told-about.ts'

interface AgentRun {
  readonly step: Step
  readonly spec: AgentSpec
  readonly attempt: number
  readonly intent: Intent
  readonly output: StepOutput
  readonly usage: StepUsage
  readonly session: string | undefined
}

declare const GIT_PLAN_VERSION: string | undefined

const acpPrefix = 'acp:'

/** Of a build, or of the sources after a build. */
const acpClient = (): string[] => [
  process.execPath,
  fileURLToPath(
    new URL(typeof GIT_PLAN_VERSION === 'string' ? '../acp.mjs' : '../../../dist/acp.mjs', import.meta.url),
  ),
]

/** The preset that git config or the policy names, or ours. */
export function presetOf(name: string, commands: Readonly<Record<string, string>>): AgentPreset | undefined {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command?.startsWith(acpPrefix) === true) return acpPreset(acpClient(), command.slice(acpPrefix.length).trim())
  if (command !== undefined) return commandPreset(command)
  return Object.hasOwn(agentPresets, name) ? agentPresets[name] : undefined
}

export interface Role {
  readonly name: string
  readonly path: string
}

/** The role of the step: `as`, or its owner if that names a definition of the repository. */
export async function roleOf(root: string, preset: AgentPreset, step: Step): Promise<Role | undefined> {
  const name = (step.spec as AgentSpec).as ?? step.owner
  if (name === undefined || roleNameProblem(name) !== undefined) return undefined
  // Whatever a symlink leads to would be sent to the agent.
  const files = new NoFollowStat(root)
  for (const path of rolePaths(preset, name)) {
    const found = await files.stat(rawPath(path))
    if (found.kind === 'there' && found.facts.isFile() && found.facts.size > 0) return { name, path }
  }
  return undefined
}

export const rolePaths = ({ roles }: AgentPreset, name: string): string[] => [
  ...roles.flatMap((directory) => ['md', 'toml'].map((ending) => `${directory}/${name}.${ending}`)),
  ...commonRoles.map((directory) => `${directory}/${name}.md`),
]

export async function runAgent(worker: Worker, request: AgentRun): Promise<Performed> {
  const { step, spec, attempt, intent, output, usage, session } = request
  const preset = presetOf(spec.agent, worker.run.settings.agents)
  if (preset === undefined)
    return { kind: 'failed', reason: 'agent', message: `${spec.agent} is not an agent that is known here` }
  if (session !== undefined && preset.options.session === undefined)
    throw new PlanError('usage', `${spec.agent} cannot continue a session`, {
      hint: `git plan resume ${worker.run.id} --retry ${step.id}`,
    })
  const { root } = worker.workspace.tree
  const role = await roleOf(root, preset, step)
  const definition = role === undefined ? undefined : { name: role.name, text: await readRole(join(root, role.path)) }
  const isPlain = preset.events === undefined
  const transcript = isPlain ? undefined : new Transcript(worker, step.id, attempt)
  try {
    const { ended } = await supervise({
      preset,
      spec: { ...withPlanTools(worker.at.plan, spec), as: role?.name },
      prompt: promptFor(worker.at.plan, step, { ...(await toldToAgent(worker, step)), role: definition }),
      promptFile: worker.workspace.dir.file(`prompt.${step.id}`),
      session,
      files: step.files,
      shell: shellFor(worker, { intent, output: transcript ?? output, step, attempt, usage }),
      onText: (text) => void output.push(Buffer.from(text), 'stdout'),
    })
    return ended
  } finally {
    await transcript?.end()
  }
}

const mostRole = 20_000

/** Without its front matter, which is for another program. */
async function readRole(path: string): Promise<string> {
  const text = (await readFile(path, 'utf8')).slice(0, mostRole)
  return text.replace(/^---\r?\n[\s\S]*?\n---\r?\n/, '').trim()
}

/** Everything that an agent prints, masked, beside the log of the step. */
class Transcript {
  readonly #log: LogFile
  readonly #redactors: Record<'stdout' | 'stderr', Redactor>

  constructor(worker: Worker, step: string, attempt: number) {
    worker.run.dir.ensure()
    this.#log = new LogFile(worker.run.dir.file('logs', `${step}-${attempt}.jsonl`))
    this.#redactors = { stdout: new Redactor(worker.run.known), stderr: new Redactor(worker.run.known) }
  }

  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> | undefined {
    this.#log.write(this.#redactors[stream].push(chunk))
    return this.#log.drained
  }

  async end(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) this.#log.write(this.#redactors[stream].end())
    await this.#log.end()
  }
}
