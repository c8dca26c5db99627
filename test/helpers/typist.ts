// Types into a real interactive shell. Its `git-plan` answers completions like the program, and otherwise only records
// its arguments, which are the line that resulted from typing.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawn, type IPty } from '@lydell/node-pty'
import { bin, type TestRepo } from './repo.ts'

export class Typist {
  /** Everything that the terminal was sent. */
  screen = ''
  readonly #pty: IPty
  readonly #note: string
  readonly #questions: string

  constructor(repo: TestRepo, shell: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}) {
    const [program, ...args] = shell
    const programs = mkdtempSync(join(repo.home, 'bin-'))
    this.#note = join(programs, 'called-with')
    this.#questions = join(programs, 'questions')
    writeFileSync(this.#questions, '')
    const script = `#!/bin/sh
if [ "$1" = --complete ]; then
  printf '%s\\n' "$*" >> '${this.#questions}'
  exec '${process.execPath}' '${bin}' "$@"
fi
for each; do printf '%s\\n' "$each"; done > '${this.#note}.new'
mv '${this.#note}.new' '${this.#note}'
`
    writeFileSync(join(programs, 'git-plan'), script)
    chmodSync(join(programs, 'git-plan'), 0o755)
    // While a command runs the terminal edits lines itself, and its own Ctrl-U would take back what the shell has not
    // read yet.
    this.#pty = spawn('sh', ['-c', 'stty kill undef; exec "$0" "$@"', program, ...args], {
      cwd: repo.dir,
      env: { ...repo.env, PATH: `${programs}:${repo.env['PATH']}`, TERM: 'xterm', HISTFILE: '', ...env },
      cols: 200,
      rows: 50,
    })
    this.#pty.onData((text) => (this.screen += text))
  }

  type(keys: string): void {
    this.#pty.write(keys)
  }

  /** Types a line, and gives back what `git-plan` was called with. */
  async enter(keys: string): Promise<string[]> {
    rmSync(this.#note, { force: true })
    this.type(`${keys}\r`)
    await this.#until(() => existsSync(this.#note), `git-plan was not called after ${JSON.stringify(keys)}`)
    return readFileSync(this.#note, 'utf8').split('\n').slice(0, -1)
  }

  /** What the shell has asked the program, a question a line. */
  get questions(): string[] {
    return readFileSync(this.#questions, 'utf8').split('\n').slice(0, -1)
  }

  async sees(text: string): Promise<void> {
    await this.#until(() => this.screen.includes(text), `${JSON.stringify(text)} was not shown`)
  }

  close(): void {
    this.#pty.kill('SIGKILL')
  }

  async #until(isSo: () => boolean, trouble: string): Promise<void> {
    for (let waited = 0; !isSo(); waited += 20) {
      if (waited > 40_000) throw new Error(`${trouble}; the terminal has ${JSON.stringify(this.screen.slice(-2000))}`)
      await sleep(20)
    }
  }
}
