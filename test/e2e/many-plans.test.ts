// Several plans at the same time in one repository.

import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { isWide } from '../helpers/wide.ts'

const write = (repo: TestRepo, id: string, steps: string): string => {
  repo.write(`../${id}.md`, planText(steps))
  return `../${id}.md`
}
const steps = (id: string): string =>
  [1, 2, 3].map((n) => `  - {id: s${n}, needs: [], run: "echo ${id} > ${id}-${n}.txt"}`).join('\n')

test('many plans at once complete, and leave a clean repository', { timeout: 600_000 }, async ({ repo }) => {
  const ids = Array.from({ length: isWide ? 20 : 4 }, (_, at) => `p${at + 1}`)
  const files = ids.map((id) => write(repo, id, steps(id)))
  const ran = await repo.plan(['start', ...files, '--approve', '-j', '4'])
  expect(ran.code, ran.all).toBe(0)
  expect(ran.stdout).toContain(`${ids.length} of ${ids.length} plans completed`)
  expect(ran.stderr).toContain('p1 [1/3] s1: ')
  for (const id of ids) {
    expect((await repo.plan(['audit', id])).code).toBe(0)
    expect((await repo.plan(['finish', id])).code).toBe(0)
  }
  expect(repo.git(['ls-files', '*-*.txt']).split('\n')).toHaveLength(ids.length * 3)
  expect(repo.git(['worktree', 'list']).split('\n')).toHaveLength(1)
  expect(existsSync(`${repo.dir}.plans`)).toBe(false)
  expect(repo.git(['for-each-ref', 'refs/heads/plan', 'refs/plan-local'])).toBe('')
  expect(repo.status()).toBe('')
  expect(repo.fsck()).toBe('')
})

test('a plan that is refused or fails does not stop the others; resume continues several', async ({ repo }) => {
  const good = write(repo, 'good', steps('good'))
  const bad = write(repo, 'bad', '  - {id: one, run: "test -e ../../home/mended"}')
  repo.write('../broken.md', '---\nsteps: []\n---\n')
  const ran = await repo.plan(['start', bad, good, '../broken.md', '--approve', '-j', '2', '--json'])
  expect(ran.code).toBe(1)
  const last = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '') as {
    kind: string
    plans: { target: string; exitCode: number; end?: string; error?: string }[]
  }
  expect(last.kind).toBe('reports')
  expect(last.plans.map(({ exitCode, end, error }) => [exitCode, end ?? error])).toEqual([
    [1, 'failed'],
    [0, 'completed'],
    [2, 'invalid-plan'],
  ])
  repo.write('../home/mended', '')
  const more = write(repo, 'more', steps('more'))
  expect((await repo.plan(['new', '--from', more])).code).toBe(0)
  const again = await repo.plan(['resume', 'bad', 'more', '--approve'])
  expect(again.stdout).toContain('bad: Completed bad')
  expect((await repo.plan(['resume', 'bad', 'more', '--skip', 'one'])).all).toContain('--skip is for one plan')
  expect((await repo.plan(['start', good, good])).all).toContain('is named twice')
})

test('check --against names the files that two plans may both change', async ({ repo }) => {
  await repo.plan(['new', '--from', write(repo, 'one', '  - {id: a, edit: a.txt, append: x}')])
  await repo.plan(['start', write(repo, 'two', '  - {id: run, run: "echo x > b.txt"}'), '--approve', '--worktree'])
  const file = write(
    repo,
    'three',
    '  - {id: x, edit: a.txt, append: y}\n  - {id: y, run: make, files: ["*.txt"]}\n  - {id: z, create: c.md, content: z}',
  )
  const against = async (plan: string): Promise<string[]> => {
    const { findings } = (await repo.json(['check', file, '--against', plan])) as unknown as {
      findings: { rule: string; message: string }[]
    }
    return findings.filter(({ rule }) => rule === 'conflict').map(({ message }) => message)
  }
  expect(await against('one')).toEqual(['x and a of one may both change a.txt'])
  expect(await against('two')).toEqual(['y and the branch of two may both change b.txt'])
})
