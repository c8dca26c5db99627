// The output of the steps of a plan while they run in this clone, whoever runs them.

import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Repository } from '../../git/repository.ts'
import type { CommandContext } from '../../operation/context.ts'
import type { PlanId } from '../../plan/model/ids.ts'
import { gitEnvironment } from '../../process/environment.ts'

export interface OutputNews {
  readonly step: string
  readonly attempt: number
  /** Whole lines. */
  readonly text: string
}

/** So much of the output before is told, for each step. */
const tailBytes = 16_384

/** The log files grow while steps run, and their secrets are masked. */
export class RunningLogs {
  readonly #directory: string
  readonly #read = new Map<string, number>()
  /** The last lines that were printed before this was made, by the newest attempt of each step. */
  tail: readonly OutputNews[] = []

  constructor(commonDir: string, id: PlanId) {
    this.#directory = join(commonDir, 'plan', id, 'logs')
  }

  static async of({ cwd, env }: Pick<CommandContext, 'cwd' | 'env'>, id: PlanId): Promise<RunningLogs> {
    const repo = await Repository.openAny({ cwd, env: gitEnvironment(env) })
    const logs = new RunningLogs(repo.commonDir, id)
    repo.close()
    await logs.#readTail()
    return logs
  }

  async news(): Promise<OutputNews[]> {
    const news: OutputNews[] = []
    for (const { name, step, attempt } of await this.#files()) {
      const text = await this.#newLines(name)
      if (text !== '') news.push({ step, attempt, text })
    }
    return news
  }

  async #files(): Promise<{ name: string; step: string; attempt: number }[]> {
    const names = await readdir(this.#directory).catch(() => [])
    return names.flatMap((name) => {
      const [, step, attempt] = /^(.+)-(\d+)\.log$/.exec(name) ?? []
      return step === undefined ? [] : [{ name, step, attempt: Number(attempt) }]
    })
  }

  async #readTail(): Promise<void> {
    const last = new Map<string, OutputNews>()
    for (const { name, step, attempt } of await this.#files()) {
      const { size } = await stat(join(this.#directory, name)).catch(() => ({ size: 0 }))
      const from = Math.max(0, size - tailBytes)
      this.#read.set(name, from)
      const lines = await this.#newLines(name)
      const text = from === 0 ? lines : lines.slice(lines.indexOf('\n') + 1)
      if (text !== '' && (last.get(step)?.attempt ?? 0) < attempt) last.set(step, { step, attempt, text })
    }
    this.tail = [...last.values()]
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
