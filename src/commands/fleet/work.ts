// `git plan fleet work ADDRESS`: carries out what a server hints at. It takes nothing from a job but which target: what is
// to be done there it reads itself from the campaign in the control repository named on its command line.

import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { hostOf, gitLane, requestLane } from '../../fleet/lanes.ts'
import { openDispatch } from '../../fleet/dispatch/open-dispatch.ts'
import { makeLook } from '../../fleet/look.ts'
import type { Dispatch, Hint, Verdict } from '../../fleet/dispatch/port.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { readApprovals } from './approve.ts'
import { campaignId, withCampaign, type FleetCall } from './request.ts'
import { jobsOf } from './run.ts'

interface WorkData {
  /** How many looks ended in which way. */
  readonly looks: Readonly<Record<string, number>>
  readonly message: string
}

export function workForServer(request: FleetCall, context: CommandContext): Promise<CommandResult<WorkData>> {
  const [engine] = request.words
  if (engine === undefined)
    throw new PlanError('usage', 'name the server', {
      hint: 'git plan fleet work redis://HOST:PORT --control ADDRESS --campaign ID',
    })
  const id = campaignId(request, context)
  return withCampaign(request, context, id, async ({ control, home }) => {
    const { campaign } = await control.require()
    const dispatch = await openDispatch(engine, { now: () => context.now().getTime() })
    const looks: Record<string, number> = {}
    const drained = new AbortController()
    const signal = AbortSignal.any([context.signal, drained.signal])
    const look = makeLook({
      control,
      home,
      env: context.env,
      now: () => context.now(),
      approvals: await readApprovals(home.approvals),
    })
    const counted = async (hint: Hint, stop: AbortSignal): Promise<Verdict> => {
      const verdict = await look(hint, stop)
      looks[verdict.kind] = (looks[verdict.kind] ?? 0) + 1
      context.emit({
        kind: 'notice',
        message: `${hint.target}: ${verdict.kind}${'why' in verdict ? `: ${verdict.why}` : ''}`,
      })
      return verdict
    }
    const lanes = [...new Set(campaign.targets.map(({ address }) => hostOf(address)))].flatMap((host) => [
      gitLane(host),
      requestLane(host),
    ])
    const width = jobsOf({ ...request, jobs: request.jobs ?? '4' })
    try {
      const serving = Promise.all(lanes.map((lane) => dispatch.serve(lane, counted, { width, signal })))
      if (request.drain === true) void endWhenEmpty(dispatch, drained)
      await serving
    } finally {
      await dispatch.close()
    }
    const text = Object.entries(looks).map(([kind, count]) => `${count} ${kind}`)
    return {
      kind: 'worked',
      exitCode: 0,
      data: { looks, message: text.length === 0 ? 'No looks' : `Looks: ${text.join(', ')}` },
    }
  })
}

const askEveryMs = 1000
const mostEmpty = 3

/** For a job of a CI: ends when nothing was left to do for a few seconds. */
async function endWhenEmpty(dispatch: Dispatch, drained: AbortController): Promise<void> {
  for (let empty = 0; empty < mostEmpty;) {
    await sleep(askEveryMs)
    const census = await dispatch.census().catch(() => undefined)
    const isEmpty = census?.every(({ waiting, active, later }) => waiting + active + later === 0) === true
    empty = isEmpty ? empty + 1 : 0
  }
  drained.abort()
}
