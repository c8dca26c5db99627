// Questions as plain lines, for terminals without cursor control. They are answered with a number or a word; an empty
// answer means no.

import { createInterface } from 'node:readline'
import { resumeAfterStop, type AskContext, type Prompts } from './prompts.ts'

export function simplePrompts({ signal, interrupt }: AskContext): Prompts {
  const ask = (question: string): Promise<string | undefined> =>
    new Promise((resolve) => {
      const reader = createInterface({ input: process.stdin, output: process.stderr })
      const end = (): void => reader.close()
      const stopWatching = resumeAfterStop()
      signal.addEventListener('abort', end, { once: true })
      // Also emitted at the end of input, and after an answer, when resolving again has no effect.
      reader.on('close', () => {
        signal.removeEventListener('abort', end)
        stopWatching()
        resolve(undefined)
      })
      reader.on('SIGINT', () => {
        process.stderr.write('\n')
        interrupt()
        end()
      })
      reader.question(question, (answer) => {
        resolve(answer.trim())
        end()
      })
    })
  return {
    confirm: async (_, question) => /^y(es)?$/i.test((await ask(`${question} [y/N] `)) ?? ''),
    choose: async (question, choices) => {
      const lines = choices.map(
        ({ label, hint }, at) => `  ${at + 1}. ${label}${hint === undefined ? '' : ` (${hint})`}\n`,
      )
      process.stderr.write(`${question}\n${lines.join('')}`)
      const answer = (await ask(`1-${choices.length}: `))?.toLowerCase() ?? ''
      return answer === ''
        ? undefined
        : (choices[Number(answer) - 1] ?? choices.find(({ label }) => label.toLowerCase() === answer))?.value
    },
    ask: (question) => ask(`${question} `),
  }
}
