// The stream of news for a page: which plans have changed, new output of the plan that it shows, and what the runs say
// that were started here.

import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { watchPlans } from '../../commands/inspect/watch-plans.ts'
import { isId, planId } from '../../plan/model/ids.ts'
import { maskValues } from '../../secrets/masked.ts'
import type { CallsWorld } from '../library/calls.ts'
import type { Runs } from './runs.ts'

/** So that a browser notices a server that has gone without a word. */
const silenceMs = 20_000

export function streamNews(
  request: Context,
  { world, runs, signal }: { world: CallsWorld; runs: Runs; signal: AbortSignal },
): Response {
  const plan = request.req.query('plan')
  return streamSSE(request, async (stream) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    const send = (event: string, data: object): Promise<void> =>
      stream.writeSSE({ event, data: JSON.stringify(maskValues(data)) }).catch(() => gone.abort())
    const unlisten = runs.listen((news) => void send('run', news))
    const pulse = setInterval(() => void send('pulse', {}), silenceMs)
    try {
      await send('pulse', {})
      const watched = { cwd: world.directory, env: world.env, signal: AbortSignal.any([gone.signal, signal]) }
      const news = watchPlans(watched, plan !== undefined && isId(plan) ? planId(plan) : undefined)
      for await (const { changed, output } of news) {
        // Its secrets are masked already, across the ends of chunks.
        for (const each of output) await stream.writeSSE({ event: 'output', data: JSON.stringify({ plan, ...each }) })
        if (changed.length > 0) await send('plans', { changed })
      }
    } finally {
      clearInterval(pulse)
      unlisten()
    }
  })
}
