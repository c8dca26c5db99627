// The surface on the commands.

import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { commandNamed } from '../../commands/table/index.ts'
import { PlanError } from '../../errors.ts'
import { isId, planBranch, planId } from '../../plan/model/ids.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import type { Named, Plans, PlansOptions, PlanSource } from './plans.ts'

/** Opens nothing yet: a directory that is no repository is an error of the first call. */
export function openPlans(given: PlansOptions = {}): Plans {
  // Now: a process that goes elsewhere must not take the plans along.
  const options = { ...given, directory: resolve(given.directory ?? '.') }
  /** The request of the command line; `text` is what it would read from standard input. */
  const call = async <T>(name: string, request: object, text?: string): Promise<T> => {
    const run = (await commandNamed(name)?.load()) as (
      request: object,
      context: CommandContext,
    ) => Promise<CommandResult>
    const listener = guarded(options)
    const result = await run(present(request), contextOf(options, listener, text))
    if (listener.failure !== undefined) throw listener.failure.error
    return result as T
  }
  return {
    create: ({ id, ...source }) => call('new', { id, from: nameOf(source) }, source.text),
    check: async (request) =>
      'plan' in request
        ? call('check', { target: idOf(request) })
        : call('check', { target: nameOf(request) }, request.text),
    approve: async (request) => call('approve', named(request)),
    reject: async (request) => call('reject', named(request)),
    start: async ({ plan, ...flags }) => call('start', { ...flags, target: idOf({ plan }) }),
    resume: async ({ fromAttempt, ...request }) =>
      call('resume', { ...named(request), fromAttempt: fromAttempt?.toString() }),
    rollback: async (request) => call('rollback', named(request)),
    replan: async ({ plan, message, ...source }) =>
      call('replan', { ...named({ plan }), message, from: nameOf(source) }, source.text),
    cancel: async (request) => call('cancel', named(request)),
    clone: async (request) => call('clone', named(request)),
    finish: async ({ mode = 'merge', ...request }) => call('finish', { ...named(request), [modeOf(mode)]: true }),
    delete: async (request) => call('delete', named(request)),
    list: (request = {}) => call('list', request),
    status: async (request) => call('status', named(request)),
    show: async (request) => call('show', named(request)),
    log: async (request) => call('log', named(request)),
    diff: async (request) => call('diff', named(request)),
    attempts: async (request) => call('attempts', named(request)),
    report: async (request) => call('report', named(request)),
  }
}

/** The command line takes a file or a step for a plan where that makes sense; a program says what it means. */
function idOf({ plan }: Named): string {
  if (typeof plan !== 'string' || !isId(plan))
    throw new PlanError('usage', `${JSON.stringify(plan)} is not a valid plan id`, { hint: 'git plan list' })
  return planBranch(planId(plan))
}

const named = <R extends Named>(request: R): R => ({ ...request, plan: idOf(request) })

function modeOf(mode: string): string {
  if (!['merge', 'squash', 'ff'].includes(mode))
    throw new PlanError('usage', `invalid mode ${JSON.stringify(mode)}: it must be merge, squash or ff`)
  return mode
}

const nameOf = (source: PlanSource): string => source.file ?? '-'

/** What is undefined was not given. */
const present = (request: object): object =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))

interface Listener {
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
  readonly failure: { readonly error: unknown } | undefined
}

/**
 * A listener that throws stops the run as a signal does: events come from the middle of things, where an exception
 * would end the process.
 */
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

function contextOf(
  options: PlansOptions & { directory: string },
  listener: Listener,
  text: string | undefined,
): CommandContext {
  const nobody = (): never => {
    throw new Error('the library cannot prompt')
  }
  return {
    cwd: options.directory,
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
