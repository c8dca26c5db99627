// What the shells that start others for us are told, and what they say.

import { constants } from 'node:os'

/** One word, whatever is in it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

const signals = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

/** A shell says 128 and the number of the signal that ended a command. undefined: it ended by itself. */
export const signalIn = (code: number): string | undefined => (code > 128 ? signals.get(code - 128) : undefined)
