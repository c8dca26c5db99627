// The hidden entry that the scripts of hooks/ call: `git-plan hook NAME ARGUMENT…`. It says nothing where there is nothing to refuse.

import { guards } from '../commands/guards/index.ts'
import type { HookCall } from '../commands/guards/hook-call.ts'
import { PlanError } from '../errors.ts'

/** `asked` is what follows `hook`. Rejects with what is refused. */
export async function answerHook(asked: readonly string[], world: Omit<HookCall, 'args'>): Promise<void> {
  const [name = '', ...args] = asked
  if (!isHook(name))
    throw new PlanError('usage', `git plan has no hook ${JSON.stringify(name.slice(0, 80))}, only ${Object.keys(guards).join(', ')}`, {
      hint: 'git plan hooks install',
    })
  const guard = await guards[name]()
  await guard({ ...world, args })
}

const isHook = (name: string): name is keyof typeof guards => Object.hasOwn(guards, name)
