// Detects forbidden effects: a file outside the repository that only a program which must not run creates, and a
// snapshot of everything that belongs to the user.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { dangerRules } from '../../src/judge/shell/dangers/rules.ts'
import { onDisk } from './listing.ts'
import type { Ran, TestRepo } from './repo.ts'

/** For a step that must run to show what happens to it. */
export const allowed = `allow: [${Object.keys(dangerRules).join(', ')}]`

export class Canary {
  readonly path: string

  constructor(repo: TestRepo, name = 'canary') {
    this.path = join(dirname(repo.dir), name)
  }

  /** For a shell. */
  get command(): string {
    return `touch '${this.path}'`
  }

  /** A program that does it, and passes on what it is given. */
  program(): string {
    const path = `${this.path}-program`
    writeFileSync(path, `#!/bin/sh\n${this.command}\ncat 2>/dev/null\nexit 0\n`)
    chmodSync(path, 0o755)
    return path
  }

  get sang(): boolean {
    return existsSync(this.path)
  }
}

/** Refs, HEAD, index, files, configuration: all that a refusal leaves as it was. */
export const picture = (repo: TestRepo): unknown => ({
  refs: repo.git(['for-each-ref']),
  head: readFileSync(repo.path('.git/HEAD'), 'utf8'),
  index: repo.git(['ls-files', '-s']),
  files: onDisk(repo.dir),
  config: readFileSync(repo.path('.git/config'), 'utf8'),
})

export interface Refusal {
  readonly code: string
  readonly message: string
  readonly exitCode: number
  readonly findings?: readonly {
    readonly rule: string
    readonly line: number
    readonly column: number
    readonly message: string
    readonly advice?: string
  }[]
}

/** What a command with `--json` was refused with. */
export function refusalOf(ran: Ran): Refusal {
  const last = ran.stdout.trimEnd().split('\n').at(-1) ?? ''
  expect(last, ran.all.slice(0, 3000)).toMatch(/^\{"schemaVersion":1,"kind":"error"/)
  expect(ran.all).not.toMatch(/^\s+at .*\.[jt]s:\d+/m)
  const refusal = JSON.parse(last) as Refusal
  expect(ran.code).toBe(refusal.exitCode)
  expect(ran.code).toBeGreaterThan(0)
  return refusal
}
