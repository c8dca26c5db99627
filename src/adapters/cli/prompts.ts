// Questions to the user, on stderr because stdout may be a pipe. Interactive if the terminal allows it, otherwise plain
// lines; both are loaded on demand.

import type { Readable } from 'node:stream'
import { escapeForTerminal } from '../../plan/text/display.ts'
import type { Choice } from '../../operation/context.ts'
import type { Style } from './style.ts'

export interface Prompts {
  /** False unless the answer is yes. */
  confirm(text: string, question: string): Promise<boolean>
  /** Undefined if nothing was chosen. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>
  /** A line of text, empty if none was typed; undefined if the question was dismissed. */
  ask(question: string): Promise<string | undefined>
}

export interface AskContext {
  /** Ends the question without an answer. */
  readonly signal: AbortSignal
  /** Called on Ctrl-C: while a question is shown, the terminal delivers it as a key. */
  readonly interrupt: () => void
}

export function promptsFor(
  asking: AskContext,
  { style, show }: { style: () => Style; show: (text: string) => Promise<void> },
): Prompts {
  const load = async (): Promise<Prompts> =>
    style().canAsk
      ? (await import('./drawn-prompts.ts')).drawnPrompts(asking)
      : (await import('./simple-prompts.ts')).simplePrompts(asking)
  const line = (text: string): string => escapeForTerminal(text)
  return {
    confirm: async (text, question) => {
      if (text !== '') await show(`${escapeForTerminal(text, { multiline: true })}\n`)
      return (await load()).confirm('', line(question))
    },
    choose: async (question, choices) => {
      const shown = choices.map(({ value, label, hint }): Choice => ({
        value,
        label: line(label),
        ...(hint === undefined ? {} : { hint: line(hint) }),
      }))
      return (await load()).choose(line(question), shown)
    },
    ask: async (question) => (await load()).ask(line(question)),
  }
}

/**
 * After Ctrl-Z and `fg`, readline leaves its input paused and would never see an answer. Returns the function that
 * stops watching.
 */
export function resumeAfterStop(): () => void {
  const again = (): void => void setImmediate(() => process.stdin.resume())
  process.on('SIGCONT', again)
  return () => process.off('SIGCONT', again)
}

/** Reads up to `atMost` bytes, or until the signal is aborted. */
export async function readAll(stream: Readable, options: { atMost: number; signal: AbortSignal }): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const stop = (): void =>
    void stream.destroy(options.signal.reason instanceof Error ? options.signal.reason : undefined)
  options.signal.addEventListener('abort', stop, { once: true })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= options.atMost) break
  }
  options.signal.removeEventListener('abort', stop)
  return Buffer.concat(chunks).subarray(0, options.atMost)
}
