// Steps that tamper with files of Git or git plan. Each does it once; the advice that a person gets then leads to the
// same result as without it.

import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { isAlive, Outside, pidIn } from '../helpers/crash.ts'
import { test, type TestRepo } from '../helpers/repo.ts'
import { figure, isWhole } from './figures.ts'
import { Story } from './story.ts'

interface Offence {
  readonly name: string
  readonly command: string
  /** What the hint says, in commands of git, before `resume`. */
  readonly remedy?: (repo: TestRepo, said: string) => void
  /** 0: it is no offence, the run goes on. */
  readonly codes: readonly number[]
}

const back = (repo: TestRepo): void => void repo.git(['checkout', '-q', 'plan/demo'])

const offences: readonly Offence[] = [
  { name: 'deletes the lock', command: 'rm -f .git/plan/demo/lock-*', codes: [0] },
  { name: 'deletes the intent', command: 'rm -f .git/plan/demo/intent.json', codes: [0] },
  { name: 'deletes the directory of the run', command: 'rm -rf .git/plan/demo', codes: [0, 1, 5] },
  { name: 'deletes the directory of all runs', command: 'rm -rf .git/plan', codes: [0, 1, 5] },
  { name: 'deletes the plan file', command: 'rm .plans/demo.md', codes: [1] },
  { name: 'deletes the directory of plans', command: 'rm -r .plans', codes: [1] },
  { name: 'detaches HEAD', command: 'git checkout -q --detach', codes: [4], remedy: back },
  { name: 'switches to a new branch', command: 'git checkout -q -b other', codes: [4], remedy: back },
  {
    name: 'deletes the branch of the plan',
    command: 'git update-ref -d refs/heads/plan/demo',
    codes: [4],
    remedy: (repo, said) => void repo.git(/git (update-ref \S+ [0-9a-f]{12})\b/.exec(said)?.[1]?.split(' ') ?? []),
  },
]

// Each takes some seconds: without the whole run, the two that leave the least.
const tried = offences.filter((_, at) => isWhole || [3, 8].includes(at))

test.for(tried)('a step that $name', async ({ name, command, codes, remedy }, { repo }) => {
  const once = new Outside(repo, 'once')
  const story = new Story(repo, [
    `  - {id: bad, allow: [shell-delete-repository, shell-rewrite-history], run: "[ -e ${once.path} ] || { touch ${once.path}; ${command}; }"}`,
  ])
  const ran = await repo.plan(story.start)
  expect(codes, ran.all).toContain(ran.code)
  // Where the branch is gone, HEAD names nothing: that is what the step did.
  expect(
    story
      .afterFault(ran)
      .filter((what) => !(name.includes('deletes the branch') && /invalid HEAD|HEAD points to/.test(what))),
  ).toEqual([])
  if (ran.code !== 0) remedy?.(repo, ran.all)
  expect(await story.goOn()).toEqual([])
  expect(story.ledger.lines()).toEqual(['one', 'last'])
  figure('other faults', `a step that ${name}`, { injections: 1, violations: 0 })
})

const daemons = [
  ['in a session of its own', `setsid sh -c 'echo $$ > FILE; sleep 1; echo late > late.txt' >/dev/null 2>&1 &`],
  ['forked twice', `(setsid sh -c 'sh -c "echo \\$\\$ > FILE; sleep 1; echo late > late.txt" &' >/dev/null 2>&1 &)`],
] as const

test.for(daemons.slice(isWhole ? 0 : 1))(
  'a daemon %s does not write into the tree of a later step',
  async ([name, text], { repo }) => {
    const pid = new Outside(repo, 'pid')
    const script = new Outside(repo, 'daemon.sh')
    script.write(`${text.replaceAll('FILE', pid.path)}\nwhile [ ! -s ${pid.path} ]; do sleep 0.05; done\n`)
    const story = new Story(repo, [
      `  - {id: daemon, run: sh ${script.path}}`,
      '  - {id: later, changes: none, run: sleep 1.2}',
    ])
    const ran = await repo.plan(story.start)
    expect(ran.code, ran.all).toBe(0)
    expect(isAlive(await pidIn(pid.path))).toBe(false)
    await sleep(100)
    expect(existsSync(repo.path('late.txt'))).toBe(false)
    expect(await story.goOn()).toEqual([])
    figure('other faults', `a daemon ${name}`, { injections: 1, violations: 0 })
  },
)
