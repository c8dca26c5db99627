// Who is notified about a plan, and how: in the policy for everybody, in git config for oneself, never in a plan.

import { parseDuration, type Duration } from '../model/ids.ts'

export const newsKinds = ['completed', 'failed', 'waiting', 'stalled', 'approved', 'rejected'] as const
export type NewsKind = (typeof newsKinds)[number]

/** As written in the policy or in git config. */
export interface NotifyEntries {
  readonly on?: readonly NewsKind[] | undefined
  readonly bell?: boolean | undefined
  readonly desktop?: boolean | undefined
  readonly command?: string | undefined
  /** A URL, or `$NAME`: the environment variable that contains it. */
  readonly webhook?: string | undefined
  readonly slack?: string | undefined
  /** The key that signs the requests to the webhook: `$NAME`; in git config also the key itself. */
  readonly secret?: string | undefined
  readonly timeout?: string | undefined
}

export interface NotifySetting extends Omit<NotifyEntries, 'on' | 'timeout'> {
  readonly on: readonly NewsKind[]
  readonly timeoutMs: Duration
}

export const notifySetting = ({ on, timeout, ...channels }: NotifyEntries): NotifySetting => ({
  ...channels,
  on: on ?? newsKinds,
  timeoutMs: (timeout === undefined ? undefined : parseDuration(timeout)) ?? (5000 as Duration),
})

/** The name in `$NAME`. */
export const variableIn = (text: string | undefined): string | undefined =>
  /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(text ?? '')?.[1]

export const isAddress = (text: string): boolean => /^https?:\/\/[^\s/@]+(\/\S*)?$/.test(text) && URL.canParse(text)

/** For people: an address can be as good as a password. */
export function withoutSecrets(entries: NotifyEntries): NotifyEntries {
  const hide = (key: keyof NotifyEntries, shown: (text: string) => string): object => {
    const text = entries[key]
    return typeof text !== 'string' || variableIn(text) !== undefined ? {} : { [key]: shown(text) }
  }
  const origin = (text: string): string => `${new URL(text).origin}/...`
  return { ...entries, ...hide('webhook', origin), ...hide('slack', origin), ...hide('secret', () => '(set)') }
}
