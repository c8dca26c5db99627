// What the user had in the work tree: ignored files stay where they are whatever happens, everything else comes back as
// it was.

import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { planText, test, type RunOptions, type TestRepo } from '../helpers/repo.ts'

const secrets = Buffer.from([0, 1, 2, 255, 13, 10, 13])
const ignoredPaths = ['.env', 'forced.log', 'build/deep/out.bin', 'cache/data.db', 'cache/.gitignore']

function withIgnored(repo: TestRepo): void {
  repo.write('.gitignore', '.env\n*.log\nbuild/\n')
  repo.commit('Ignore')
  repo.write('.env', secrets)
  repo.write('forced.log', 'kept\r\nas is')
  repo.write('build/deep/out.bin', secrets)
  repo.write('cache/data.db', 'db\n')
  repo.write('cache/.gitignore', '*\n')
}

const bytesOf = (repo: TestRepo, paths = ignoredPaths): Record<string, string> =>
  Object.fromEntries(
    paths.map((path) => [path, existsSync(repo.path(path)) ? readFileSync(repo.path(path)).toString('hex') : 'absent']),
  )

async function start(repo: TestRepo, steps: string, args: readonly string[] = [], options: RunOptions = {}) {
  repo.write('.plans/demo.md', planText(steps))
  return repo.plan(['start', '.plans/demo.md', '--approve', ...args], options)
}
const tracked = (repo: TestRepo, ref = 'plan/demo'): string[] =>
  repo.git(['ls-tree', '-r', '--name-only', ref]).split('\n')

describe('ignored files', () => {
  test('survive start, failure, rollback and cancel byte for byte, one that a step forces into the index too', async ({
    repo,
  }) => {
    withIgnored(repo)
    const before = bytesOf(repo)
    const ran = await start(
      repo,
      '  - {id: one, run: "git add -f forced.log .env; echo 1 > one.txt"}\n  - {id: two, run: "git add -f build cache; echo 2 > two.txt; exit 1"}',
    )
    expect(ran.code, ran.all).toBe(1)
    expect(bytesOf(repo)).toEqual(before)
    expect(repo.status()).toBe('')
    for (const ref of ['plan/demo', 'refs/plan/demo/attempts/two/1'])
      for (const path of ignoredPaths) expect(tracked(repo, ref)).not.toContain(path)
    expect((await repo.plan(['rollback', '--all'])).code).toBe(0)
    expect(bytesOf(repo)).toEqual(before)
    expect((await repo.plan(['cancel', 'demo'])).code).toBe(0)
    expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
    expect(bytesOf(repo)).toEqual(before)
  })

  test('survive a step that takes the rules away: nothing of them is committed, then or later', async ({ repo }) => {
    withIgnored(repo)
    const before = bytesOf(repo)
    const ran = await start(
      repo,
      '  - {id: one, run: "echo > .gitignore; echo 1 > one.txt"}\n  - {id: two, run: "git add -A; echo 2 > two.txt; echo new > build/new.txt"}',
    )
    expect(ran.code, ran.all).toBe(0)
    expect(bytesOf(repo)).toEqual(before)
    for (const path of ignoredPaths) expect(tracked(repo)).not.toContain(path)
    expect(tracked(repo)).toEqual(expect.arrayContaining(['.gitignore', 'one.txt', 'two.txt']))
    const finished = await repo.plan(['finish', 'demo'])
    expect(finished.code, finished.all).toBe(0)
    expect(bytesOf(repo)).toEqual(before)
  })

  test('survive a step that takes the rules away and fails', async ({ repo }) => {
    withIgnored(repo)
    const before = bytesOf(repo)
    const ran = await start(repo, '  - {id: one, run: "rm .gitignore; echo junk > junk.txt; exit 1"}')
    expect(ran.code, ran.all).toBe(1)
    expect(bytesOf(repo)).toEqual(before)
    expect(existsSync(repo.path('junk.txt'))).toBe(false)
    expect(repo.status()).toBe('')
    expect(tracked(repo, 'refs/plan/demo/attempts/one/1')).toEqual(['.plans/demo.md', 'a.txt', 'junk.txt'])
  })

  test('that a failing step put in the place of tracked ones are moved aside before those come back', async ({
    repo,
  }) => {
    repo.write('lib/code.txt', 'tracked\n')
    repo.write('.gitignore', '*.log\n/lib\n')
    repo.git(['add', '-f', 'lib/code.txt'])
    repo.commit('Lib')
    const ran = await start(
      repo,
      '  - {id: one, run: "rm -r a.txt lib; mkdir a.txt; echo made > a.txt/x.log; echo made > lib; exit 1"}',
    )
    expect(ran.code, ran.all).toBe(1)
    expect([repo.read('a.txt'), repo.read('lib/code.txt'), repo.status()]).toEqual(['hello\n', 'tracked\n', ''])
    const aside = repo.path('.git/plan/demo/aside/node_modules/one-1-1')
    expect([`${aside}/a.txt/x.log`, `${aside}/lib`].map((path) => readFileSync(path, 'utf8'))).toEqual([
      'made\n',
      'made\n',
    ])
  })

  test('that a failing step makes together with the rules for them are in its attempt, and it fails like any other', async ({
    repo,
  }) => {
    repo.isBinary = true
    const makes =
      'mkdir gen; echo /gen > .gitignore; echo "*.o" > gen/.gitignore; echo 1 > gen/a; echo 2 > gen/b.o; echo made'
    const ran = await start(
      repo,
      `  - {id: one, run: '${makes}; exit 1', retries: 1, allow_failure: true}\n  - {id: two, run: '${makes}; kill -9 $PPID; sleep 5'}`,
      [],
      { isBinary: true },
    )
    expect(ran.all).not.toContain('could not be brought back')
    const recovered = await repo.plan(['resume', 'demo', '--skip', 'two'])
    expect(recovered.code, recovered.all).toBe(0)
    for (const attempt of ['one/1', 'one/2', 'two/1'])
      expect(tracked(repo, `refs/plan/demo/attempts/${attempt}`)).toEqual([
        '.gitignore',
        '.plans/demo.md',
        'a.txt',
        'gen/.gitignore',
        'gen/a',
        'gen/b.o',
      ])
    expect(repo.git(['notes', '--ref', 'plan/demo', 'show', 'refs/plan/demo/attempts/one/2'])).toContain('made')
    expect([repo.status(), existsSync(repo.path('gen'))]).toEqual(['', false])
  })

  test('in the way of a rollback are moved aside, and the user is told where', async ({ repo }) => {
    repo.write('conf/app.txt', 'tracked\n')
    repo.write('plain.txt', 'tracked\n')
    repo.commit('Conf')
    const ran = await start(
      repo,
      '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: "git rm -q -r conf plain.txt; printf \'conf\\nplain.txt\\n\' > .gitignore"}',
    )
    expect(ran.code, ran.all).toBe(0)
    repo.write('conf', 'a file where the plan has a directory\n')
    repo.write('plain.txt', 'mine\n')
    expect(repo.status()).toBe('')
    const back = await repo.plan(['rollback', 'demo'])
    expect(back.code, back.all).toBe(0)
    const aside = /were moved to (\S+)/.exec(back.all)?.[1] ?? ''
    expect(readFileSync(`${aside}/plain.txt`, 'utf8')).toBe('mine\n')
    expect(readFileSync(`${aside}/conf`, 'utf8')).toBe('a file where the plan has a directory\n')
    expect(repo.read('conf/app.txt')).toBe('tracked\n')
    expect(repo.status()).toBe('')
  })

  test('in the way of a rebase are moved aside, and the user is told where', async ({ repo }) => {
    repo.write('.gitignore', '.env\n')
    repo.commit('Ignore')
    expect((await start(repo, '  - {id: one, run: echo 1 > one.txt}')).code).toBe(0)
    repo.write('.env', 'mine\n')
    const other = repo.path('../other')
    repo.git(['worktree', 'add', '-q', other, 'main'])
    repo.git(['rm', '-q', '.gitignore'], { cwd: other })
    repo.git(
      [
        'update-index',
        '--add',
        '--cacheinfo',
        `100644,${repo.git(['hash-object', '-w', '--stdin'], { input: 'theirs\n' })},.env`,
      ],
      { cwd: other },
    )
    repo.git(['commit', '-q', '-m', 'Track .env'], { cwd: other })
    const rebased = await repo.plan(['rebase', 'demo', '--approve'])
    expect(rebased.code, rebased.all).toBe(0)
    const aside = /were moved to (\S+)/.exec(rebased.all)?.[1] ?? ''
    expect(readFileSync(`${aside}/.env`, 'utf8')).toBe('mine\n')
    expect(repo.read('.env')).toBe('theirs\n')
  })
})

describe('--autostash', () => {
  /** One of everything that git can see, with the index and the files apart from each other. */
  function messy(repo: TestRepo): void {
    for (const name of ['modified', 'staged', 'both', 'gone', 'unstaged-gone', 'mode'])
      repo.write(`${name}.txt`, `${name}\n`)
    repo.write('file-to-dir', 'file\n')
    repo.write('dir-to-file/x', 'x\n')
    repo.write('.gitattributes', '*.crlf text eol=lf\n')
    withIgnored(repo)
    repo.write('modified.txt', 'changed\n')
    repo.write('staged.txt', 'changed\n')
    repo.write('both.txt', 'in the index\n')
    repo.write('staged-new.txt', 'new, staged\n')
    repo.git(['rm', '-q', 'gone.txt'])
    repo.git(['add', 'staged.txt', 'both.txt', 'staged-new.txt'])
    repo.write('both.txt', 'in the tree\n')
    repo.write('announced.txt', 'not staged yet\n')
    repo.git(['add', '-N', 'announced.txt'])
    rmSync(repo.path('unstaged-gone.txt'))
    chmodSync(repo.path('mode.txt'), 0o755)
    mkdirSync(repo.path('dir/sub'), { recursive: true })
    repo.write('dir/sub/untracked.crlf', 'kept\r\nas it is\r\n')
    repo.write('tool.sh', '#!/bin/sh\n')
    chmodSync(repo.path('tool.sh'), 0o755)
    symlinkSync('nowhere/at all', repo.path('link'))
    for (const path of ['file-to-dir', 'dir-to-file']) rmSync(repo.path(path), { recursive: true })
    repo.write('file-to-dir/inside', 'a directory now\n')
    repo.write('dir-to-file', 'a file now\n')
  }

  const visible = [
    'announced.txt',
    'modified.txt',
    'staged.txt',
    'both.txt',
    'staged-new.txt',
    'gone.txt',
    'unstaged-gone.txt',
    'mode.txt',
    'dir/sub/untracked.crlf',
    'tool.sh',
    'file-to-dir/inside',
    'dir-to-file',
    ...ignoredPaths,
  ]
  const everything = (repo: TestRepo) => ({
    status: repo.git(['status', '--porcelain', '--untracked-files=all', '--ignored']),
    index: repo.git(['ls-files', '-s', '--', ':!.plans', ':!one.txt']),
    bytes: bytesOf(repo, visible),
    executable: ['mode.txt', 'tool.sh', 'both.txt'].map((path) => lstatSync(repo.path(path)).mode & 0o100),
    link: readlinkSync(repo.path('link')),
  })

  test('puts everything back as it was after start and finish', async ({ repo }) => {
    messy(repo)
    const before = everything(repo)
    const { code, all } = await repo.plan(['new', '--from', '-', '--id', 'demo'], {
      input: planText(
        '  - {id: one, run: "test ! -e tool.sh && test ! -e staged-new.txt && grep -q ^modified modified.txt && echo 1 > one.txt"}',
      ),
    })
    expect(code, all).toBe(0)
    const ran = await repo.plan(['start', 'demo', '--approve', '--autostash'])
    expect(ran.code, ran.all).toBe(0)
    expect(bytesOf(repo)).toEqual(Object.fromEntries(ignoredPaths.map((path) => [path, before.bytes[path]])))
    const finished = await repo.plan(['finish', 'demo'])
    expect(finished.code, finished.all).toBe(0)
    expect(everything(repo)).toEqual(before)
    expect(repo.read('one.txt')).toBe('1\n')
    expect(repo.git(['for-each-ref', 'refs/plan-local/', 'refs/stash'])).toBe('')
  })

  test('puts everything back as it was after start, failure and cancel', async ({ repo }) => {
    messy(repo)
    repo.write(
      '.plans/demo.md',
      planText('  - {id: one, run: "echo junk > junk.txt; echo x > modified.txt; git add -A; exit 1"}'),
    )
    const before = everything(repo)
    const ran = await repo.plan(['start', '.plans/demo.md', '--approve', '--autostash'])
    expect(ran.code, ran.all).toBe(1)
    const cancelled = await repo.plan(['cancel', 'demo'])
    expect(cancelled.code, cancelled.all).toBe(0)
    expect(everything(repo)).toEqual(before)
    expect(repo.git(['for-each-ref', 'refs/plan-local/', 'refs/stash'])).toBe('')
  })

  test("keeps what cannot be put back over the plan's own changes in git's stash, and says so", async ({ repo }) => {
    repo.write('a.txt', 'my edit\n')
    const ran = await start(repo, '  - {id: one, run: echo plan > a.txt}', ['--autostash'])
    expect(ran.code, ran.all).toBe(0)
    const finished = await repo.plan(['finish', 'demo'])
    expect(finished.code, finished.all).toBe(0)
    expect(finished.all).toContain("are in Git's stash")
    expect(repo.read('a.txt')).toBe('plan\n')
    expect(repo.git(['show', 'stash@{0}:a.txt'])).toBe('my edit')
  })
})
