// `git plan log --follow`: new events of a plan, and the output of its steps while they run.

import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Repository } from '../../git/repository.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { PlanId } from '../../plan/model/ids.ts'
import { gitEnvironment } from '../../process/environment.ts'
import { hasEnded, pauseBetweenLooks } from './look-again.ts'
import type { LogData, OutputData } from './log.ts'

type Result = CommandResult<LogData | OutputData | object>

export async function* followLog(
  first: LogData,
  read: () => Promise<Result>,
  context: CommandContext,
): AsyncGenerator<Result> {
  const logs = await RunningLogs.of(first.id, context)
  let last = first
  while (!hasEnded(last.seen) && (await pauseBetweenLooks(context.signal))) {
    const now = await read()
    for (const output of await logs.news()) yield { kind: 'output', exitCode: 0, data: { id: first.id, ...output } }
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

/** The log files of a run in this clone. They grow while steps run, and their secrets are masked. */
class RunningLogs {
  readonly #directory: string
  readonly #read = new Map<string, number>()

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async of(id: PlanId, { cwd, env }: CommandContext): Promise<RunningLogs> {
    const repo = await Repository.openAny({ cwd, env: gitEnvironment(env) })
    const logs = new RunningLogs(join(repo.commonDir, 'plan', id, 'logs'))
    repo.close()
    // What was printed before is not news.
    await logs.news()
    return logs
  }

  /** Whole lines, each behind the name of its step. */
  async news(): Promise<Omit<OutputData, 'id'>[]> {
    const news: Omit<OutputData, 'id'>[] = []
    for (const name of await readdir(this.#directory).catch(() => [])) {
      const [, step] = /^(.+)-\d+\.log$/.exec(name) ?? []
      const lines = step === undefined ? '' : await this.#newLines(name)
      if (step !== undefined && lines !== '')
        news.push({ step, commit: '', output: lines.replaceAll(/^(?=[^])/gm, `  ${step} | `) })
    }
    return news
  }

  async #newLines(name: string): Promise<string> {
    const file = await open(join(this.#directory, name)).catch(() => undefined)
    if (file === undefined) return ''
    try {
      const { size } = await file.stat()
      const from = this.#read.get(name) ?? 0
      const bytes = Buffer.alloc(Math.min(Math.max(0, size - from), 1 << 20))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
      const end = bytes.subarray(0, bytesRead).lastIndexOf(10) + 1
      this.#read.set(name, from + end)
      return bytes.subarray(0, end).toString()
    } finally {
      await file.close()
    }
  }
}
