// `git plan ui` as a process: it prints the link, and opens it in the browser of the person at the terminal.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UiOptions } from '../../operation/context.ts'
import type { Environment } from '../../process/environment.ts'
import { serveUi as serve } from '../ui/serve.ts'
import { jsonLine } from './json.ts'
import type { Sink } from './output.ts'
import { launchProgram } from './terminal-program.ts'

export interface UiProcess {
  readonly directory: string
  readonly env: Environment
  readonly stdout: Sink
  readonly stderr: Sink
  readonly isJson: boolean
  now(): Date
  readonly signal: AbortSignal
}

export async function serveUi(around: UiProcess, { host, port, isOpened, hasOpenMetrics }: UiOptions): Promise<void> {
  const { directory, env, stdout, stderr, isJson, signal } = around
  const say = (text: string): void => stderr.write(`git plan ui: ${text}\n`)
  let opening: Promise<string | undefined> = Promise.resolve(undefined)
  try {
    await serve({
      directory,
      env,
      host,
      port,
      hasOpenMetrics,
      signal,
      now: () => around.now(),
      onListening: ({ url, isOpen }) => {
        stdout.write(isJson ? jsonLine({ schemaVersion: 1, kind: 'ui-listening', url }) : `${url}\n`)
        if (isOpen) say(`other machines can reach ${host}, and nothing is encrypted on the way`)
        if (isJson) return
        say('the link works once; Ctrl-C ends the server and stops its runs')
        if (isOpened && stderr.isTTY) opening = openInBrowser(url, env).catch(() => undefined)
      },
    })
  } finally {
    const file = await opening
    if (file !== undefined) await rm(file, { recursive: true, force: true })
  }
}

/**
 * Other users see the arguments of a program, so the browser gets a file that only this user can read, with the link in
 * it. Returns the directory of the file; undefined: there is no screen here.
 */
async function openInBrowser(url: string, env: Environment): Promise<string | undefined> {
  const isMac = process.platform === 'darwin'
  if (!isMac && (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') === '') return undefined
  const directory = await mkdtemp(join(tmpdir(), 'git-plan-ui-'))
  const file = join(directory, 'open.html')
  await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}"><title>git plan</title>\n`, {
    mode: 0o600,
  })
  await launchProgram(isMac ? 'open' : 'xdg-open', [file], env)
  return directory
}
