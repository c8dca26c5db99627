// Real agents against a fake model: a home without anything of the machine, the files that point the agent to the
// model, and a run of it to its end.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bin } from '../helpers/repo.ts'
import { startModel, type FakeModel, type ModelOptions } from './fake-model.ts'
import { commandOf, type RealAgent } from './packages.ts'

export interface AgentRun {
  /** null: it was killed after the timeout. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly prompt?: string
  /** After the agent's own words for a headless run. */
  readonly args?: readonly string[]
  /** In place of the agent's own words. */
  readonly words?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** False: nobody has trusted the project, as far as a file says so. */
  readonly isTrusted?: boolean
}

/** A home directory and the model that the agent in it talks to. */
export class AgentHome {
  readonly agent: RealAgent
  readonly directory: string
  readonly model: FakeModel
  readonly env: Readonly<Record<string, string>>

  private constructor(agent: RealAgent, directory: string, model: FakeModel) {
    this.agent = agent
    this.directory = directory
    this.model = model
    const programs = join(directory, 'bin')
    mkdirSync(programs)
    symlinkSync(bin, join(programs, 'git-plan'))
    // Codex runs login shells, which begin with the PATH of the system.
    writeFileSync(join(directory, '.profile'), `PATH="${programs}:${dirname(process.execPath)}:$PATH"\n`)
    this.env = {
      PATH: [programs, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      HOME: directory,
      TMPDIR: tmpdir(),
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      // Nothing leaves the machine: what is not the model gets no answer.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost',
      ...setUps[agent](directory, model.url),
    }
  }

  static async make(agent: RealAgent, options: ModelOptions): Promise<AgentHome> {
    const directory = realpathSync(mkdtempSync(join(homes(), 'git-plan-agent-')))
    return new AgentHome(agent, directory, await startModel(options))
  }

  /** The agent to its end, without a terminal. */
  run({
    cwd,
    prompt = 'Do it.',
    words: given,
    args = [],
    env = {},
    timeoutMs = 90_000,
    isTrusted = true,
  }: RunOptions): Promise<AgentRun> {
    const command = commandOf(this.agent)
    if ('missing' in command) throw new Error(command.missing)
    if (this.agent === 'codex' && isTrusted) this.#trust(cwd)
    const { words, input } = headless[this.agent](prompt)
    const [program = '', ...first] = [...command.words, ...(given ?? words), ...args]
    return new Promise((resolve, reject) => {
      const child = spawn(program, first, {
        cwd,
        env: { ...this.env, ...env },
        // A group of its own, so that all of it can be ended.
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
      child.stdin.on('error', () => {})
      child.stdin.end(input ?? '')
      let isLate = false
      const endGroup = (): void => {
        try {
          process.kill(-(child.pid ?? 0), 'SIGKILL')
        } catch {
          // It has ended.
        }
      }
      const late = setTimeout(() => {
        isLate = true
        endGroup()
      }, timeoutMs)
      child.once('error', reject)
      child.once('close', (code) => {
        clearTimeout(late)
        endGroup()
        resolve({
          code: isLate ? null : code,
          stdout: Buffer.concat(stdout).toString(),
          stderr: Buffer.concat(stderr).toString(),
        })
      })
    })
  }

  /** The agent under its own name on PATH, for a plan that starts it. */
  installProgram(): void {
    const command = commandOf(this.agent)
    if ('missing' in command) throw new Error(command.missing)
    const words = command.words.map((word) => `'${word}'`).join(' ')
    writeFileSync(join(this.directory, 'bin', this.agent), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
  }

  /** A script in place of git-plan. */
  replaceGitPlan(script: string): void {
    const path = join(this.directory, 'bin/git-plan')
    rmSync(path)
    writeFileSync(path, script, { mode: 0o755 })
  }

  /** As a person does at the first start: without it Codex loads nothing of the project. */
  #trust(project: string): void {
    const file = join(this.directory, '.codex/config.toml')
    const table = `[projects.${JSON.stringify(project)}]`
    const text = readFileSync(file, 'utf8')
    if (!text.includes(table)) writeFileSync(file, `${text}\n${table}\ntrust_level = "trusted"\n`)
  }

  async remove(): Promise<void> {
    await this.model.close()
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Not below /tmp: Codex makes no helpers there. */
function homes(): string {
  const directory = join(process.env['GIT_PLAN_AGENTS_HOMES'] ?? '/var/tmp')
  mkdirSync(directory, { recursive: true })
  return directory
}

const write = (home: string, name: string, text: string): void => {
  mkdirSync(dirname(join(home, name)), { recursive: true })
  writeFileSync(join(home, name), text)
}

/** The files in the home and the variables that point each agent to the model. */
const setUps: Readonly<Record<RealAgent, (home: string, url: string) => Record<string, string>>> = {
  claude: (_, url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-mock',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  }),
  codex(home, url) {
    const provider = `[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\n`
    write(home, '.codex/config.toml', `model = "mock"\nmodel_provider = "mock"\n\n${provider}`)
    return { MOCK_KEY: 'mock' }
  },
  gemini(home, url) {
    write(home, '.gemini/settings.json', '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }\n')
    return {
      GEMINI_API_KEY: 'mock',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }
  },
  opencode(home, url) {
    const options = { baseURL: `${url}/v1`, apiKey: 'mock' }
    const mock = { npm: '@ai-sdk/openai-compatible', options, models: { m1: {} } }
    write(home, 'opencode.json', JSON.stringify({ provider: { mock } }))
    // It installs a package for its plugins, and would try for minutes.
    write(home, '.npmrc', 'fetch-retries=0\n')
    return {
      OPENCODE_CONFIG: join(home, 'opencode.json'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }
  },
  copilot: (_, url) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: 'mockmockmockkey',
    COPILOT_MODEL: 'gpt-4',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  goose: (_, url) => ({
    GOOSE_PROVIDER: 'openai',
    GOOSE_MODEL: 'gpt-4o',
    OPENAI_HOST: url,
    OPENAI_BASE_PATH: 'v1/chat/completions',
    OPENAI_API_KEY: 'mockmockmockkey',
    GOOSE_MODE: 'auto',
    GOOSE_DISABLE_KEYRING: '1',
  }),
  pi(home, url) {
    const mock = { baseUrl: `${url}/v1`, apiKey: 'mock', api: 'openai-completions', models: [{ id: 'm1' }] }
    write(home, '.pi/agent/models.json', JSON.stringify({ providers: { mock } }))
    return { PI_OFFLINE: '1', PI_TELEMETRY: '0' }
  },
}

/** The words of a headless run, and its standard input. */
const headless: Readonly<Record<RealAgent, (prompt: string) => { words: readonly string[]; input?: string }>> = {
  claude: (prompt) => ({
    // Not `bypassPermissions`, which root may not use.
    words:
      `-p --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools Bash Write Edit`.split(
        ' ',
      ),
    input: prompt,
  }),
  codex: (prompt) => ({
    // The guard is to be seen, not the sandbox.
    words: ['exec', '--json', '--dangerously-bypass-hook-trust', '-s', 'danger-full-access', '-'],
    input: prompt,
  }),
  gemini: (prompt) => ({ words: ['--approval-mode', 'yolo', '-o', 'stream-json'], input: prompt }),
  opencode: (prompt) => ({ words: ['run', '--format', 'json', '-m', 'mock/m1', '--auto', prompt] }),
  copilot: (prompt) => ({
    words: ['--output-format', 'json', '--allow-all-tools', '--no-ask-user', '--trust-folder', '-p', prompt],
  }),
  goose: (prompt) => ({
    words: ['run', '-i', '-', '--no-session', '-q', '--output-format', 'stream-json', '--with-builtin', 'developer'],
    input: prompt,
  }),
  pi: (prompt) => ({ words: ['--mode', 'json', '--no-session', '--model', 'mock/m1', '--approve', prompt] }),
}
