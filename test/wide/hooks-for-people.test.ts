// What pre-commit and pre-push refuse to people, by every way in which Git makes a commit or a push.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { bin, planText, test as base, TestRepo } from '../helpers/repo.ts'

const steps = '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt}'

const farFrom = (repo: TestRepo): string => join(dirname(repo.dir), 'far.git')

const test = base.extend<{ repo: TestRepo }>({
  // With a remote, and with hooks that find the program.
  repo: async ({}, use) => {
    const repo = new TestRepo()
    const programs = join(repo.home, 'bin')
    mkdirSync(programs)
    symlinkSync(bin, join(programs, 'git-plan'))
    repo.env['PATH'] = `${programs}:${repo.env['PATH']}`
    repo.git(['init', '-q', '--bare', '-b', 'main', farFrom(repo)])
    repo.git(['remote', 'add', 'origin', farFrom(repo)])
    repo.git(['config', 'plan.policyRef', 'main'])
    repo.git(['push', '-q', 'origin', 'main'])
    expect(await repo.plan(['hooks', 'install'])).toMatchObject({ code: 0 })
    await use(repo)
    repo.remove()
  },
})

/** What Git says where it refuses; undefined: it did it. */
function refused(
  repo: TestRepo,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): string | undefined {
  try {
    repo.git(args, options)
    return undefined
  } catch (error) {
    return (error as { stderr: string }).stderr
  }
}

const bad = '---\nsteps:\n  - rum: npm test\n---\n'

describe('pre-commit', () => {
  test('looks at what is committed, and not at what lies there', async ({ repo }) => {
    repo.write('.plans/p.md', bad)
    repo.git(['add', '.'])
    repo.write('.plans/p.md', planText(steps))
    expect(refused(repo, ['commit', '-q', '-m', 'As it is staged'])).toContain('.plans/p.md:3:5')
    expect(refused(repo, ['commit', '-q', '-am', 'As it lies there'])).toBe(undefined)
    repo.write('.plans/p.md', bad)
    repo.write('b.txt', 'b\n')
    repo.git(['add', 'b.txt'])
    expect(refused(repo, ['commit', '-q', '-m', 'One file', 'b.txt'])).toBe(undefined)
    expect(refused(repo, ['commit', '-q', '-m', 'The other', '.plans/p.md'])).toContain('.plans/p.md:3:5')
    expect(refused(repo, ['commit', '-q', '-m', 'All the same', '--no-verify', '.plans/p.md'])).toBe(undefined)
    repo.git(['rm', '-q', '.plans/p.md'])
    expect(refused(repo, ['commit', '-q', '-m', 'Gone'])).toBe(undefined)
  })

  test('looks at the configuration as well, and at no other file', async ({ repo }) => {
    repo.write('.plans/config.yml', 'version: 1\nnonsense: 1\n')
    repo.write('.plans/README.md', '# Plans\n')
    repo.git(['add', '.'])
    expect(refused(repo, ['commit', '-q', '-m', 'Config'])).toMatch(/\.plans\/config\.yml:2/)
    // Once it is there, it is in the way of nobody who repairs it.
    expect(refused(repo, ['commit', '-q', '--no-verify', '-m', 'Config'])).toBe(undefined)
    expect(refused(repo, ['push', '-q', '--no-verify', 'origin', 'main'])).toBe(undefined)
    repo.write('.plans/config.yml', 'version: 1\n')
    expect(refused(repo, ['commit', '-q', '-am', 'Config'])).toBe(undefined)
    expect(refused(repo, ['push', '-q', 'origin', 'main'])).toBe(undefined)
  })

  test('works in a linked work tree, below a directory, with another plan.dir, and with a git directory elsewhere', async ({
    repo,
  }) => {
    repo.git(['config', 'plan.dir', 'some/plans'])
    repo.git(['worktree', 'add', '-q', '../linked'])
    const linked = join(dirname(repo.dir), 'linked')
    for (const cwd of [repo.dir, linked]) {
      mkdirSync(join(cwd, 'some/plans'), { recursive: true })
      writeFileSync(join(cwd, 'some/plans/p.md'), bad)
      repo.git(['add', '.'], { cwd })
      expect(refused(repo, ['commit', '-q', '-m', 'Bad'], { cwd: join(cwd, 'some') })).toContain('some/plans/p.md:3:5')
    }
    // As some keep the files of their home directory.
    const apart = { GIT_DIR: repo.path('.git'), GIT_WORK_TREE: join(dirname(repo.dir), 'apart') }
    mkdirSync(apart.GIT_WORK_TREE)
    expect(refused(repo, ['commit', '-q', '-m', 'Bad'], { cwd: apart.GIT_WORK_TREE, env: apart })).toContain(
      'some/plans/p.md:3:5',
    )
  })

  test('works for the first commit of all', async () => {
    const repo = new TestRepo({ isEmpty: true })
    await repo.plan(['hooks', 'install', 'pre-commit'])
    repo.write('a.txt', 'a\n')
    repo.git(['add', '.'])
    expect(refused(repo, ['commit', '-q', '-m', 'First'])).toBe(undefined)
    repo.remove()
  })

  test('says so where it cannot look, and is not in the way', async ({ repo }) => {
    rmSync(join(repo.home, 'bin/git-plan'))
    repo.write('.plans/p.md', bad)
    repo.git(['add', '.'])
    const said = execFileSync('sh', ['-c', 'git commit -q -m Bad 2>&1; git push -q origin main 2>&1'], {
      cwd: repo.dir,
      env: repo.env,
      encoding: 'utf8',
    })
    expect(said).toContain('this commit was not checked')
    expect(said).toContain('this push was not checked')
  })

  test('costs little where there is nothing to look at', async ({ repo }) => {
    const log = join(repo.home, 'started')
    rmSync(join(repo.home, 'bin/git-plan'))
    writeFileSync(join(repo.home, 'bin/git-plan'), `#!/bin/sh\necho "$@" >> '${log}'\n`, { mode: 0o755 })
    for (const name of ['b', 'c']) {
      repo.write(`${name}.txt`, name)
      repo.commit(name)
    }
    repo.git(['checkout', '-q', '--detach'])
    repo.write('d.txt', 'd')
    repo.commit('Detached')
    expect(() => readFileSync(log)).toThrow('ENOENT')
    repo.git(['checkout', '-q', '-b', 'plan/p'])
    repo.write('e.txt', 'e')
    repo.commit('On the branch of a plan')
    expect(readFileSync(log, 'utf8')).toBe('hook pre-commit\n')
  })
})

describe('pre-push', () => {
  test('refuses an unfinished plan in a branch of which it knows that it is protected', async ({ repo }) => {
    repo.write('.plans/p.md', planText(`${steps}\n  - {id: three, run: "false"}`))
    expect(await repo.plan(['start', '.plans/p.md', '--approve'])).toMatchObject({ code: 1 })
    repo.git(['checkout', '-q', 'main'])
    repo.git(['merge', '-q', '--no-ff', '-m', 'Too early', 'plan/p'])
    expect(refused(repo, ['push', '-q', 'origin', 'main'])).toMatch(
      /plan p is failed, but main accepts only finished plans/,
    )
    expect(refused(repo, ['push', '-q', 'origin', 'main:try'])).toBe(undefined)
    expect(refused(repo, ['push', '-q', 'origin', 'plan/p', 'refs/plan/p/*:refs/plan/p/*'])).toBe(undefined)
  })

  test('refuses to rewrite what the remote has, but by a rollback, and what it does not know', async ({ repo }) => {
    repo.write('.plans/p.md', planText(steps))
    expect(await repo.plan(['start', '.plans/p.md', '--approve'])).toMatchObject({ code: 0 })
    expect(refused(repo, ['push', '-q', 'origin', 'plan/p'])).toBe(undefined)
    const tip = repo.git(['rev-parse', 'plan/p'])
    repo.git(['reset', '-q', '--hard', 'HEAD^'])
    expect(refused(repo, ['push', '-q', '--force', 'origin', 'plan/p'])).toContain('plan/p would be rewritten')
    repo.git(['reset', '-q', '--hard', tip])
    expect(await repo.plan(['rollback', 'p'])).toMatchObject({ code: 0 })
    expect(refused(repo, ['push', '-q', '--force', 'origin', 'plan/p'])).toBe(undefined)
    // Somebody else was there.
    const theirs = repo.git(['commit-tree', '-m', 'Theirs', '-p', 'main', 'main^{tree}'])
    repo.git(['fetch', '-q', repo.dir, theirs], { cwd: farFrom(repo) })
    repo.git(['update-ref', 'refs/heads/plan/p', theirs], { cwd: farFrom(repo) })
    repo.git(['gc', '-q', '--prune=now'])
    expect(refused(repo, ['push', '-q', '--force', 'origin', 'plan/p'])).toContain('a commit that is unknown here')
  })
})
