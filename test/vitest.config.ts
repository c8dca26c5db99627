import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    // What takes long has a command of its own: npm run test:wide, npm run test:sweep.
    exclude: ['wide', 'sweep'].filter((name) => process.env['GIT_PLAN_TESTS'] !== name).map((name) => `test/${name}/**`),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Real processes and real Git: a part of the time is waiting, so two cores take three files at a time.
    maxWorkers: Number(process.env['GIT_PLAN_WORKERS'] ?? 3),
  },
})
