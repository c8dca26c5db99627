// Runs what cannot be told to stop, a parser or an expression, and stops it. It answers at once for what people write;
// what was made for it might keep it busy for hours.

import { createContext, Script } from 'node:vm'

let room: { readonly context: { work?: (() => unknown) | undefined }; readonly script: Script } | undefined

/**
 * Undefined where it takes longer, or where the text is nested too deeply for the stack. What else `work` throws is
 * thrown.
 */
export function withinTime<T>(milliseconds: number, work: () => T): T | undefined {
  room ??= { context: createContext({}), script: new Script('work()') }
  room.context.work = work
  try {
    return room.script.runInContext(room.context, { timeout: milliseconds }) as T
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException
    if (name === 'RangeError' || code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    room.context.work = undefined
  }
}
