// Runs code that cannot be interrupted, such as a parser or a regular expression, under a time limit. Ordinary input
// takes no time; input made for it could take hours.

import { createContext, Script } from 'node:vm'

let room: { readonly context: { work?: (() => unknown) | undefined }; readonly script: Script } | undefined

/** Undefined on timeout, or if the text is nested too deeply for the stack. Rethrows everything else. */
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
