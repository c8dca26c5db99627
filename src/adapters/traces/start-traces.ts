// Starts the SDK of OpenTelemetry, if the environment asks for traces and the SDK is installed.

import { isSpanContextValid, trace } from '@opentelemetry/api'
import { RunTraces } from './run-traces.ts'

type Env = Readonly<Record<string, string | undefined>>

export const sdkPackage = '@opentelemetry/sdk-node'

/** Long enough for a collector on this machine: an absent one must not hold up a command. */
const maxFlushMs = 5000

/** undefined: there is no SDK. */
export async function startTraces(env: Env, now: () => Date): Promise<RunTraces | undefined> {
  const stop = isServed() ? async () => {} : await startSdk(env)
  return stop === undefined
    ? undefined
    : new RunTraces({ tracer: trace.getTracer('git-plan'), now, stop: () => atMost(maxFlushMs, stop()), env })
}

/** A program that was loaded before, as by `--import`, has started an SDK of its own. */
const isServed = (): boolean => isSpanContextValid(trace.getTracer('git-plan').startSpan('probe').spanContext())

async function startSdk(env: Env): Promise<(() => Promise<void>) | undefined> {
  try {
    const { NodeSDK, resources } = await import('@opentelemetry/sdk-node')
    const isNamed = `OTEL_SERVICE_NAME=${env['OTEL_SERVICE_NAME'] ?? ''} ${env['OTEL_RESOURCE_ATTRIBUTES'] ?? ''}`
    const sdk = new NodeSDK({
      ...(/OTEL_SERVICE_NAME=\S|service\.name=/.test(isNamed) ? {} : { serviceName: 'git-plan' }),
      // The detectors of the process would send the command line, which may contain a reason or a parameter.
      resourceDetectors: [resources.envDetector],
      metricReaders: [],
      logRecordProcessors: [],
    })
    sdk.start()
    return () => sdk.shutdown()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  // A collector that does not answer is no reason to fail: the SDK reports it.
  await Promise.race([work.catch(() => {}), late])
  clearTimeout(timer)
}
