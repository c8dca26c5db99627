// kill -9 in the middle of what takes time: a command, a hook, git writing files. The moments between them are in
// test/faults/sweep.ts. Everything is called as `git plan`, so that git is the parent of the executor that is killed
// and of the one that recovers.

import type { ChildProcess } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { disorder, executorOf, isAlive, Outside, pidIn, until } from '../helpers/crash.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'
import { isWide, some } from '../helpers/wide.ts'

const byGit = { throughGit: true }
const start = ['start', '.plans/demo.md', '--approve']
const ledger = (repo: TestRepo): Outside => new Outside(repo, 'ledger')
const armed = (repo: TestRepo): Outside => new Outside(repo, 'armed')
const pid = (repo: TestRepo): Outside => new Outside(repo, 'pid')
const plan = (repo: TestRepo, steps: string): void => repo.write('.plans/demo.md', planText(steps))

/** Shell that stops and waits to be killed, while the test has armed it. */
const trap = (repo: TestRepo): string => `if [ -e ${armed(repo).path} ]; then echo $$ > ${pid(repo).path}; sleep 60; fi`

/** A file that git writes through a filter, so that a test can catch git in the middle of a checkout. */
function slowFile(repo: TestRepo): void {
  const filter = new Outside(repo, 'filter.sh')
  filter.write(`${trap(repo)}\ncat\n`)
  repo.git(['config', 'filter.slow.smudge', `sh ${filter.path}`])
  repo.git(['config', 'filter.slow.clean', 'cat'])
  repo.write('.gitattributes', '*.dat filter=slow\n')
  repo.write('.gitignore', '*.log\n')
  repo.write('big.dat', 'big\n')
  repo.write('z.txt', 'last\n')
  repo.commit('A slow file')
  repo.write('keep.log', 'ignored\n')
}

type How = 'alone' | 'with everything'

/** Waits until the trap has caught somebody, then kills. Afterwards the trap is open. */
async function killInTrap(repo: TestRepo, child: ChildProcess, how: How): Promise<number> {
  const ran = ended(child)
  const caught = await pidIn(pid(repo).path)
  process.kill(await executorOf(child), 'SIGKILL')
  // The group of what was caught: the step's own, or that of the git that runs it.
  if (how === 'with everything') process.kill(-groupOf(caught), 'SIGKILL')
  await until('the executor is gone', () => !isAlive(child.pid ?? 0))
  // A signal that was sent has not yet ended anything.
  if (how === 'with everything') await until('what it ran is gone', () => !isAlive(caught))
  armed(repo).remove()
  // 137: git says that what it started was killed. 256: it was killed itself.
  if (how === 'with everything') expect([128 + 9, 256]).toContain((await ran).code)
  return caught
}

const groupOf = (process: number): number =>
  Number(
    readFileSync(`/proc/${process}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[2],
  )

function expectOrder(repo: TestRepo, caught: number): void {
  expect(isAlive(caught)).toBe(false)
  expect(disorder(repo)).toEqual([])
  expect(repo.status()).toBe('')
}

const bothHows = ['alone', 'with everything'] as const
/** With everything: in test/faults at every call. */
const hows = some(bothHows, [0])

test.for(hows)(
  'an executor killed %s in the middle of a step: the step is saved, ended and run again, the one before it is not',
  async (how, { repo }) => {
    plan(
      repo,
      [
        `  - {id: one, run: 'echo one >> ${ledger(repo).path}; echo 1 > one.txt'}`,
        `  - {id: two, run: 'echo two >> ${ledger(repo).path}; echo half > two.txt; rm a.txt; ${trap(repo)}; echo 2 > two.txt'}`,
      ].join('\n'),
    )
    repo.write('.git/info/exclude', '*.log\n')
    repo.write('keep.log', 'ignored\n')
    armed(repo).write()
    const caught = await killInTrap(repo, repo.spawn(start, byGit), how)
    expect(isAlive(caught)).toBe(how === 'alone')
    const seen = await repo.json(['status', 'demo'])
    expect(seen).toMatchObject({ seen: 'stalled', progress: { done: 1, total: 2 } })

    const ran = await repo.plan(['resume', 'demo'], byGit)
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('two was interrupted; its changes are saved as attempt 1')
    expectOrder(repo, caught)
    expect(ledger(repo).lines()).toEqual(['one', 'two', 'two'])
    expect(repo.git(['show', 'refs/plan/demo/attempts/two/1:two.txt'])).toBe('half')
    expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/demo'])).toBe('.plans/demo.md\none.txt\ntwo.txt')
    expect(repo.read('two.txt')).toBe('2\n')
    expect(repo.read('keep.log')).toBe('ignored\n')
  },
)

test('a step that was killed before it changed a file has nothing that is saved', async ({ repo }) => {
  plan(repo, `  - {id: one, run: '${trap(repo)}'}`)
  armed(repo).write()
  await killInTrap(repo, repo.spawn(start, byGit), 'alone')
  const ran = await repo.plan(['resume', 'demo'])
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('one was interrupted; it had changed no files')
})

test.for(hows)('an executor killed %s in a commit hook, in the middle of a checkpoint', async (how, { repo }) => {
  plan(repo, `  - {id: one, run: 'echo one >> ${ledger(repo).path}; echo 1 > one.txt'}`)
  writeFileSync(repo.path('.git/hooks/pre-commit'), `#!/bin/sh\n${trap(repo)}\n`)
  chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
  armed(repo).write()
  const caught = await killInTrap(repo, repo.spawn(start, byGit), how)
  const ran = await repo.plan(['resume', 'demo'], byGit)
  expect(ran.code, ran.all).toBe(0)
  expectOrder(repo, caught)
  expect(ledger(repo).count('one')).toBe(2)
  expect(repo.git(['show', 'plan/demo:one.txt'])).toBe('1')
})

// Both: a git that is killed leaves its lock.
test.for(bothHows)('an executor killed %s while git restores the tree after a failure', async (how, { repo }) => {
  slowFile(repo)
  plan(
    repo,
    `  - {id: one, run: 'echo one >> ${ledger(repo).path}; [ -e ${pid(repo).path} ] && exit 0; echo changed | tee big.dat z.txt; echo new > new.txt; touch ${armed(repo).path}; exit 1'}`,
  )
  const caught = await killInTrap(repo, repo.spawn(start, byGit), how)
  const ran = await repo.plan(['resume', 'demo'], byGit)
  expect(ran.code, ran.all).toBe(0)
  expectOrder(repo, caught)
  expect([repo.read('big.dat'), repo.read('z.txt'), repo.read('keep.log')]).toEqual(['big\n', 'last\n', 'ignored\n'])
  expect(repo.git(['show', 'refs/plan/demo/attempts/one/1:z.txt'])).toBe('changed')
})

test.for(hows)(
  'an executor killed %s while it puts the changes of the user aside: they are there again, byte for byte',
  async (how, { repo }) => {
    slowFile(repo)
    plan(repo, `  - {id: one, run: 'echo one >> ${ledger(repo).path}; echo 1 > one.txt'}`)
    const mine = {
      'big.dat': 'mine\r\n',
      'z.txt': 'mine too',
      'dir/new.txt': Buffer.from([0, 255, 10]).toString('latin1'),
    }
    for (const [path, text] of Object.entries(mine)) repo.write(path, text)
    const before = repo.git(['status', '--porcelain', '--', ':!.plans'])
    armed(repo).write()
    const caught = await killInTrap(repo, repo.spawn([...start, '--autostash'], byGit), how)

    const ran = await repo.plan(['resume', 'demo', '--autostash'], byGit)
    expect(ran.code, ran.all).toBe(0)
    expectOrder(repo, caught)
    expect(ledger(repo).count('one')).toBe(1)
    const finished = await repo.plan(['finish', 'demo'], byGit)
    expect(finished.code, finished.all).toBe(0)
    expect(repo.git(['rev-parse', '--abbrev-ref', 'HEAD'])).toBe('main')
    expect(repo.git(['status', '--porcelain', '--', ':!.plans'])).toBe(before)
    for (const [path, text] of Object.entries(mine)) expect(repo.read(path)).toBe(text)
    expect(repo.read('keep.log')).toBe('ignored\n')
  },
)

test.for(hows)('an executor killed %s in the middle of a rollback', async (how, { repo }) => {
  slowFile(repo)
  plan(repo, '  - {id: one, create: one.txt, content: "1"}\n  - {id: two, run: "echo 2 | tee big.dat z.txt two.txt"}')
  expect((await repo.plan(start, byGit)).code).toBe(0)
  armed(repo).write()
  const caught = await killInTrap(repo, repo.spawn(['rollback', 'demo'], byGit), how)
  const ran = await repo.plan(['rollback', 'demo', '--to', 'one'], byGit)
  expect(ran.code, ran.all).toBe(0)
  expectOrder(repo, caught)
  expect(repo.git(['ls-tree', '-r', '--name-only', 'HEAD'])).not.toContain('two.txt')
  expect([repo.read('big.dat'), repo.read('z.txt'), repo.read('keep.log')]).toEqual(['big\n', 'last\n', 'ignored\n'])
  const resumed = await repo.plan(['resume', 'demo'], byGit)
  expect(resumed.code, resumed.all).toBe(0)
  expect(repo.read('big.dat')).toBe('2\n')
})

test.for(hows)('an executor killed %s on the way back to the branch of the user, in cancel', async (how, { repo }) => {
  slowFile(repo)
  plan(repo, '  - {id: one, run: "echo 2 | tee big.dat z.txt two.txt"}\n  - {id: two, run: "false"}')
  expect((await repo.plan(start, byGit)).code).toBe(1)
  armed(repo).write()
  const caught = await killInTrap(repo, repo.spawn(['cancel', 'demo'], byGit), how)
  const ran = await repo.plan(['cancel', 'demo'], byGit)
  expect(ran.code, ran.all).toBe(0)
  expect(isAlive(caught)).toBe(false)
  expect(disorder(repo)).toEqual([])
  expect(repo.git(['rev-parse', '--abbrev-ref', 'HEAD'])).toBe('main')
  expect(repo.git(['status', '--porcelain', '--', ':!.plans'])).toBe('')
  expect([repo.read('big.dat'), repo.read('z.txt'), repo.read('keep.log')]).toEqual(['big\n', 'last\n', 'ignored\n'])
  expect(repo.git(['show', 'plan/demo:two.txt'])).toBe('2')
})

test.runIf(isWide)(
  'a lock of a commit stays, whose editor runs git plan beside an interrupted run',
  async ({ repo }) => {
    plan(repo, `  - {id: one, run: '${trap(repo)}; echo 1 > one.txt'}`)
    armed(repo).write()
    await killInTrap(repo, repo.spawn(start, byGit), 'with everything')
    repo.write('a.txt', 'mine\n')
    const [editor, said] = [new Outside(repo, 'editor.sh'), new Outside(repo, 'said')]
    editor.write(
      `cd "${repo.dir}" || exit 9\ngit plan resume demo > ${said.path} 2>&1; echo "exit $?" >> ${said.path}; echo Mine > "$1"\n`,
    )
    repo.git(['commit', '-q', '-a'], { env: { GIT_EDITOR: `sh ${editor.path}`, PATH: repo.pathForGit() } })
    expect(said.lines().join('\n')).toMatch(/index\.lock may belong to a killed run[^]*exit 4$/)
    expect(repo.subjects()[0]).toBe('Mine')
  },
)
