// Random graphs of steps give the same history with every -j, and after a kill and a resume with another -j.

import fc from 'fast-check'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ended, planText, TestRepo } from '../helpers/repo.ts'
import { isWide } from '../helpers/wide.ts'

/** What a step does. `own` paths belong to one step; `shared` ones bring steps of a wave into conflict. */
const kinds = {
  own: (id) => `run: "echo ${id} > ${id}.txt; echo said by ${id}"`,
  create: (id) => `create: ${id}.txt, content: ${id}`,
  append: (id) => `edit: shared.txt, append: "line of ${id}"`,
  same: () => `edit: shared.txt, append: "the same line"`,
  replace: (id) => `edit: line.txt, replace: start, with: "${id}"`,
  command: (id) => `run: "echo ${id} >> shared.txt"`,
  nothing: () => `run: "true"`,
  fails: () => `run: "echo broken; exit 3"`,
  allowed: (id) => `run: "echo ${id} > ${id}.txt; exit 4", allow_failure: true`,
  retried: (id) => `run: "echo ${id} > ${id}.txt; test -e $MARKS/${id} || { touch $MARKS/${id}; exit 5; }", retries: 1`,
  checked: (id) => `run: "echo ${id} > ${id}.txt", files: ["*.txt"], verify: "test -s ${id}.txt"`,
  directory: (id) => `create: dir/${id}/file, content: ${id}`,
  uses: (id) => `run: "echo ${id} > ${id}.txt", uses: [db]`,
  alone: (id) => `run: "echo ${id} > ${id}.txt", alone: true`,
} satisfies Record<string, (id: string) => string>

type Kind = keyof typeof kinds
const graphs = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
    needs: fc.array(fc.nat(9), { maxLength: 2 }),
  }),
  { minLength: 3, maxLength: 9 },
)
const cases = fc.record({ graph: graphs, killMs: fc.integer({ min: 150, max: 1200 }), jobs: fc.constantFrom(1, 2, 8) })

function textOf(graph: readonly { readonly kind: Kind; readonly needs: readonly number[] }[]): string {
  const steps = graph.map(({ kind, needs }, at) => {
    const above = [...new Set(needs.filter((need) => need < at))].map((need) => `s${need}`)
    return `  - {id: s${at}, needs: [${above.join(', ')}], ${kinds[kind](`s${at}`)}}`
  })
  return planText(steps.join('\n'))
}

/**
 * Trees, subjects, order, and all trailers but those that name the run, the time and what was measured. `isWhole` false: the run was killed,
 * or stopped at a failure while other steps were running, so that some of them had one more attempt.
 */
function historyOf(repo: TestRepo, { isWhole }: { isWhole: boolean }): string[] {
  const log = repo.git(['log', '--reverse', '--first-parent', '--format=%T %B%x00', 'main..plan/p'])
  const own = isWhole
    ? /^Plan-(Run|Started|Ended|Cpu-Ms|Peak-Bytes): .*\n?/gm
    : /^(Plan-(Run|Started|Ended|Cpu-Ms|Peak-Bytes|Attempt): .*|Preflight checks skipped: .*\n)\n?/gm
  return log.split('\0').map((entry) => entry.replace(own, '').trim())
}

function prepared(text: string): TestRepo {
  const repo = new TestRepo()
  repo.write('shared.txt', 'shared\n')
  repo.write('line.txt', 'start\n')
  // An approval names the base: it must be the same commit in all repositories.
  const at = { GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' }
  repo.git(['add', '.'])
  repo.git(['commit', '-q', '--amend', '-m', 'Files of the steps', '--date', at.GIT_AUTHOR_DATE], { env: at })
  repo.env['MARKS'] = `${repo.home}/marks`
  mkdirSync(`${repo.home}/marks`)
  repo.write('../p.md', text)
  return repo
}

/** Skips each step that stops the plan, until it is completed. Returns true if none did. */
async function complete(repo: TestRepo, jobs: number, first: readonly string[]): Promise<boolean> {
  const always = ['--skip-check', 'plan', '-j', String(jobs)]
  let args = [...first, ...always]
  for (let round = 0; round < 30; round += 1) {
    const ran = await repo.plan(args)
    if (ran.code === 0) return round === 0
    expect(ran.code, ran.all).toBe(1)
    args = [...((await wayOn(repo)) ?? []), ...always]
  }
  throw new Error('the plan was never completed')
}

/** Skips the step that stopped the plan. undefined: the plan is completed. */
async function wayOn(repo: TestRepo): Promise<string[] | undefined> {
  const { status, steps } = (await repo.json(['status', 'p'])) as unknown as {
    status: string
    steps: { id: string; status: string }[]
  }
  const isAllowed = (id: string): boolean => new RegExp(`id: ${id},.*allow_failure`).test(repo.read('../p.md'))
  const stopped = steps.find((step) => ['failed', 'conflict'].includes(step.status) && !isAllowed(step.id))
  if (status === 'completed') return undefined
  if (status === 'failed') return ['resume', 'p', '--skip', stopped?.id ?? '', '-m', 'broken']
  return ['active', 'waiting'].includes(status) ? ['resume', 'p'] : ['start', 'p', '--approve']
}

function expectNothingLeft(repo: TestRepo): void {
  expect(repo.status()).toBe('')
  expect(repo.git(['worktree', 'list']).split('\n')).toHaveLength(1)
  expect(repo.git(['for-each-ref', 'refs/plan-local/p/results'])).toBe('')
  expect(existsSync(`${repo.dir}.plans`) ? readdirSync(`${repo.dir}.plans`) : []).toEqual([])
  expect(repo.fsck()).toBe('')
}

async function killedAndResumed(text: string, killMs: number, jobs: readonly [number, number]): Promise<string[]> {
  const repo = prepared(text)
  try {
    const child = repo.spawn(['start', '../p.md', '--approve', '--skip-check', 'plan', '-j', String(jobs[0])])
    const end = ended(child)
    await sleep(killMs)
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    await end
    const isProposed = repo.git(['for-each-ref', 'refs/heads/plan/p']) !== ''
    const way = isProposed ? await wayOn(repo) : ['start', '../p.md', '--approve']
    if (way !== undefined) await complete(repo, jobs[1], way)
    expectNothingLeft(repo)
    return historyOf(repo, { isWhole: false })
  } finally {
    repo.remove()
  }
}

test(
  'random graphs give the same history for -j 1, 2 and 8, and after a kill and a resume',
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ graph, killMs, jobs }) => {
        const text = textOf(graph)
        const histories: string[][] = []
        let killed: string[] = []
        for (const each of [1, 2, 8]) {
          const repo = prepared(text)
          try {
            const isWhole = await complete(repo, each, ['start', '../p.md', '--approve'])
            expectNothingLeft(repo)
            histories.push(historyOf(repo, { isWhole }))
            killed = historyOf(repo, { isWhole: false })
          } finally {
            repo.remove()
          }
        }
        expect(histories[1], text).toEqual(histories[0])
        expect(histories[2], text).toEqual(histories[0])
        expect(await killedAndResumed(text, killMs, [8, jobs]), `${text}\nkilled after ${killMs} ms`).toEqual(killed)
      }),
      {
        numRuns: Number(process.env['GRAPHS'] ?? (isWide ? 100 : 2)),
        endOnFailure: true,
        ...(process.env['GRAPH_SEED'] === undefined ? {} : { seed: Number(process.env['GRAPH_SEED']) }),
      },
    )
  },
)
