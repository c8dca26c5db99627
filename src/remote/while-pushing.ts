// With `--push`, this clone holds the plan's lease on the remote while it works, and pushes each record as it is made.

import type { CommandResult } from '../operation/context.ts'
import { Lease } from './lease.ts'
import { makePublisher } from './publish.ts'
import { isPushing, type Pushing } from './push-request.ts'
import type { WriteContext } from '../operation/with-run.ts'

/** Passes `work` a function that pushes everything recorded so far. Without `--push` that function does nothing. */
export async function whilePushing<T extends CommandResult>(
  writing: WriteContext,
  { request, again }: Pushing,
  work: (publish: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (!isPushing(request)) return work(async () => {})
  const { run } = writing
  const lease = await Lease.take(writing, { isTakeOver: request.takeOver === true, again })
  const publisher = makePublisher(writing, lease)
  run.publish = () => publisher.push()
  const betweenSteps = request.push === 'ends' ? seldom(run.publish, () => writing.context.now()) : run.publish
  const isNew = await publisher.changes()
  try {
    const result = await work(betweenSteps).catch(async (error: unknown) => {
      // Finished steps are published whatever stopped the run; a failing push must not hide the original error. A
      // command refused before it recorded anything pushes nothing.
      if (lease?.isLost !== true && (await isNew())) await publisher.end().catch(() => undefined)
      throw error
    })
    await publisher.end()
    return result
  } finally {
    run.publish = undefined
    await (run.handedUntil === undefined ? lease?.release() : lease?.leave(run.handedUntil))
  }
}

const seldomMs = 30_000

/** At the first call, and then at most every half minute. */
function seldom(push: () => Promise<void>, now: () => Date): () => Promise<void> {
  let last = -Infinity
  return async () => {
    const at = now().getTime()
    if (at - last < seldomMs) return
    last = at
    await push()
  }
}
