// The text of the metrics, or where it was written.

import type { MetricsData } from '../../../commands/inspect/metrics.ts'
import type { CommandResult } from '../../../operation/context.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'

export const printMetrics = ({ data }: CommandResult<MetricsData>): string =>
  data.file === undefined ? data.text : `Wrote ${escapeForTerminal(data.file)}\n`
