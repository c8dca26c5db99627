// With `--push`: this clone holds the plan on the remote while it works, and pushes each record as it is made.

import type { CommandResult } from '../operation/context.ts'
import { Lease } from './lease.ts'
import { publisherOf } from './publish.ts'
import type { WriteContext } from '../operation/with-run.ts'

export interface PushRequest {
  readonly push?: boolean
  /** With `push`: also if another clone holds the plan. */
  readonly takeOver?: boolean
}

/** A request, and the command that repeats it. */
export interface Pushing {
  readonly request: PushRequest
  readonly again: string
}

/** `work` is given a function that pushes everything recorded so far. Without `--push` it does nothing. */
export async function whilePushing<T extends CommandResult>(
  writing: WriteContext,
  { request, again }: Pushing,
  work: (publish: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (request.push !== true) return work(async () => {})
  const { run } = writing
  const lease = await Lease.take(writing, { isTaken: request.takeOver === true, again })
  const publisher = publisherOf(writing, lease)
  run.publish = () => publisher.push()
  const isNew = await publisher.changes()
  try {
    const result = await work(run.publish).catch(async (error: unknown) => {
      // Finished steps are published whatever stopped the run; a push that fails too is not what stopped it. A command
      // that was refused before it recorded anything pushes nothing.
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
