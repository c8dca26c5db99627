// Parallel steps: what runs beside what, what a failure leaves, and what the work trees get.

import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

interface StepFacts {
  readonly id: string
  readonly status: string
  readonly why: string | null
  readonly error: string | null
  readonly replayed: string | null
}

const start = (repo: TestRepo, steps: string, args: readonly string[] = [], more = ''): Promise<Ran> => {
  repo.write('../p.md', planText(steps, more))
  return repo.plan(['start', '../p.md', '--approve', ...args])
}
const stepsOf = async (repo: TestRepo): Promise<Record<string, StepFacts>> => {
  const { steps } = (await repo.json(['status', 'p'])) as unknown as { steps: StepFacts[] }
  return Object.fromEntries(steps.map((step) => [step.id, step]))
}
const treesOf = (repo: TestRepo): number => repo.git(['worktree', 'list']).split('\n').length - 1
const results = (repo: TestRepo): string =>
  repo.git(['for-each-ref', '--format=%(refname:lstrip=4)', 'refs/plan-local/p/results'])

/** Each of two steps waits until the other has begun. */
const meeting = (me: string, other: string): string =>
  `touch $MARKS/${me}; i=0; until test -e $MARKS/${other}; do i=$((i+1)); test $i -lt 300 || exit 9; sleep 0.05; done`
const withMarks = (repo: TestRepo): string => {
  mkdirSync(`${repo.home}/marks`)
  return (repo.env['MARKS'] = `${repo.home}/marks`)
}

test('steps of a wave run at the same time, each in its own work tree, and nothing is left of these', async ({
  repo,
}) => {
  withMarks(repo)
  const ran = await start(
    repo,
    `  - {id: a, needs: [], run: "${meeting('a', 'b')}; pwd > a.txt; ls"}
  - {id: b, needs: [], run: "${meeting('b', 'a')}; pwd > b.txt; ls"}
  - {id: c, needs: [a, b], run: "cat a.txt b.txt > c.txt"}`,
    ['-j', '2'],
  )
  expect(ran.code, ran.all).toBe(0)
  expect(repo.subjects().slice(0, 4).toReversed()).toEqual([
    expect.stringContaining('touch $MARKS/a'),
    expect.stringContaining('touch $MARKS/b'),
    'Run cat a.txt b.txt > c.txt',
    'Completed: p',
  ])
  const [a, b] = repo.read('c.txt').trim().split('\n')
  expect([a, b]).toEqual([`${repo.dir}.plans/p.1`, `${repo.dir}.plans/p.2`])
  // Neither has seen the file of the other.
  expect(ran.all).not.toMatch(/a \| b.txt|b \| a1.txt/)
  expect(treesOf(repo)).toBe(0)
  expect(existsSync(`${repo.dir}.plans`)).toBe(false)
  expect(repo.status()).toBe('')
  expect((await repo.plan(['audit', 'p'])).code).toBe(0)
})

test('events name the plan and the worker', async ({ repo }) => {
  repo.write('../p.md', planText('  - {id: a, needs: [], run: "echo a"}\n  - {id: b, needs: [], run: "echo b"}'))
  const { stdout } = await repo.plan(['start', '../p.md', '--approve', '-j', '2', '--json'])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; plan?: string; step?: string; worker?: number })
  expect(events.filter(({ kind }) => kind !== 'report').every(({ plan }) => plan === 'p')).toBe(true)
  const ran = events.filter(({ kind }) => kind === 'step-ran')
  expect(ran.map(({ worker }) => worker).toSorted()).toEqual([1, 2])
  expect(events.filter(({ kind }) => kind === 'step-done').map(({ step }) => step)).toEqual(['a', 'b'])
})

test('two steps that change the same line end as they do one at a time', async ({ repo }) => {
  const steps = `  - {id: a, needs: [], edit: a.txt, replace: hello, with: one}
  - {id: b, needs: [], edit: a.txt, replace: hello, with: two}
  - {id: c, needs: [], create: c.txt, content: c}`
  const ran = await start(repo, steps, ['-j', '3', '--skip-check', 'plan'])
  expect(ran.code).toBe(1)
  const { a, b, c } = await stepsOf(repo)
  expect([a?.status, b?.status, c?.status]).toEqual(['done', 'conflict', 'pending'])
  expect(b?.error).toMatch(/in conflict with a$/)
  expect(c?.why).toBe('it has run; its result waits for b')
  expect(ran.all).toContain('git plan resume p --done b')
  expect(repo.read('a.txt')).toBe('one\n')
  // Both sides are attempts.
  const attempts = repo.git(['for-each-ref', '--format=%(refname:lstrip=4) %(subject)', 'refs/plan/p/attempts'])
  expect(attempts.split('\n')).toEqual(['b/1 Attempt 1 of b: verb', 'b/2 Attempt 2 of b: conflict'])
  expect(repo.git(['show', 'refs/plan/p/attempts/b/2:a.txt'])).toBe('two')
  repo.write('a.txt', 'one and two\n')
  expect((await repo.plan(['resume', 'p', '--done', 'b', '-m', 'both'])).code).toBe(0)
  expect([repo.read('a.txt'), repo.read('c.txt')]).toEqual(['one and two\n', 'c'])
})

test('after a failure no step begins, others are finished, and their results wait for resume', async ({ repo }) => {
  const marks = withMarks(repo)
  const steps = `  - {id: a, needs: [], run: "echo a > a1"}
  - {id: b, needs: [], run: "${meeting('b', 'c')}; test -e $MARKS/mended"}
  - {id: c, needs: [], run: "${meeting('c', 'b')}; sleep 0.5; echo c > c1; echo x >> $MARKS/c-runs"}
  - {id: d, needs: [], run: "echo d > d1; echo x >> $MARKS/d-runs"}
  - {id: e, needs: [b], run: "echo e > e1"}`
  // A third slot is free for `a` alone: `d` would begin after it, but `b` has failed by then.
  const ran = await start(repo, steps, ['-j', '2'])
  expect(ran.code, ran.all).toBe(1)
  const { a, b, c, d, e } = await stepsOf(repo)
  expect([a?.status, b?.status, c?.status, d?.status, e?.status]).toEqual([
    'done',
    'failed',
    'pending',
    'pending',
    'pending',
  ])
  expect(c?.why).toBe('it has run; its result waits for b')
  expect(d?.why).toBe('the plan stopped at b')
  expect(e?.why).toBe('it needs b, which failed')
  expect(results(repo)).toBe('c')
  expect(existsSync(`${marks}/d-runs`)).toBe(false)
  writeFileSync(`${marks}/mended`, '')
  const again = await repo.plan(['resume', 'p', '-j', '2'])
  expect(again.code, again.all).toBe(0)
  expect(again.all).not.toContain('c: Run')
  expect(repo.read('../home/marks/c-runs')).toBe('x\n')
  expect(results(repo)).toBe('')
  expect(treesOf(repo)).toBe(0)
})

test('--keep-going runs all that does not need the failed step; --fail-fast ends what runs', async ({ repo }) => {
  const marks = withMarks(repo)
  const steps = `  - {id: a, needs: [], run: "${meeting('a', 'b')}; exit 3"}
  - {id: b, needs: [], run: "${meeting('b', 'a')}; sleep $NAP; echo b > b1"}
  - {id: c, needs: [b], run: "echo c > c1"}
  - {id: d, needs: [a], run: "echo d > d1"}`
  repo.env['NAP'] = '60'
  const fast = await start(repo, steps, ['-j', '2', '--fail-fast'])
  expect(fast.code).toBe(1)
  expect((await stepsOf(repo))['b']?.status).toBe('pending')
  expect(results(repo)).toBe('')
  repo.env['NAP'] = '0'
  for (const name of readdirSync(marks)) repo.git(['-c', 'alias.x=!rm', 'x', `${marks}/${name}`])
  const going = await repo.plan(['resume', 'p', '-j', '2', '--keep-going'])
  expect(going.code).toBe(1)
  const { a, b, c, d } = await stepsOf(repo)
  expect([a?.status, b?.status, c?.status, d?.status]).toEqual(['failed', 'done', 'done', 'pending'])
  expect(d?.why).toBe('it needs a, which failed')
})

test('--fail-fast stops at a step whose predecessors in the plan were ended', async ({ repo }) => {
  const marks = withMarks(repo)
  const steps = `  - {id: a, needs: [], run: "${meeting('a', 'b')}; test -e $MARKS/go || sleep 300; touch a"}
  - {id: b, needs: [], run: "${meeting('b', 'a')}; echo b >> $MARKS/log; test -e $MARKS/go"}`
  const ran = await start(repo, steps, ['-j', '2', '--fail-fast'])
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('Stopped at b')
  expect(readFileSync(`${marks}/log`, 'utf8')).toBe('b\n')
  const { a, b } = await stepsOf(repo)
  expect([a?.status, b?.status]).toEqual(['pending', 'failed'])
  expect(a?.why).toBe('the plan stopped at b')
  writeFileSync(`${marks}/go`, '')
  const resumed = await repo.plan(['resume', '-j', '2'])
  expect(resumed.code, resumed.all).toBe(0)
  expect(existsSync(`${repo.dir}/a`)).toBe(true)
})

test('steps with a common resource, alone or with an external effect do not run beside others', async ({ repo }) => {
  const marks = withMarks(repo)
  const busy = (id: string): string =>
    `mkdir $MARKS/busy || exit 7; sleep 0.2; rmdir \${MARKS:?}/busy; echo ${id} > ${id}.txt`
  const ran = await start(
    repo,
    `  - {id: a, needs: [], uses: [db], run: "${busy('a')}"}
  - {id: b, needs: [], uses: [db, port], run: "${busy('b')}"}
  - {id: c, needs: [], alone: true, run: "${busy('c')}; test -e a.txt && test -e b.txt && pwd"}
  - {id: d, needs: [], effect: external, run: "${busy('d')}; test -e c.txt && pwd", probe: exit 1}
  - {id: e, needs: [], uses: [db], run: "${busy('e')}; test ! -e $MARKS/nothing"}
  - {id: f, needs: [], uses: [db], run: "${busy('f')}"}`,
    ['-j', '6'],
  )
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain(`  c | ${repo.dir}\n`)
  expect(ran.all).toContain(`  d | ${repo.dir}\n`)
  expect(readdirSync(marks)).toEqual([])
})

test('checks run again where another step changed a declared file', async ({ repo }) => {
  const marks = withMarks(repo)
  const ran = await start(
    repo,
    `  - {id: a, needs: [], create: x/a.txt, content: a}
  - {id: b, needs: [], run: "mkdir -p x; echo b > x/b.txt", files: ["x/*"], verify: "ls x >> $MARKS/seen"}`,
    ['-j', '2'],
  )
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('b is checked again: files that it declares have changed')
  expect(repo.read('../home/marks/seen')).toBe('b.txt\na.txt\nb.txt\n')
  expect(existsSync(`${marks}/seen`)).toBe(true)
})

test('retries, timeouts, secrets, pauses and gates are those of a sequential run', async ({ repo }) => {
  withMarks(repo)
  repo.env['TOKEN'] = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const ran = await start(
    repo,
    `  - {id: a, needs: [], run: "test -e $MARKS/a || { touch $MARKS/a; exit 1; }", retries: 1}
  - {id: b, needs: [], run: "sleep 60", timeout: 300ms, allow_failure: true}
  - {id: c, needs: [], run: "echo $TOKEN > c.txt; echo said $TOKEN", secrets: [TOKEN], allow_failure: true}
  - {id: d, needs: [], run: "echo d > d.txt", pause: true}
  - {id: e, needs: [], gate: "Go on?"}
  - {id: f, needs: [], run: "git commit -q --allow-empty -m x", allow_failure: true}`,
    ['-j', '6'],
  )
  expect(ran.code, ran.all).toBe(5)
  expect(ran.all).toContain('retrying')
  expect(ran.all).not.toContain(repo.env['TOKEN'])
  const { a, b, c, d, e } = await stepsOf(repo)
  expect([a?.status, b?.status, c?.status, d?.status, e?.status]).toEqual([
    'done',
    'timeout',
    'failed',
    'done',
    'pending',
  ])
  const all = repo.git(['rev-list', '--all']).split('\n')
  expect(all.filter((commit) => repo.git(['show', '--format=%B', '-p', commit]).includes('ghp_'))).toEqual([])
  expect((await repo.plan(['resume', 'p', '-j', '6'])).code).toBe(5)
  expect((await stepsOf(repo))['e']?.status).toBe('waiting')
  const moved = await repo.plan(['resume', 'p', '--done', 'e', '-m', 'yes', '-j', '6'])
  expect(moved.code).toBe(4)
  expect(moved.all).toContain('new commits appeared on plan/p while the step ran')
})

test('work trees get listed files and links, say what they lack, keep ignored files, and run setup once', async ({
  repo,
}) => {
  const marks = withMarks(repo)
  repo.write('.gitignore', 'node_modules/\n.env\nbuild/\nwork.log\n')
  repo.write('.worktreeinclude', '.env\n')
  repo.write('.worktreelinks', '# shared\nnode_modules\n')
  repo.commit('Settings')
  repo.write('node_modules/m/index.js', 'm')
  repo.write('.env', 'A=1\n')
  repo.write('build/out', 'old')
  const ran = await start(
    repo,
    `  - {id: a, needs: [], run: "cat .env node_modules/m/index.js; readlink node_modules > a.txt; echo a >> work.log"}
  - {id: b, needs: [], run: "cat .env > b.txt; cat node_modules/m/index.js"}
  - {id: c, needs: [a, b], run: "wc -l < work.log; echo c > c.txt"}
  - {id: d, needs: [a, b], run: "echo d > d.txt"}`,
    ['-j', '2'],
    'setup: echo s >> "$MARKS/setups"; echo s >> work.log\n',
  )
  expect(ran.code, ran.all).toBe(0)
  expect(repo.read('a.txt')).toBe(`${repo.dir}/node_modules\n`)
  expect(repo.read('b.txt')).toBe('A=1\n')
  expect(ran.all).toContain('the work trees of parallel steps lack ignored files that exist here: build/')
  expect(repo.read('../home/marks/setups')).toBe('s\ns\n')
  // What only the work tree of `a` had is kept, and named.
  const [, aside] = /ignored files of \S+p\.\d were moved to (\S+)/.exec(ran.all) ?? []
  expect(readdirSync(aside ?? '')).toEqual(['work.log'])
  expect(existsSync(`${repo.dir}/node_modules/m/index.js`)).toBe(true)
  expect(readlinkSyncOrNone(`${repo.dir}/node_modules`)).toBeUndefined()
  expect(existsSync(marks)).toBe(true)
  expect(treesOf(repo)).toBe(0)
})

const readlinkSyncOrNone = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

test('ignored files that steps made or changed are kept, also beside prepared ones and before another setup', async ({
  repo,
}) => {
  repo.write('.gitignore', 'build/\nnode_modules/\n*.log\n')
  repo.write('.worktreeinclude', 'build/env\n')
  repo.write('lock', '1')
  repo.commit('Settings')
  repo.write('build/env', 'A=1\n')
  const ran = await start(
    repo,
    `  - {id: a, needs: [], run: "echo 2 > lock; echo a > build/report; echo a > a.log; echo a > node_modules/cache"}
  - {id: b, needs: [], run: "echo B=2 > build/env"}
  - {id: c, needs: [a, b], run: "echo c > c.txt"}
  - {id: d, needs: [a, b], run: "echo d > d.txt"}`,
    ['-j', '2'],
    'setup: mkdir -p node_modules; date > node_modules/m\nsetup_inputs: [lock]\n',
  )
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all.match(/setup: /g)).toHaveLength(4)
  const asides = [...ran.all.matchAll(/were moved to (\S+)/g)].map(([, aside = '']) => aside)
  const kept = asides.flatMap((aside) => readdirSync(aside, { recursive: true }).map(String)).toSorted()
  expect(kept).toEqual(['a.log', 'build', 'build', 'build/env', 'build/report', 'node_modules', 'node_modules/cache'])
})

test('files that the user edits during a wave do not become part of a later step', async ({ repo }) => {
  withMarks(repo)
  // The first step edits the plan's checkout in place of the user.
  repo.env['CHECKOUT'] = repo.dir
  const ran = await start(
    repo,
    `  - {id: a, needs: [], run: "${meeting('a', 'b')}; echo user > $CHECKOUT/mine.txt; echo a > a1"}
  - {id: b, needs: [], run: "${meeting('b', 'a')}; echo b > b1"}
  - {id: c, needs: [a, b], run: "echo c > c1"}`,
    ['-j', '2'],
  )
  expect(ran.code, ran.all).toBe(2)
  expect(ran.all).toContain('were changed while steps ran: mine.txt')
  expect(repo.status()).toBe('?? mine.txt')
  repo.git(['stash', '-u', '-q'])
  const resumed = await repo.plan(['resume', '-j', '2'])
  expect(resumed.code, resumed.all).toBe(0)
  expect(repo.git(['ls-tree', '--name-only', 'HEAD'])).not.toContain('mine.txt')
})

test('results that this clone did not make are not used, and are not in the way', async ({ repo }) => {
  const steps = `  - {id: a, needs: [], run: "echo a > a1"}
  - {id: b, needs: [], run: "echo b > b1"}
  - {id: c, needs: [a, b], run: "echo c > c1"}
  - {id: d, needs: [a, b], run: "echo d > d1"}`
  expect((await start(repo, steps, ['-j', '2'])).code).toBe(0)
  const made = repo.git(['rev-parse', 'HEAD~2'])
  expect((await repo.plan(['rollback', 'p', '--to', 'b'])).code).toBe(0)
  // One like ours, with other files, and one that is not a result at all.
  const message = repo.git(['log', '-1', '--format=%B', made])
  const forged = repo.git(['commit-tree', 'main^{tree}', '-p', 'HEAD', '-m', message])
  const empty = repo.git(['mktree'], { input: '' })
  repo.git(['update-ref', 'refs/plan-local/p/results/c', repo.git(['commit-tree', empty, '-p', forged, '-m', 'x'])])
  repo.git(['update-ref', 'refs/plan-local/p/results/d', 'main'])
  const ran = await repo.plan(['resume', 'p', '-j', '2'])
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('refs/plan-local/p/results/d was removed')
  expect(repo.git(['ls-files', '??'])).toBe('a1\nb1\nc1\nd1')
  expect(results(repo)).toBe('')
  expect(treesOf(repo)).toBe(0)
})

test('the work trees of an open plan are listed by doctor and removed by prune, unless they have changes', async ({
  repo,
}) => {
  await start(
    repo,
    '  - {id: a, needs: [], run: "echo a > a1"}\n  - {id: b, needs: [], run: "echo b > b1"}\n  - {id: c, needs: [a, b], run: "false"}',
    ['-j', '2'],
  )
  expect(treesOf(repo)).toBe(2)
  const doctor = await repo.plan(['doctor'])
  expect(doctor.all).toContain(`parallel steps of p use ${repo.dir}.plans/p.1`)
  writeFileSync(`${repo.dir}.plans/p.2/mine.txt`, 'mine')
  expect((await repo.plan(['prune', '--worktrees', '--dry-run'])).stdout).toContain(`${repo.dir}.plans/p.1`)
  expect(treesOf(repo)).toBe(2)
  const pruned = await repo.plan(['prune', '--worktrees'])
  expect(pruned.stdout).toContain(`${repo.dir}.plans/p.1`)
  expect(pruned.stderr).toContain(`the work tree ${repo.dir}.plans/p.2 was kept: it has changes`)
  expect(treesOf(repo)).toBe(1)
  // A resumed run saves the file before it uses the work tree.
  await repo.plan(['resume', 'p', '--skip', 'c', '-m', 'no'])
  expect(repo.git(['worktree', 'list'])).toContain('p.2')
  expect(existsSync(`${repo.dir}.plans/p.2/mine.txt`)).toBe(true)
})

test('-j is a number, git config has a default, and the policy a limit', async ({ repo }) => {
  repo.write('../p.md', planText('  - {id: a, needs: [], run: "pwd"}\n  - {id: b, needs: [], run: "pwd"}'))
  expect((await repo.plan(['start', '../p.md', '-j', 'many'])).all).toContain('-j needs a number, not "many"')
  repo.git(['config', 'plan.jobs', '2'])
  const two = await repo.plan(['start', '../p.md', '--approve'])
  expect(two.all).toContain(`  a | ${repo.dir}.plans/p.1\n`)
  await repo.plan(['rollback', 'p', '--all'])
  expect((await repo.plan(['resume', 'p', '-j', '1'])).all).toContain(`  a | ${repo.dir}\n`)
  await repo.plan(['cancel', 'p'])
  repo.write('.plans/config.yml', 'limits: { jobs: 1 }\n')
  repo.commit('One at a time')
  repo.write('../q.md', planText('  - {id: a, needs: [], run: "pwd"}\n  - {id: b, needs: [], run: "pwd"}'))
  expect((await repo.plan(['start', '../q.md', '--approve', '-j', '8'])).all).toContain(`  a | ${repo.dir}\n`)
})
