import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    // The sweep over every moment of a crash has a command of its own: npm run test:sweep.
    exclude: process.env['GIT_PLAN_SWEEP'] === undefined ? ['test/e2e/crash-sweep.test.ts'] : [],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Real processes and real Git: a part of the time is waiting, so two cores take three files at a time.
    maxWorkers: 3,
  },
})
