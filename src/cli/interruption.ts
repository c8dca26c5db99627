// Ctrl-C and TERM: the first asks the command to stop, the second Ctrl-C ends it at once.

import { PlanError } from '../errors.ts'

export interface Interruption {
  readonly signal: AbortSignal
  /** 130 or 143 once interrupted. */
  readonly exitCode: () => number | undefined
  /** As Ctrl-C, where nothing is under way. */
  readonly interrupt: () => void
  stop(): void
}

/** `signal`: from a caller that has the signals of the process for itself. */
export function watchSignals(options: { isPatient: boolean; say: (text: string) => void; signal?: AbortSignal | undefined }): Interruption {
  // Made for those who ask: it takes half a millisecond, and what only reads is ended at once.
  let made: AbortController | undefined
  const controller = (): AbortController => (made ??= new AbortController())
  let exitCode: number | undefined
  let firstAt = 0
  const stopFor = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void => {
    firstAt = performance.now()
    exitCode = name === 'SIGINT' ? 130 : 143
    controller().abort(new PlanError(name === 'SIGINT' ? 'interrupted' : 'terminated', 'interrupted', { hint: 'git plan status' }))
  }
  const interrupted = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => (): void => {
    // `git plan` gets Ctrl-C from the terminal and once more from git, which passes it on: that is one Ctrl-C.
    // A terminal that is closed may say so several times.
    const isAgain = exitCode !== undefined && name !== 'SIGHUP' && performance.now() - firstAt > 1000
    // A reader has nothing to put in order.
    if (!options.isPatient || isAgain) process.exit(name === 'SIGINT' ? 130 : 143)
    if (exitCode !== undefined) return
    options.say(name === 'SIGINT' ? '\ngit plan: stopping; Ctrl-C again to leave at once\n' : '\ngit plan: stopping\n')
    stopFor(name)
  }
  const handlers = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => [name, interrupted(name)] as const)
  const onAbort = interrupted('SIGINT')
  if (options.signal === undefined) for (const [name, handler] of handlers) process.on(name, handler)
  else options.signal.addEventListener('abort', onAbort)
  return {
    get signal() {
      return controller().signal
    },
    exitCode: () => exitCode,
    interrupt: () => stopFor('SIGINT'),
    stop: () => {
      options.signal?.removeEventListener('abort', onAbort)
      for (const [name, handler] of handlers) process.off(name, handler)
    },
  }
}
