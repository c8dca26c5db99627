// Chooses the display of a run: live on a terminal with cursor control, plain lines elsewhere.

import type { Sink } from './output.ts'
import { PlainProgress, type Progress } from './progress.ts'
import type { Style } from './style.ts'

export async function progressFor(output: Sink, style: () => Style): Promise<Progress> {
  const write = (text: string): void => output.write(text)
  if (!style().canDraw) return new PlainProgress({ style: style(), write })
  const [{ createLogUpdate }, { LiveProgress }] = await Promise.all([
    import('log-update'),
    import('./live-progress.ts'),
  ])
  const { stream } = output
  // Do not hide the cursor: a killed program could not restore it.
  const canvas = createLogUpdate(stream, { showCursor: true })
  return new LiveProgress({ style, rows: () => stream.rows || 24, write, canvas, clock: () => performance.now() })
}
