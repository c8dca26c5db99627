// A shell that belongs to an agent, or to a step of a plan: what is typed there is not a person's decision. The agent
// could hide it, so this is no boundary against a hostile one: a policy that asks for reviews or signatures is.

/** Variables that agents set in the shells that they use. */
const marks: Readonly<Record<string, string>> = {
  PLAN_STEP: 'a step of a plan',
  CLAUDECODE: 'Claude Code',
  CODEX_SANDBOX: 'Codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'Codex',
  GEMINI_CLI: 'Gemini CLI',
  COPILOT_CLI: 'Copilot',
  OPENCODE: 'opencode',
  CURSOR_AGENT: 'Cursor',
  GOOSE_TERMINAL: 'goose',
}

/** Whose shell it is; undefined: nothing says that it is not a person's. */
export function agentOfShell(
  env: Readonly<Record<string, string | undefined>>,
): { readonly agent: string; readonly variable: string } | undefined {
  const variable = Object.keys(marks).find((name) => (env[name] ?? '') !== '')
  return variable === undefined ? undefined : { agent: marks[variable] ?? variable, variable }
}
