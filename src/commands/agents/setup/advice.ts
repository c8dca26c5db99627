// What a user has to do with each agent, beside the files: trust, and the way to start it in plan mode.

import type { Installable } from '../agent-status.ts'
import type { Scope } from './pieces.ts'

interface Advice {
  /** After the installation. */
  readonly start: string
  /** If the guard is installed and does not fire. */
  readonly silent: string
  /** The wall for plan mode that does not depend on a hook. */
  readonly wall?: string
}

const advice: Readonly<Record<Installable, Advice>> = {
  claude: {
    start: 'start it in this repository; it may ask whether you trust the folder and the MCP server',
    silent: '--bare, --safe-mode and --restricted run no hooks',
  },
  codex: {
    start: 'start it, trust the project and all hooks (later: /hooks): until then it skips them without a word',
    silent: 'trust the project, and the hooks with /hooks; in a linked work tree it reads those of the main work tree',
    wall: 'codex -s read-only',
  },
  gemini: {
    start: 'start it and trust the folder; with --skip-trust it does not load the hooks',
    silent: 'trust the folder, or set GEMINI_CLI_TRUST_WORKSPACE=true; --skip-trust loads no hooks',
    wall: 'gemini --policy .gemini/git-plan-policy.toml',
  },
  opencode: {
    start: 'start it; at its first start it installs @opencode-ai/plugin from the registry',
    silent: '--pure loads no plugins, and a plugin that does not load is ignored without a word',
    wall: 'opencode --agent git-plan',
  },
  copilot: {
    start: 'start it and trust the folder: until then it skips the hooks without a word',
    silent: 'trust the folder: copilot --trust-folder',
  },
  cursor: { start: 'start it in this repository', silent: 'look at the output panel Hooks' },
  goose: {
    start: 'start it in this repository',
    silent: 'start goose in this repository: it loads the plugins of the directory that it is started in',
  },
  pi: {
    start: 'start it with pi --approve: without trust it does not load the extension',
    silent: 'start it with pi --approve, or pi -e .pi/extensions/git-plan.ts',
    wall: 'pi --approve --tools read,grep,find,ls',
  },
}

/** The files are elsewhere for all repositories of a user, and need no trust of a folder. */
export const adviceFor = (agent: Installable, scope: Scope): Advice =>
  scope === 'project' ? advice[agent] : { ...advice[agent], start: 'start it again' }
