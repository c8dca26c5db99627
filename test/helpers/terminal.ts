// Runs the real binary on a real terminal.

import { spawn } from '@lydell/node-pty'
import { bin, type TestRepo } from './repo.ts'

export interface Terminal {
  /** Waits until the text has appeared since the last wait, colours left out. */
  sees(text: string): Promise<void>
  type(keys: string): void
  readonly pid: number
  /** As closing its window does. */
  close(): void
  signal(name: 'SIGTERM' | 'SIGHUP'): void
  resize(columns: number, rows: number): void
  /** The exit code. */
  ends(): Promise<number>
  /** Everything that was written, as it was. */
  readonly raw: () => string
  /** Without what moves the cursor or colours. */
  readonly text: () => string
}

export const keys = { down: '\u001b[B', enter: '\r', escape: '\u001b', ctrlC: '\u0003' }

const withoutControls = (raw: string): string => raw.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '')

export function onTerminal(
  repo: TestRepo,
  args: readonly string[],
  options: { env?: Record<string, string>; columns?: number; rows?: number } = {},
): Terminal {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: repo.dir,
    env: { ...repo.env, TERM: 'xterm-256color', ...options.env },
    cols: options.columns ?? 100,
    rows: options.rows ?? 30,
  })
  let raw = ''
  let seen = 0
  let code: number | undefined
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of waiting) look()
  }
  child.onData((data) => {
    raw += data
    wake()
  })
  child.onExit(({ exitCode }) => {
    code = exitCode
    wake()
  })
  const until = <T>(what: string, look: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => fail('in time'), 60_000)
      const fail = (why: string): void => {
        done()
        reject(new Error(`${what} was not seen ${why}:\n${withoutControls(raw)}`))
      }
      const done = (): void => {
        clearTimeout(timer)
        waiting.delete(check)
      }
      const check = (): void => {
        const found = look()
        if (found === undefined) {
          if (code !== undefined) fail('before the end')
          return
        }
        done()
        resolve(found)
      }
      waiting.add(check)
      check()
    })
  return {
    sees: async (text) => {
      seen = await until(text, () => {
        const at = withoutControls(raw).indexOf(text, seen)
        return at < 0 ? undefined : at + text.length
      })
    },
    type: (typed) => child.write(typed),
    pid: child.pid,
    close: () => child.kill('SIGHUP'),
    signal: (name) => child.kill(name),
    resize: (columns, rows) => child.resize(columns, rows),
    ends: () => until('the end', () => code),
    raw: () => raw,
    text: () => withoutControls(raw),
  }
}
