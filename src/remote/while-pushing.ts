// With `--push`, this clone holds the plan's lease on the remote while it works, and pushes each record as it is made.

import type { CommandResult } from '../operation/context.ts'
import { Lease } from './lease.ts'
import { makePublisher } from './publish.ts'
import type { WriteContext } from '../operation/with-run.ts'

export interface PushRequest {
  readonly push?: boolean
  /** With `push`: even if another clone holds the plan. */
  readonly takeOver?: boolean
}

/** A push request and the command that repeats it. */
export interface Pushing {
  readonly request: PushRequest
  readonly again: string
}

/** Passes `work` a function that pushes everything recorded so far. Without `--push` that function does nothing. */
export async function whilePushing<T extends CommandResult>(
  writing: WriteContext,
  { request, again }: Pushing,
  work: (publish: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (request.push !== true) return work(async () => {})
  const { run } = writing
  const lease = await Lease.take(writing, { isTakeOver: request.takeOver === true, again })
  const publisher = makePublisher(writing, lease)
  run.publish = () => publisher.push()
  const isNew = await publisher.changes()
  try {
    const result = await work(run.publish).catch(async (error: unknown) => {
      // Finished steps are published whatever stopped the run; a failing push must not hide the original error. A
      // command refused before it recorded anything pushes nothing.
      if (lease?.isLost !== true && (await isNew())) await publisher.end().catch(() => undefined)
      throw error
    })
    await publisher.end()
    return result
  } finally {
    run.publish = undefined
    await lease?.release()
  }
}
