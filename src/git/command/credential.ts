// Asks the user's credential helpers about a host. The helpers come from the configuration of the user and the system,
// never from that of a repository, which could name a program of its own or send a password elsewhere.

import { spawn } from 'node:child_process'
import { gitEnvironment, type Environment } from '../../process/environment.ts'

export interface Credential {
  readonly username: string
  readonly password: string
}

export type AskCredential = (of: {
  readonly protocol: string
  readonly host: string
  readonly path: string
}) => Promise<Credential | undefined>

/** Prevents every prompt: by Git at the terminal or in a window, and by a helper that would open one. */
const noPromptVariables: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GCM_INTERACTIVE: 'never',
  GIT_DIR: '/dev/null',
  LC_ALL: 'C',
}
const noPromptSettings = ['core.askPass=', 'credential.interactive=false', 'credential.guiPrompt=false'].flatMap(
  (each) => ['-c', each],
)

/** undefined: no helper answered in time. */
export const credentialHelpers =
  (options: { readonly env: Environment; readonly timeoutMs?: number }): AskCredential =>
  ({ protocol, host, path }) =>
    new Promise((resolve) => {
      // A line break would start another request.
      if ([protocol, host, path].some((each) => /[\n\0]/.test(each))) return resolve(undefined)
      const child = spawn('git', [...noPromptSettings, 'credential', 'fill'], {
        cwd: '/',
        env: { ...gitEnvironment(options.env), ...noPromptVariables },
        stdio: ['pipe', 'pipe', 'ignore'],
        // In its own group: a helper may have started processes that keep the pipe open.
        detached: true,
      })
      let answer = ''
      const end = (found: Credential | undefined): void => {
        clearTimeout(timer)
        resolve(found)
      }
      const timer = setTimeout(() => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
        } catch {
          // It has just exited.
        }
        child.stdout.destroy()
        end(undefined)
      }, options.timeoutMs ?? 5000)
      child.stdout.on('data', (chunk: Buffer) => {
        if (answer.length < 65_536) answer += chunk.toString()
      })
      child.once('error', () => end(undefined))
      child.once('close', (code) => end(code === 0 ? credentialIn(answer, host) : undefined))
      child.stdin.on('error', () => {})
      child.stdin.end(`protocol=${protocol}\nhost=${host}\npath=${path}\n\n`)
    })

function credentialIn(answer: string, host: string): Credential | undefined {
  const lines = answer.split('\n').filter((line) => line.includes('='))
  const fields = new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
  const password = fields.get('password') ?? ''
  // A helper may answer for another host.
  return password === '' || fields.get('host') !== host
    ? undefined
    : { username: fields.get('username') ?? '', password }
}
