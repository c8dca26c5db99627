// What a person sees of a run: live on a terminal, plain lines elsewhere.

import type { Globals } from './command-line.ts'
import { PlainProgress, type Progress } from './progress.ts'
import { styleFor } from './style.ts'

export async function progressFor(stream: NodeJS.WriteStream, globals: Globals, env: NodeJS.ProcessEnv): Promise<Progress> {
  const write = (text: string): void => void stream.write(text)
  const style = () => styleFor(stream, { noColor: globals.noColor, env })
  if (!stream.isTTY || globals.json || globals.plain || env['TERM'] === 'dumb') return new PlainProgress({ style: style(), write })
  const [{ createLogUpdate }, { LiveProgress }] = await Promise.all([import('log-update'), import('./live-progress.ts')])
  // The cursor stays: a program that is killed could not bring it back.
  const canvas = createLogUpdate(stream, { showCursor: true })
  return new LiveProgress({ style, rows: () => stream.rows || 24, write, canvas, clock: () => performance.now() })
}
