// Turns the events of runs into spans. A span of a step ends when the step has run; whether it succeeded is known later,
// if its result was integrated after others.

import {
  createTraceState,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import type { RunEvent } from '../../engine/run/events.ts'

type Env = Readonly<Record<string, string | undefined>>

interface OpenSpan {
  readonly span: Span
  endedAt?: Date
}

export class RunTraces {
  readonly #tracer: Tracer
  readonly #now: () => Date
  readonly #stop: () => Promise<void>
  readonly #parent: Context
  /** By plan, or by plan and step. */
  readonly #open = new Map<string, OpenSpan>()

  constructor(parts: { tracer: Tracer; now: () => Date; stop: () => Promise<void>; env: Env }) {
    this.#tracer = parts.tracer
    this.#now = parts.now
    this.#stop = parts.stop
    this.#parent = contextFrom(parts.env)
  }

  /** The variables with which a program continues the trace. */
  environmentOf(plan: string, step?: string): Record<string, string> {
    const open = (step === undefined ? undefined : this.#open.get(keyOf(plan, step))) ?? this.#open.get(plan)
    return open === undefined ? {} : environmentFor(open.span)
  }

  see(event: RunEvent): void {
    const plan = event.plan ?? ''
    switch (event.kind) {
      case 'run-started':
        this.#start(plan, `plan ${plan}`, this.#parent, {
          'git_plan.plan.id': plan,
          'git_plan.run.id': event.run,
          'git_plan.run.steps': event.total,
        })
        return
      case 'step-started': {
        const run = this.#open.get(plan)?.span
        const parent = run === undefined ? this.#parent : trace.setSpan(this.#parent, run)
        this.#start(keyOf(plan, event.step), `step ${event.step}`, parent, {
          'git_plan.plan.id': plan,
          'git_plan.step.id': event.step,
          'git_plan.step.verb': event.verb,
          'git_plan.step.attempt': event.attempt,
          ...(event.worker === undefined ? {} : { 'git_plan.worker': event.worker }),
        })
        return
      }
      case 'step-ran': {
        const open = this.#open.get(keyOf(plan, event.step))
        if (open !== undefined) open.endedAt = this.#now()
        return
      }
      case 'step-done':
        this.#end(keyOf(plan, event.step), event.replayed === undefined ? 'done' : 'replayed')
        return
      case 'step-failed':
        // The message may quote output.
        this.#end(keyOf(plan, event.step), event.retrying ? 'retried' : event.status, event.reason)
        return
      case 'step-waiting':
        this.#end(keyOf(plan, event.step), 'waiting')
        return
      case 'step-unknown':
        this.#end(keyOf(plan, event.step), 'unknown', 'unknown')
        return
      case 'run-ended':
        this.#endAll(plan)
        this.#end(plan, event.status, event.status === 'failed' ? 'failed' : undefined)
        return
      default:
    }
  }

  /** Sends what there is. */
  async end(): Promise<void> {
    this.#endAll('')
    await this.#stop()
  }

  #start(key: string, name: string, parent: Context, attributes: Attributes): void {
    // Its result conflicted with another step, and it runs again.
    this.#end(key, 'conflict', 'conflict')
    this.#open.set(key, { span: this.#tracer.startSpan(name, { startTime: this.#now(), attributes }, parent) })
  }

  #end(key: string, outcome: string, problem?: string): void {
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    open.span.setAttribute(key.includes('/') ? 'git_plan.step.outcome' : 'git_plan.plan.outcome', outcome)
    if (problem !== undefined) open.span.setStatus({ code: SpanStatusCode.ERROR, message: problem })
    open.span.end(open.endedAt ?? this.#now())
  }

  /** The steps of a plan that were interrupted; with '' everything, steps before their plans. */
  #endAll(plan: string): void {
    const keys = [...this.#open.keys()].filter((key) => plan === '' || key.startsWith(`${plan}/`))
    for (const key of keys.toReversed()) this.#end(key, 'interrupted', 'interrupted')
  }
}

const keyOf = (plan: string, step: string): string => `${plan}/${step}`

/** The parent that called us: https://www.w3.org/TR/trace-context/ in variables. */
function contextFrom(env: Env): Context {
  const [, traceId, spanId, flags] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(env['TRACEPARENT'] ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  const state = env['TRACESTATE'] ?? ''
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state === '' ? {} : { traceState: createTraceState(state) }),
  })
}

function environmentFor(span: Span): Record<string, string> {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const state = traceState?.serialize() ?? ''
  return {
    TRACEPARENT: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    ...(state === '' ? {} : { TRACESTATE: state }),
  }
}
