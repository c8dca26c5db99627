// Shows text that is longer than the screen in the user's pager, chosen as Git chooses it.

import { configuredPager } from '../../operation/configured-pager.ts'
import type { Environment } from '../../process/environment.ts'
import type { Interruption } from './interruption.ts'
import type { Sink } from './output.ts'
import { widthOf } from '../terminal/width.ts'
import { runShellCommand } from './terminal-program.ts'

export interface PagerContext {
  readonly cwd: string
  readonly env: Environment
  readonly lendTerminal: Interruption['lendTerminal']
}

/** `descriptor`: that of the output, which must be a terminal. True if the pager has shown the text. */
export async function writePaged(
  text: string,
  output: Sink,
  descriptor: 1 | 2,
  { cwd, env, lendTerminal }: PagerContext,
): Promise<boolean> {
  const { rows, columns } = output.stream
  const pager = isLonger(text, rows, columns) ? await pagerFor(cwd, env) : undefined
  if (pager === undefined) {
    output.write(text)
    return false
  }
  const code = await lendTerminal(() =>
    // As Git sets them: the pager ends by itself if all fits, shows colors, and leaves the text on the screen.
    runShellCommand(pager, [], { cwd, env: { LESS: 'FRX', LV: '-c', ...env }, input: text, output: descriptor }),
  )
  // There may be a question about the text next.
  if (code !== 0) output.write(text)
  return code === 0
}

function isLonger(text: string, rows: number, columns: number): boolean {
  let left = rows
  for (const line of text.split('\n')) {
    left -= Math.max(1, Math.ceil(widthOf(line) / columns))
    if (left < 0) return true
  }
  return false
}

/** undefined: none. With `--no-pager` and `pager.plan=false`, Git sets GIT_PAGER to `cat`. */
async function pagerFor(cwd: string, env: Environment): Promise<string | undefined> {
  if (isNone(env['GIT_PAGER'])) return undefined
  const { isOff, command } = await configuredPager(cwd, env)
  const pager = env['GIT_PAGER'] ?? command ?? env['PAGER'] ?? 'less'
  return isOff || isNone(pager) ? undefined : pager
}

const isNone = (pager: string | undefined): boolean => pager === '' || pager === 'cat'
