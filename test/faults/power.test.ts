import { expect, test } from 'vitest'
import { figure, isWhole } from './figures.ts'
import { survey, traceOf } from './power.ts'
import { ways } from './ways.ts'
import { World } from './faulty-repo.ts'

const tried = ways.filter(({ name, isForgetting }) => (isWhole ? isForgetting !== true : name === 'start'))

test.each(tried)('$name: no ref is moved before what it names is on disk', { timeout: 120_000 }, async (way) => {
  const world = new World()
  try {
    await way.prepare(world)
    const acts = await traceOf(world.repo, way.command)
    const { moved, written, wrong } = survey(world.repo, acts)
    figure('power loss', way.name, { 'refs moved': moved, 'objects written': written, violations: wrong.length })
    expect(wrong).toEqual([])
    // How much a recovery has left to move depends on where it was cut off.
    if (way.isRecovery !== true) expect(moved).toBeGreaterThan(1)
  } finally {
    world.remove()
  }
})
