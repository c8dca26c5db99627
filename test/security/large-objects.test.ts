// G11: what a branch holds that somebody has pushed may be of any size. It is refused by its size: we do not read it,
// and git at most looks into a commit to find its tree.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { refusalOf } from '../helpers/canary.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const megabytes = 80
/** Git hashes a commit whenever it is asked for: less of it does as well. */
const megabytesOfMessage = 10
const peakOfProcess = fileURLToPath(new URL('../bench/subjects/peak.cjs', import.meta.url))

/** An object that begins with a text and goes on for long. */
const large = (repo: TestRepo, type: string, text: string, size: number): string =>
  execFileSync(
    'sh',
    [
      '-c',
      `(printf %s "$1"; yes | head -c ${size * 1024 * 1024}) | git -c core.looseCompression=1 hash-object -w -t ${type} --stdin`,
      'sh',
      text,
    ],
    {
      cwd: repo.dir,
      env: repo.env,
      encoding: 'utf8',
    },
  ).trim()

/** A commit on main with one more file. */
function commitWith(repo: TestRepo, path: string, blob: string): string {
  const env = { GIT_INDEX_FILE: join(repo.home, 'index') }
  repo.git(['read-tree', 'main'], { env })
  repo.git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env })
  return repo.git(['commit-tree', '-p', 'main', '-m', 'Pushed', repo.git(['write-tree'], { env })])
}

const store = (repo: TestRepo, text: string): string => repo.git(['hash-object', '-w', '--stdin'], { input: text })

/** A git that has no memory for several of them, and how much we had at the most. */
function bounded(repo: TestRepo): {
  readonly env: Record<string, string>
  readonly peak: () => number
} {
  const bin = join(repo.home, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\nulimit -v 300000\nexec ${execFileSync('which', ['git'], { encoding: 'utf8' }).trim()} "$@"\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  const file = join(repo.home, 'peak')
  const env = {
    PATH: `${bin}:${repo.env['PATH']}`,
    NODE_OPTIONS: `--require=${peakOfProcess}`,
    GIT_PLAN_BENCH_PEAK: file,
  }
  return { env, peak: () => Number(readFileSync(file, 'utf8')) / 1024 }
}

const mostOfOurs = 130

describe.runIf(process.platform === 'linux')('G11 what is too large is refused before it is read', () => {
  test('a plan file, a message, a policy: the plan is named, and the others are shown', async ({ repo }) => {
    repo.write('p.md', planText('  - {id: one, run: "true"}', 'plan: small\n'))
    expect((await repo.plan(['start', 'p.md', '--approve'])).code).toBe(0)
    repo.git(['checkout', '-q', 'main'])
    const blob = large(repo, 'blob', '', megabytes)
    repo.git(['update-ref', 'refs/heads/plan/huge', commitWith(repo, '.plans/huge.md', blob)])
    const tree = repo.git([
      'rev-parse',
      `${commitWith(repo, '.plans/loud.md', store(repo, planText('  - {id: one, run: "true"}')))}^{tree}`,
    ])
    const head = `tree ${tree}\nparent ${repo.git(['rev-parse', 'main'])}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n`
    repo.git(['update-ref', 'refs/heads/plan/loud', large(repo, 'commit', head, megabytesOfMessage)])

    const { env, peak } = bounded(repo)
    const data = (await repo.json(['list'], { env })) as unknown as {
      plans: { id: string }[]
      unreadable: { id: string; code: string }[]
    }
    expect(data.plans.map(({ id }) => id)).toEqual(['small'])
    expect(data.unreadable.map(({ id, code }) => [id, code]).toSorted()).toEqual([
      ['huge', 'too-large'],
      ['loud', 'too-large'],
    ])
    expect(peak()).toBeLessThan(mostOfOurs)
    for (const [command, id] of [
      ['status', 'huge'],
      ['status', 'loud'],
      ['audit', 'loud'],
      ['resume', 'huge'],
    ] as const) {
      const ran = await repo.plan([command, id, '--json'], { env })
      expect([command, id, refusalOf(ran).code], ran.all).toEqual([command, id, 'too-large'])
      expect(peak()).toBeLessThan(mostOfOurs)
    }
    expect((await repo.plan(['status'], { env })).code).toBe(0)
    repo.git(['update-ref', 'refs/heads/main', commitWith(repo, '.plans/config.yml', blob)])
    const refused = refusalOf(await repo.plan(['list', '--json'], { env }))
    expect(refused).toMatchObject({
      code: 'too-large',
      message: `refs/heads/main:.plans/config.yml is a blob of ${megabytes} MB; at most 4 MB are read`,
    })
    expect(peak()).toBeLessThan(mostOfOurs)
  })
})
