// Requirements of the tests: programs that a machine may lack, and a directory for thousands of temporary repositories.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Tool {
  readonly name: string
  readonly packages: string
  /** The tests that need it, and what they try. */
  readonly tests: string
  readonly what: string
}

const isOnPath = (name: string, path: string): boolean =>
  path.split(':').some((directory) => existsSync(join(directory, name)))

const tools: readonly Tool[] = [
  {
    name: 'gcc',
    packages: 'gcc libc6-dev',
    tests: 'test/faults/{sweep/*,kills,quarantine}.test.ts',
    what: 'kills and errors at a given system call',
  },
  {
    name: 'strace',
    packages: 'strace',
    tests: 'test/faults/power.test.ts',
    what: 'the order of writes before a power cut',
  },
]

/**
 * Tests of `npm test` to leave out because a tool is missing, and a sentence for each. With CI=true that is an error.
 */
export function untestable(env: NodeJS.ProcessEnv): { globs: string[]; sentences: string[] } {
  const missing = tools.filter(({ name }) => !isOnPath(name, env['PATH'] ?? ''))
  if (env['CI'] === 'true' && missing.length > 0)
    throw new Error(
      `with CI=true every test must run: apt-get install ${missing.map(({ packages }) => packages).join(' ')}`,
    )
  return {
    globs: missing.map(({ tests }) => tests),
    sentences: missing.map(
      ({ name, packages, what }) => `skipped without ${name}: ${what} (apt-get install ${packages})`,
    ),
  }
}

/** In memory where there is room and where programs can be started: nothing is waited for until it is on a disk. */
export function temporaryDirectory(): string | undefined {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < 4 * 1024 ** 3) return undefined
  const directory = mkdtempSync(join(memory, 'git-plan-'))
  try {
    const program = join(directory, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    return spawnSync(program).status === 0 ? memory : undefined
  } finally {
    rmSync(directory, { recursive: true })
  }
}
