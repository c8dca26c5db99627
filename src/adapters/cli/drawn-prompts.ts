// Interactive questions: arrow keys choose, Enter answers, Escape means no.

import * as clack from '@clack/prompts'
import { resumeAfterStop, type AskContext, type Prompts } from './prompts.ts'

export function drawnPrompts({ signal, interrupt }: AskContext): Prompts {
  const ask = async <T extends string | boolean>(show: () => Promise<T | symbol>): Promise<T | undefined> => {
    let wasInterrupted = false
    const watch = (_: string, key: { name?: string; ctrl?: boolean } = {}): void =>
      void (wasInterrupted ||= key.ctrl === true && key.name === 'c')
    process.stdin.on('keypress', watch)
    const stopWatching = resumeAfterStop()
    try {
      const answer = await show()
      return clack.isCancel(answer) ? undefined : (answer as T)
    } finally {
      process.stdin.off('keypress', watch)
      stopWatching()
      if (wasInterrupted) interrupt()
    }
  }
  const common = { input: process.stdin, output: process.stderr, signal, withGuide: false }
  return {
    confirm: async (_, message) =>
      (await ask<boolean>(() => clack.confirm({ ...common, message, initialValue: false }))) ?? false,
    choose: (message, choices) =>
      ask<string>(() =>
        clack.select<string>({
          ...common,
          message,
          options: choices.map(({ hint, ...choice }) => (hint === undefined ? choice : { ...choice, hint })),
        }),
      ),
    ask: (message) => ask<string>(async () => (await clack.text({ ...common, message })) ?? ''),
  }
}
