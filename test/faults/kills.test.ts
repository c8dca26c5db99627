import { test } from 'vitest'
import { isWhole, many } from './figures.ts'
import { killAtRandom, killParallel } from './kills.ts'

/** The whole run uses a new seed each time, and reports it on failure; the sample is deterministic. */
const seed = Number(process.env['GIT_PLAN_SEED'] ?? (isWhole ? Date.now() % 1_000_000 : 4))

test('killed at random moments, every plan comes to its end', { timeout: 7_200_000 }, () =>
  killAtRandom({ seed, plans: many(1, 50), each: many(2, 20) }),
)

test.skipIf(!isWhole)('killed again and again, parallel steps come to their end', { timeout: 7_200_000 }, () =>
  killParallel({ seed, kills: Number(process.env['GIT_PLAN_KILLS'] ?? 200) }),
)
