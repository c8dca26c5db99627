// Implements the library on top of the commands.

import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { commands, type CommandSpec } from '../../commands/table/index.ts'
import { PlanError } from '../../errors.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import type { Plans, PlansOptions, PlansResult } from './plans.ts'
import { commandRequest, refuseUnknown } from './request.ts'

/** Commands for a person at a shell, and for an agent that starts the program. */
const shellOnly: ReadonlySet<string> = new Set(['edit', 'completion', 'mcp', 'ui', 'browse'])
const optionNames = ['directory', 'env', 'onEvent', 'signal', 'now']

/** Opens nothing yet: the first call fails if the directory is not in a repository. */
export function openPlans(given: PlansOptions = {}): Plans {
  if (typeof given !== 'object' || given === null)
    throw new PlanError('usage', 'openPlans takes an object of options', { hint: 'openPlans({ directory })' })
  refuseUnknown(Object.entries(given), optionNames, 'for openPlans', 'openPlans({ directory })')
  // Resolved now, so that a later `chdir` of the process has no effect.
  const options = { ...given, directory: resolve(given.directory ?? '.') }
  const methods = commands
    .filter(({ name }) => !shellOnly.has(name))
    .map((command) => [command.name, (request: object = {}) => call(command, request, options)] as const)
  return Object.fromEntries(methods) as unknown as Plans
}

async function call(
  command: CommandSpec,
  given: object,
  options: PlansOptions & { readonly directory: string },
): Promise<PlansResult<object>> {
  const { request, text } = commandRequest(command, given)
  const run = (await command.load()) as (request: object, context: CommandContext) => Promise<CommandResult>
  const listener = guardListener(options)
  const { kind, exitCode, data, next = [] } = await run(request, contextOf(options, listener, text))
  if (listener.failure !== undefined) throw listener.failure.error
  return { kind, exitCode, data, nextCommands: next }
}

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
    ask: refusePrompt,
    readInput: () => Promise.resolve(Buffer.from(text ?? '')),
    editFile: () => Promise.reject(new PlanError('usage', 'the library opens no editor')),
    serveMcp: () => Promise.reject(new PlanError('usage', 'the library has no standard input')),
    browse: () => Promise.reject(new PlanError('usage', 'the library has no screen')),
    serveUi: () => Promise.reject(new PlanError('usage', 'the library serves no page')),
    emit: listener.emit,
    signal: listener.signal,
  }
}
