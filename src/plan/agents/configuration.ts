// Files that decide what agents may do: hooks, settings, servers, roles and skills.

const settings = [
  '.claude',
  '.codex',
  '.gemini',
  '.cursor',
  '.opencode',
  '.pi',
  '.agents',
  '.goose',
  '.github/hooks',
  '.github/agents',
  '.github/mcp.json',
  '.mcp.json',
  'opencode.json',
  'opencode.jsonc',
]
const names = [...settings, '.plans', 'CLAUDE.md', 'AGENTS.md', 'GEMINI.md']

/** The name that a glob has to contain to allow a change of this path; undefined: it is not such a file. */
export const isAgentConfiguration = (path: string): string | undefined => names.find((name) => isNamed(name, path))

/** True if the name is that of the path or of a directory in it, at any depth. */
export const isNamed = (name: string, path: string): boolean => `/${fold(path)}/`.includes(`/${name.toLowerCase()}/`)

const fold = (path: string): string => path.normalize('NFC').toLowerCase()

/** True if the glob can only match plans and their configuration, which no agent changes in its step. */
export const isOfPlans = (glob: string): boolean => /^\.plans(?:\/|$)/.test(fold(glob))

/** Read by agents, or by the runtime of one, from the directory in which it starts; with it, addresses and programs. */
const ofRuntimes = ['.env', 'bunfig.toml']

/** A file, in any directory, by which a program or a server would be started; not texts such as CLAUDE.md. */
export function isAgentSetting(path: string): boolean {
  const inside = `/${fold(path)}/`
  return [...settings, ...ofRuntimes].some((name) => inside.includes(`/${name}/`))
}
