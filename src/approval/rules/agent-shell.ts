// A shell that belongs to an agent, or to a step of a plan: what is typed there is not a person's decision. The agent
// could hide it, so this is no boundary against a hostile one: a policy that asks for reviews or signatures is.

import { PlanError } from '../../errors.ts'

/** Variables that agents set in the shells that they use. */
export const agentMarks: Readonly<Record<string, string>> = {
  PLAN_STEP: 'a step of a plan',
  GIT_PLAN_MCP: 'a client of git plan mcp',
  GIT_PLAN_FLEET: 'git plan fleet',
  CLAUDECODE: 'Claude Code',
  CODEX_CI: 'Codex',
  CODEX_THREAD_ID: 'Codex',
  CODEX_SANDBOX: 'Codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'Codex',
  GEMINI_CLI: 'Gemini CLI',
  COPILOT_CLI: 'Copilot',
  OPENCODE: 'opencode',
  CURSOR_AGENT: 'Cursor',
  GOOSE_TERMINAL: 'goose',
  PI_CODING_AGENT: 'pi',
  AI_AGENT: 'an agent',
}

/** The variable that says that a shell is not a person's. */
export const agentMark = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  Object.keys(agentMarks).find((name) => (env[name] ?? '') !== '')

/** `what` only a person does; `command`: how. */
export function refuseAgentShell(
  env: Readonly<Record<string, string | undefined>>,
  what: string,
  command: string,
): void {
  const variable = agentMark(env)
  if (variable === undefined) return
  throw new PlanError(
    'not-allowed',
    `only a person ${what}, and this shell belongs to ${agentMarks[variable]} (${variable} is set)`,
    { hint: { 'in a terminal of your own': command } },
  )
}
