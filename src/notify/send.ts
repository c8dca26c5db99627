// Gives a notification to every channel that the settings name for its event, all at the same time.

import { variableIn, type NotifySetting } from '../plan/config/notify.ts'
import { stepEnvironment, type Environment } from '../process/environment.ts'
import { isOnPath } from '../process/on-path.ts'
import { runListener } from '../process/run-listener.ts'
import { maskTokens } from '../secrets/mask.ts'
import { slackBody, variablesOf, type Notification } from './notification.ts'
import { post, signatureHeaders } from './webhook.ts'

export interface Surroundings {
  readonly env: Environment
  readonly now: Date
  readonly signal: AbortSignal
  /** Where commands run: the top of the repository. */
  readonly root: string
  /** Names of variables that the plan declares as secrets. */
  readonly secrets: readonly string[]
}

/** What the terminal shows; it belongs to the adapter. */
export interface TerminalChannels {
  readonly bell: boolean
  readonly desktop: boolean
}

const forEvent = (settings: readonly NotifySetting[], { event }: Pick<Notification, 'event'>): NotifySetting[] =>
  settings.filter(({ on }) => on.includes(event))

/** The last one decides: a person can turn off what the policy has on. */
export function terminalChannels(
  settings: readonly NotifySetting[],
  about: Pick<Notification, 'event'>,
): TerminalChannels {
  const chosen = (key: 'bell' | 'desktop'): boolean =>
    forEvent(settings, about).findLast((each) => each[key] !== undefined)?.[key] === true
  return { bell: chosen('bell'), desktop: chosen('desktop') }
}

/** Returns a sentence for each channel that failed. */
export async function send(
  settings: readonly NotifySetting[],
  notification: Notification,
  around: Surroundings,
): Promise<string[]> {
  const channels = forEvent(settings, notification).flatMap((setting) => [
    ...(setting.command === undefined ? [] : [toCommand(setting.command, setting, notification, around)]),
    ...(setting.webhook === undefined ? [] : [toWebhook(setting.webhook, setting, notification, around)]),
    ...(setting.slack === undefined ? [] : [toSlack(setting.slack, setting, notification, around)]),
  ])
  const { desktop } = terminalChannels(settings, notification)
  const problems = await Promise.all([...channels, ...(desktop ? [toDesktop(notification, around)] : [])])
  return [...new Set(problems.filter((each) => each !== undefined))]
}

async function toCommand(
  command: string,
  { timeoutMs, secret, webhook, slack }: NotifySetting,
  notification: Notification,
  around: Surroundings,
): Promise<string | undefined> {
  const own = [secret, webhook, slack].flatMap((text) => variableIn(text) ?? [])
  const problem = await runListener({
    argv: ['/bin/sh', '-c', command],
    cwd: around.root,
    env: { ...withoutSecrets(around.env, [...around.secrets, ...own]), ...variablesOf(notification) },
    input: `${JSON.stringify(notification)}\n`,
    timeoutMs,
    signal: around.signal,
  })
  return problem === undefined ? undefined : `the notification command failed: ${problem}`
}

/** A desktop that is not there is not a failure: the same settings are for a server too. */
async function toDesktop(notification: Notification, { env, root, signal }: Surroundings): Promise<string | undefined> {
  if (!hasDisplay(env) || !(await isOnPath('notify-send', env['PATH'] ?? ''))) return undefined
  const problem = await runListener({
    argv: ['notify-send', '--app-name=git plan', '--', `git plan: ${notification.repository}`, notification.text],
    cwd: root,
    env: stepEnvironment(env),
    input: '',
    timeoutMs: 2000,
    signal,
  })
  return problem === undefined ? undefined : `notify-send failed: ${problem}`
}

export const hasDisplay = (env: Environment): boolean =>
  [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((name) => name !== undefined && name !== '')

function toWebhook(
  address: string,
  setting: NotifySetting,
  notification: Notification,
  around: Surroundings,
): Promise<string | undefined> {
  const body = JSON.stringify(notification)
  const secret = valueOf(setting.secret, around.env)
  // Without its signature the receiver would take it for a forgery.
  if (setting.secret !== undefined && secret === undefined)
    return Promise.resolve(`the notification to the webhook was not sent: ${setting.secret} is not set`)
  const headers = {
    ...signatureHeaders(body, { id: notification.id, at: around.now, secret }),
    'plan-event': notification.event,
  }
  return toAddress('webhook', address, { body, headers }, setting, around)
}

const toSlack = (
  address: string,
  setting: NotifySetting,
  notification: Notification,
  around: Surroundings,
): Promise<string | undefined> =>
  toAddress('slack', address, { body: slackBody(notification), headers: {} }, setting, around)

async function toAddress(
  channel: 'webhook' | 'slack',
  address: string,
  { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  { timeoutMs }: NotifySetting,
  { env, signal }: Surroundings,
): Promise<string | undefined> {
  const url = valueOf(address, env)
  if (url === undefined) return `the notification to ${channel} was not sent: ${address} is not set`
  if (!URL.canParse(url)) return `the notification to ${channel} was not sent: ${address} is not a URL`
  const problem = await post({ url, body, headers, timeoutMs, signal })
  return problem === undefined ? undefined : `the notification to ${channel} (${new URL(url).host}) failed: ${problem}`
}

/** The text itself, or the value of the variable that it names. */
export function valueOf(text: string | undefined, env: Environment): string | undefined {
  const name = variableIn(text)
  const value = name === undefined ? text : env[name]
  return value === '' ? undefined : value
}

const secretName =
  /(^|_)(tokens?|secrets?|passw(or)?d|passphrase|credentials?|(api|access|private|signing)_?key|pat)(_|$)/i

/** A listener needs none of them, and the policy, which names it, is shared. */
function withoutSecrets(env: Environment, names: readonly string[]): Record<string, string> {
  const isSecret = ([name, value]: [string, string]): boolean =>
    names.includes(name) || secretName.test(name) || maskTokens(value) !== value
  return Object.fromEntries(Object.entries(stepEnvironment(env)).filter((each) => !isSecret(each)))
}
