// Every refusal has its exit code, says what to do next, and leaves refs and files as they were.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test as plain } from 'vitest'
import { onDisk } from '../helpers/listing.ts'
import { bin, planText, test, TestRepo, type Ran } from '../helpers/repo.ts'

const snapshot = (repo: TestRepo): unknown => ({
  refs: repo.git(['for-each-ref']),
  head: readFileSync(repo.path('.git/HEAD'), 'utf8'),
  files: onDisk(repo.dir),
  index: repo.git(['ls-files', '-s']),
})
const step = (repo: TestRepo): string => planText(`  - {id: one, run: touch '${repo.home}/ran'}`)

function refused(ran: Ran, code: number, message: RegExp, hint: RegExp): void {
  expect(ran, ran.all).toMatchObject({ code })
  expect(ran.all).toMatch(message)
  expect(/^Hint: ([^]*)$/m.exec(ran.stderr)?.[1], ran.all).toMatch(hint)
  expect(ran.all).not.toMatch(/^\s+at .*\.[jt]s:\d+/m)
}

describe('places', () => {
  plain('outside of any repository, without commits, inside .git, in a bare one', async () => {
    const repo = new TestRepo({ isEmpty: true })
    try {
      writeFileSync(join(repo.home, 'p.md'), step(repo))
      const file = join(repo.home, 'p.md')
      refused(
        await repo.plan(['start', file, '--approve'], { cwd: repo.home }),
        2,
        /not in a git repository/,
        /git init/,
      )
      refused(await repo.plan(['start', file, '--approve']), 2, /no commits/, /git commit/)
      refused(
        await repo.plan(['start', file, '--approve'], { cwd: repo.path('.git') }),
        2,
        /inside the git directory/,
        /cd /,
      )
      repo.git(['init', '-q', '--bare', join(repo.home, 'bare')])
      refused(
        await repo.plan(['start', file, '--approve'], { cwd: join(repo.home, 'bare') }),
        2,
        /bare/,
        /git clone \. /,
      )
      expect(repo.git(['for-each-ref'])).toBe('')
      expect(existsSync(join(repo.home, 'ran'))).toBe(false)
    } finally {
      repo.remove()
    }
  })

  test('without an identity', async ({ repo }) => {
    repo.git(['config', '--unset', 'user.name'])
    repo.git(['config', '--unset', 'user.email'])
    repo.write('p.md', step(repo))
    const before = snapshot(repo)
    refused(
      await repo.plan(['start', 'p.md', '--approve']),
      2,
      /does not know your name and email/,
      /git config user\.name/,
    )
    expect(snapshot(repo)).toEqual(before)
  })

  test('with a git that is too old, or none', async ({ repo }) => {
    const old = join(repo.home, 'old')
    mkdirSync(old)
    writeFileSync(
      join(old, 'git'),
      '#!/bin/sh\ncase "$*" in *version*) echo git version 2.30.2;; *) echo "error: unknown option" >&2; exit 129;; esac\n',
    )
    chmodSync(join(old, 'git'), 0o755)
    repo.write('p.md', step(repo))
    for (const args of [['start', 'p.md', '--approve'], ['list']]) {
      refused(
        await repo.plan(args, { env: { PATH: `${old}:${repo.env['PATH']}` } }),
        2,
        /git version 2\.30\.2 is too old/,
        /git 2\.38 or newer/,
      )
      refused(await repo.plan(args, { env: { PATH: '/nonexistent' } }), 2, /git is not on PATH/, /git 2\.38 or newer/)
    }
  })

  test('in the middle of a merge or a rebase', async ({ repo }) => {
    repo.git(['checkout', '-q', '-b', 'other'])
    repo.write('a.txt', 'theirs\n')
    repo.commit('Theirs')
    repo.git(['checkout', '-q', 'main'])
    repo.write('a.txt', 'ours\n')
    repo.commit('Ours')
    writeFileSync(join(repo.home, 'p.md'), step(repo))
    for (const [command, remedy] of [
      ['merge', 'git merge --abort'],
      ['rebase', 'git rebase --abort'],
    ] as const) {
      expect(() => repo.git([command, 'other'])).toThrow()
      const before = snapshot(repo)
      for (const flags of [[], ['--autostash']]) {
        refused(
          await repo.plan(['start', join(repo.home, 'p.md'), '--approve', ...flags]),
          2,
          new RegExp(`a ${command} is in progress`),
          new RegExp(remedy),
        )
      }
      expect(snapshot(repo)).toEqual(before)
      repo.git([command, '--abort'])
    }
    expect(existsSync(join(repo.home, 'ran'))).toBe(false)
  })
})

describe('names', () => {
  test('a plan or a step that is not there, an id that is an option, a base that is no branch, an id that is taken', async ({
    repo,
  }) => {
    repo.write(
      '.plans/rate-limits.md',
      planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt}'),
    )
    expect(await repo.plan(['start', '.plans/rate-limits.md', '--approve'])).toMatchObject({ code: 0 })
    expect(await repo.plan(['rollback', '--to', 'one'])).toMatchObject({ code: 0 })
    const before = snapshot(repo)
    for (const command of ['status', 'resume', 'rollback', 'delete', 'start']) {
      refused(await repo.plan([command, 'rate-limit']), 2, /there is no plan "rate-limit"/, /rate-limits/)
    }
    refused(await repo.plan(['rollback', '--to', 'on']), 2, /no step "on"/, /one, two/)
    refused(await repo.plan(['rollback', '--to', 'two']), 2, /step two is not done/, /git plan log/)
    refused(await repo.plan(['resume', '--skip', 'thre']), 2, /no step "thre"/, /one, two/)
    refused(await repo.plan(['resume', '--skip', 'tow']), 2, /no step "tow"/, /did you mean `two`/)
    refused(
      await repo.plan(['resume', '--retry', 'one']),
      2,
      /step one is done/,
      /git plan rollback rate-limits --all && git plan resume rate-limits/,
    )
    refused(await repo.plan(['resume', '--retry', 'two']), 2, /step two has not failed/, /git plan resume rate-limits/)
    refused(await repo.plan(['stat']), 2, /did you mean `status`/, /git plan -h/)
    for (const name of ['-x', '-']) expect((await repo.plan(['show', '--', name])).code).toBe(2)
    for (const base of ['no-such-branch', 'HEAD', repo.git(['rev-parse', 'main']), 'main^', '-b']) {
      writeFileSync(join(repo.home, 'p.md'), planText('  - {id: one, run: "true"}', `base: "${base}"\n`))
      const ran = await repo.plan(['start', join(repo.home, 'p.md'), '--approve'])
      expect(ran, `${base}: ${ran.all}`).toMatchObject({ code: 2 })
      expect(ran.stderr).toMatch(/^Hint: /m)
    }
    writeFileSync(join(repo.home, 'rate-limits.md'), step(repo))
    refused(
      await repo.plan(['start', join(repo.home, 'rate-limits.md'), '--approve']),
      2,
      /plan rate-limits already exists \(\w+\), and its text differs/,
      /git plan show rate-limits[^]*git plan status rate-limits/,
    )
    for (const id of ['-x', '../up']) {
      writeFileSync(join(repo.home, 'p.md'), planText('  - {id: one, run: "true"}', `plan: "${id}"\n`))
      expect((await repo.plan(['start', join(repo.home, 'p.md'), '--approve'])).code, id).toBe(2)
    }
    expect(snapshot(repo)).toEqual(before)
    expect(existsSync(join(repo.home, 'ran'))).toBe(false)
  })
})

test('a repository that a step made inside the work tree is named and left; once it is moved away, resume goes on', async ({
  repo,
}) => {
  repo.write(
    '.plans/p.md',
    planText(
      `  - {id: one, run: 'test -e "$HOME/go" || { git init -q nested; echo x > nested/x; }; echo 1 > one.txt'}`,
    ),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  refused(ran, 5, /nested/, /nested/)
  expect(readFileSync(repo.path('nested/x'), 'utf8')).toBe('x\n')
  const tip = repo.git(['rev-parse', 'plan/p'])
  const again = await repo.plan(['resume'])
  refused(again, 5, /nested/, /nested/)
  expect(repo.git(['rev-parse', 'plan/p'])).toBe(tip)
  expect(existsSync(repo.path('nested/.git'))).toBe(true)
  renameSync(repo.path('nested'), join(repo.home, 'nested'))
  writeFileSync(join(repo.home, 'go'), '')
  const resumed = await repo.plan(['resume'])
  expect(resumed, resumed.all).toMatchObject({ code: 0 })
  expect(repo.git(['show', 'plan/p:one.txt'])).toBe('1')
  expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/p'])).not.toContain('nested')
})

test('standard input that never ends is read no further than a plan can be long', async ({ repo }) => {
  const ran = execFileSync(
    'sh',
    ['-c', `exec 2>&1; "${process.execPath}" "${bin}" new --from - < /dev/zero; echo "code $?"`],
    {
      cwd: repo.dir,
      env: repo.env,
      encoding: 'utf8',
      timeout: 100_000,
    },
  )
  expect(ran).toContain('code 2')
})

test('a plan that is completed or cancelled is not edited: no editor opens, and the hint is to clone it', async ({
  repo,
}) => {
  repo.write('p.md', planText('  - {id: one, create: one.txt, content: one}'))
  const started = await repo.plan(['start', 'p.md', '--approve'])
  expect(started.code, started.all).toBe(0)
  const env = { GIT_EDITOR: `touch '${repo.home}/opened'; true` }
  refused(await repo.plan(['edit', 'p'], { env }), 2, /p is completed/, /^git plan clone p$/m)
  expect((await repo.plan(['cancel', 'p'])).code).toBe(0)
  refused(await repo.plan(['edit', 'p'], { env }), 2, /p is cancelled/, /^git plan clone p$/m)
  expect(existsSync(join(repo.home, 'opened'))).toBe(false)
})
