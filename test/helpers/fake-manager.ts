// A fake package manager: it records its arguments, and writes a manifest as the real one would.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestRepo } from './repo.ts'

export interface Call {
  readonly directory: string
  readonly words: readonly string[]
  /** The variable that keeps yarn 1 from running scripts. */
  readonly ignoreScripts: string
}

export class FakeManager {
  readonly #calls: string
  readonly #bin: string

  /** `then`: for the shell, after it was written down. */
  constructor(repo: TestRepo, name: string, then = '') {
    this.#bin = join(repo.home, 'bin')
    this.#calls = join(repo.home, `${name}.calls`)
    mkdirSync(this.#bin, { recursive: true })
    const path = join(this.#bin, name)
    // Each call is one line, each part of it ends with a byte that no word has.
    const record = `{ printf '%s\\037' "$PWD" "$yarn_ignore_scripts" "$@"; echo; } >> '${this.#calls}'`
    writeFileSync(path, `#!/bin/sh\n${record}\n${then}\n`)
    chmodSync(path, 0o755)
  }

  /** For a run that is to find it first. */
  get env(): Record<string, string> {
    return { PATH: `${this.#bin}:${process.env['PATH'] ?? ''}` }
  }

  get calls(): Call[] {
    if (!existsSync(this.#calls)) return []
    return readFileSync(this.#calls, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [directory = '', ignoreScripts = '', ...words] = line.split('\u001F').slice(0, -1)
        return { directory, ignoreScripts, words }
      })
  }
}
