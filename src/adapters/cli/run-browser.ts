// `git plan browse` as a process. What a key asks for is a command line, which is typed and performed here as in a shell:
// with its own questions, output, pager and refusals.

import { basename } from 'node:path'
import type { ReadStream } from 'node:tty'
import { PlanError } from '../../errors.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import type { Environment } from '../../process/environment.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { browse } from '../tui/browse.ts'
import type { Request } from '../tui/requests.ts'
import { fullScreen, nextKey } from './full-screen.ts'
import type { Interruption } from './interruption.ts'
import type { Sink } from './output.ts'
import { promptsFor } from './prompts.ts'
import type { Style } from './style.ts'

export interface BrowserProcess {
  readonly directory: string
  readonly env: Environment
  readonly stdout: Sink
  readonly style: () => Style
  readonly interruption: Interruption
  now(): Date
  /** Performs a command line as a process of its own would. */
  readonly run: (words: readonly string[]) => Promise<{ readonly exitCode: number; readonly wasPaged: boolean }>
}

export async function runBrowser(around: BrowserProcess, plan: string | undefined): Promise<void> {
  const { directory, env, stdout, style, interruption, run } = around
  const input = process.stdin as ReadStream
  if (!style().canDraw || !input.isTTY)
    throw new PlanError('usage', 'browse needs a terminal that can move its cursor', { hint: 'git plan list' })
  const say = (text: string): void => stdout.write(text)
  const { signal } = interruption
  // Ctrl-C at a question returns to the plans.
  const prompts = promptsFor(
    { signal, interrupt: () => {} },
    { style, show: (text) => Promise.resolve(stdout.write(text)) },
  )

  const type = async (words: readonly string[]): Promise<{ readonly exitCode: number; readonly wasPaged: boolean }> => {
    say(`${style().dim(`$ git plan ${escapeForTerminal(words.map(quoteIfNeeded).join(' '))}`)}\n`)
    return run(words)
  }
  /** False if there is something on the screen to be read. */
  const answer = async ({ words, preview, confirm, ask }: Request): Promise<boolean> => {
    if (preview !== undefined && (await type(preview)).exitCode !== 0) return false
    if (confirm !== undefined && !(await prompts.confirm('', confirm))) return true
    const answered = ask === undefined ? '' : await prompts.ask(ask.question)
    if (answered === undefined) return true
    const { exitCode, wasPaged } = await type([
      ...words,
      ...(answered.trim() === '' ? [] : (ask?.words(answered.trim()) ?? [])),
    ])
    return wasPaged && exitCode === 0
  }
  await browse(
    {
      directory,
      env,
      now: () => around.now(),
      signal,
      name: basename(directory),
      screen: fullScreen(input, stdout.stream, style),
      interrupt: () => interruption.interrupt(),
      perform: (request) =>
        interruption.lendTerminal(async () => {
          if ((await answer(request)) || signal.aborted) return
          say(style().bold('Press any key to return'))
          await nextKey(input, signal)
          say('\n')
        }),
    },
    plan,
  )
}
