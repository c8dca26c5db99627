// Asks an agent for the text of a plan: it reads the files of a commit, and can change nothing. Its answer is checked,
// and given back with the findings a few times.

import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PlanError } from '../errors.ts'
import { presetOf } from '../engine/agent/run-agent.ts'
import { supervise } from '../engine/agent/supervise.ts'
import type { Shell } from '../engine/step/step-shell.ts'
import { withPlainTree } from '../engine/workspace/plain-tree.ts'
import type { Repository } from '../git/repository.ts'
import { planInAnswer, planPrompt, type PlanRequest } from '../plan/agents/ask-for-plan.ts'
import type { AgentPreset } from '../plan/agents/presets.ts'
import { claimToText, makeClaim, type Claim } from '../plan/model/claim.ts'
import type { Finding } from '../plan/model/finding.ts'
import type { Oid } from '../plan/model/ids.ts'
import type { PlanEvent } from '../plan/record/trailers.ts'
import { stepEnvironment } from '../process/environment.ts'
import { runMarker } from '../process/kill-descendants.ts'
import { isOnPath } from '../process/on-path.ts'
import { runShell } from '../process/run-shell.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'
import type { CommandContext } from '../operation/context.ts'
import type { Settings } from '../operation/settings.ts'

const mostRounds = 4
const mostOutput = 64 * 1024 * 1024
const mostPaths = 400

export interface Asking {
  readonly repo: Repository
  readonly settings: Settings
  readonly context: CommandContext
  readonly agent: string
  readonly model?: string | undefined
  /** The commit whose files it reads. */
  readonly commit: Oid
  /** Repeats the command with a file that a person has corrected. */
  readonly again: (file: string) => string
  /** The command with which a person writes the text instead. */
  readonly byHand: string
}

/** How a text was generated, for the event that records it. */
export type Generated = Pick<PlanEvent, 'claim' | 'startedAt' | 'endedAt' | 'attempt'>

/** `use`: takes the text, or throws `invalid-plan`, whose findings the agent then gets. */
export async function askAgent<T>(
  asking: Asking,
  request: Pick<PlanRequest, 'request' | 'current'>,
  use: (text: string, generated: Generated) => Promise<T>,
): Promise<T> {
  const { repo, settings, context, agent } = asking
  const preset = await requireAgent(asking)
  const outline = await outlineOf(repo, asking.commit)
  const startedAt = context.now().toISOString()
  const claims: Claim[] = []
  let refused: PlanRequest['refused']
  return withPlainTree(repo, asking.commit, async (root, scratch) => {
    for (let round = 1; ; round += 1) {
      context.emit({
        kind: 'notice',
        message:
          round === 1 ? `${agent} writes a plan` : `${agent} corrects its plan (round ${round} of ${mostRounds})`,
      })
      const prompt = planPrompt({ ...request, outline, config: settings.config, refused })
      const { ended, claim, text } = await supervise({
        preset,
        spec: { agent, ...(asking.model === undefined ? {} : { model: asking.model }) },
        prompt,
        promptFile: join(scratch, 'prompt'),
        isReadOnly: true,
        shell: shellIn(root, context),
      })
      claims.push(claim)
      if (context.signal.aborted) throw new PlanError('interrupted', 'interrupted; nothing was proposed')
      if (ended.kind === 'failed')
        throw new PlanError('step-failed', ended.message, { hint: { 'write it yourself': asking.byHand } })
      const answer = planInAnswer(text)
      const last = answer ?? text
      try {
        if (answer === undefined) throw noPlanError(agent)
        const endedAt = context.now().toISOString()
        return await use(answer, { claim: claimToText(total(agent, claims)), startedAt, endedAt, attempt: round })
      } catch (error) {
        if (!(error instanceof PlanError)) throw error
        // For example the id is taken: the agent cannot help it, and its work must not be lost.
        if (error.code !== 'invalid-plan' || round >= mostRounds) throw await keepAnswer(asking, last, error)
        const findings = error.facts['findings'] as readonly Finding[] | undefined
        refused = { answer: last, findings: findings ?? [mistake(error.message)] }
      }
    }
  })
}

async function requireAgent({ settings, context, agent }: Asking): Promise<AgentPreset> {
  const preset = presetOf(agent, settings.agents)
  if (preset === undefined)
    throw new PlanError('usage', `${agent.slice(0, 80)} is not an agent that is known here`, {
      hint: `git config plan.agent.${agent.slice(0, 80)}.run COMMAND`,
    })
  const [program = ''] = preset.argv
  if (!program.startsWith('/') && !(await isOnPath(program, stepEnvironment(context.env)['PATH'] ?? '')))
    throw new PlanError('preflight', `${program} is not on PATH`, { hint: asking(agent) })
  return preset
}

const asking = (agent: string): string => `git config plan.agent.${agent}.run COMMAND`

const noPlanError = (agent: string): PlanError =>
  new PlanError('invalid-plan', `the answer of ${agent} has no plan in it`, {
    facts: { findings: [mistake('the answer has no block with a plan: a line with three dashes, keys, three dashes')] },
  })

const mistake = (message: string): Finding => ({ rule: 'no-plan', severity: 'error', message, file: 'plan.md' })

/** A person may correct what the agent could not. */
async function keepAnswer({ agent, again }: Asking, answer: string, error: PlanError): Promise<PlanError> {
  const file = join(await mkdtemp(join(tmpdir(), 'git-plan-')), 'plan.md')
  await writeFile(file, answer)
  const isInvalid = error.code === 'invalid-plan'
  const message = isInvalid ? `${agent} wrote no valid plan in ${mostRounds} rounds: ${error.message}` : error.message
  return new PlanError(error.code, message, {
    hint: { [isInvalid ? `correct ${file}, then` : 'use its plan']: again(quoteIfNeeded(file)) },
    facts: error.facts,
    cause: error,
  })
}

/** The turns and the cost of all rounds; what the agent says about a plan is the plan. */
function total(agent: string, claims: readonly Claim[]): Claim {
  const sum = (key: 'turns' | 'costUsd'): number | undefined => {
    const known = claims.flatMap((claim) => claim[key] ?? [])
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0)
  }
  return makeClaim(agent, { turns: sum('turns'), costUsd: sum('costUsd') })
}

/** Nothing of the user's repository is the working directory of the agent. */
function shellIn(root: string, context: CommandContext): Shell {
  const run = randomUUID()
  return (command, more = {}) =>
    runShell({
      command,
      cwd: root,
      env: { ...stepEnvironment(context.env), GIT_CEILING_DIRECTORIES: root, ...more.env, [runMarker]: run },
      run,
      timeoutMs: more.timeoutMs,
      idleMs: more.idleMs,
      limitSignal: more.limitSignal,
      outputLimit: mostOutput,
      signal: context.signal,
      onGroup: () => Promise.resolve(),
      onOutput: (chunk, stream) => {
        more.onOutput?.(chunk, stream)
        return undefined
      },
    })
}

/** The paths of the files; of a large repository, directories with their number of files. */
async function outlineOf(repo: Repository, commit: Oid): Promise<string[]> {
  const paths = (await repo.git.text(['ls-tree', '-r', '-z', '--name-only', commit])).split('\0').filter(Boolean)
  if (paths.length <= mostPaths) return paths
  const depths = [4, 3, 2, 1]
  for (const depth of depths) {
    const counts = new Map<string, number>()
    for (const path of paths) {
      const parts = path.split('/')
      const key = parts.length <= depth ? path : `${parts.slice(0, depth).join('/')}/`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    if (counts.size > mostPaths && depth > 1) continue
    const lines = [...counts].map(([key, count]) => (key.endsWith('/') ? `${key} (${count} files)` : key))
    return lines.length <= mostPaths ? lines : [...lines.slice(0, mostPaths), `… and ${lines.length - mostPaths} more`]
  }
  return []
}
