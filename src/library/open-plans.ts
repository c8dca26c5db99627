// The surface on the commands.

import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from '../commands/context.ts'
import { operations, type OperationName } from '../commands/operations.ts'
import { PlanError } from '../errors.ts'
import type { Plans, PlansOptions, PlanSource } from './plans.ts'

/** Opens nothing yet: a directory that is no repository is an error of the first call. */
export function openPlans(options: PlansOptions = {}): Plans {
  /** The request of the command line; `text` is what it would read from standard input. */
  const call = async <T>(name: OperationName, request: object, text?: string): Promise<T> => {
    const run = (await operations[name]()) as (request: object, context: CommandContext) => Promise<CommandResult>
    return run(given(request), contextOf(options, text)) as T
  }
  return {
    create: ({ id, ...source }) => call('new', { id, from: nameOf(source) }, source.text),
    check: (request) => ('plan' in request ? call('check', { target: request.plan }) : call('check', { target: nameOf(request) }, request.text)),
    approve: (request) => call('approve', request),
    reject: (request) => call('reject', request),
    start: ({ plan, ...flags }) => call('start', { ...flags, target: plan }),
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
    diff: (request) => call('diff', request),
    attempts: (request) => call('attempts', request),
    report: (request) => call('report', request),
  }
}

const nameOf = (source: PlanSource): string => source.file ?? '-'

/** What is undefined was not given. */
const given = (request: object): object => Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))

function contextOf(options: PlansOptions, text: string | undefined): CommandContext {
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
    emit: options.onEvent ?? (() => {}),
    signal: options.signal ?? new AbortController().signal,
  }
}
