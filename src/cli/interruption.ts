// Ctrl-C and TERM: the first asks the command to stop, the second Ctrl-C ends it at once.

import { PlanError } from '../errors.ts'

export interface Interruption {
  readonly signal: AbortSignal
  /** 130 or 143 once interrupted. */
  readonly exitCode: () => number | undefined
  stop(): void
}

export function watchSignals(options: { isPatient: boolean; say: (text: string) => void }): Interruption {
  const controller = new AbortController()
  let exitCode: number | undefined
  let firstAt = 0
  const interrupted = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => (): void => {
    // `git plan` gets Ctrl-C from the terminal and once more from git, which passes it on: that is one Ctrl-C.
    const isAgain = exitCode !== undefined && name === 'SIGINT' && performance.now() - firstAt > 1000
    // A reader has nothing to put in order.
    if (!options.isPatient || isAgain) process.exit(name === 'SIGINT' ? 130 : 143)
    if (exitCode !== undefined) return
    firstAt = performance.now()
    exitCode = name === 'SIGINT' ? 130 : 143
    options.say(name === 'SIGINT' ? '\ngit plan: stopping; Ctrl-C again to leave at once\n' : '\ngit plan: stopping\n')
    controller.abort(new PlanError(name === 'SIGINT' ? 'interrupted' : 'terminated', 'interrupted', { hint: 'git plan status' }))
  }
  const handlers = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => [name, interrupted(name)] as const)
  for (const [name, handler] of handlers) process.on(name, handler)
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    stop: () => {
      for (const [name, handler] of handlers) process.off(name, handler)
    },
  }
}
