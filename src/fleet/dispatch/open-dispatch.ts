// Chooses the engine by its address.

import { canonicalAddress } from '../../approval/rules/campaign-proof.ts'
import { PlanError } from '../../errors.ts'
import { digestOf } from '../../plan/file/digest.ts'
import { parseDuration } from '../../plan/model/ids.ts'
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
  const leaseMs = leaseFrom(url) ?? options.leaseMs
  const { openBullMq } = await import('./bullmq.ts')
  return openBullMq(url, { ...options, leaseMs }, now)
}

/** `?lease=1m` of an address. It is removed: the client of the server does not know it. */
function leaseFrom(url: URL): number | undefined {
  const text = url.searchParams.get('lease')
  if (text === null) return undefined
  url.searchParams.delete('lease')
  const leaseMs = parseDuration(text)
  if (leaseMs !== undefined && leaseMs >= 2000 && leaseMs <= 3_600_000) return leaseMs
  throw new PlanError('usage', `the lease of the engine is ${JSON.stringify(text)}: not a time from 2s to 1h`, {
    hint: 'git plan fleet work redis://HOST:PORT?lease=30s',
  })
}

/** Of a control repository, whichever form its address has. */
export const namespaceOf = (control: string): string => digestOf(canonicalAddress(control)).slice(0, 8)
