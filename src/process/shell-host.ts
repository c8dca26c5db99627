// A shell that starts the commands of a run, one after the other: to fork a program as large as ours for each of them takes longer than many a command. All of
// them are in its group and session, and so is what they leave in the background. Whoever ends a command by force ends the host as well; the next command
// gets another one.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { factsOf } from './identity.ts'
import { isOfBash, plainShell } from './environment.ts'
import { markingWords } from './limit-mark.ts'
import type { Hear, RunningCommand } from './running-command.ts'
import { quoted, signalIn } from './shell-words.ts'

interface Command {
  readonly hear: Hear
  readonly codes: { stdout: number | undefined; stderr: number | undefined }
  readonly end: (result: { code: number | null; signal: string | null }) => void
}

/** Starts commands as long as it lives, and is replaced then. */
export class ShellHost {
  readonly #cwd: string
  readonly #env: Readonly<Record<string, string>>
  readonly #run: string
  #shell: HostShell | undefined

  constructor(options: { cwd: string; env: Readonly<Record<string, string>>; run: string }) {
    this.#cwd = options.cwd
    this.#run = options.run
    this.#env = plainShell(options.env)
  }

  /** The command begins when it is told to. undefined: it has to be started in another way. */
  start(command: string, env: Readonly<Record<string, string>>, hear: Hear): RunningCommand | undefined {
    const own = Object.entries(env).filter(([name, value]) => this.#env[name] !== value)
    const isMissing = Object.keys(this.#env).some((name) => env[name] === undefined)
    const isOdd = own.some(([name, value]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || isOfBash(name) || value.includes('\0')) || command.includes('\0')
    if (isMissing || isOdd) return undefined
    if (this.#shell === undefined || this.#shell.isGone) this.#shell = new HostShell(this.#cwd, this.#env, this.#run)
    return this.#shell.start([...own.map(([name, value]) => `${name}=${quoted(value)}`), 'exec /bin/sh -c', quoted(command)].join(' '), hear)
  }

  close(): void {
    this.#shell?.close()
    this.#shell = undefined
  }
}

class HostShell {
  readonly #child: ChildProcessWithoutNullStreams
  /** No command can know it beforehand: it is made up now. */
  readonly #nonce = randomBytes(16).toString('hex')
  #command: Command | undefined
  /** What may be the beginning of a mark. */
  readonly #rest = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
  /** Between two commands nobody listens: what comes then is of one that was left behind. */
  readonly #isOpen = { stdout: false, stderr: false }
  isGone = false

  constructor(cwd: string, env: Readonly<Record<string, string>>, run: string) {
    const child = spawn('/bin/sh', ['-s'], { cwd, env, stdio: 'pipe', detached: true })
    this.#child = child
    child.stdin.on('error', () => {})
    // What the shell itself has to say about the end of a command is no output of the command. A command that signals its group does not mean the shell.
    child.stdin.write(`exec 3>&2 2>/dev/null; trap : TERM INT HUP; ${markingWords(run)}\n`)
    child.stdout.on('data', (chunk: Buffer) => this.#hear('stdout', chunk))
    child.stderr.on('data', (chunk: Buffer) => this.#hear('stderr', chunk))
    child.on('error', () => this.#gone('SIGKILL'))
    child.on('close', (_, signal) => this.#gone(signal ?? 'SIGKILL'))
    child.on('exit', () => {
      this.isGone = true
      // What is still in the pipes is heard; who got away from us may hold them open, and does not hold us.
      setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), 3000).unref()
    })
  }

  start(words: string, hear: Hear): RunningCommand | undefined {
    const child = this.#child
    const group = child.pid
    if (this.#command !== undefined || group === undefined) return undefined
    let end: Command['end'] = () => {}
    const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => (end = resolve))
    this.#command = { hear, codes: { stdout: undefined, stderr: undefined }, end }
    const mark = (text: string): string => `printf '\\000${this.#nonce} ${text}\\n'`
    return {
      group,
      groupStart: factsOf(group)?.start ?? '',
      host: { pid: group, end: () => child.kill('SIGKILL') },
      exited,
      begin: () =>
        child.stdin.write(`${mark('begin')}; ${mark('begin')} >&3; (${words} </dev/null 2>&3 3>&-); set -- $?; ${mark('%d')} $1; ${mark('%d')} $1 >&3\n`),
      pause: () => [child.stdout, child.stderr].forEach((each) => each.pause()),
      resume: () => [child.stdout, child.stderr].forEach((each) => each.resume()),
      // The marks come after all that a command has written.
      drained: async () => {},
    }
  }

  close(): void {
    this.#child.stdin.end()
    this.#child.unref()
  }

  #gone(signal: string): void {
    this.isGone = true
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#tell(stream, this.#rest[stream])
      this.#rest[stream] = Buffer.alloc(0)
    }
    this.#end({ code: null, signal })
  }

  /** Everything between the two marks is the command's. */
  #hear(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    let bytes = this.#rest[stream].length === 0 ? chunk : Buffer.concat([this.#rest[stream], chunk])
    const mark = `\0${this.#nonce} `
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark)) {
      const end = bytes.indexOf(10, at)
      if (end < 0) break
      this.#tell(stream, bytes.subarray(0, at))
      const word = bytes.toString('latin1', at + mark.length, end)
      bytes = bytes.subarray(end + 1)
      this.#isOpen[stream] = word === 'begin'
      if (word !== 'begin') this.#ended(stream, Number(word))
    }
    const kept = beginningOf(mark, bytes)
    this.#tell(stream, bytes.subarray(0, bytes.length - kept))
    this.#rest[stream] = Buffer.from(bytes.subarray(bytes.length - kept))
  }

  #tell(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (bytes.length > 0 && this.#isOpen[stream]) this.#command?.hear(bytes, stream)
  }

  #ended(stream: 'stdout' | 'stderr', code: number): void {
    const command = this.#command
    if (command === undefined) return
    command.codes[stream] = code
    if (command.codes.stdout === undefined || command.codes.stderr === undefined) return
    const signal = signalIn(code)
    this.#end(signal === undefined ? { code, signal: null } : { code: null, signal })
  }

  #end(result: { code: number | null; signal: string | null }): void {
    const command = this.#command
    this.#command = undefined
    command?.end(result)
  }
}

/** How many bytes at the end may be the beginning of a mark, or a mark without its end. */
function beginningOf(mark: string, bytes: Buffer): number {
  const from = bytes.lastIndexOf(0)
  if (from < 0 || bytes.length - from > mark.length + 16) return 0
  const tail = bytes.toString('latin1', from)
  return mark.startsWith(tail.slice(0, mark.length)) ? tail.length : 0
}
