// The hidden command that the scripts in hooks/ call: `git-plan hook NAME ARGUMENT…`. Prints nothing unless it refuses.

import { guards } from '../../guards/index.ts'
import type { HookCall } from '../../guards/hook-call.ts'
import { PlanError } from '../../errors.ts'

/** `words` follow `hook`. Rejects with the refusal. */
export async function answerHook(words: readonly string[], world: Omit<HookCall, 'args'>): Promise<void> {
  const [name = '', ...args] = words
  if (!isHook(name))
    throw new PlanError(
      'usage',
      `unknown hook ${JSON.stringify(name.slice(0, 80))}; the hooks are ${Object.keys(guards).join(', ')}`,
      {
        hint: 'git plan hooks install',
      },
    )
  const guard = await guards[name]()
  await guard({ ...world, args })
}

const isHook = (name: string): name is keyof typeof guards => Object.hasOwn(guards, name)
