// `git plan log --follow`: new events of a plan, and the output of its steps while they run.

import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { hasEnded, pauseBetweenLooks } from './look-again.ts'
import type { LogData, OutputData } from './log.ts'
import { RunningLogs } from './running-logs.ts'

type Result = CommandResult<LogData | OutputData | object>

export async function* followLog(
  first: LogData,
  read: () => Promise<Result>,
  context: CommandContext,
): AsyncGenerator<Result> {
  const logs = await RunningLogs.of(context, first.id)
  let last = first
  while (!hasEnded(last.seen) && (await pauseBetweenLooks(context.signal))) {
    const now = await read()
    for (const { step, text } of await logs.news()) {
      const output = text.replaceAll(/^(?=[^])/gm, `  ${step} | `)
      yield { kind: 'output', exitCode: 0, data: { id: first.id, step, commit: '', output } }
    }
    if (now.kind !== 'log') return
    const data = now.data as LogData
    const news = newsIn(data, last)
    if (news !== undefined) yield { ...now, data: news }
    last = data
  }
}

/** The entries that `before` does not have. */
function newsIn(now: LogData, before: LogData): LogData | undefined {
  const without = <T>(all: readonly T[], known: readonly T[]): T[] => {
    const keys = new Set(known.map((each) => JSON.stringify(each)))
    return all.filter((each) => !keys.has(JSON.stringify(each)))
  }
  const news: LogData = {
    ...now,
    events: without(now.events, before.events),
    foreign: without(now.foreign, before.foreign),
    attempts: without(now.attempts, before.attempts),
    rollbacks: without(now.rollbacks, before.rollbacks),
  }
  const count = news.events.length + news.foreign.length + news.attempts.length + news.rollbacks.length
  return count === 0 ? undefined : news
}
