// The surface on the commands.

import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from '../commands/context.ts'
import { operations, type OperationName } from '../commands/operations.ts'
import { PlanError } from '../errors.ts'
import { isId, planBranch, planId } from '../plan/values.ts'
import type { RunEvent } from '../run/events.ts'
import type { Named, Plans, PlansOptions, PlanSource } from './plans.ts'

/** Opens nothing yet: a directory that is no repository is an error of the first call. */
export function openPlans(options: PlansOptions = {}): Plans {
  /** The request of the command line; `text` is what it would read from standard input. */
  const call = async <T>(name: OperationName, request: object, text?: string): Promise<T> => {
    const run = (await operations[name]()) as (request: object, context: CommandContext) => Promise<CommandResult>
    const listener = guarded(options)
    const result = await run(given(request), contextOf(options, listener, text))
    if (listener.failure !== undefined) throw listener.failure.error
    return result as T
  }
  return {
    create: ({ id, ...source }) => call('new', { id, from: nameOf(source) }, source.text),
    check: async (request) => ('plan' in request ? call('check', { target: idOf(request) }) : call('check', { target: nameOf(request) }, request.text)),
    approve: (request) => call('approve', request),
    reject: (request) => call('reject', request),
    start: async ({ plan, ...flags }) => call('start', { ...flags, target: idOf({ plan }) }),
    resume: ({ fromAttempt, ...request }) => call('resume', { ...request, fromAttempt: fromAttempt?.toString() }),
    rollback: (request) => call('rollback', request),
    replan: ({ plan, message, ...source }) => call('replan', { plan, message, from: nameOf(source) }, source.text),
    cancel: (request) => call('cancel', request),
    clone: (request) => call('clone', request),
    finish: ({ mode, ...request }) => call('finish', { ...request, ...(mode === undefined ? {} : { [mode]: true }) }),
    delete: (request) => call('delete', request),
    list: (request = {}) => call('list', request),
    status: (request) => call('status', request),
    show: (request) => call('show', request),
    log: (request) => call('log', request),
    diff: async (request) => call('diff', { ...request, plan: idOf(request) }),
    attempts: (request) => call('attempts', request),
    report: (request) => call('report', request),
  }
}

/** The command line takes a file or a step for a plan where that makes sense; a program says what it means. */
function idOf({ plan }: Named): string {
  if (!isId(plan)) throw new PlanError('usage', `${JSON.stringify(plan)} is not the id of a plan`, { hint: 'git plan list' })
  return planBranch(planId(plan))
}

const nameOf = (source: PlanSource): string => source.file ?? '-'

/** What is undefined was not given. */
const given = (request: object): object => Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))

interface Listener {
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
  readonly failure: { readonly error: unknown } | undefined
}

/** A listener that throws stops the run as a signal does: events come from the middle of things, where an exception would end the process. */
function guarded(options: PlansOptions): Listener {
  const stop = new AbortController()
  let failure: { error: unknown } | undefined
  return {
    emit: (event) => {
      if (failure !== undefined) return
      try {
        options.onEvent?.(event)
      } catch (error) {
        failure = { error }
        stop.abort(error)
      }
    },
    signal: options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]),
    get failure() {
      return failure
    },
  }
}

function contextOf(options: PlansOptions, listener: Listener, text: string | undefined): CommandContext {
  const nobody = (): never => {
    throw new Error('the library asks nobody')
  }
  return {
    cwd: resolve(options.directory ?? '.'),
    env: options.env ?? process.env,
    now: options.now ?? (() => new Date()),
    isInteractive: false,
    confirm: nobody,
    choose: nobody,
    readInput: () => Promise.resolve(Buffer.from(text ?? '')),
    editFile: () => Promise.reject(new PlanError('usage', 'the library opens no editor')),
    emit: listener.emit,
    signal: listener.signal,
  }
}
