// The output of the steps of a plan while they run in this clone, whoever runs them.

import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Repository } from '../../git/repository.ts'
import type { CommandContext } from '../../operation/context.ts'
import type { PlanId } from '../../plan/model/ids.ts'
import { gitEnvironment } from '../../process/environment.ts'

export interface OutputNews {
  readonly step: string
  /** Whole lines. */
  readonly text: string
}

/** The log files grow while steps run, and their secrets are masked. */
export class RunningLogs {
  readonly #directory: string
  readonly #read = new Map<string, number>()

  constructor(commonDir: string, id: PlanId) {
    this.#directory = join(commonDir, 'plan', id, 'logs')
  }

  /** What was printed before is not news. */
  static async of({ cwd, env }: Pick<CommandContext, 'cwd' | 'env'>, id: PlanId): Promise<RunningLogs> {
    const repo = await Repository.openAny({ cwd, env: gitEnvironment(env) })
    const logs = new RunningLogs(repo.commonDir, id)
    repo.close()
    await logs.news()
    return logs
  }

  async news(): Promise<OutputNews[]> {
    const news: OutputNews[] = []
    for (const name of await readdir(this.#directory).catch(() => [])) {
      const [, step] = /^(.+)-\d+\.log$/.exec(name) ?? []
      const text = step === undefined ? '' : await this.#newLines(name)
      if (step !== undefined && text !== '') news.push({ step, text })
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
