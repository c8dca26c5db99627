// One long-lived `git check-ignore`: whether git ignores a path costs a line on a pipe instead of a process. It reads the rules of a directory once: make
// another one where they may have changed.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { gitFailure, type GitRunner } from './runner.ts'

export class IgnoreCheck {
  readonly #git: GitRunner
  #child: ChildProcessWithoutNullStreams | undefined
  #said = ''
  #complaint = ''
  #waiting: { resolve: (isIgnored: boolean) => void; reject: (error: Error) => void } | undefined

  constructor(git: GitRunner) {
    this.#git = git
  }

  /** One question at a time. */
  isIgnored(path: string): Promise<boolean> {
    if (path.includes('\0') || this.#waiting !== undefined) throw new Error(`cannot ask about ${JSON.stringify(path)}`)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#start().stdin.write(`${path}\0`)
    })
  }

  close(): void {
    this.#child?.stdin.end()
    this.#child?.unref()
    this.#child = undefined
  }

  #start(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child
    // The one command that takes no literal pathspecs; from standard input a path is a path.
    const call = { env: { GIT_LITERAL_PATHSPECS: '0' } }
    const child = spawn('git', this.#git.commandLine(['check-ignore', '-z', '--stdin', '--verbose', '--non-matching'], call), {
      cwd: this.#git.cwd,
      env: this.#git.environment(call),
      stdio: 'pipe',
      detached: true,
    })
    this.#child = child
    this.#said = ''
    this.#complaint = ''
    child.stdout.on('data', (chunk: Buffer) => this.#hear(chunk.toString('latin1')))
    child.stderr.on('data', (chunk: Buffer) => (this.#complaint += chunk.toString()))
    child.stdin.on('error', () => {})
    const ended = (signal: string | null): void => {
      // One that was closed has nothing to say about the questions of the next.
      if (this.#child !== child) return
      this.#child = undefined
      this.#waiting?.reject(gitFailure(['check-ignore'], { code: 128, signal, stderr: this.#complaint }))
      this.#waiting = undefined
    }
    child.on('error', () => ended(null))
    child.on('close', (_, signal) => ended(signal))
    return child
  }

  /** Source, line, pattern, path, each with a zero; the first three are empty where no pattern matches. */
  #hear(text: string): void {
    this.#said += text
    const fields = this.#said.split('\0')
    if (fields.length < 5) return
    this.#said = ''
    const [, , pattern = ''] = fields
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(pattern !== '' && !pattern.startsWith('!'))
  }
}
