// Files that decide what agents may do: hooks, settings, servers, roles and skills.

const names = [
  '.claude',
  '.codex',
  '.gemini',
  '.cursor',
  '.opencode',
  '.pi',
  '.agents',
  '.goose',
  '.plans',
  '.github/hooks',
  '.github/agents',
  '.github/mcp.json',
  '.mcp.json',
  'opencode.json',
  'opencode.jsonc',
  'CLAUDE.md',
  'AGENTS.md',
  'GEMINI.md',
]

/** The name that a glob has to begin with to allow a change of this path; undefined: it is not such a file. */
export function isAgentConfiguration(path: string): string | undefined {
  const folded = path.normalize('NFC').toLowerCase()
  return names.find((name) => {
    const each = name.toLowerCase()
    return folded === each || folded.startsWith(`${each}/`) || folded.includes(`/${each}/`)
  })
}
