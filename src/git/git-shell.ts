// A small shell that starts git for us. To fork a program as large as ours takes longer than most of what git is asked for: from here a call costs
// less than half as much. One call at a time, with nothing to read; whoever needs more starts git directly.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { plainShell } from '../process/environment.ts'
import { quoted, signalIn } from '../process/shell-words.ts'

export interface ShellAnswer {
  readonly code: number
  readonly signal: string | null
  readonly stdout: Buffer
  readonly stderr: string
}

export class GitShell {
  readonly #cwd: string
  readonly #env: Readonly<Record<string, string>>
  /** Comes after what git has said, on both streams. No repository can hold it: it is made up now. */
  readonly #nonce = randomBytes(16).toString('hex')
  readonly #mark = `\0${this.#nonce} `
  #child: ChildProcessWithoutNullStreams | undefined
  #call: { readonly stdout: Said; readonly stderr: Said; readonly resolve: (answer: ShellAnswer) => void } | undefined

  constructor(options: { cwd: string; env: Readonly<Record<string, string>> }) {
    this.#cwd = options.cwd
    this.#env = options.env
  }

  get isFree(): boolean {
    return this.#call === undefined
  }

  run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ShellAnswer> {
    if (this.#call !== undefined) throw new Error('the shell is at work')
    const child = this.#start()
    return new Promise((resolve) => {
      this.#call = { stdout: new Said(this.#mark), stderr: new Said(this.#mark), resolve }
      const given = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
      const said = `'\\000${this.#nonce} %d\\n'`
      const words = [...given, 'git', ...args.map(quoted)].join(' ')
      child.stdin.write(`${words} </dev/null; set -- $?; printf ${said} $1; printf ${said} $1 >&2\n`)
    })
  }

  close(): void {
    this.#child?.stdin.end()
    this.#child?.unref()
    this.#child = undefined
  }

  #start(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child
    // Its own group: Ctrl-C must not end git in the middle of a commit.
    const child = spawn('/bin/sh', [], { cwd: this.#cwd, env: plainShell(this.#env), stdio: 'pipe', detached: true })
    this.#child = child
    child.stdout.on('data', (chunk: Buffer) => this.#hear('stdout', chunk))
    child.stderr.on('data', (chunk: Buffer) => this.#hear('stderr', chunk))
    child.stdin.on('error', () => {})
    const ended = (signal: string): void => {
      // One that was closed has nothing to say about the calls of the next.
      if (this.#child !== child) return
      this.#child = undefined
      this.#answer({ code: 128, signal })
    }
    child.on('error', () => ended('SIGKILL'))
    child.on('close', (_, signal) => ended(signal ?? 'SIGKILL'))
    return child
  }

  #hear(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    const call = this.#call
    if (call === undefined) return
    call[stream].add(chunk)
    const { code } = call.stdout
    if (code === undefined || call.stderr.code === undefined) return
    // Git itself ends with 129 where it is called in a wrong way.
    const signal = code === 129 ? undefined : signalIn(code)
    this.#answer(signal === undefined ? { code, signal: null } : { code: 128, signal })
  }

  #answer({ code, signal }: { code: number; signal: string | null }): void {
    const call = this.#call
    if (call === undefined) return
    this.#call = undefined
    call.resolve({ code, signal, stdout: call.stdout.bytes(), stderr: call.stderr.bytes().toString() })
  }
}

/** What came on one stream, up to the mark. */
class Said {
  readonly #mark: string
  readonly #chunks: Buffer[] = []
  /** Enough of the end to hold the mark with its code. */
  #end = Buffer.alloc(0)
  code: number | undefined

  constructor(mark: string) {
    this.#mark = mark
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    const whole = Buffer.concat([this.#end, chunk])
    this.#end = Buffer.from(whole.subarray(-(this.#mark.length + 8)))
    const at = this.#end.lastIndexOf(this.#mark)
    if (at >= 0 && this.#end.at(-1) === 10) this.code = Number(this.#end.toString('latin1', at + this.#mark.length, this.#end.length - 1))
  }

  bytes(): Buffer {
    const whole = Buffer.concat(this.#chunks)
    const at = whole.lastIndexOf(this.#mark)
    return at < 0 ? whole : whole.subarray(0, at)
  }
}
