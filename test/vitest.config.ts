import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { temporaryDirectory, untestable } from './helpers/machine.ts'

/** No Git and no processes. */
const pure = 'test/unit/**/*.test.ts'
/** They replace modules, and so must not share a worker with others. */
const counting = 'test/isolated/**/*.test.ts'
const isPure = (name: string): boolean => name.startsWith('test/unit/')
/** With each suggested command tried: see helpers/suggestions.ts. */
const suggestions = ['test/e2e/**/*.test.ts', 'test/scripts/**/*.test.ts']
const isSuggestions = process.env['GIT_PLAN_TESTS'] === 'suggestions'
const isWide = process.env['GIT_PLAN_TESTS'] === 'wide'
const isSlow = process.env['GIT_PLAN_TESTS'] === 'slow'
const isQuick = process.env['GIT_PLAN_TESTS'] === 'quick'
/** The real agents, from the registry: npm run test:agents. */
const agents = 'test/agents/**/*.test.ts'
/** The page in a browser: npm run test:browser. */
const browser = 'test/browser/**/*.test.ts'
/** With Redis and PostgreSQL: npm run test:fleet. */
const servers = 'test/fleet/servers/**/*.test.ts'
const root = fileURLToPath(new URL('..', import.meta.url))

/** Part of every submission, but not of `npm test`, which has three minutes: npm run test:slow. */
const slow = [
  'test/faults/**/*.test.ts',
  'test/package.test.ts',
  'test/e2e/{agents,autostash,browse,cache,check-watch,check-whole,clones,effects,guards,hostile-tree}.test.ts',
  'test/e2e/{fleet,fleet-forge,fleet-landing,machines,many-plans,mcp-driver,next,parallel,refactor}.test.ts',
  'test/e2e/{clones-records,clones-runs,crash,earlier-version,git-hooks,hooks}.test.ts',
  'test/e2e/{counted-tests,install,parallel-graphs,parallel-results,processes,pull-request}.test.ts',
  'test/e2e/{quick-steps,review-advice,suggested-next,templates,together}.test.ts',
  'test/repo/{plain-checkpoint,shell-canary}.test.ts',
  'test/security/{agent-shell,campaign,isolation,large-objects,mcp,other-clones,packages}.test.ts',
]

/** All of test/wide, and the files elsewhere that try more if asked. */
const wide = (): string[] =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts'))
    .filter(
      (name) =>
        name.startsWith('test/wide/') || /helpers\/wide\.ts'|'MALFORMED'/.test(readFileSync(join(root, name), 'utf8')),
    )

// What takes long has a command of its own: npm run test:wide, npm run test:faults. Of the faults a sample is tried
// each time, without those that need a mount, another clock, or many minutes.
const isSample = !isWide && process.env['GIT_PLAN_FAULTS'] === undefined
const { globs: impossible, sentences } = isSample ? untestable(process.env) : { globs: [], sentences: [] }
const apart = [
  ...(isWide ? [] : ['test/wide/**']),
  // A mutant is hunted by one of them: it asks for the sample by name.
  ...(process.env['GIT_PLAN_FAULTS'] !== undefined
    ? []
    : ['test/faults/{load,other,other-disk,other-gc,other-git,other-steps,races}.test.ts']),
  ...impossible,
]
// Each project reads this file again.
if (process.env['GIT_PLAN_TESTS_PREPARED'] === undefined) {
  process.env['GIT_PLAN_TESTS_PREPARED'] = '1'
  for (const sentence of sentences) console.warn(sentence)
  const directory = temporaryDirectory()
  if (directory !== undefined) process.env['TMPDIR'] ??= directory
}

const common = [
  ...(isSlow
    ? []
    : [{ extends: true as const, test: { name: 'pure', include: isWide ? wide().filter(isPure) : [pure] } }]),
  {
    extends: true as const,
    test: {
      name: 'real',
      include: isWide ? wide() : isSlow ? slow : ['test/**/*.test.ts'],
      exclude: [pure, counting, agents, browser, servers, ...apart, ...(isQuick ? slow : [])],
    },
  },
  ...(isWide || isSlow
    ? []
    : [{ extends: true as const, test: { name: 'isolated', include: [counting], isolate: true } }]),
]

/** What has a command of its own. */
const others = {
  suggestions: {
    name: 'suggestions',
    include: suggestions,
    // Servers would hear of what is tried in the copies, and a browser would lose the directory that it watches.
    exclude: ['test/e2e/{browse,fleet-forge,notify}.test.ts'],
  },
  fleet: { name: 'fleet', include: [servers, 'test/fleet/*.test.ts'] },
  agents: {
    name: 'agents',
    include: [agents],
    globalSetup: 'test/agents/global-setup.ts',
    testTimeout: 600_000,
    // Each agent starts programs of its own, and some take a gigabyte.
    maxWorkers: 1,
  },
  browser: {
    name: 'browser',
    include: [browser],
    globalSetup: 'test/browser/global-setup.ts',
    // A browser takes both cores, and some tests measure.
    maxWorkers: 1,
    // Each file has a browser of its own.
    isolate: true,
  },
}
const other = Object.entries(others).find(([name]) => name === process.env['GIT_PLAN_TESTS'])?.[1]

export default defineConfig({
  test: {
    root,
    // For what never ends. How long a test takes depends on what else the machine does.
    testTimeout: isSuggestions ? 600_000 : 120_000,
    hookTimeout: 120_000,
    // A shared machine may stop for seconds. What had to be tried again is in the report.
    retry: process.env['CI'] === 'true' ? 2 : 0,
    pool: 'forks',
    // Real processes and real Git: a part of the time is waiting, so two cores take four files at a time.
    maxWorkers: Number(process.env['GIT_PLAN_WORKERS'] ?? 4),
    // A worker goes on with the next file: a new one would load vitest and the source again, which takes longer than
    // most files. So no test may leave a changed environment, directory or module behind.
    isolate: false,
    // Two kinds of workers: the parser's hostile files make one large, and starting a process from a large one takes
    // longer.
    projects: other === undefined ? common : [{ extends: true as const, test: other }],
  },
})
