// Questions to a person. On stderr: stdout may be a pipe.

import { escapeForTerminal } from '../plan/display.ts'
import type { Choice } from '../commands/context.ts'

export interface Prompts {
  /** False unless the answer is yes. */
  confirm(text: string, question: string): Promise<boolean>
  /** Undefined where nothing was chosen. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>
}

const line = (text: string): string => escapeForTerminal(text)

/** Loaded when there is something to ask. Escape is no; Ctrl-C is handed on: in its raw mode the terminal sends no signal. */
export function promptsFor(options: { signal: AbortSignal; interrupt: () => void; write: (text: string) => void }): Prompts {
  const { signal } = options
  const asked = async <T extends string | boolean>(ask: (clack: typeof import('@clack/prompts')) => Promise<T | symbol>): Promise<T | undefined> => {
    const clack = await import('@clack/prompts')
    let wasInterrupted = false
    const watch = (_: string, key: { name?: string; ctrl?: boolean } = {}): void => void (wasInterrupted ||= key.ctrl === true && key.name === 'c')
    process.stdin.on('keypress', watch)
    try {
      const answer = await ask(clack)
      return clack.isCancel(answer) ? undefined : (answer as T)
    } finally {
      process.stdin.off('keypress', watch)
      if (wasInterrupted) options.interrupt()
    }
  }
  const common = { input: process.stdin, output: process.stderr, signal, withGuide: false }
  return {
    confirm: async (text, question) => {
      if (text !== '') options.write(`${escapeForTerminal(text, { multiline: true })}\n`)
      return (await asked<boolean>((clack) => clack.confirm({ ...common, message: line(question), initialValue: false }))) ?? false
    },
    choose: (question, choices) =>
      asked<string>((clack) =>
        clack.select<string>({
          ...common,
          message: line(question),
          options: choices.map(({ value, label, hint }) => ({ value, label: line(label), ...(hint === undefined ? {} : { hint: line(hint) }) })),
        }),
      ),
  }
}

export async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}
