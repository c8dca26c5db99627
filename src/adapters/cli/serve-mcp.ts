// `git plan mcp` as a process: its streams, and the parent that started it.

import type { Readable } from 'node:stream'
import { escapeForTerminal, singleLine } from '../../plan/text/display.ts'
import type { Environment } from '../../process/environment.ts'
import { maskTokens } from '../../secrets/mask.ts'
import { serveMcp as serve } from '../mcp/serve.ts'
import { loadCommand } from './load-command.ts'
import type { Sink } from './output.ts'
import { styleFor } from './style.ts'

export interface McpProcess {
  readonly directory: string
  readonly env: Environment
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Sink
  readonly stderr: Sink
  now(): Date
  readonly signal: AbortSignal
}

const parentCheckMs = 1000

export async function serveMcp(around: McpProcess): Promise<void> {
  const { directory, env, stdin, stdout, stderr, signal } = around
  const say = (text: string): void => stderr.write(`git plan mcp: ${text}\n`)
  if (stdin.isTTY === true) say('waiting for an agent on standard input; Ctrl-C ends it')
  // Its standard input may stay open after the parent is gone, in the hands of another process.
  const parent = process.ppid
  const orphaned = new AbortController()
  const watch = setInterval(() => process.ppid !== parent && orphaned.abort(), parentCheckMs)
  const style = styleFor(stdout, { noColor: true, env })
  try {
    await serve({
      directory,
      env,
      now: () => around.now(),
      stdin,
      stdout: stdout.stream,
      signal: AbortSignal.any([signal, orphaned.signal]),
      log: (line) => say(escapeForTerminal(maskTokens(singleLine(line))).slice(0, 200)),
      print: async (name, result) => (await loadCommand(name)).print(result, style),
    })
  } finally {
    clearInterval(watch)
  }
}
