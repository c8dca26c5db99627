// Whether notifications can work, without sending one.

import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isAddress, variableIn, type NotifySetting } from '../../plan/config/notify.ts'
import { hasDisplay, valueOf } from '../../notify/send.ts'
import { isOnPath } from '../../process/on-path.ts'
import type { Environment } from '../../process/environment.ts'
import type { Settings } from '../../operation/settings.ts'
import type { Diagnosis } from './doctor.ts'

const remedy = 'git plan config'

export async function judgeNotify(
  { notify, invalidNotify }: Settings,
  { root, env }: { readonly root: string; readonly env: Environment },
): Promise<Diagnosis[]> {
  const problems = [
    ...invalidNotify.map((key) => `plan.notify.${key} in git config is not valid, and has no effect`),
    ...(await Promise.all(notify.map((setting) => problemsOf(setting, root, env)))).flat(),
  ]
  const channels = [...new Set(notify.flatMap(channelsOf))]
  return [
    ...problems.map((message): Diagnosis => ({ name: 'notifications', state: 'warn', message, remedy })),
    ...(problems.length > 0 || channels.length === 0
      ? []
      : [{ name: 'notifications', state: 'ok', message: channels.join(', ') } as const]),
  ]
}

const channelsOf = (setting: NotifySetting): string[] =>
  (['bell', 'desktop', 'command', 'webhook', 'slack'] as const).filter(
    (name) => setting[name] !== undefined && setting[name] !== false,
  )

async function problemsOf(setting: NotifySetting, root: string, env: Environment): Promise<string[]> {
  const { command, webhook, slack, secret, desktop } = setting
  const unset = [webhook, slack, secret].filter((text) => text !== undefined && valueOf(text, env) === undefined)
  const program = /^[\w./-]+/.exec(command ?? '')?.[0]
  return [
    ...(channelsOf(setting).length === 0 ? ['notify names no channel: bell, desktop, command, webhook or slack'] : []),
    ...unset.map((text) => `${text} is not set, so nothing is sent to it`),
    ...[webhook, slack].flatMap((text) => addressProblem(text, valueOf(text, env))),
    ...(webhook !== undefined && secret === undefined
      ? ['requests to the webhook are not signed: set notify.secret']
      : []),
    ...(webhook === undefined && secret !== undefined ? ['notify.secret signs nothing: there is no webhook'] : []),
    ...(program === undefined || (await isRunnable(program, root, env)) ? [] : [`${program} is not a program here`]),
    ...(desktop === true && hasDisplay(env) && !(await isOnPath('notify-send', env['PATH'] ?? ''))
      ? ['notify-send is not installed: only the terminal shows notifications']
      : []),
  ]
}

function addressProblem(text: string | undefined, value: string | undefined): string[] {
  if (text === undefined || value === undefined) return []
  if (!isAddress(value)) return [`${variableIn(text) ?? 'an address of notify'} does not contain a URL`]
  const { protocol, hostname, host } = new URL(value)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'http:' && !isLocal ? [`notifications to ${host} are not encrypted: use https`] : []
}

/** A word of the shell, such as `cd`, is taken for a program that is there. */
async function isRunnable(program: string, root: string, env: Environment): Promise<boolean> {
  if (!program.includes('/')) return shellWords.has(program) || isOnPath(program, env['PATH'] ?? '')
  return access(resolve(root, program), constants.X_OK).then(
    () => true,
    () => false,
  )
}

const shellWords = new Set([
  'cat',
  'cd',
  'echo',
  'eval',
  'exec',
  'exit',
  'export',
  'for',
  'if',
  'printf',
  'read',
  'set',
  'test',
  'true',
  'while',
])
