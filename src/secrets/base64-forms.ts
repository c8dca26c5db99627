// How a text looks within base64: the characters that are the same whatever stands around it. There are three ways, one for each place in a group of three bytes.

import { byteSet } from './byte-set.ts'

export interface Base64Form {
  /** With the letters of either alphabet. */
  readonly text: string
  /** Bytes of the group that stand before what is encoded. */
  readonly shift: 0 | 1 | 2
  /** Characters of the group before the first that is known. */
  readonly lead: number
}

const leads = [0, 2, 3] as const
/** Fewer are found by chance. */
const shortest = 4

export function base64Forms(text: string): readonly Base64Form[] {
  return ([0, 1, 2] as const).flatMap((shift) => {
    const known = Math.floor(((shift + text.length) * 8) / 6)
    const encoded = Buffer.from('\0'.repeat(shift) + text, 'latin1')
      .toString('base64')
      .slice(leads[shift], known)
    const forms = new Set([encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')])
    return encoded.length < shortest ? [] : [...forms].map((form) => ({ text: form, shift, lead: leads[shift] }))
  })
}

export const base64Bytes = byteSet('A-Za-z0-9+/_-')
const lineBytes = byteSet('\r\n\t ')
const [newline, carriageReturn] = [10, 13]

export interface Decoded {
  /** From what the form stands for on; a byte for each character. */
  readonly text: string
  /** How many bytes were read, from the beginning of the form on. */
  readonly length: number
  /** Nothing but the end of the bytes ended it. */
  readonly isOpen: boolean
}

/** Decodes from a place where a form was found; `most` characters of base64, of which lines may be broken where `isWrapped`. */
export function decodedAt(bytes: Buffer, at: number, { lead, shift }: Base64Form, { most, isWrapped }: { most: number; isWrapped: boolean }): Decoded {
  let letters = ''
  let index = at - lead
  // What stands before the first bytes of a text is not known, and nothing to wait for.
  if (index < 0) return { text: '', length: 0, isOpen: false }
  for (;;) {
    const from = index
    const end = Math.min(bytes.length, from + most - letters.length)
    while (index < end && base64Bytes[bytes[index]!] === 1) index += 1
    letters += bytes.toString('latin1', from, index)
    const isBroken = bytes[index] === newline || bytes[index] === carriageReturn
    if (!isWrapped || !isBroken || index === from || letters.length >= most) break
    while (lineBytes[bytes[index]!] === 1) index += 1
  }
  return { text: Buffer.from(letters, 'base64').toString('latin1', shift), length: index - at, isOpen: index >= bytes.length }
}

/** Which characters, counted from the beginning of the form, hold a part of the text that is encoded. */
export function encodedRange({ lead, shift }: Base64Form, length: number): readonly [from: number, to: number] {
  return [Math.floor((shift * 8) / 6) - lead, Math.ceil(((shift + length) * 8) / 6) - lead]
}
