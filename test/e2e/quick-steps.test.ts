// What is done without git, or without a process for each: it must come to the same as the long way.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { bin, ended, planText, test, TestRepo } from '../helpers/repo.ts'

const start = ['start', '.plans/demo.md', '--approve']
const plan = (repo: TestRepo, ...steps: string[]): void =>
  repo.write('.plans/demo.md', planText(steps.map((step) => `  - ${step}`).join('\n')))

/** Until something is so, or it has taken too long. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo() && tries < 400; tries += 1) await sleep(10)
}

describe('steps that only write files', () => {
  test('each has a commit of its own, and the tree is clean', async ({ repo }) => {
    plan(
      repo,
      '{id: one, create: made/one.txt, content: "one\\n"}',
      '{id: two, create: made/two.sh, content: "two\\n", executable: true}',
      '{id: three, edit: made/one.txt, replace: one, with: three}',
      '{id: four, run: cat made/one.txt > four.txt}',
      '{id: five, create: five.txt, content: "five\\n"}',
    )
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(0)
    expect(
      repo.subjects('plan/demo').filter((subject) => !/^(Completed|Approved|Plan|Propose|First)/.test(subject)),
    ).toHaveLength(5)
    expect(repo.git(['show', 'plan/demo:four.txt'])).toBe('three')
    expect(repo.git(['ls-tree', 'plan/demo', 'made/two.sh'])).toContain('100755')
    expect(repo.status()).toBe('')
    expect(repo.git(['diff-index', '--quiet', 'HEAD'])).toBe('')
    expect(repo.fsck()).toBe('')
    // One after the other, for those who listen.
    const told = [...ran.all.matchAll(/^\[(\d)\/5\] (\w+)|^✓ done/gm)].map(([line]) => line)
    expect(told).toEqual([
      '[1/5] one',
      '✓ done',
      '[2/5] two',
      '✓ done',
      '[3/5] three',
      '✓ done',
      '[4/5] four',
      '✓ done',
      '[5/5] five',
      '✓ done',
    ])
    // Every commit says what was true then.
    expect(repo.git(['show', 'plan/demo~4:.plans/demo.md'])).toContain('  one: done\n  two: done\n')
  })

  test('one of them that fails leaves the others done, and what it left saved', async ({ repo }) => {
    plan(
      repo,
      '{id: one, create: one.txt, content: x}',
      '{id: two, create: two.txt, content: x}',
      '{id: bad, edit: one.txt, replace: nowhere, with: y}',
    )
    const ran = await repo.plan([...start, '--skip-check', 'plan'])
    expect(ran.code, ran.all).toBe(1)
    expect((await repo.plan(['status', 'demo', '--json'])).all).toContain('"done":2')
    expect(repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan/demo/attempts'])).toBe(
      'refs/plan/demo/attempts/bad/1',
    )
    expect(repo.status()).toBe('')
  })

  test('what a user writes meanwhile is a change, and not taken for what was committed', async ({ repo }) => {
    plan(repo, ...Array.from({ length: 60 }, (_, at) => `{id: s${at}, create: f${at}.txt, content: "hello\\n"}`))
    const child = spawn(process.execPath, [bin, ...start], { cwd: repo.dir, env: repo.env })
    // Before its own step is committed, or after it.
    await until(() => existsSync(repo.path('f1.txt')))
    writeFileSync(repo.path('f1.txt'), 'USER!\n')
    const ran = await ended(child)
    expect(ran.code, ran.all).toBeLessThan(6)
    const isKept = repo.status().includes('f1.txt') || repo.git(['log', '--all', '-p', '--format=']).includes('USER!')
    expect(isKept, repo.status()).toBe(true)
  })

  test('a step that sets up a hook or a filter stops the plan', async ({ repo }) => {
    repo.git(['config', 'core.hooksPath', '.githooks'])
    plan(
      repo,
      '{id: one, create: one.txt, content: x}',
      '{id: two, create: .githooks/pre-commit, content: "#!/bin/sh\\n", executable: true}',
      '{id: three, create: three.txt, content: x}',
    )
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).not.toBe(0)
    expect(ran.all).toContain('the step changed files that Git executes: hooks/pre-commit')
  })

  test('a command that gives the user a configuration stops the plan', async ({ repo }) => {
    plan(
      repo,
      '{id: one, allow: [shell-machine, shell-checks-off], run: "git config --global core.hooksPath /tmp/hooks"}',
      '{id: two, run: "true"}',
    )
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).not.toBe(0)
    expect(ran.all).toContain(`the step changed files that Git executes: ${join(repo.home, '.gitconfig')}`)
  })

  test('ignore rules count from the step on that writes them, and not for what is tracked', async ({ repo }) => {
    plan(
      repo,
      '{id: log, create: a.log, content: "a\\n"}',
      '{id: rules, create: .gitignore, content: "*.log\\n"}',
      '{id: edit, edit: a.log, append: more}',
      '{id: rules2, edit: .gitignore, append: "*.tmp"}',
      '{id: other, create: c.txt, content: x}',
      '{id: bad, create: b.tmp, content: x}',
    )
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toContain('b.tmp is refused: Git ignores it')
    expect(repo.git(['show', 'plan/demo:a.log'])).toBe('a\nmore')
  })
})

test('with the switch all of it is left to git, and comes to the same', async ({ repo }) => {
  const trees = async (there: TestRepo, off: string): Promise<string[]> => {
    plan(
      there,
      '{id: one, create: made/one.txt, content: "one\\n"}',
      '{id: two, run: "echo two > two.txt; rm a.txt; echo said"}',
      '{id: three, retries: 1, run: "echo 3 > three.txt; [ $PLAN_ATTEMPT = 2 ]"}',
      '{id: four, move: two.txt, to: made/two.txt}',
    )
    there.write('b.txt', 'of the user\n')
    const ran = await there.plan([...start, '--autostash'], { env: { GIT_PLAN_NO_FAST_PATHS: off } })
    expect(ran.code, ran.all).toBe(0)
    expect([there.status(), there.fsck()]).toEqual(['', ''])
    const packs = Number(/^packs: (\d+)$/m.exec(there.git(['count-objects', '-v']))?.[1])
    // Ours grow from step to step, those of git do not.
    expect(packs < 4).toBe(off === '0')
    const refs = ['plan/demo', 'refs/plan/demo/attempts/three/1', 'refs/plan-local/demo/stash']
    // Sorted: commits of one second have no order among branches.
    return there
      .git(['log', '--format=%T %s', ...refs])
      .split('\n')
      .toSorted()
  }
  const other = new TestRepo()
  try {
    expect(await trees(other, '1')).toEqual(await trees(repo, '0'))
  } finally {
    other.remove()
  }
})

describe('the index', () => {
  test('a change of the same size in the same second is seen after the next index', async ({ repo }) => {
    // Both within one second, and the next index in another one.
    const atItsBeginning = 'while [ $(date +%N | cut -c1) != 0 ]; do sleep 0.02; done'
    plan(
      repo,
      `{id: one, run: '${atItsBeginning}; echo aaaa > a.txt'}`,
      "{id: two, run: 'echo bbbb > a.txt; sleep 1.2; false'}",
    )
    const ran = await repo.plan([...start, '--keep-tree'])
    expect(ran.code, ran.all).toBe(1)
    expect(readFileSync(repo.path('a.txt'), 'utf8')).toBe('bbbb\n')
    expect(repo.status()).toContain('M a.txt')
  })

  test('files that git was told to leave alone do not come apart from their commits', async ({ repo }) => {
    repo.git(['update-index', '--skip-worktree', 'a.txt'])
    plan(repo, '{id: one, edit: a.txt, append: more}', '{id: two, create: b.txt, content: x}')
    const ran = await repo.plan(start)
    expect(repo.git(['diff', '--cached', '--name-only', 'HEAD']), ran.all).toBe('')
  })

  test('one that a power cut has torn is made again', async ({ repo }) => {
    repo.isBinary = true
    plan(repo, '{id: one, create: one.txt, content: x}', "{id: two, run: 'kill -9 $PPID; sleep 5'}")
    await repo.plan(start)
    writeFileSync(repo.path('.git/index'), '')
    const ran = await repo.plan(['resume', 'demo', '--skip', 'two'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.status()).toBe('')
  })

  test('names that git refuses are refused', async ({ repo }) => {
    plan(repo, "{id: one, run: 'echo x > git~1'}")
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).not.toBe(0)
    expect(ran.all).toContain('invalid path')
  })
})

describe('commands', () => {
  test('may signal their own group', async ({ repo }) => {
    repo.isBinary = true
    plan(repo, '{id: before, run: "true"}', `{id: one, run: 'sleep 50 & trap "" TERM; kill 0; wait; echo x > one.txt'}`)
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(0)
  })

  test('have no stream of the shell that starts them, and none of its marks', async ({ repo }) => {
    plan(
      repo,
      '{id: before, run: "true"}',
      `{id: one, run: '(: >&3) 2>/dev/null && echo open > three.txt || echo closed > three.txt; printf "a\\0b"; printf c >&2'}`,
    )
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['show', 'plan/demo:three.txt'])).toBe('closed')
    const said = repo.git(['notes', '--ref=plan/demo', 'show', 'plan/demo~1']).replaceAll('\0', '0')
    expect([said.replace('c', ''), said.length], 'the two streams have no order between them').toEqual(['a0b', 4])
  })

  test('that leave something behind do not write into the output of the next', async ({ repo }) => {
    plan(
      repo,
      '{id: one, allow: [shell-background], secrets: [TOKEN], run: \'(setsid env -i sh -c "sleep 0.3; echo LEAK" &) ; true\'}',
      "{id: two, run: 'sleep 0.6; echo two'}",
    )
    const ran = await repo.plan(start, { env: { TOKEN: 'secret' } })
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['notes', '--ref=plan/demo', 'show', 'plan/demo~1'])).toBe('two')
  })

  test('a note that cannot be kept does not stop a step', async ({ repo }) => {
    repo.git(['update-ref', 'refs/notes/plan', 'HEAD'])
    plan(repo, '{id: one, run: echo said}')
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('could not be saved as a note')
  })
})
