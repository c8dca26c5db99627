// The whole life of a plan in every shape that a repository can have.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test as plain } from 'vitest'
import { planText, test, TestRepo } from '../helpers/repo.ts'
import { wholeLife } from '../helpers/whole-life.ts'

/** A repository that was cloned in some way from another one, over a file:// URL so that git's transport is used. */
async function inClone(
  cloneArgs: readonly string[],
  work: (clone: TestRepo, origin: TestRepo) => Promise<void>,
  prepare: (origin: TestRepo) => void = () => {},
): Promise<void> {
  const origin = new TestRepo()
  const clone = new TestRepo({ isEmpty: true })
  try {
    prepare(origin)
    origin.git(['config', 'uploadpack.allowFilter', 'true'])
    origin.git(['clone', '-q', ...cloneArgs, `file://${origin.dir}`, join(clone.dir, '..', 'clone')])
    const made = Object.assign(Object.create(clone) as TestRepo, { dir: join(dirname(clone.dir), 'clone') })
    made.git(['config', 'user.name', 'Ada'])
    made.git(['config', 'user.email', 'ada@example.com'])
    await work(made, origin)
  } finally {
    clone.remove()
    origin.remove()
  }
}

test('a plan lives in a sub-directory, its file named from there', async ({ repo }) => {
  repo.write('sub/dir/keep.txt', 'keep\n')
  repo.commit('A sub-directory')
  await wholeLife(repo, { cwd: repo.path('sub/dir'), file: { path: 'sub/dir/life.md', given: 'life.md' } })
  expect(repo.fsck()).toBe('')
})

test('a plan lives in a repository that is given with -C', async ({ repo }) => {
  repo.write('sub/keep.txt', 'keep\n')
  repo.commit('A sub-directory')
  repo.write('sub/life.md', planText('  - {id: one, run: echo 1 > one.txt}'))
  const ran = await repo.plan(['-C', repo.path('sub'), 'start', 'life.md', '--approve'], { cwd: '/' })
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/life'])).toContain('one.txt')
  expect(existsSync('/one.txt')).toBe(false)
})

test('a plan lives in a linked work tree, and the main one is left alone', async ({ repo }) => {
  const linked = join(dirname(repo.dir), 'linked')
  repo.git(['worktree', 'add', '-q', '-b', 'side', linked])
  repo.write('mine.txt', 'not committed\n')
  await wholeLife(repo, {
    root: linked,
    more: 'base: main\n',
    after: () => expect(readFileSync(repo.path('mine.txt'), 'utf8')).toBe('not committed\n'),
  })
  expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  expect(repo.git(['symbolic-ref', 'HEAD'], { cwd: linked })).toBe('refs/heads/side')
  // `main` is checked out in the main work tree: its files and index came along with it.
  expect(repo.read('two.txt')).toBe('2\n')
  expect(repo.status()).toBe('?? mine.txt')
})

test('a plan lives on a detached HEAD and goes back to it', async ({ repo }) => {
  repo.git(['checkout', '-q', '--detach'])
  const before = repo.git(['rev-parse', 'HEAD'])
  await wholeLife(repo, { more: 'base: main\n' })
  expect(() => repo.git(['symbolic-ref', '-q', 'HEAD'])).toThrow()
  expect(repo.git(['rev-parse', 'HEAD'])).toBe(before)
})

test('a plan on a detached HEAD without a base runs from that commit, and finish says how to merge it', async ({
  repo,
}) => {
  repo.git(['checkout', '-q', '--detach'])
  repo.write('life.md', planText('  - {id: one, run: echo 1 > one.txt}'))
  expect(await repo.plan(['start', 'life.md', '--approve'])).toMatchObject({ code: 0 })
  const ran = await repo.plan(['finish'])
  expect(ran).toMatchObject({ code: 2 })
  expect(ran.all).toMatch(/has no base[^]*Hint: git merge plan\/life/)
})

plain('a plan lives in a shallow clone', async () => {
  await inClone(
    ['--depth=1'],
    async (clone) => {
      expect(clone.git(['rev-parse', '--is-shallow-repository'])).toBe('true')
      await wholeLife(clone)
      expect(clone.git(['rev-parse', '--is-shallow-repository'])).toBe('true')
      expect(clone.fsck()).toBe('')
    },
    (origin) => {
      origin.write('a.txt', 'hello again\n')
      origin.commit('Second')
    },
  )
})

describe('a partial clone', () => {
  const withOtherBranch = (origin: TestRepo): void => {
    origin.git(['checkout', '-q', '-b', 'other'])
    origin.write('only-there.txt', 'on the other branch\n')
    origin.write('a.txt', 'another text\n')
    origin.commit('Other')
    origin.git(['checkout', '-q', 'main'])
  }

  plain('lives a whole life, and looking at it fetches nothing and runs nothing', async () => {
    await inClone(
      ['--filter=blob:none'],
      async (clone) => {
        const canary = join(clone.home, 'canary')
        clone.git(['config', 'remote.origin.uploadpack', `touch '${canary}'; git-upload-pack`])
        await wholeLife(clone)
        for (const args of [['list'], ['show', 'life'], ['diff', 'life'], ['report', 'life']]) {
          expect(await clone.plan(args), args.join(' ')).toMatchObject({ code: 0 })
        }
        expect(existsSync(canary)).toBe(false)
      },
      withOtherBranch,
    )
  })

  plain('reading a plan whose blobs are not here says so and fetches nothing', async () => {
    await inClone(
      ['--filter=blob:none'],
      async (clone) => {
        const canary = join(clone.home, 'canary')
        clone.git(['branch', 'plan/far', 'origin/plan/far'])
        clone.git(['config', 'remote.origin.uploadpack', `touch '${canary}'; git-upload-pack`])
        for (const args of [['list'], ['status', 'far'], ['log', 'far'], ['check', 'far'], ['doctor']]) {
          const ran = await clone.plan(args)
          expect(ran.code, `${args.join(' ')}: ${ran.all}`).not.toBe(70)
          expect(ran.all).toMatch(/has not been fetched into this partial clone/)
        }
        expect(existsSync(canary)).toBe(false)
      },
      (origin) => {
        origin.git(['checkout', '-q', '-b', 'plan/far'])
        origin.write('.plans/far.md', planText('  - {id: one, run: "true"}'))
        origin.commit('Plan: far')
        origin.git(['checkout', '-q', 'main'])
      },
    )
  })

  plain('runs a plan on a base whose files were not fetched yet', async () => {
    await inClone(
      ['--filter=blob:none'],
      async (clone) => {
        clone.write('far.md', planText('  - {id: one, run: cat only-there.txt > copy.txt}', 'base: other\n'))
        const ran = await clone.plan(['start', 'far.md', '--approve'])
        expect(ran, ran.all).toMatchObject({ code: 0 })
        expect(clone.git(['show', 'plan/far:copy.txt'])).toBe('on the other branch')
        expect(clone.status()).toBe('')
      },
      withOtherBranch,
    )
  })
})

test('in a sparse checkout files outside the cone stay out, and no commit loses them', async ({ repo }) => {
  repo.write('in/a.txt', 'in\n')
  repo.write('out/b.txt', 'out\n')
  repo.commit('Directories')
  repo.git(['sparse-checkout', 'set', '--cone', 'in'])
  const out = repo.git(['rev-parse', 'HEAD:out/b.txt'])
  await wholeLife(repo, {
    one: 'echo more >> in/a.txt',
    after: (stage) => {
      expect(existsSync(repo.path('out')), stage).toBe(false)
      expect(repo.git(['rev-parse', 'HEAD:out/b.txt'])).toBe(out)
    },
  })
  for (const ref of ['refs/plan/life/attempts/two/1', 'refs/plan/life/final', 'main'])
    expect(repo.git(['rev-parse', `${ref}:out/b.txt`]), ref).toBe(out)
  expect(repo.git(['show', 'main:in/a.txt'])).toBe('in\nmore')
})

describe('submodules', () => {
  const withSubmodule = (repo: TestRepo): { first: string; second: string } => {
    const library = join(dirname(repo.dir), 'library')
    mkdirSync(library)
    repo.git(['init', '-q', '-b', 'main', library])
    const commit = (text: string): string => {
      writeFileSync(join(library, 'lib.txt'), text)
      repo.git(['-C', library, 'add', '.'])
      repo.git(['-C', library, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '-m', text])
      return repo.git(['-C', library, 'rev-parse', 'HEAD'])
    }
    const first = commit('1')
    const second = commit('2')
    repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib'])
    repo.git(['-C', 'lib', 'checkout', '-q', first])
    repo.commit('A submodule')
    return { first, second }
  }

  test('a plan lives beside a submodule and leaves it where it is', async ({ repo }) => {
    const { first } = withSubmodule(repo)
    await wholeLife(repo, { after: () => expect(repo.git(['-C', 'lib', 'rev-parse', 'HEAD'])).toBe(first) })
    expect(repo.git(['rev-parse', 'main:lib'])).toBe(first)
  })

  test('a step that moves a submodule to another commit is committed so', async ({ repo }) => {
    const { second } = withSubmodule(repo)
    repo.write('p.md', planText(`  - {id: one, run: git -C lib checkout -q ${second}}`))
    const ran = await repo.plan(['start', 'p.md', '--approve'])
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(repo.git(['rev-parse', 'plan/p:lib'])).toBe(second)
    expect(repo.status()).toBe('')
  })

  test('a failed step that moved a submodule names it and exits 5; once it is back, resume goes on', async ({
    repo,
  }) => {
    const { second } = withSubmodule(repo)
    repo.write(
      'p.md',
      planText(`  - {id: one, run: 'test -e ${repo.home}/go && exit; git -C lib checkout -q ${second}; exit 1'}`),
    )
    const ran = await repo.plan(['start', 'p.md', '--approve'])
    expect(ran, ran.all).toMatchObject({ code: 5 })
    expect(ran.all).toMatch(/submodule lib [^]*Hint: git submodule update -- "lib"/)
    expect(repo.git(['-C', 'lib', 'rev-parse', 'HEAD'])).toBe(second)
    repo.git(['submodule', '--quiet', 'update', '--', 'lib'])
    writeFileSync(join(repo.home, 'go'), '')
    const again = await repo.plan(['resume'])
    expect(again, again.all).toMatchObject({ code: 0 })
    expect(repo.status()).toBe('')
  })
})

plain('a plan lives in a repository of SHA-256', async () => {
  const repo = new TestRepo({ init: ['--object-format=sha256'] })
  try {
    await wholeLife(repo)
    expect(repo.git(['rev-parse', 'main'])).toHaveLength(64)
    for (const args of [
      ['log', 'life'],
      ['diff', 'life'],
    ])
      expect(await repo.plan(args)).toMatchObject({ code: 0 })
    expect(repo.fsck()).toBe('')
  } finally {
    repo.remove()
  }
})
