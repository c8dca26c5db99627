// I1 to I3: what a step starts ends with it, and what it does to other plans or to git's own directory is noticed.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { allowed, refusalOf } from '../helpers/canary.ts'
import { Outside, pidIn } from '../helpers/crash.ts'
import { hidInEveryWay, ignoresTerm, leftAll, noneSurvives } from '../helpers/hidden-child.ts'
import { ended, planText, test } from '../helpers/repo.ts'
import { some } from '../helpers/wide.ts'

test.for(some([hidInEveryWay, ignoresTerm, leftAll], [0]))(
  'I1 a timeout with a child that $name: none survives',
  ({ text }, { repo }) => noneSurvives(repo, text),
)

test.for([
  [
    'moves its branch, makes an attempt of it and another plan',
    'git update-ref refs/heads/plan/other main; git update-ref refs/plan/other/attempts/one/1 main; git branch plan/third main',
    ['refs/heads/plan/other', 'refs/heads/plan/third', 'refs/plan/other/attempts/one/1'],
  ],
  ['removes its branch, and fails', 'git update-ref -d refs/heads/plan/other; exit 1', ['refs/heads/plan/other']],
] as const)(
  'I2 a step changes the refs of another plan (%s): reported, this plan stopped, and never undone',
  async ([, command, refs], { repo }) => {
    writeFileSync(join(repo.home, 'other.md'), planText('  - {id: one, run: "true"}'))
    expect(await repo.plan(['new', '--from', join(repo.home, 'other.md')])).toMatchObject({ code: 0 })
    const before = repo.git(['rev-parse', 'plan/other'])
    writeFileSync(
      join(repo.home, 'p.md'),
      planText(
        `  - {id: sly, ${allowed}, run: ${JSON.stringify(command)}}\n  - {id: after, needs: [], run: echo > after.txt}`,
      ),
    )
    const refusal = refusalOf(
      await repo.plan(['start', join(repo.home, 'p.md'), '--approve', '--keep-going', '--json']),
    )
    expect(refusal).toMatchObject({
      code: 'branch-moved',
      exitCode: 4,
      message: expect.stringContaining(`step sly ran: ${refs.join(', ')}`) as string,
    })
    expect(repo.git(['ls-tree', '--name-only', 'plan/p', 'after.txt'])).toBe('')
    // The refs are what the step made them; the user is told what they were.
    expect(repo.git(['for-each-ref', '--format=%(objectname)', 'refs/heads/plan/other'])).not.toBe(before)
    expect(JSON.stringify(refusal)).toContain(`git update-ref refs/heads/plan/other ${before.slice(0, 12)}`)
    // Who has looked goes on.
    const resumed = await repo.plan(['resume', 'p', ...(refs.length === 1 ? ['--skip', 'sly'] : [])])
    expect(resumed, resumed.all).toMatchObject({ code: 0 })
  },
)

test('I2 another executor at work on its own plan meanwhile: nobody is stopped', async ({ repo }) => {
  writeFileSync(join(repo.home, 'other.md'), planText('  - {id: one, run: echo 1 > one.txt}'))
  const go = new Outside(repo, 'go')
  const begun = new Outside(repo, 'begun')
  writeFileSync(
    join(repo.home, 'p.md'),
    planText(
      `  - {id: slow, run: "echo $$ > ${begun.path}; while [ ! -e ${go.path} ]; do sleep 0.05; done; echo 2 > two.txt"}`,
    ),
  )
  const ran = ended(repo.spawn(['start', join(repo.home, 'p.md'), '--approve', '--worktree']))
  await pidIn(begun.path)
  for (const args of [
    ['new', '--from', join(repo.home, 'other.md')],
    ['start', 'other', '--approve', '--worktree'],
    ['rollback', 'other'],
    ['resume', 'other'],
  ]) {
    const other = await repo.plan(args)
    expect(other, other.all).toMatchObject({ code: 0 })
  }
  go.write()
  const { code, all } = await ran
  expect(code, all).toBe(0)
})

test.for([
  [
    'the configuration of this work tree',
    'printf "[core]\\n\\tpager = x\\n" > .git/config.worktree',
    'config.worktree',
  ],
  ['what is ignored', 'mkdir -p .git/info; echo "*" > .git/info/exclude', 'info/exclude'],
  ['parents of commits', 'mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts', 'info/grafts'],
  [
    'another place of objects',
    'mkdir -p .git/objects/info; pwd > .git/objects/info/alternates',
    'objects/info/alternates',
  ],
] as const)(
  'I3 a step writes %s into the git directory: noticed before git uses it, and the plan stops',
  async ([, command, part], { repo }) => {
    rmSync(repo.path('.git/info'), { recursive: true, force: true })
    writeFileSync(join(repo.home, 'sly.sh'), `${command}\necho x > x.txt\n`)
    repo.write('.plans/p.md', planText('  - {id: sly, run: sh "$HOME/sly.sh"}\n  - {id: after, run: echo > after.txt}'))
    const main = readFileSync(repo.path('.git/refs/heads/main'), 'utf8')
    const refusal = refusalOf(await repo.plan(['start', '.plans/p.md', '--approve', '--json']))
    expect(refusal).toMatchObject({
      code: 'not-allowed',
      exitCode: 3,
      message: expect.stringContaining(part) as string,
    })
    expect(readFileSync(repo.path('.git/refs/heads/main'), 'utf8')).toBe(main)
  },
)

test('I3 a step moves HEAD, its branch or the objects of others: noticed', async ({ repo }) => {
  repo.write('b.txt', 'b\n')
  repo.commit('More')
  const cases: [string, string][] = [
    ['echo "ref: refs/heads/main" > .git/HEAD', 'branch-moved'],
    ['git rev-parse main > .git/refs/heads/plan/p1', 'invalid-plan'],
    ['echo garbage >> .git/packed-refs', 'git-failed'],
  ]
  for (const [at, [command, code]] of cases.entries()) {
    writeFileSync(join(repo.home, `p${at}.md`), planText(`  - {id: sly, ${allowed}, run: ${JSON.stringify(command)}}`))
    expect(
      refusalOf(await repo.plan(['start', join(repo.home, `p${at}.md`), '--approve', '--json'])).code,
      command,
    ).toBe(code)
    rmSync(repo.path('.git/packed-refs'), { force: true })
    repo.git(['symbolic-ref', 'HEAD', 'refs/heads/main'])
    repo.git(['reset', '-q', '--hard', 'main'])
  }
})
