// What is installed for an agent, and whether its guard was seen to fire: files alone prove nothing, since several agents
// skip a correct entry without a word.

import { readHeartbeat, type Heartbeat } from '../../../store/guard-records.ts'
import type { AgentStatus, Installable, PieceState } from '../agent-status.ts'
import type { AgentPlace } from '../agents.ts'
import { adviceFor } from './advice.ts'
import { hasHooksOff } from './claude-settings.ts'
import { piecesOf, type Piece } from './pieces.ts'
import { inspectPiece, type FoundPiece } from './plan-changes.ts'
import { readTarget } from './target-file.ts'

/** True if something calls the guard. */
export async function isGuarded(top: string, pieces: readonly Piece[]): Promise<boolean> {
  const found = await Promise.all(
    pieces.filter(({ role }) => role === 'guard').map((piece) => inspectPiece(top, piece)),
  )
  return found.some(({ state }) => state === 'installed' || state === 'outdated')
}

export async function describeAgent(agent: Installable, place: AgentPlace): Promise<AgentStatus> {
  const { top, commonDir, scope, env, now } = place
  const found = await Promise.all(piecesOf(agent, scope, env).map((piece) => inspectPiece(top, piece)))
  const fired = (await readHeartbeat(commonDir, agent)) ?? null
  // Copilot and Cursor run the hooks of Claude.
  const byClaude = await hookOfClaude(agent, place)
  const own = found.map((each) =>
    byClaude && each.state === 'missing' && (each.piece.role === 'guard' || each.piece.role === 'context')
      ? { ...each, state: 'installed' as const }
      : each,
  )
  const isForeign = found.some(({ state }) => state === 'foreign')
  const isAbsent = !isForeign && !found.some(({ piece, state }) => !isShared(piece) && isThere.has(state))
  const isWhole = own.every(({ state }) => state === 'installed' || state === 'yours')
  const state = isWhole ? 'installed' : isAbsent ? 'absent' : 'partial'
  const hooksOff = agent === 'claude' && hooksAreOff(top)
  const lines = [
    ...firstLines(agent, { state, found: own, fired, now, hooksOff }),
    ...own.flatMap(({ piece, state: each, problem }) => {
      const text = stateTexts[each]
      return state === 'absent' || text === undefined ? [] : [`  ${piece.file}: ${problem ?? text}`]
    }),
    ...(state === 'absent' || fired !== null ? [] : [`  if it does not fire: ${adviceFor(agent, scope).silent}`]),
    ...(state === 'absent' || adviceFor(agent, scope).wall === undefined
      ? []
      : [`  in plan mode, start it with: ${adviceFor(agent, scope).wall}`]),
  ]
  return {
    agent,
    state,
    files: own.map(({ piece, state: each, problem = null }) => ({
      file: piece.file,
      role: piece.role,
      state: each,
      problem,
    })),
    fired,
    lines,
  }
}

const isThere: ReadonlySet<PieceState> = new Set(['installed', 'outdated', 'changed'])
/** Other agents use them too. */
const isShared = ({ role }: Piece): boolean => role === 'skill' || role === 'mcp'

async function hookOfClaude(agent: Installable, { top, scope, env }: AgentPlace): Promise<boolean> {
  if (scope === 'user' || (agent !== 'copilot' && agent !== 'cursor')) return false
  return isGuarded(top, piecesOf('claude', scope, env))
}

function hooksAreOff(top: string): boolean {
  try {
    return hasHooksOff(readTarget(top, '.claude/settings.json') ?? '{}')
  } catch {
    return false
  }
}

const stateTexts: Readonly<Record<PieceState, string | undefined>> = {
  installed: undefined,
  yours: undefined,
  missing: 'not installed',
  outdated: 'written by another version of git plan',
  changed: 'edited by hand',
  foreign: 'of another program',
  broken: 'cannot be read',
}

function firstLines(
  agent: Installable,
  facts: {
    readonly state: AgentStatus['state']
    readonly found: readonly FoundPiece[]
    readonly fired: Heartbeat | null
    readonly now: Date
    readonly hooksOff: boolean
  },
): string[] {
  const { state, found, fired, now, hooksOff } = facts
  if (state === 'absent') return [`${agent}: not installed; to install it: git plan agents install ${agent}`]
  if (hooksOff) return [`${agent}: installed, but \`disableAllHooks\` in .claude/settings.json turns the guard off`]
  const hasGuard = found.filter(({ piece }) => piece.role === 'guard').every((each) => each.state === 'installed')
  const what = hasGuard ? (state === 'installed' ? 'installed' : 'installed in part') : 'installed without a guard'
  if (found.some((each) => each.state === 'foreign')) return [`${agent}: ${what}, and a name of git plan is taken`]
  const when = fired === null ? 'never seen to fire' : `fired ${agoText(fired.at, now)}`
  return [
    `${agent}: ${what}, ${when}${state === 'installed' ? '' : `; to repair it: git plan agents install ${agent}`}`,
  ]
}

function agoText(at: string, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000))
  const [amount, unit] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 3600
        ? [Math.floor(seconds / 60), 'minute']
        : seconds < 86_400
          ? [Math.floor(seconds / 3600), 'hour']
          : [Math.floor(seconds / 86_400), 'day']
  return `${amount} ${unit}${amount === 1 ? '' : 's'} ago`
}
