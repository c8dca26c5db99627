// What is installed for each agent: the table. Facts about the agents are in docs/agents.md.

import { join } from 'node:path'
import type { Environment } from '../../../process/environment.ts'
import { installable, type Installable, type Role } from '../agent-status.ts'
import { claudeProblem } from './claude-settings.ts'
import type { JsonEntry } from './splice-json.ts'
import {
  commandForms,
  geminiPolicy,
  openCodeAgent,
  openCodePlugin,
  piExtension,
  skillText,
  slashCommands,
} from './texts.ts'

export const isInstallable = (name: string): name is Installable => (installable as readonly string[]).includes(name)

interface InFile {
  readonly role: Role
  /** Relative to the top of the repository, or to the home directory of the user. */
  readonly file: string
}
/** An entry in a JSON file of the user. */
export interface JsonPiece extends InFile {
  readonly kind: 'json'
  readonly entry: JsonEntry
  /** Recognizes an entry of ours, of whatever version. */
  readonly isOurs: (value: unknown) => boolean
  /** What a new file contains beside the entries. */
  readonly base?: Readonly<Record<string, unknown>>
  /** Why the agent would ignore the whole file. */
  readonly problemIn?: (text: string) => string | undefined
}
/** Lines in a TOML file of the user. */
export interface BlockPiece extends InFile {
  readonly kind: 'block'
  readonly block: string
  /** The table that the block defines. */
  readonly table: readonly string[]
}
/** A file that is ours as a whole. */
export interface FilePiece extends InFile {
  readonly kind: 'file'
  readonly text: () => Promise<string>
}
export type Piece = JsonPiece | BlockPiece | FilePiece

export type Scope = 'project' | 'user'

/**
 * The guard exits with 0 or 2. Any other code means that it gave no answer: it is not installed, was killed, or ran out
 * of memory. Then the tool is denied if plan mode is on. It has a deadline of its own, unless it hangs before it begins,
 * as Node may without memory; most agents would let the tool run after their timeout, so `timeout` ends it, if there is
 * one.
 */
export function guardCommand(agent: Installable): string {
  const allow = agent === 'cursor' ? ` && echo '{"permission":"allow"}'` : ''
  const guard = `git plan guard --agent ${agent}`
  return [
    `if command -v timeout >/dev/null; then timeout -s KILL 8 ${guard}; else ${guard}; fi || { test $? = 2 && exit 2;`,
    `test ! -e "$(git rev-parse --git-dir 2>/dev/null)/plan/.tree/mode.json"${allow} ||`,
    `{ echo 'plan mode is on, and git plan guard failed: git plan doctor' >&2; exit 2; }; }`,
  ].join(' ')
}
const contextCommand = (agent: Installable): string => `git plan context --hook ${agent} || exit 0`

const says =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    pattern.test(JSON.stringify(value) ?? '')
const isGuard = says(/\bgit[ -]plan guard --agent\b|"plan","guard"/)
const isContext = says(/\bgit[ -]plan context --hook\b|"plan","context"/)

/** An entry that starts `git plan mcp`; the name of an entry says nothing. */
export const isServer = (value: unknown): boolean =>
  /^(git plan|git-plan|npx (-y |--yes )?git-plan) mcp$/.test(serverCommand(value))

/** The words that it starts. */
export function serverCommand(value: unknown): string {
  const { command, args, url } = (value ?? {}) as Record<string, unknown>
  return [command, args, url].flat().filter(isText).join(' ')
}
const isText = (value: unknown): value is string => typeof value === 'string'

/** Seconds. The guard answers within five. */
const timeout = 10

const element = (
  role: Role,
  file: string,
  path: readonly string[],
  value: unknown,
  problemIn?: JsonPiece['problemIn'],
): JsonPiece => ({
  kind: 'json',
  role,
  file,
  entry: { path, isElement: true, value },
  isOurs: role === 'guard' ? isGuard : isContext,
  ...(problemIn === undefined ? {} : { problemIn }),
})

const server = (file: string, path: readonly string[], value: unknown): JsonPiece => ({
  kind: 'json',
  role: 'mcp',
  file,
  entry: { path, value },
  isOurs: isServer,
})
const stdioServer = { command: 'git', args: ['plan', 'mcp'] }

const file = (role: Role, name: string, text: () => Promise<string>): FilePiece => ({
  kind: 'file',
  role,
  file: name,
  text,
})
const skill = (directory: string): FilePiece => file('skill', `${directory}/skills/git-plan/SKILL.md`, skillText)
const commandFiles = (directory: string, form: keyof typeof commandForms, extension = 'md'): FilePiece[] =>
  slashCommands.map((name) => file('command', `${directory}/${name}.${extension}`, () => commandForms[form](name)))

/** A hook in the form of Claude, which Codex and goose read too. */
const claudeHook = (command: string, more: object = {}): object => ({
  hooks: [{ type: 'command', command, timeout, ...more }],
})

const jsonText = (value: unknown) => async (): Promise<string> => `${JSON.stringify(value, null, 2)}\n`

/** For `--user` the names are relative to the home directory. */
const tables: Readonly<Record<Installable, (scope: Scope, env: Environment) => readonly Piece[]>> = {
  claude: (scope) => [
    element(
      'guard',
      '.claude/settings.json',
      ['hooks', 'PreToolUse'],
      // `onFailure` denies where the hook times out; Claude knows it since 2.1.295.
      { matcher: '*', ...claudeHook(guardCommand('claude'), { onFailure: 'block' }) },
      claudeProblem,
    ),
    element('context', '.claude/settings.json', ['hooks', 'SessionStart'], claudeHook(contextCommand('claude'))),
    ...(scope === 'project' ? [server('.mcp.json', ['mcpServers', 'git-plan'], stdioServer)] : []),
    ...commandFiles('.claude/commands', 'frontMatter'),
    skill('.claude'),
  ],
  codex: (scope, env) => {
    const home = scope === 'user' && env['CODEX_HOME'] ? env['CODEX_HOME'] : '.codex'
    return [
      element('guard', join(home, 'hooks.json'), ['hooks', 'PreToolUse'], {
        matcher: '*',
        ...claudeHook(guardCommand('codex'), { statusMessage: 'git plan' }),
      }),
      element('context', join(home, 'hooks.json'), ['hooks', 'SessionStart'], claudeHook(contextCommand('codex'))),
      {
        kind: 'block',
        role: 'mcp',
        file: join(home, 'config.toml'),
        table: ['mcp_servers', 'git-plan'],
        block: '[mcp_servers.git-plan]\ncommand = "git"\nargs = ["plan", "mcp"]\n',
      },
      skill('.agents'),
    ]
  },
  gemini: () => [
    element('guard', '.gemini/settings.json', ['hooks', 'BeforeTool'], {
      matcher: '*',
      // Milliseconds.
      hooks: [{ type: 'command', name: 'git-plan', command: guardCommand('gemini'), timeout: timeout * 1000 }],
    }),
    element('context', '.gemini/settings.json', ['hooks', 'SessionStart'], {
      hooks: [{ type: 'command', name: 'git-plan', command: contextCommand('gemini'), timeout: timeout * 1000 }],
    }),
    server('.gemini/settings.json', ['mcpServers', 'git-plan'], { ...stdioServer, trust: true }),
    // Not in `policies`: what is there holds without plan mode too.
    file('wall', '.gemini/git-plan-policy.toml', geminiPolicy),
    ...commandFiles('.gemini/commands', 'gemini', 'toml'),
    skill('.agents'),
  ],
  opencode: (scope, env) => {
    const home = scope === 'project' ? '.opencode' : join(env['XDG_CONFIG_HOME'] || '.config', 'opencode')
    return [
      file('guard', join(home, 'plugins/git-plan.js'), openCodePlugin),
      {
        ...server(scope === 'project' ? 'opencode.json' : join(home, 'opencode.json'), ['mcp', 'git-plan'], {
          type: 'local',
          command: ['git', 'plan', 'mcp'],
          enabled: true,
        }),
        // opencode would add it to the file at its first start.
        base: { $schema: 'https://opencode.ai/config.json' },
      },
      file('wall', join(home, 'agents/git-plan.md'), openCodeAgent),
      ...commandFiles(join(home, 'commands'), 'frontMatter'),
      skill('.agents'),
    ]
  },
  copilot: (scope) => [
    ...(scope === 'project'
      ? [
          file(
            'guard',
            '.github/hooks/git-plan.json',
            jsonText({
              version: 1,
              hooks: {
                preToolUse: [{ type: 'command', bash: guardCommand('copilot'), timeoutSec: timeout }],
                sessionStart: [{ type: 'command', bash: contextCommand('copilot'), timeoutSec: timeout }],
              },
            }),
          ),
          server('.mcp.json', ['mcpServers', 'git-plan'], stdioServer),
        ]
      : [
          server('.copilot/mcp-config.json', ['mcpServers', 'git-plan'], {
            type: 'local',
            ...stdioServer,
            tools: ['*'],
          }),
        ]),
    skill('.agents'),
  ],
  cursor: () => [
    {
      kind: 'json',
      role: 'guard',
      file: '.cursor/hooks.json',
      entry: {
        path: ['hooks', 'preToolUse'],
        isElement: true,
        value: { command: guardCommand('cursor'), timeout, failClosed: true },
      },
      isOurs: isGuard,
      base: { version: 1 },
    },
    {
      ...element('context', '.cursor/hooks.json', ['hooks', 'sessionStart'], {
        command: contextCommand('cursor'),
        timeout,
      }),
      base: { version: 1 },
    },
    server('.cursor/mcp.json', ['mcpServers', 'git-plan'], stdioServer),
    ...commandFiles('.cursor/commands', 'plain'),
    skill('.agents'),
  ],
  goose: () => [
    file(
      'guard',
      '.agents/plugins/git-plan/hooks/hooks.json',
      jsonText({ hooks: { PreToolUse: [{ matcher: '.*', ...claudeHook(guardCommand('goose')) }] } }),
    ),
    file(
      'guard',
      '.agents/plugins/git-plan/plugin.json',
      jsonText({ name: 'git-plan', version: '0.1.0', description: 'Plan mode and plans of git plan' }),
    ),
    file('mcp', '.agents/plugins/git-plan/.mcp.json', jsonText({ mcpServers: { 'git-plan': stdioServer } })),
    skill('.agents'),
  ],
  pi: (scope) => {
    const home = scope === 'project' ? '.pi' : '.pi/agent'
    return [
      file('guard', `${home}/extensions/git-plan.ts`, piExtension),
      server(`${home}/mcp.json`, ['mcpServers', 'git-plan'], stdioServer),
      ...commandFiles(`${home}/prompts`, 'frontMatter'),
      skill('.agents'),
    ]
  },
}

export const piecesOf = (agent: Installable, scope: Scope, env: Environment): readonly Piece[] =>
  tables[agent](scope, env)
