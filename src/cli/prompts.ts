// Questions to a person. On stderr: stdout may be a pipe.

import { createInterface } from 'node:readline'
import { escapeForTerminal } from '../plan/display.ts'

/** False unless the answer is yes; Ctrl-C and the end of input are no. */
export function confirm(text: string, question: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = createInterface({ input: process.stdin, output: process.stderr })
    const answered = (answer: string): void => {
      resolve(/^y(es)?$/i.test(answer.trim()))
      asking.close()
    }
    asking.on('close', () => resolve(false))
    // readline takes Ctrl-C for itself while it asks: hand it on.
    asking.on('SIGINT', () => {
      asking.close()
      process.kill(process.pid, 'SIGINT')
    })
    if (text !== '') process.stderr.write(`${escapeForTerminal(text, { multiline: true })}\n`)
    asking.question(`${escapeForTerminal(question)} [y/N] `, answered)
  })
}

export async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}
