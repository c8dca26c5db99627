// Runs the jobs of templates/ci as a runner would: their own scripts, in clones such as runners make, with only the
// environment that a runner provides.

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { bin, ended, type Ran } from './repo.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

type Variables = Readonly<Record<string, string>>

interface GitHubWorkflow {
  readonly defaults: { readonly run: { readonly shell: string } }
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly run?: string; readonly env?: Variables }[] }>
  >
}

interface GitLabJob {
  readonly extends?: string
  readonly before_script?: readonly string[]
  readonly script?: readonly string[]
  readonly variables?: Variables
}

export const template = (name: string): string => readFileSync(join(root, 'templates', 'ci', name), 'utf8')

export class Runner {
  readonly #home: string
  readonly #env: Record<string, string>
  #clones = 0

  /** `top`: a directory for all of it. `remote`: what the address of the repository stands for. */
  constructor(top: string, remote: { readonly url: string; readonly bare: string }) {
    this.#home = join(top, 'runner')
    const programs = join(this.#home, 'bin')
    mkdirSync(programs, { recursive: true })
    const program = (name: string, text: string): void => {
      writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`)
      chmodSync(join(programs, name), 0o755)
    }
    program('git-plan', `exec '${process.execPath}' '${bin}' "$@"`)
    program('npm', `[ "$*" = 'install --global --ignore-scripts git-plan@${version}' ]`)
    writeFileSync(
      join(this.#home, '.gitconfig'),
      `[url "file://${remote.bare}"]\n\tinsteadOf = ${remote.url}\n[init]\n\tdefaultBranch = unknown\n`,
    )
    this.#env = {
      PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: this.#home,
      LANG: 'C.UTF-8',
      TMPDIR: process.env['TMPDIR'] ?? '/tmp',
    }
  }

  git(cwd: string, ...args: string[]): string {
    return execFileSync('git', args, { cwd, env: this.#env, encoding: 'utf8', stdio: 'pipe' }).trim()
  }

  /**
   * A clone of one commit, with HEAD detached and no branch of its own: `fetched` is what the runner asks for, as
   * refspecs with the commit as SHA.
   */
  clone(url: string, sha: string, fetched: readonly string[], depth?: number): string {
    const directory = join(this.#home, `clone-${(this.#clones += 1)}`, 'widgets')
    mkdirSync(directory, { recursive: true })
    this.git(directory, 'init', '-q')
    this.git(directory, 'remote', 'add', 'origin', url)
    const refspecs = fetched.map((refspec) => refspec.replace('SHA', sha))
    this.git(
      directory,
      'fetch',
      '-q',
      '--no-tags',
      ...(depth === undefined ? [] : [`--depth=${depth}`]),
      'origin',
      ...refspecs,
    )
    this.git(directory, 'checkout', '-q', '--detach', sha)
    return directory
  }

  /** `context`: what the expressions stand for. */
  async onGitHub(job: string, cwd: string, context: Variables, env: Variables): Promise<Ran> {
    const workflow = parse(template('github-actions.yml')) as GitHubWorkflow
    if (workflow.defaults.run.shell !== 'bash') throw new Error('another shell')
    const ran: Ran[] = []
    for (const { run, env: given = {} } of workflow.jobs[job]?.steps ?? []) {
      if (run === undefined) continue
      const variables = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, evaluated(value, context)]),
      )
      ran.push(await this.#bash(run, cwd, { ...env, ...variables }))
      if (ran.at(-1)?.code !== 0) break
    }
    return together(ran)
  }

  async onGitLab(job: string, cwd: string, env: Variables): Promise<Ran> {
    const jobs = parse(template('gitlab-ci.yml')) as Readonly<Record<string, GitLabJob>>
    const own = jobs[job] ?? {}
    const above = jobs[own.extends ?? ''] ?? {}
    const lines = [...(own.before_script ?? above.before_script ?? []), ...(own.script ?? above.script ?? [])]
    const variables = Object.entries({ ...above.variables, ...own.variables }).map(
      ([name, value]): [string, string] => [name, value.replace(/\$(\w+)/g, (_, other: string) => env[other] ?? '')],
    )
    return this.#bash(lines.join('\n'), cwd, { ...env, ...Object.fromEntries(variables) })
  }

  #bash(script: string, cwd: string, env: Variables): Promise<Ran> {
    if (script.includes('${{')) throw new Error(`an expression inside a script is a place to inject another: ${script}`)
    const file = join(this.#home, 'script')
    writeFileSync(file, script)
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
      cwd,
      env: { ...this.#env, CI: 'true', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return ended(child)
  }
}

/** As much of the language of expressions as is used: names, and the first of them that is something. */
function evaluated(text: string, context: Variables): string {
  return text.replace(/\$\{\{ ([\w.]+(?: \|\| [\w.]+)*) \}\}/g, (_, names: string) => {
    const values = names.split(' || ').map((name) => {
      const value = context[name]
      if (value === undefined) throw new Error(`nothing says what ${name} is`)
      return value
    })
    return values.find((value) => value !== '') ?? ''
  })
}

const together = (all: readonly Ran[]): Ran => ({
  code: all.at(-1)?.code ?? -1,
  stdout: all.map(({ stdout }) => stdout).join(''),
  stderr: all.map(({ stderr }) => stderr).join(''),
  all: all.map((each) => each.all).join(''),
})
