// Looking at a run from another terminal: wait, status --watch, log --follow.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'

/** A plan that runs until the file `go` is there, then prints and ends. */
async function started(repo: TestRepo, last: string): Promise<{ readonly end: Promise<unknown> }> {
  repo.write('../p.md', planText(`  - {id: one, run: 'echo begun; until test -e ../go; do sleep 0.05; done; ${last}'}`))
  const end = ended(repo.spawn(['start', '../p.md', '--approve']))
  await until('the step runs', async () => (await repo.plan(['status', 'p', '--json'])).stdout.includes('"running"'))
  return { end }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    if (tries > 500) throw new Error(`waited in vain until ${what}`)
    await sleep(100)
  }
}

test('wait returns when the plan is completed; status --watch and log --follow show the way there', async ({
  repo,
}) => {
  const run = await started(repo, 'echo printed late')
  const children = [
    ['wait', 'p', '--timeout', '100s'],
    ['status', 'p', '--watch', '--json'],
    ['log', 'p', '--follow'],
  ].map((args) => repo.spawn(args))
  const looks = children.map((child) => ended(child))
  // Both print what there is first; the logs of the run have been read a moment later.
  await Promise.all(children.slice(1).map((child) => once(child.stdout!, 'data')))
  await sleep(1000)
  repo.write('../go', '')
  const [waited, watched, followed] = await Promise.all(looks)
  await run.end
  expect(waited).toMatchObject({ code: 0 })
  expect(waited?.stdout).toContain('p is completed')
  const seen = watched?.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { seen: string }).seen)
  expect(seen?.[0]).toBe('running')
  expect(seen?.at(-1)).toBe('completed')
  expect(followed?.stdout).toContain('  one | printed late')
  expect(followed?.stdout).not.toContain('one | begun')
  expect(followed?.stdout).toMatch(/completed/)
})

test('wait says what the plan is instead, and takes only known words', async ({ repo }) => {
  repo.write('../p.md', planText('  - {id: one, run: exit 3}\n  - {id: ask, gate: Sure?, needs: []}'))
  await repo.plan(['start', '../p.md', '--approve'])
  expect(await repo.plan(['wait', 'p'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('p is failed, and was to be completed'),
  })
  expect(await repo.plan(['wait', 'p', '--for', 'failed'])).toMatchObject({ code: 0 })
  await repo.plan(['resume', 'p', '--skip', 'one', '-m', 'no'])
  expect(await repo.plan(['wait', 'p'])).toMatchObject({ code: 5 })
  expect(await repo.plan(['wait', 'p', '--for', 'approved'])).toMatchObject({ code: 0 })
  expect(await repo.plan(['wait', 'p', '--for', 'done'])).toMatchObject({
    code: 2,
    all: expect.stringContaining('unknown status "done"'),
  })
  expect(await repo.plan(['wait', 'p', '--timeout', 'soon'])).toMatchObject({ code: 2 })
  expect(await repo.plan(['log', 'p', '--follow', '--output', 'one'])).toMatchObject({ code: 2 })
  repo.write('../q.md', planText('  - {id: one, run: "true"}'))
  repo.git(['checkout', '-q', 'main'])
  expect(await repo.plan(['new', '--from', '../q.md'])).toMatchObject({ code: 0 })
  expect(await repo.plan(['wait', 'q', '--timeout', '20ms'])).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('q is still proposed after 20ms'),
  })
})
