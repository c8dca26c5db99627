// Ctrl-C and SIGTERM: the first asks the command to stop; a second Ctrl-C exits at once.

import { PlanError } from '../../errors.ts'

export interface Interruption {
  readonly signal: AbortSignal
  /** 130 or 143 once interrupted. */
  readonly exitCode: () => number | undefined
  /** The same as Ctrl-C, while a question is shown. */
  readonly interrupt: () => void
  /** While another program owns the terminal, Ctrl-C is meant for it. */
  readonly lendTerminal: <T>(work: () => Promise<T>) => Promise<T>
  stop(): void
}

/** `signal` replaces the process signals, for a caller that handles those itself. */
export function watchSignals(options: {
  isPatient: boolean
  say: (text: string) => void
  signal?: AbortSignal | undefined
}): Interruption {
  // Created on demand: it takes half a millisecond, and commands that only read do not need it.
  let made: AbortController | undefined
  const controller = (): AbortController => (made ??= new AbortController())
  let exitCode: number | undefined
  let firstAt = 0
  let isLent = false
  const stopFor = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void => {
    firstAt = performance.now()
    exitCode = name === 'SIGINT' ? 130 : 143
    controller().abort(
      new PlanError(name === 'SIGINT' ? 'interrupted' : 'terminated', 'interrupted', { hint: 'git plan status' }),
    )
  }
  const interrupted = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => (): void => {
    if (isLent && name === 'SIGINT') return
    // Ctrl-C arrives from the terminal, and again from Git, which forwards it: both count as one.
    // A closing terminal may send SIGHUP several times.
    const isAgain = exitCode !== undefined && name !== 'SIGHUP' && performance.now() - firstAt > 1000
    // A command that only reads has nothing to clean up.
    if (!options.isPatient || isAgain) process.exit(name === 'SIGINT' ? 130 : 143)
    if (exitCode !== undefined) return
    options.say(
      name === 'SIGINT' ? '\ngit plan: stopping; press Ctrl-C again to exit at once\n' : '\ngit plan: stopping\n',
    )
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
    lendTerminal: async (work) => {
      isLent = true
      try {
        return await work()
      } finally {
        isLent = false
      }
    },
    stop: () => {
      options.signal?.removeEventListener('abort', onAbort)
      for (const [name, handler] of handlers) process.off(name, handler)
    },
  }
}
