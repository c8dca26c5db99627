// `git plan safety`: the commands that count as reading beside the built-in ones: those of the project, and those that
// the session of an agent asks for.

import { refuseAgentShell } from '../../approval/rules/agent-shell.ts'
import { PlanError } from '../../errors.ts'
import { identityOf } from '../../git/trust/identity.ts'
import { declarationProblem } from '../../judge/shell/declarable.ts'
import { singleLine } from '../../plan/text/display.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { suggest } from '../../plan/text/nearest.ts'
import { agentNames } from '../../judge/agents/tools.ts'
import { readHeartbeat } from '../../store/guard-records.ts'
import {
  entryId,
  readSessionEntries,
  removeOldEntries,
  removeSessionEntry,
  writeSessionEntry,
  type SessionEntry,
} from '../../store/session-safety.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withRepository, type ReadContext } from '../with-repository.ts'

export interface SafetyRequest {
  readonly action?: string
  /** A tool, for `add`; an id. */
  readonly words?: readonly string[]
  readonly read?: readonly string[]
  readonly session?: string
  readonly message?: string
}

export interface SafetyEntryData {
  readonly source: 'project' | 'session'
  /** null: of the project. */
  readonly id: string | null
  readonly session: string | null
  readonly tool: string
  readonly read: readonly string[]
  readonly why: string | null
  /** `waiting`: no person has allowed it. */
  readonly state: 'active' | 'waiting'
}

export interface SafetyData {
  readonly entries: readonly SafetyEntryData[]
  readonly message: readonly string[]
}

interface Call extends ReadContext {
  readonly request: SafetyRequest
  readonly context: CommandContext
}

const actions = { list, add, remove, allow }

export function safety(request: SafetyRequest, context: CommandContext): Promise<CommandResult<SafetyData>> {
  const { action = 'list' } = request
  if (!isAction(action))
    throw new PlanError(
      'usage',
      `unknown action ${JSON.stringify(action.slice(0, 80))}; ${suggest(action.slice(0, 80), Object.keys(actions))}`,
      { hint: 'git plan safety list' },
    )
  return withRepository(context, async (reading) => actions[action]({ ...reading, request, context }))
}

const isAction = (name: string): name is keyof typeof actions => Object.hasOwn(actions, name)

function list({ repo: { commonDir }, settings, request: { session } }: Call): CommandResult<SafetyData> {
  const ofSessions = readSessionEntries(commonDir).filter((entry) => session === undefined || entry.session === session)
  const entries: SafetyEntryData[] = [
    ...settings.config.safety.map(({ tool, read }) => ({
      source: 'project' as const,
      id: null,
      session: null,
      tool,
      read,
      why: null,
      state: 'active' as const,
    })),
    ...ofSessions.map(describeEntry),
  ]
  const waiting = entries.find(({ state }) => state === 'waiting')
  return {
    kind: 'safety',
    exitCode: 0,
    data: { entries, message: entries.length === 0 ? ['No entries'] : entries.map(lineOf) },
    ...(waiting === undefined ? {} : { next: [`git plan safety allow ${waiting.id}`] }),
  }
}

const describeEntry = ({ id, session, tool, read, why, allowedAt }: SessionEntry): SafetyEntryData => ({
  source: 'session',
  id,
  session,
  tool,
  read,
  why,
  state: allowedAt === null ? 'waiting' : 'active',
})

const lineOf = ({ source, id, session, tool, read, why, state }: SafetyEntryData): string => {
  const from =
    source === 'project' ? 'project' : `${id} session ${session}${state === 'waiting' ? ', waits for a person' : ''}`
  return singleLine(
    `${from}: ${read.map((pattern) => `${tool} ${pattern}`).join(', ')}${why === null ? '' : ` (${why})`}`,
  )
}

/** Asks for it. Nothing is allowed before a person has said so. */
async function add({ repo, request, context }: Call): Promise<CommandResult<SafetyData>> {
  const { words = [], read = [], message } = request
  const tool = words.join(' ').trim()
  const hint = `git plan safety add npx go-gmail --read '* search *' --session ${quoteIfNeeded(request.session ?? 'NAME')}`
  if (tool === '' || read.length === 0) throw new PlanError('usage', 'safety add needs a tool and --read', { hint })
  if (read.length > 100 || [tool, ...read].some((text) => text.length > 200))
    throw new PlanError('usage', 'the entry is too long', { hint })
  const problem = declarationProblem({ tool, read })
  if (problem !== undefined)
    throw new PlanError('not-allowed', `${tool} cannot be declared: ${problem}`, { hint: 'git plan safety list' })
  const session = request.session ?? context.env['CLAUDE_CODE_SESSION_ID'] ?? (await lastSession(repo.commonDir))
  if (session === undefined)
    throw new PlanError('usage', 'no session of an agent is known here: name one with --session', { hint })
  removeOldEntries(repo.commonDir, context.now())
  const id = entryId({ session, tool, read })
  const known = readSessionEntries(repo.commonDir).find((each) => each.id === id)
  const entry: SessionEntry = known ?? {
    id,
    session,
    tool,
    read,
    why: message === undefined ? null : singleLine(message).slice(0, 200),
    askedAt: context.now().toISOString(),
    allowedAt: null,
    allowedBy: null,
  }
  writeSessionEntry(repo.commonDir, entry)
  return result(entry, lineOf(describeEntry(entry)), known?.allowedAt ? [] : [`git plan safety allow ${id}`])
}

/** The session that called the guard last. */
async function lastSession(commonDir: string): Promise<string | undefined> {
  const beats = await Promise.all(agentNames.map((name) => readHeartbeat(commonDir, name)))
  return beats
    .flatMap((beat) => (beat === undefined || beat.session === null ? [] : [{ at: beat.at, session: beat.session }]))
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]?.session
}

function remove(call: Call): CommandResult<SafetyData> {
  const entry = entryNamed(call)
  removeSessionEntry(call.repo.commonDir, entry.id)
  return result(entry, `Removed ${entry.id}`, [])
}

async function allow(call: Call): Promise<CommandResult<SafetyData>> {
  const { repo, context } = call
  const entry = entryNamed(call)
  refuseAgentShell(context.env, `can allow ${entry.id}`, `git plan safety allow ${entry.id}`)
  const problem = declarationProblem(entry)
  if (problem !== undefined)
    throw new PlanError('not-allowed', `${entry.tool} cannot be declared: ${problem}`, {
      hint: `git plan safety remove ${entry.id}`,
    })
  const text = `${lineOf(describeEntry(entry))}\nIn this session the guard will allow these commands in plan mode.`
  if (context.isInteractive && !(await context.confirm(text, 'Allow it?')))
    throw new PlanError('not-approved', `you did not allow ${entry.id}`, { hint: `git plan safety remove ${entry.id}` })
  const allowedBy = (await identityOf(repo, 'COMMITTER')).replace(/ \d+ [+-]\d{4}$/, '')
  const allowed = { ...entry, allowedAt: context.now().toISOString(), allowedBy }
  writeSessionEntry(repo.commonDir, allowed)
  return result(allowed, `Allowed ${entry.id} for session ${entry.session}`, [])
}

function entryNamed({ repo, request: { words = [], session } }: Call): SessionEntry {
  const [id = ''] = words
  const entry = readSessionEntries(repo.commonDir).find(
    (each) => each.id === id && (session === undefined || each.session === session),
  )
  if (entry !== undefined) return entry
  throw new PlanError('usage', `no session has asked for ${JSON.stringify(id.slice(0, 80))}`, {
    hint: 'git plan safety list',
  })
}

const result = (entry: SessionEntry, message: string, next: readonly string[]): CommandResult<SafetyData> => ({
  kind: 'safety',
  exitCode: 0,
  data: { entries: [describeEntry(entry)], message: [message] },
  ...(next.length === 0 ? {} : { next }),
})
