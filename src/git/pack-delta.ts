// What a delta of a pack makes of its base.

import { mostBytes } from './stored-object.ts'

/** Undefined where the delta is not for this base, or not as git makes them. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer | undefined {
  const reader = { bytes: delta, at: 0 }
  const baseSize = sizeIn(reader)
  const size = sizeIn(reader)
  if (baseSize !== base.length || size === undefined || size > mostBytes) return undefined
  const result = Buffer.allocUnsafe(size)
  let end = 0
  while (reader.at < delta.length) {
    const command = delta[reader.at++] ?? 0
    // Either bytes of the base, or bytes that follow here; zero is kept for later.
    const piece = command >= 0x80 ? copied(base, command, reader) : delta.subarray(reader.at, (reader.at += command))
    if (piece === undefined || command === 0 || reader.at > delta.length || end + piece.length > size) return undefined
    end += piece.copy(result, end)
  }
  return end === size ? result : undefined
}

interface Reader {
  readonly bytes: Buffer
  at: number
}

/** Seven bits at a time, the low ones first. */
function sizeIn(reader: Reader): number | undefined {
  let size = 0
  for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
    const byte = reader.bytes[reader.at++]
    if (byte === undefined) return undefined
    size += (byte & 127) * factor
    if (byte < 0x80) return size
  }
  return undefined
}

/** The low bits of the command say which bytes of offset and size are given; the others are zero. */
function copied(base: Buffer, command: number, reader: Reader): Buffer | undefined {
  const given = (bit: number): number => ((command & bit) === 0 ? 0 : (reader.bytes[reader.at++] ?? 0))
  const offset = given(1) + given(2) * 2 ** 8 + given(4) * 2 ** 16 + given(8) * 2 ** 24
  const size = given(16) + given(32) * 2 ** 8 + given(64) * 2 ** 16 || 0x10000
  return offset + size <= base.length ? base.subarray(offset, offset + size) : undefined
}
