// Chooses the engine by its address.

import { PlanError } from '../../errors.ts'
import { Embedded } from './embedded.ts'
import { usualOptions, type Dispatch, type DispatchOptions } from './port.ts'

const servers: ReadonlySet<string> = new Set(['redis:', 'rediss:', 'valkey:', 'postgres:', 'postgresql:'])

/** `address`: undefined: in this process. */
export async function openDispatch(
  address: string | undefined,
  { now, ...given }: Partial<DispatchOptions> & { readonly now: () => number },
): Promise<Dispatch> {
  const options = { ...usualOptions, ...given }
  if (address === undefined || address === 'embedded') return new Embedded(options, now)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !servers.has(url.protocol))
    throw new PlanError('usage', `unknown engine ${JSON.stringify(address.slice(0, 80))}`, {
      hint: 'git plan fleet work redis://HOST:PORT',
    })
  const { openBullMq } = await import('./bullmq.ts')
  return openBullMq(url, options, now)
}
