// The claim in the last message of an agent: its report block, or else the message itself.

import { isRecord, makeClaim, type Claim } from '../model/claim.ts'
import type { AgentReport } from './read-events.ts'
import { reportFence } from './prompt.ts'

export function claimOf(by: string, report: AgentReport): Claim {
  const { text, turns, costUsd, session, denied } = report
  const block = blockIn(text)
  const said = block?.said ?? {}
  const summary = typeof said['summary'] === 'string' ? said['summary'] : (block?.rest ?? text)
  return makeClaim(by, { ...said, summary, turns, costUsd, session, denied })
}

/** The claim in a text that a driver wrote. */
export const claimInText = (by: string, text: string): Claim =>
  claimOf(by, {
    text,
    turns: undefined,
    costUsd: undefined,
    session: undefined,
    denied: [],
    failure: undefined,
    stray: '',
  })

/** The last block of the kind that holds an object, and the text around it; a text that is one object is a block. */
function blockIn(text: string): { said: Readonly<Record<string, unknown>>; rest: string } | undefined {
  const blocks = [...text.matchAll(new RegExp(`\`\`\`(?:${reportFence}|json)[ \\t]*\\n([\\s\\S]*?)\n\`\`\``, 'g'))]
  for (const block of blocks.toReversed()) {
    const said = objectIn(block[1] ?? '')
    if (said !== undefined) return { said, rest: text.replace(block[0], '').trim() }
  }
  const said = objectIn(text)
  return said === undefined ? undefined : { said, rest: '' }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
