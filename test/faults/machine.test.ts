// Random plans and random commands, in the model and in a real repository: after each command both must agree.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { figure, isWhole, many } from './figures.ts'
import { drawn, steps, type Drawn } from './model/generated.ts'
import { apply } from './model/model.ts'
import { expected, Real } from './model/real.ts'
import type { Command, Step } from './model/words.ts'
import { newWorld } from './model/state.ts'

/** Commands per run. */
const most = many(8, 12)
const ran = new Map<string, number>()
const nameOf = (command: Command): string => ('how' in command ? `${command.kind} ${command.how}` : command.kind)

async function play(first: readonly Step[], commands: readonly Drawn[]): Promise<void> {
  let world = newWorld(first)
  let left = most
  const real = new Real()
  try {
    for (const { command, isRefusalTried } of commands) {
      const after = structuredClone(world)
      const code = apply(after, command)
      if (code === undefined || (code === 2 && !isRefusalTried)) continue
      const actual = await real.apply(command, world)
      expect({ code: actual, ...(await real.seen()) }, `${JSON.stringify(command)}\n${real.said}`).toEqual({
        code,
        ...expected(after),
      })
      ran.set(nameOf(command), (ran.get(nameOf(command)) ?? 0) + 1)
      world = after
      left -= 1
      if (left === 0) break
    }
    // Whatever came to pass, it can be proven.
    expect(await real.unproven(), real.said).toEqual([])
  } finally {
    real.repo.remove()
  }
}

// The seed is in the message of a failure; GIT_PLAN_SEED gives it back, and GIT_PLAN_RUNS says how many. That of the
// sample has most kinds of commands in few runs.
test(
  'after every command of any sequence, plan and repository are as the model says',
  { timeout: 7_200_000 },
  async () => {
    const numRuns = Number(process.env['GIT_PLAN_RUNS'] ?? many(2, 300))
    const seed = Number(process.env['GIT_PLAN_SEED'] ?? (isWhole ? Date.now() % 1_000_000_007 : 264))
    await fc.assert(fc.asyncProperty(steps, drawn(3 * most), play), { seed, numRuns })
    const commands = [...ran.values()].reduce((sum, each) => sum + each, 0)
    figure('model', 'commands', { runs: numRuns, commands, differences: 0 })
    for (const [kind, count] of [...ran].toSorted())
      figure('model', kind, { runs: '', commands: count, differences: 0 })
  },
)
