// Questions as lines, for terminals that cannot be drawn on: a number or a word answers, nothing is no.

import { createInterface } from 'node:readline'
import { resumeAfterStop, type Asking, type Prompts } from './prompts.ts'

export function plainPrompts({ signal, interrupt }: Asking): Prompts {
  const answered = (question: string): Promise<string> =>
    new Promise((resolve) => {
      const asking = createInterface({ input: process.stdin, output: process.stderr })
      const end = (): void => asking.close()
      const stopWatching = resumeAfterStop()
      signal.addEventListener('abort', end, { once: true })
      // Also at the end of input, and after an answer, where it changes nothing any more.
      asking.on('close', () => {
        signal.removeEventListener('abort', end)
        stopWatching()
        resolve('')
      })
      asking.on('SIGINT', () => {
        process.stderr.write('\n')
        interrupt()
        end()
      })
      asking.question(question, (answer) => {
        resolve(answer.trim())
        end()
      })
    })
  return {
    confirm: async (_, question) => /^y(es)?$/i.test(await answered(`${question} [y/N] `)),
    choose: async (question, choices) => {
      const lines = choices.map(({ label, hint }, at) => `  ${at + 1}. ${label}${hint === undefined ? '' : ` (${hint})`}\n`)
      process.stderr.write(`${question}\n${lines.join('')}`)
      const answer = (await answered(`1-${choices.length}: `)).toLowerCase()
      return answer === '' ? undefined : (choices[Number(answer) - 1] ?? choices.find(({ label }) => label.toLowerCase() === answer))?.value
    },
  }
}
