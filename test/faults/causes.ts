// Real causes of faults: small and read-only file systems, limits, clocks, a git that dies. A missing tool is an error,
// never a pass.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { bin, type RunOptions, type TestRepo } from '../helpers/repo.ts'

/** Where a program is, or an error that says how to get it. */
export function tool(name: string, from: string): string {
  const found = (process.env['PATH'] ?? '').split(':').find((directory) => existsSync(join(directory, name)))
  if (found === undefined)
    throw new Error(`${name} is missing, and what it causes was not tried: apt-get install ${from}`)
  return join(found, name)
}

/** The real binary, started by another program. */
export function spawnUnder(
  repo: TestRepo,
  by: readonly string[],
  args: readonly string[],
  options: RunOptions = {},
): ChildProcess {
  const [program = '', ...words] = by
  const child = spawn(program, [...words, process.execPath, bin, ...args], {
    cwd: repo.dir,
    env: { ...repo.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  return child
}

/** The environment that sets the clock of everything that is started with it. */
export function clock(offset: string): Record<string, string> {
  const libraries = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
  const library = libraries.find((path) => existsSync(path))
  if (library === undefined)
    throw new Error('libfaketime is missing, and no other clock was tried: apt-get install faketime')
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

/** A small file system in the place of a directory, with what was in it. */
export class Mounted {
  readonly path: string

  constructor(path: string, kilobytes: number) {
    this.path = path
    const kept = `${path}.kept`
    renameSync(path, kept)
    mkdirSync(path)
    try {
      execFileSync(tool('mount', 'mount'), ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    } catch (error) {
      throw new Error(
        `a tmpfs cannot be mounted here, and the disk was not tried: run the tests as root, or allow user namespaces (unshare -rm)`,
        {
          cause: error,
        },
      )
    }
    cpSync(kept, path, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    rmSync(kept, { recursive: true })
  }

  remount(how: 'ro' | 'rw'): void {
    // Of the mount, not of the file system: that is all a user namespace may do.
    execFileSync('mount', ['-o', `remount,bind,${how}`, this.path])
  }

  /** So that this many kilobytes are left. */
  fill(kilobytes: number): void {
    const facts = statfsSync(this.path)
    writeFileSync(
      join(this.path, '.git/fill'),
      Buffer.alloc(Math.max(0, facts.bavail * facts.bsize - kilobytes * 1024)),
    )
  }

  empty(): void {
    rmSync(join(this.path, '.git/fill'), { force: true })
  }

  unmount(): void {
    // What the run left may still be on its way out.
    execFileSync('umount', ['-l', this.path])
  }
}

/**
 * A git that does something to itself at its n-th call, while the file `armed` is there. The commands begin with `$n`
 * and `$real` set. `counted` tells how many calls there were.
 */
export function oddGit(repo: TestRepo, act: string): { env: Record<string, string>; counted: () => number } {
  const directory = join(dirname(repo.dir), 'odd')
  const file = (name: string): string => join(directory, name)
  mkdirSync(directory, { recursive: true })
  rmSync(file('calls'), { force: true })
  const real = tool('git', 'git')
  // A line is appended in one go, so that calls at the same time are counted as two.
  writeFileSync(
    file('git'),
    `#!/bin/sh\necho x >> ${file('calls')}\nn=$(wc -l < ${file('calls')})\n${act}\nexec ${real} "$@"\n`,
  )
  chmodSync(file('git'), 0o755)
  return {
    env: { PATH: `${directory}:${repo.env['PATH']}` },
    counted: () =>
      existsSync(file('calls'))
        ? Number(execFileSync('wc', ['-l', file('calls')], { encoding: 'utf8' }).split(' ')[0])
        : 0,
  }
}
