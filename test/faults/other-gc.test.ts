// `git gc --prune=now` removes objects that no ref names at that moment, however young: in a loop during a run it hits
// every moment between an object and its ref.

import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { expect } from 'vitest'
import { Outside, pidIn } from '../helpers/crash.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'
import { figure, many } from './figures.ts'
import { Story } from './story.ts'

/** Runs until the file `stop` exists; returns the number of runs. */
function gcLoop(repo: TestRepo): { stop: () => Promise<number> } {
  const stop = new Outside(repo, 'stop')
  const count = new Outside(repo, 'gcs')
  const loop = `while [ ! -e ${stop.path} ]; do git gc --prune=now -q 2>/dev/null && echo came >> ${count.path}; sleep ${many(0.1, 0)}; done`
  const child = spawn('/bin/sh', ['-c', loop], { cwd: repo.dir, env: repo.env, stdio: 'ignore' })
  return {
    stop: async () => {
      stop.write()
      await ended(child)
      return count.count('came')
    },
  }
}

function preCommit(repo: TestRepo, script: string): void {
  repo.write('.git/hooks/pre-commit', `#!/bin/sh\n${script}\n`)
  chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
}

test.for([
  { where: 'where we write the objects', prepare: () => {} },
  {
    where: 'where git writes them, through filters',
    prepare: (repo: TestRepo) => {
      repo.write('.gitattributes', '* text=auto\n')
      repo.commit('Attributes')
    },
  },
  {
    where: 'where a hook has a part in it',
    prepare: (repo: TestRepo) =>
      preCommit(repo, 'for each in $(git diff --cached --name-only --diff-filter=A -- s); do date +%N >> $each; done'),
  },
])(
  'git gc --prune=now in a loop beside a run takes nothing that the plan needs, $where',
  { timeout: 600_000 },
  async ({ where, prepare }, { repo }) => {
    prepare(repo)
    const steps = many(2, 60)
    // Each leaves new blobs and trees; every fourth fails first, so that attempts and notes are made, too.
    const story = new Story(
      repo,
      Array.from({ length: steps }, (_, at) => {
        const retry = at % 4 === 0 ? '; [ $PLAN_ATTEMPT = 2 ]' : ''
        return `  - {id: s${at}, retries: 1, run: "mkdir -p s/${at}; echo ${at} > s/${at}/f; echo said ${at}${retry}"}`
      }),
    )
    const loop = gcLoop(repo)
    const ran = await repo.plan(story.start)
    const came = await loop.stop()
    expect([...story.afterFault(ran), ...(await story.goOn())]).toEqual([])
    expect(ran.code, ran.all).toBe(0)
    expect(came).toBeGreaterThan(1)
    expect(story.ledger.lines()).toEqual(['one', 'last'])
    expect(repo.git(['for-each-ref', '--format=x', 'refs/plan/demo/attempts']).split('\n')).toHaveLength(
      Math.ceil(steps / 4),
    )
    figure('other faults', `git gc --prune=now in a loop, ${where}`, { injections: came, violations: 0 })
    expect(repo.fsck()).toBe('')
  },
)

test('nobody waits for a git gc that is at work', async ({ repo }) => {
  const story = new Story(repo)
  const held = `${process.pid} ${hostname()}`
  writeFileSync(repo.path('.git/gc.pid'), held)
  const ran = await repo.plan(story.start)
  expect(ran.code, ran.all).toBe(0)
  expect(readFileSync(repo.path('.git/gc.pid'), 'utf8')).toBe(held)
})

test('while a hook of one plan runs, git gc and another plan come to their ends', async ({ repo }) => {
  const [armed, pid] = [new Outside(repo, 'armed'), new Outside(repo, 'pid')]
  preCommit(
    repo,
    `if [ "$(git symbolic-ref --short HEAD)" = plan/slow ]; then echo $$ > ${pid.path}; while [ -e ${armed.path} ]; do sleep 0.1; done; git diff --cached --quiet && exit 1; fi; exit 0`,
  )
  for (const id of ['slow', 'quick'])
    expect(
      (
        await repo.plan(['new', id, '--from', '-', '--id', id], {
          input: planText('  - {id: one, run: echo 1 > one.txt}'),
        })
      ).code,
    ).toBe(0)
  armed.write()
  const slow = ended(repo.spawn(['start', 'slow', '--approve', '--worktree']))
  await pidIn(pid.path)
  repo.git(['gc', '--prune=now', '-q'])
  expect(await repo.plan(['start', 'quick', '--approve', '--worktree'])).toMatchObject({ code: 0 })
  repo.git(['gc', '--prune=now', '-q'])
  armed.remove()
  expect(await slow).toMatchObject({ code: 0 })
  repo.git(['gc', '--prune=now', '-q'])
  expect(repo.fsck()).toBe('')
  expect(repo.git(['show', 'plan/slow~1:one.txt'])).toBe('1')
})
