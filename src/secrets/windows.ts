// The parts of a text that are looked at: all of a short one, and of a long one what is around the places where a secret may be.

import { nextPlace } from './prefilter.ts'

const short = 64 * 1024
/** As long as a private key, and more than any line that names a secret. */
const [before, behind] = [2048, 20 * 1024]

export const isBinaryText = (text: string): boolean => text.slice(0, 8192).includes('\0')

export function windowsOf(text: string): readonly (readonly [from: number, to: number])[] {
  if (text.length <= short) return [[0, text.length]]
  // One byte for each unit of the text, so places are the same; what is not ASCII becomes something else, which at worst is looked at for nothing.
  const bytes = Buffer.from(text, 'latin1')
  const windows: [number, number][] = []
  for (let place = nextPlace(bytes, 0); place >= 0;) {
    const last = windows.at(-1)
    const [from, to] = [Math.max(0, place - before), Math.min(text.length, place + behind)]
    if (last !== undefined && from <= last[1]) last[1] = to
    else windows.push([from, to])
    // Whatever begins up to here is in the window, and as much of it as there is.
    place = nextPlace(bytes, place + 1)
  }
  return windows
}
