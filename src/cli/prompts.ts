// Questions to a person. On stderr: stdout may be a pipe. Drawn where the terminal can be drawn on, else plain lines; both are loaded when
// there is something to ask.

import { escapeForTerminal } from '../plan/display.ts'
import type { Choice } from '../commands/context.ts'
import type { Style } from './style.ts'

export interface Prompts {
  /** False unless the answer is yes. */
  confirm(text: string, question: string): Promise<boolean>
  /** Undefined where nothing was chosen. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>
}

export interface Asking {
  /** Ends the question without an answer. */
  readonly signal: AbortSignal
  /** Ctrl-C while we ask: the terminal hands it to whoever reads the keys. */
  readonly interrupt: () => void
}

export function promptsFor(asking: Asking & { style: () => Style; write: (text: string) => void }): Prompts {
  const load = async (): Promise<Prompts> =>
    asking.style().canAsk ? (await import('./drawn-prompts.ts')).drawnPrompts(asking) : (await import('./plain-prompts.ts')).plainPrompts(asking)
  const line = (text: string): string => escapeForTerminal(text)
  return {
    confirm: async (text, question) => {
      if (text !== '') asking.write(`${escapeForTerminal(text, { multiline: true })}\n`)
      return (await load()).confirm('', line(question))
    },
    choose: async (question, choices) => {
      const shown = choices.map(({ value, label, hint }): Choice => ({ value, label: line(label), ...(hint === undefined ? {} : { hint: line(hint) }) }))
      return (await load()).choose(line(question), shown)
    },
  }
}

export async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}
