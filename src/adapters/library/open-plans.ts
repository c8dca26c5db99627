// Implements the library on top of the commands.

import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { commandNamed } from '../../commands/table/index.ts'
import { PlanError } from '../../errors.ts'
import { isId, planBranch, planId } from '../../plan/model/ids.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import type { Named, Plans, PlansOptions, PlanSource } from './plans.ts'

/** Opens nothing yet: the first call fails if the directory is not in a repository. */
export function openPlans(given: PlansOptions = {}): Plans {
  // Resolved now, so that a later `chdir` of the process has no effect.
  const options = { ...given, directory: resolve(given.directory ?? '.') }
  /** Calls a command with the request of its command line; `text` takes the place of standard input. */
  const call = async <T>(name: string, request: object, text?: string): Promise<T> => {
    const run = (await commandNamed(name)?.load()) as (
      request: object,
      context: CommandContext,
    ) => Promise<CommandResult>
    const listener = guardListener(options)
    const result = await run(withoutUndefined(request), contextOf(options, listener, text))
    if (listener.failure !== undefined) throw listener.failure.error
    return result as T
  }
  return {
    create: ({ id, ...source }) => call('new', { id, from: sourceArgument(source) }, source.text),
    check: async (request) =>
      'plan' in request
        ? call('check', { target: idOf(request) })
        : call('check', { target: sourceArgument(request) }, request.text),
    approve: async (request) => call('approve', withPlanRef(request)),
    reject: async (request) => call('reject', withPlanRef(request)),
    start: async ({ plan, ...flags }) => call('start', { ...flags, target: idOf({ plan }) }),
    resume: async ({ fromAttempt, ...request }) =>
      call('resume', { ...withPlanRef(request), fromAttempt: fromAttempt?.toString() }),
    rollback: async (request) => call('rollback', withPlanRef(request)),
    replan: async ({ plan, message, ...source }) =>
      call('replan', { ...withPlanRef({ plan }), message, from: sourceArgument(source) }, source.text),
    cancel: async (request) => call('cancel', withPlanRef(request)),
    clone: async (request) => call('clone', withPlanRef(request)),
    finish: async ({ mode = 'merge', ...request }) => call('finish', { ...withPlanRef(request), [modeOf(mode)]: true }),
    delete: async (request) => call('delete', withPlanRef(request)),
    list: (request = {}) => call('list', request),
    status: async (request) => call('status', withPlanRef(request)),
    show: async (request) => call('show', withPlanRef(request)),
    log: async (request) => call('log', withPlanRef(request)),
    diff: async (request) => call('diff', withPlanRef(request)),
    attempts: async (request) => call('attempts', withPlanRef(request)),
    report: async (request) => call('report', withPlanRef(request)),
  }
}

/** The command line accepts a file or a step as a plan where that makes sense; a program must name the plan. */
function idOf({ plan }: Named): string {
  if (typeof plan !== 'string' || !isId(plan))
    throw new PlanError('usage', `${JSON.stringify(plan)} is not a valid plan id`, { hint: 'git plan list' })
  return planBranch(planId(plan))
}

const withPlanRef = <R extends Named>(request: R): R => ({ ...request, plan: idOf(request) })

function modeOf(mode: string): string {
  if (!['merge', 'squash', 'ff'].includes(mode))
    throw new PlanError('usage', `invalid mode ${JSON.stringify(mode)}: it must be merge, squash or ff`)
  return mode
}

const sourceArgument = (source: PlanSource): string => source.file ?? '-'

/** Drops undefined values: they were not given. */
const withoutUndefined = (request: object): object =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))

interface Listener {
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
  readonly failure: { readonly error: unknown } | undefined
}

/**
 * A listener that throws stops the run as a signal does. Events are emitted in the middle of operations, where an
 * exception would end the process.
 */
function guardListener(options: PlansOptions): Listener {
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
  const refusePrompt = (): never => {
    throw new Error('the library cannot prompt')
  }
  return {
    cwd: options.directory,
    env: options.env ?? process.env,
    now: options.now ?? (() => new Date()),
    isInteractive: false,
    confirm: refusePrompt,
    choose: refusePrompt,
    readInput: () => Promise.resolve(Buffer.from(text ?? '')),
    editFile: () => Promise.reject(new PlanError('usage', 'the library opens no editor')),
    emit: listener.emit,
    signal: listener.signal,
  }
}
