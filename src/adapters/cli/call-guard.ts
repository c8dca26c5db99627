// Calls the guard for the hook of an agent, with a deadline. It runs at each tool call, so it loads nothing of the rest of
// the command line.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Surroundings } from './surroundings.ts'

/** With these words the guard is an ordinary command. */
const forPeople: ReadonlySet<string> = new Set(['-h', '--help', '--json'])

export const isAgentHook = ([command, ...words]: readonly string[]): boolean =>
  command === 'guard' && !words.some((word) => forPeople.has(word))

/** An agent that waits for its hook in vain lets the tool run, so the guard answers before that. */
const guardDeadline = 5000
/** For the records, after the answer. */
const recordDeadline = 200

/** Answers an agent. Any exit code other than 0 and 2 would let the tool run. */
export async function callGuard(words: readonly string[], around: Surroundings): Promise<number> {
  const { cwd, env, stdout, stderr } = around
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  const stopped = new AbortController()
  const stop = (signal: NodeJS.Signals): void => stopped.abort(`the guard was stopped by ${signal}`)
  for (const name of signals) process.once(name, stop)
  const late = setTimeout(
    () => stopped.abort('the guard did not get an answer in time'),
    guardDeadline - (around.elapsedMs?.() ?? 0),
  )
  const why = new Promise<string>((resolve) =>
    stopped.signal.addEventListener('abort', () => resolve(String(stopped.signal.reason)), { once: true }),
  )
  const { answerGuard, answerWithout } = await import('../agent-guard/answer-guard.ts')
  const world = { cwd, env, now: () => around.now() }
  const answer = await Promise.race([
    answerGuard(words, { ...world, readInput: (atMost) => readInput(around, atMost) }),
    why.then((text) => answerWithout(text, words, world)),
  ])
  stdout.write(answer.stdout)
  stderr.write(answer.stderr)
  await Promise.race([answer.record(), sleep(recordDeadline, undefined, { ref: false })])
  clearTimeout(late)
  for (const name of signals) process.off(name, stop)
  return answer.exitCode
}

async function readInput({ stdin }: Surroundings, atMost: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= atMost) break
  }
  return Buffer.concat(chunks)
}
