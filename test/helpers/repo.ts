// A real repository in a temporary directory, with a fixed author and none of the machine's configuration.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Readable } from 'node:stream'
import { test as base } from 'vitest'
import { run } from '../../src/adapters/cli/main.ts'
import type { Sink } from '../../src/adapters/cli/output.ts'
import { isChecked, refusedSuggestions, type Situation } from './suggestions.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The bundle under test. */
export const bin = join(process.env['GIT_PLAN_DIST'] ?? join(root, 'dist'), 'cli.mjs')

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Both, for looking for a word. */
  readonly all: string
}

/** As a pipe would take it. */
export class PipeSink implements Sink {
  readonly isTTY = false
  readonly columns = 0
  text = ''

  get stream(): never {
    throw new Error('a pipe is not drawn on')
  }

  write(text: string): void {
    this.text += text
  }
}

export interface RunOptions {
  /** In a process of its own: for what kills it, measures it, or stops this one. */
  readonly isBinary?: boolean
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
  /** As `git plan`, which is how people call it: git is then the parent of the executor. */
  readonly throughGit?: boolean
}

/** Files and directories, to be written again elsewhere: building a repository takes many processes. */
export class Tree {
  readonly #top: string
  readonly #entries: readonly { readonly path: string; readonly mode: number; readonly bytes: Buffer | undefined }[]

  constructor(top: string) {
    this.#top = top
    // Directories before their files.
    this.#entries = readdirSync(top, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((path) => {
        const facts = statSync(join(top, path))
        return { path, mode: facts.mode & 0o777, bytes: facts.isFile() ? readFileSync(join(top, path)) : undefined }
      })
  }

  /** The configuration of a clone names the place of its remote. */
  writeTo(top: string): void {
    for (const { path, mode, bytes } of this.#entries) {
      if (bytes === undefined) mkdirSync(join(top, path), { mode, recursive: true })
      else
        writeFileSync(join(top, path), path.endsWith('/config') ? bytes.toString().replaceAll(this.#top, top) : bytes, {
          mode,
        })
    }
  }
}

/** The repository that most tests begin with, as the first test of this process made it. */
let usual: Tree | undefined

export class TestRepo {
  readonly home: string
  readonly dir: string
  readonly env: Record<string, string>
  /** Every command in a process of its own, since a step or a hook kills it. */
  isBinary = false
  /** Its remote is a server that would keep what a suggested command does there. */
  hasForge = false
  /** Not private, like the methods below: tests look at the same repository from elsewhere through its prototype. */
  readonly suggestions = { running: 0, check: Promise.resolve(), refused: new Array<string>() }

  constructor(options: { init?: readonly string[]; isEmpty?: boolean } = {}) {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'git-plan-test-')))
    this.home = join(top, 'home')
    this.dir = join(top, 'repo')
    mkdirSync(this.home)
    mkdirSync(this.dir)
    const fast = process.env['GIT_PLAN_NO_FAST_PATHS']
    this.env = {
      ...(fast === undefined ? {} : { GIT_PLAN_NO_FAST_PATHS: fast }),
      PATH: process.env['PATH'] ?? '',
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, '.config'),
      // One for all: what Node compiled in one test is there in the next.
      XDG_CACHE_HOME: join(tmpdir(), 'git-plan-test-cache'),
      TMPDIR: tmpdir(),
      LANG: 'C.UTF-8',
      TZ: 'UTC',
    }
    const isUsual = options.init === undefined && options.isEmpty !== true
    if (isUsual && usual !== undefined) {
      usual.writeTo(this.dir)
      this.refreshIndex()
      return
    }
    this.git(['init', '-q', '-b', 'main', ...(options.init ?? [])])
    this.git(['config', 'user.name', 'Ada'])
    this.git(['config', 'user.email', 'ada@example.com'])
    if (options.isEmpty !== true) {
      this.write('a.txt', 'hello\n')
      this.git(['add', '.'])
      this.git(['commit', '-q', '-m', 'First'])
    }
    if (isUsual) usual = new Tree(this.dir)
  }

  /** A copy of an index has the inodes and times of other files: git would have to compare their contents. */
  refreshIndex(cwd = this.dir): void {
    this.git(['update-index', '-q', '--refresh'], { cwd })
  }

  path(...parts: string[]): string {
    return join(this.dir, ...parts)
  }

  write(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    writeFileSync(this.path(path), text)
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8')
  }

  /** Output without the final newline. Throws with git's message when it fails. */
  git(args: readonly string[], options: RunOptions = {}): string {
    return execFileSync('git', [...args], {
      cwd: options.cwd ?? this.dir,
      env: { ...this.env, ...options.env },
      input: options.input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    }).replace(/\n$/, '')
  }

  commit(message: string): string {
    this.git(['add', '-A'])
    this.git(['commit', '-q', '-m', message])
    return this.git(['rev-parse', 'HEAD'])
  }

  /** A PATH on which git finds the bundle under test as `git-plan`. */
  pathForGit(path = this.env['PATH']): string {
    const programs = join(dirname(this.dir), 'bin')
    if (!existsSync(programs)) {
      mkdirSync(programs)
      symlinkSync(bin, join(programs, 'git-plan'))
    }
    return [programs, dirname(process.execPath), path].join(':')
  }

  /** The program, to its end: in this process, and one command line in ten as the real binary. */
  async plan(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    if (!isChecked) return this.run(args, options)
    await this.suggestions.check
    const ran = await this.run(args, options)
    const env = { ...this.env, ...options.env }
    await this.checkSuggestions({
      typed: `git plan ${args.join(' ')}`,
      printed: ran.all,
      cwd: options.cwd ?? this.dir,
      env,
    })
    return ran
  }

  /** Not while something else runs here, which would find a copy. */
  checkSuggestions(situation: Omit<Situation, 'repo'>): Promise<void> {
    const state = this.suggestions
    if (state.running > 0) return Promise.resolve()
    const before = state.check
    const check = async (): Promise<void> => {
      await before
      state.refused.push(...(await refusedSuggestions({ repo: this, ...situation })))
    }
    return (state.check = check())
  }

  run(args: readonly string[], options: RunOptions): Promise<Ran> {
    const isTenth = [...args.join(' ')].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 10 === 0
    // Options of Node are for a process that begins with them.
    const isBinary = options.isBinary ?? (this.isBinary || 'NODE_OPTIONS' in { ...this.env, ...options.env } || isTenth)
    return isBinary ? ended(this.spawn(args, options)) : this.runInProcess(args, options)
  }

  /** Not private: tests look at the same repository from another directory through its prototype. */
  async runInProcess(args: readonly string[], options: RunOptions): Promise<Ran> {
    const [stdout, stderr] = [new PipeSink(), new PipeSink()]
    this.suggestions.running += 1
    const code = await run(args, {
      cwd: options.cwd ?? this.dir,
      env: { ...this.env, ...options.env },
      stdin: Readable.from(options.input === undefined ? [] : [Buffer.from(options.input)]),
      stdout,
      stderr,
      now: () => new Date(),
      signal: new AbortController().signal,
    })
    this.suggestions.running -= 1
    return { code, stdout: stdout.text, stderr: stderr.text, all: stdout.text + stderr.text }
  }

  /** The real binary, running. Its own process group, so that a test can kill all of it. */
  spawn(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const [program, first] = options.throughGit === true ? ['git', 'plan'] : [process.execPath, bin]
    const child = spawn(program, [first, ...args], {
      cwd: options.cwd ?? this.dir,
      env: { ...this.env, ...(options.throughGit === true ? { PATH: this.pathForGit() } : {}), ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    child.stdin?.end(options.input ?? '')
    this.suggestions.running += 1
    child.once('exit', () => (this.suggestions.running -= 1))
    return child
  }

  async json(args: readonly string[], options: RunOptions = {}): Promise<Record<string, never>> {
    const ran = await this.plan([...args, '--json'], options)
    const line = ran.stdout.trimEnd().split('\n').at(-1) ?? ''
    try {
      return JSON.parse(line)
    } catch {
      throw new Error(`no JSON: ${ran.all}`)
    }
  }

  /** `git status`, everything: empty when clean. */
  status(): string {
    return this.git(['status', '--porcelain'])
  }

  subjects(ref = 'HEAD'): string[] {
    return this.git(['log', '--first-parent', '--format=%s', ref]).split('\n')
  }

  fsck(): string {
    return this.git(['fsck', '--strict', '--no-dangling'])
  }

  remove(): void {
    rmSync(dirname(this.dir), { recursive: true, force: true })
    const { refused } = this.suggestions
    if (refused.length > 0) throw new Error(`suggested commands are refused:\n\n${refused.join('\n')}`)
  }
}

export function ended(child: ChildProcess): Promise<Ran> {
  return new Promise((resolve) => {
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('close', (code, signal) =>
      resolve({ code: code ?? (signal === null ? -1 : 256), stdout, stderr, all: stdout + stderr }),
    )
  })
}

/** A plan file from its steps, in YAML. */
export const planText = (steps: string, more = ''): string => `---\n${more}steps:\n${steps}\n---\n\nProse.\n`

/** `test` with a repository that is removed afterwards. */
export const test = base.extend<{ repo: TestRepo }>({
  repo: async ({}, use) => {
    const repo = new TestRepo()
    await use(repo)
    repo.remove()
  },
})
