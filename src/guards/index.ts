// The hook implementations by hook name.

import type { HookName } from '../commands/utilities/hooks/scripts.ts'
import type { HookCall } from './hook-call.ts'

export const guards: Readonly<Record<HookName, () => Promise<(call: HookCall) => Promise<void>>>> = {
  'pre-commit': () => import('./pre-commit.ts').then((module) => module.preCommit),
  'pre-push': () => import('./pre-push.ts').then((module) => module.prePush),
  'pre-receive': () => import('./pre-receive.ts').then((module) => module.preReceive),
}
