// The traces of a command, if the environment asks for them.

import type { RunEvent } from '../../engine/run/events.ts'
import type { TraceOf } from '../../engine/run/run.ts'

export interface CommandTraces {
  readonly see: (event: RunEvent) => void
  readonly traceOf: TraceOf | undefined
  readonly end: () => Promise<void>
  /** Why there are none. */
  readonly problem: RunEvent | undefined
}

/** As the SDK reads the variables. Here, so that a command without them loads nothing. */
const wantsTraces = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env['OTEL_SDK_DISABLED']?.toLowerCase() !== 'true' &&
  env['OTEL_TRACES_EXPORTER']?.trim() !== 'none' &&
  ['OTEL_TRACES_EXPORTER', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].some(
    (name) => (env[name] ?? '') !== '',
  )

export async function tracesFor(
  env: Readonly<Record<string, string | undefined>>,
  now: () => Date,
): Promise<CommandTraces | undefined> {
  if (!wantsTraces(env)) return undefined
  const { sdkPackage, startTraces } = await import('../traces/start-traces.ts')
  const traces = await startTraces(env, now)
  if (traces !== undefined)
    return {
      see: (event) => traces.see(event),
      traceOf: (plan, step) => traces.environmentOf(plan, step),
      end: () => traces.end(),
      problem: undefined,
    }
  const message = `OTEL_ variables ask for traces, and ${sdkPackage} is not installed beside git plan`
  return {
    see: () => {},
    traceOf: undefined,
    end: () => Promise.resolve(),
    problem: { kind: 'notice', message, hint: `npm install -g ${sdkPackage}` },
  }
}
