// The state of a campaign as `--json` has it, and as lines for people.

import { rootOf } from '../../fleet/campaign.ts'
import type { CampaignState } from '../../fleet/campaign-state.ts'
import type { FailureGroup, Overview, TargetState } from '../../fleet/overview.ts'

export interface FleetData {
  readonly id: string
  readonly title: string
  readonly control: string
  /** Stands for the manifest, for `git plan fleet approve --digest`. */
  readonly digest: string
  readonly epoch: number
  /** The highest wave that was opened, and how many there are. */
  readonly wave: number
  readonly waves: number
  readonly isApproved: boolean
  readonly isPaused: boolean
  readonly isClosed: boolean
  /** Why it stopped before everything was done; null: it did not. */
  readonly why: string | null
  readonly counts: Overview['counts']
  readonly failures: readonly FailureGroup[]
  readonly targets: readonly TargetState[]
  readonly message: readonly string[]
}

export function fleetData(
  state: CampaignState,
  { targets, counts, failures }: Overview,
  {
    control,
    why = null,
    isFull = false,
  }: { readonly control: string; readonly why?: string | null; readonly isFull?: boolean },
): FleetData {
  const { campaign, epoch, wave, approved, isPaused, isClosed } = state
  const waves = Math.max(...campaign.targets.map((target) => target.wave))
  return {
    id: campaign.id,
    title: campaign.title,
    control,
    digest: rootOf(campaign),
    epoch,
    wave,
    waves,
    isApproved: approved !== undefined,
    isPaused,
    isClosed,
    why,
    counts,
    failures,
    targets,
    message: [
      `${campaign.title} (${campaign.id}): ${campaign.targets.length} repositories${waves > 1 ? `, wave ${wave} of ${waves}` : ''}${approved === undefined ? ', not approved' : ''}${isPaused ? ', paused' : ''}${isClosed ? ', closed' : ''}`,
      `  ${Object.entries(counts)
        .map(([name, count]) => `${count} ${stateText(name)}`)
        .join(', ')}`,
      ...failures.flatMap((group) => failureLines(group, isFull)),
      ...(isFull
        ? targets.map(
            (target) =>
              `${target.state.padEnd(10)} ${target.address}${target.tip === null ? '' : ` ${target.tip.slice(0, 10)}`}`,
          )
        : []),
      ...(why === null ? [] : [`Stopped: ${why}`]),
    ],
  }
}

const words: Readonly<Record<string, string>> = {
  approval: 'waiting for approval',
  later: 'in later waves',
  waiting: 'waiting for a person',
}
const stateText = (name: string): string => words[name] ?? name

const mostNamed = 5

function failureLines({ state, step, line, addresses }: FailureGroup, isFull: boolean): string[] {
  const named = isFull ? addresses : addresses.slice(0, mostNamed)
  const rest = addresses.length - named.length
  return [
    `${addresses.length} ${stateText(state)}${step === null ? '' : ` at ${step}`}${line === null ? '' : `: ${line}`}`,
    ...named.map((address) => `    ${address}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ]
}
