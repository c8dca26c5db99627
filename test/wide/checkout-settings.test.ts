// The whole life of a plan where git changes files on their way in and out, signs commits, or keeps its index and refs
// in another form.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { wholeLife } from '../helpers/whole-life.ts'

const everyRef = (repo: TestRepo): string => repo.git(['for-each-ref'])

describe('line ends', () => {
  for (const setting of ['true', 'input']) {
    test(`core.autocrlf=${setting}: the tree is clean after every step, and what is committed has LF`, async ({
      repo,
    }) => {
      repo.git(['config', 'core.autocrlf', setting])
      repo.write('dos.txt', 'one\r\ntwo\r\n')
      repo.commit('A file with CRLF')
      if (setting === 'true') repo.git(['checkout', '-q', 'HEAD', '--', '.'])
      const dos = repo.read('dos.txt')
      await wholeLife(repo, {
        one: 'printf "x\\r\\ny\\r\\n" > new-dos.txt',
        after: (stage) => {
          // What a checkout of this commit would write, neither more nor less.
          repo.git(['update-index', '--refresh'])
          if (stage === 'failed') expect(repo.read('dos.txt')).toBe(dos)
          if (stage === 'undone' && setting === 'true') expect(repo.read('two.txt')).toBe('2\r\n')
        },
      })
      expect(repo.git(['show', 'main:new-dos.txt'])).toBe('x\ny')
      expect(repo.git(['show', 'main:dos.txt'])).toBe('one\ntwo')
      expect(repo.git(['show', 'refs/plan/life/final:.plans/life.md'])).not.toContain('\r')
      expect(repo.git(['show', 'refs/plan/life/attempts/two/1:half.txt'])).toBe('half')
    })
  }

  test('eol=crlf and ident attributes hold in the work tree, not in what is committed', async ({ repo }) => {
    repo.write('.gitattributes', '*.txt text eol=crlf\n*.md text eol=crlf\n*.c ident\n')
    repo.write('id.c', '/* $Id$ */\n')
    repo.commit('Attributes')
    repo.git(['rm', '-q', '--cached', '-r', '.'])
    repo.git(['reset', '-q', '--hard'])
    expect(repo.read('id.c')).toMatch(/\$Id: [0-9a-f]{40} \$/)
    await wholeLife(repo, {
      one: 'echo "int x;" >> id.c',
      after: (stage) => {
        if (stage === 'undone') expect(repo.read('two.txt')).toBe('2\r\n')
        if (stage === 'undone') expect(repo.read('.plans/life.md')).toMatch(/^---\r\n/)
      },
    })
    expect(repo.git(['show', 'main:id.c'])).toBe('/* $Id$ */\nint x;')
    expect(repo.git(['show', 'main:.plans/life.md'])).not.toContain('\r')
  })
})

describe('filters', () => {
  /** As git-lfs does it: a pointer in the tree, the content in a store outside. */
  const installStore = (repo: TestRepo): void => {
    const clean = join(repo.home, 'clean')
    const smudge = join(repo.home, 'smudge')
    writeFileSync(
      clean,
      `#!/bin/sh\ncat >'${repo.home}/in.'$$; sum=$(sha256sum <'${repo.home}/in.'$$ | cut -c1-64); mv '${repo.home}/in.'$$ '${repo.home}/'$sum; echo "pointer $sum"\n`,
    )
    writeFileSync(smudge, `#!/bin/sh\nread word sum; cat '${repo.home}/'$sum\n`)
    for (const file of [clean, smudge]) chmodSync(file, 0o755)
    repo.git(['config', 'filter.store.clean', clean])
    repo.git(['config', 'filter.store.smudge', smudge])
    repo.git(['config', 'filter.store.required', 'true'])
    repo.write('.gitattributes', '*.bin filter=store -text\n')
    repo.write('x.bin', 'content 0\n')
    repo.commit('A stored file')
  }

  test('a file behind a filter is a pointer in every commit and its content in the work tree', async ({ repo }) => {
    installStore(repo)
    const expected = {
      failed: 'content 1\n',
      completed: 'content 2\n',
      'rolled back': 'content 1\n',
      undone: 'content 2\n',
      finished: 'content 2\n',
    }
    await wholeLife(repo, {
      one: 'echo content 1 > x.bin; echo new > y.bin',
      two: 'echo content 2 > x.bin; rm y.bin',
      after: (stage) => {
        expect(repo.read('x.bin'), stage).toBe(expected[stage])
        expect(repo.git(['show', 'HEAD:x.bin'])).toMatch(/^pointer [0-9a-f]{64}$/)
        expect(existsSync(repo.path('y.bin'))).toBe(stage === 'failed' || stage === 'rolled back')
      },
    })
  })

  test('what a failed step left in a file behind a filter is a pointer in the attempt, and comes back with --from-attempt', async ({
    repo,
  }) => {
    installStore(repo)
    repo.write('p.md', planText(`  - {id: one, run: 'test -e ${repo.home}/go && exit; echo half > x.bin; exit 1'}`))
    expect(await repo.plan(['start', 'p.md', '--approve'])).toMatchObject({ code: 1 })
    expect(repo.read('x.bin')).toBe('content 0\n')
    expect(repo.git(['show', 'refs/plan/p/attempts/one/1:x.bin'])).toMatch(/^pointer /)
    writeFileSync(join(repo.home, 'go'), '')
    const ran = await repo.plan(['resume', '--retry', 'one', '--from-attempt', '1'])
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(repo.read('x.bin')).toBe('half\n')
    expect(repo.git(['rev-parse', 'HEAD:x.bin'])).toBe(repo.git(['rev-parse', 'refs/plan/p/attempts/one/1:x.bin']))
  })
})

describe('signing', () => {
  test('with commit.gpgsign every commit of the plan is signed, and git verifies it', async ({ repo }) => {
    const key = join(repo.home, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada@example.com', '-f', key])
    writeFileSync(join(repo.home, 'signers'), `ada@example.com ${readFileSync(`${key}.pub`, 'utf8')}`)
    const before = repo.git(['rev-parse', 'HEAD'])
    for (const [name, value] of [
      ['gpg.format', 'ssh'],
      ['user.signingkey', `${key}.pub`],
      ['commit.gpgsign', 'true'],
      ['gpg.ssh.allowedSignersFile', join(repo.home, 'signers')],
    ] as const)
      repo.git(['config', name, value])
    await wholeLife(repo)
    const commits = repo.git(['rev-list', `${before}..main`]).split('\n')
    expect(commits.length).toBeGreaterThanOrEqual(7)
    for (const commit of commits) repo.git(['verify-commit', commit])
    // What a failed step left is saved without asking for a key: it is on no branch.
    expect(repo.git(['log', '-1', '--format=%G?', 'refs/plan/life/attempts/two/1'])).toBe('N')
  })

  test('a signing set-up that does not work is refused before anything happens, with the remedy', async ({ repo }) => {
    repo.write('p.md', planText(`  - {id: one, run: touch '${repo.home}/ran'}`))
    for (const [name, value] of [
      ['gpg.format', 'ssh'],
      ['user.signingkey', join(repo.home, 'no-such-key')],
      ['commit.gpgsign', 'true'],
    ] as const)
      repo.git(['config', name, value])
    const before = everyRef(repo)
    const ran = await repo.plan(['start', 'p.md', '--approve'])
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.all).toMatch(/could not be signed[^]*Hint: [^]*git config commit\.gpgsign false/)
    expect(everyRef(repo)).toBe(before)
    expect(repo.status()).toBe('?? p.md')
    expect(existsSync(join(repo.home, 'ran'))).toBe(false)
  })

  test('signing that breaks after the approval is refused in preflight, before the first step runs', async ({
    repo,
  }) => {
    repo.write('p.md', planText(`  - {id: one, run: touch '${repo.home}/ran'}`))
    expect(await repo.plan(['new', 'P', '--from', 'p.md'])).toMatchObject({ code: 0 })
    expect(await repo.plan(['approve', 'p'])).toMatchObject({ code: 0 })
    const before = repo.git(['rev-parse', 'plan/p'])
    repo.git(['config', 'gpg.program', 'false'])
    repo.git(['config', 'commit.gpgsign', 'true'])
    const ran = await repo.plan(['start', 'p', '--autostash'])
    expect(ran, ran.all).toMatchObject({ code: 2 })
    expect(ran.all).toMatch(/could not be signed[^]*Hint: /)
    expect(repo.git(['rev-parse', 'plan/p'])).toBe(before)
    expect(existsSync(join(repo.home, 'ran'))).toBe(false)
  })
})

test('refs may be packed and objects collected at any time', async ({ repo }) => {
  await wholeLife(repo, { after: () => [repo.git(['pack-refs', '--all']), repo.git(['gc', '-q', '--prune=now'])] })
  expect(repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan/life/'])).toContain(
    'refs/plan/life/attempts/two/1',
  )
  expect(repo.git(['branch', '--list', 'plan/life'])).toBe('')
  expect(repo.fsck()).toBe('')
})

test('a plan lives with fsmonitor, the untracked cache and a split index', async ({ repo }) => {
  const monitor = join(repo.home, 'monitor')
  // Says that everything may have changed: correct, and proves that the index carries its extension.
  writeFileSync(monitor, `#!/bin/sh\nprintf 'token\\0/\\0'\n`)
  chmodSync(monitor, 0o755)
  for (const [name, value] of [
    ['core.fsmonitor', monitor],
    ['core.untrackedCache', 'true'],
    ['core.splitIndex', 'true'],
    ['feature.manyFiles', 'true'],
  ] as const)
    repo.git(['config', name, value])
  repo.git(['update-index', '--split-index', '--untracked-cache', '--fsmonitor'])
  repo.write('b.txt', 'b\n')
  repo.commit('Second')
  await wholeLife(repo, {
    two: 'echo more >> b.txt',
    after: () => {
      expect(repo.git(['ls-files', '-s'])).toBe(
        repo.git(['ls-tree', '-r', '--format=%(objectmode) %(objectname) 0%x09%(path)', 'HEAD']),
      )
      repo.git(['update-index', '--split-index', '--fsmonitor'])
    },
  })
  expect(repo.fsck()).toBe('')
})
