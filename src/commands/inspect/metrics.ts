// `git plan metrics`: counters and histograms of all plans, for Prometheus.

import { resolve } from 'node:path'
import { replaceNamedFile } from '../../operation/replace-file.ts'
import { readMetrics } from '../../view/metrics/prometheus.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withStore } from '../with-store.ts'

export interface MetricsData {
  readonly text: string
  /** The file that was written instead. */
  readonly file?: string
}

export const metrics = (
  { textfile }: { readonly textfile?: string },
  context: CommandContext,
): Promise<CommandResult<MetricsData>> =>
  withStore(context, async (repo) => {
    const text = await readMetrics(repo)
    if (textfile !== undefined) await replaceNamedFile(resolve(context.cwd, textfile), text, textfile)
    return { kind: 'metrics', exitCode: 0, data: { text, ...(textfile === undefined ? {} : { file: textfile }) } }
  })
