// The environment of the measurements: a temporary directory, an environment without the machine's settings, and
// functions that run and time programs in it.

import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Interrupted } from './stops.mjs'

/** The program under measurement. */
export const cli = join(process.env.GIT_PLAN_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url)), 'cli.mjs')

/**
 * Everything that a program sees: no configuration, no identity and no options of the machine's, or two machines would
 * measure different things.
 */
const environment = (home) => ({
  PATH: process.env.PATH,
  HOME: home,
  TMPDIR: tmpdir(),
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada Bench',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada Bench',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
})

/** The end of what a program printed, for the message of a failure. */
const tail = (text) => text.trimEnd().split('\n').slice(-8).join('\n')

export class Place {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'git-plan-bench-')))
  env
  #made = new Map()

  constructor() {
    const home = join(this.top, 'home')
    mkdirSync(home)
    this.env = environment(home)
  }

  /** What is made once and used by several subjects, such as a repository of 50,000 files. */
  once(name, make) {
    if (!this.#made.has(name)) this.#made.set(name, make(join(this.top, name)))
    return this.#made.get(name)
  }

  /**
   * Runs a program to its end and says how long it took; one that fails ends the figure. Its output goes to a file,
   * which no program has to wait for.
   */
  time(program, args, { cwd = this.top, env = {}, input, expected = 0 } = {}) {
    const file = join(this.top, 'output')
    const output = openSync(file, 'w')
    const began = performance.now()
    const { status, signal, error } = spawnSync(program, args, {
      cwd,
      env: { ...this.env, ...env },
      input,
      stdio: [input === undefined ? 'ignore' : 'pipe', output, output],
    })
    const ms = performance.now() - began
    closeSync(output)
    // Programs that clean up after Ctrl-C end with 130.
    if (signal === 'SIGINT' || status === 130) throw new Interrupted('interrupted')
    if (status !== expected) {
      const ended = error?.message ?? `exit code ${status ?? signal}, expected ${expected}`
      throw new Error(`${this.#typed([program, ...args])}: ${ended}\n${tail(readFileSync(file, 'utf8'))}`)
    }
    return { ms, began: performance.timeOrigin + began, output: () => readFileSync(file, 'utf8') }
  }

  /** A command as one would type it, without the places of this machine. */
  #typed(words) {
    return words.join(' ').replace(`${process.execPath} ${cli}`, 'git plan').replaceAll(this.top, '…')
  }

  /** Runs `git plan` and says how long it took. */
  plan(args, options) {
    return this.time(process.execPath, [cli, ...args], options)
  }

  remove() {
    rmSync(this.top, { recursive: true, force: true, maxRetries: 3 })
  }
}
