// The hooks of git plan: put into a repository beside those that are there, and what they refuse. Pushes go over HTTP
// to a server of Git's own.

import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { GitServer } from '../helpers/git-server.ts'
import { bin, planText, test as base, type TestRepo } from '../helpers/repo.ts'

const test = base.extend<{ server: GitServer }>({
  server: async ({ repo }, use) => {
    const server = await GitServer.beside(repo)
    await use(server)
    server.close()
  },
})

/** The repository's git finds git-plan, as it does where that is installed. */
function withProgram(repo: TestRepo): TestRepo {
  const programs = join(repo.home, 'bin')
  mkdirSync(programs)
  symlinkSync(bin, join(programs, 'git-plan'))
  repo.env['PATH'] = `${programs}:${repo.env['PATH']}`
  return repo
}

/** What git says where it refuses; undefined: it did it. */
function refused(repo: TestRepo, args: readonly string[], env: Record<string, string> = {}): string | undefined {
  try {
    repo.git(args, { env })
    return undefined
  } catch (error) {
    return (error as { stderr: string }).stderr
  }
}

const two = planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt}')

describe('hooks that are there', () => {
  test('run first, with the same arguments and input, and are back as they were after uninstall', async ({ repo }) => {
    withProgram(repo)
    const far = join(dirname(repo.dir), 'far.git')
    repo.git(['init', '-q', '--bare', far])
    const mine = repo.path('.git/hooks/pre-push')
    const text = `#!/bin/sh\necho "$@" > '${repo.home}/args'\ncat > '${repo.home}/input'\ntest ! -e '${repo.home}/no'\n`
    writeFileSync(mine, text)
    chmodSync(mine, 0o751)
    expect(await repo.json(['hooks', 'install'])).toMatchObject({
      kind: 'hooks',
      hooks: [
        { name: 'pre-commit', state: 'installed', before: null },
        { name: 'pre-push', state: 'installed', before: `${mine}.before-git-plan` },
      ],
    })
    expect(refused(repo, ['push', '-q', far, 'main', 'main:refs/heads/other'])).toBe(undefined)
    const oid = repo.git(['rev-parse', 'main'])
    expect(readFileSync(join(repo.home, 'args'), 'utf8')).toBe(`${far} ${far}\n`)
    expect(readFileSync(join(repo.home, 'input'), 'utf8')).toBe(
      ['main', 'other'].map((name) => `refs/heads/main ${oid} refs/heads/${name} ${'0'.repeat(40)}\n`).join(''),
    )
    writeFileSync(join(repo.home, 'no'), '')
    expect(refused(repo, ['push', '-q', far, 'main:refs/heads/third'])).toContain('failed to push')
    // Again, and nothing changes.
    expect((await repo.plan(['hooks', 'install'])).stdout).toContain('pre-push is installed')
    expect(await repo.plan(['hooks', 'uninstall'])).toMatchObject({ code: 0 })
    expect({ text: readFileSync(mine, 'utf8'), mode: statSync(mine).mode & 0o777 }).toEqual({ text, mode: 0o751 })
    expect(existsSync(`${mine}.before-git-plan`) || existsSync(repo.path('.git/hooks/pre-commit'))).toBe(false)
  })
})

describe('pre-commit', () => {
  test('keeps hands off the branch of a plan, lets the executor through, and names the line of a plan that is none', async ({
    repo,
  }) => {
    withProgram(repo)
    expect(await repo.plan(['init', '--hooks'])).toMatchObject({ code: 0 })
    repo.commit('Configure')
    repo.write('.plans/bad.md', '---\nsteps:\n  - rum: npm test\n---\n')
    repo.git(['add', '.'])
    expect(refused(repo, ['commit', '-q', '-m', 'Bad'])).toMatch(/\.plans\/bad\.md:3:5: .*unknown key `rum`/)
    repo.git(['rm', '-q', '--cached', '-f', '.plans/bad.md'])
    writeFileSync(repo.path('.plans/bad.md'), two)
    repo.git(['add', '.'])
    repo.git(['commit', '-q', '-m', 'A draft'])

    repo.write(
      '.plans/p.md',
      planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: "git commit -q --allow-empty -m mine"}'),
    )
    const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
    // The second step commits by itself, which its run would not survive.
    expect(ran, ran.all).toMatchObject({ code: 1 })
    expect(ran.all).toContain('plan p is being run by process')
    expect(repo.subjects('plan/p')).toContain('Run echo 1 > one.txt')

    repo.write('fix.txt', 'fixed\n')
    repo.git(['add', '.'])
    repo.git(['commit', '-q', '-m', 'A fix by hand'])
    for (const [path, command] of [
      ['.plans/p.md', 'git plan edit p'],
      ['.plans/config.yml', 'git restore --staged --worktree .plans/config.yml'],
    ] as const) {
      writeFileSync(repo.path(path), `${repo.read(path)}\n`)
      expect(refused(repo, ['commit', '-q', '-am', 'By hand'])).toContain(command)
      repo.git(['checkout', '-q', 'HEAD', '--', path])
    }
  })

  test('does not start Node for a commit that has nothing to do with plans', async ({ repo }) => {
    expect(await repo.plan(['hooks', 'install', 'pre-commit'])).toMatchObject({ code: 0 })
    const started = join(repo.home, 'started')
    mkdirSync(join(repo.home, 'bin'))
    writeFileSync(join(repo.home, 'bin/git-plan'), `#!/bin/sh\necho "$@" >> '${started}'\n`, { mode: 0o755 })
    repo.env['PATH'] = `${join(repo.home, 'bin')}:${repo.env['PATH']}`
    repo.write('b.txt', 'b\n')
    repo.commit('Second')
    expect(existsSync(started)).toBe(false)
    repo.write('.plans/p.md', two)
    repo.commit('A plan')
    expect(readFileSync(started, 'utf8')).toBe('hook pre-commit\n')
  })
})

describe('pre-push', () => {
  test('refuses what nobody approved before it is sent, and lets git plan push its own', async ({ repo, server }) => {
    withProgram(repo)
    await server.push(repo, ['main'])
    expect(await repo.plan(['hooks', 'install', 'pre-push'])).toMatchObject({ code: 0 })
    repo.write('.plans/p.md', two)
    const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--push'])
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(server.refs()['refs/heads/plan/p']).toBe(repo.git(['rev-parse', 'plan/p']))
    expect(await repo.plan(['rollback', 'p'])).toMatchObject({ code: 0 })
    expect((await server.push(repo, ['--force', 'plan/p'])).code).toBe(0)
    repo.write('two.txt', 'forged\n')
    repo.git(['add', '.'])
    repo.git(['commit', '-q', '-m', 'Run it\n\nPlan-Id: p\nPlan-Event: step\nPlan-Step: two'])
    const forged = await server.push(repo, ['plan/p'])
    expect(forged).toMatchObject({ code: 1 })
    expect(forged.stderr).toMatch(/plan\/p fails the audit/)
    expect(forged.stderr).not.toContain('remote:')
  })
})

describe('pre-receive', () => {
  test('lets a plan in that was approved, and takes back nothing but by a rollback', async ({ repo, server }) => {
    server.plan(['hooks', 'install'])
    expect(await server.push(repo, ['main'])).toMatchObject({ code: 0 })
    repo.write('.plans/p.md', two)
    expect(await repo.plan(['new', '--from', '.plans/p.md'])).toMatchObject({ code: 0 })
    expect(await server.push(repo, ['plan/p'])).toMatchObject({ code: 0 })

    // A step that nobody approved.
    repo.git(['checkout', '-q', '--force', 'plan/p'])
    repo.write('one.txt', '1\n')
    repo.write(
      '.plans/p.md',
      repo.read('.plans/p.md').replace(/status: proposed\nstate: .*\n/, 'status: active\nstate:\n  one: done\n'),
    )
    const digest = /digest: (\w+)/.exec((await repo.plan(['show', 'p'])).all)?.[1]
    repo.git(['add', '.'])
    repo.git([
      'commit',
      '-q',
      '-m',
      `Run\n\nPlan-Id: p\nPlan-Event: step\nPlan-Step: one\nPlan-Digest: ${digest ?? ''}`,
    ])
    const unapproved = await server.push(repo, ['plan/p'])
    expect(unapproved).toMatchObject({ code: 1 })
    expect(unapproved.stderr).toMatch(/remote: .*nobody had approved the plan \(approval\)/)
    repo.git(['reset', '-q', '--hard', 'HEAD^'])

    expect(await repo.plan(['start', 'p', '--approve'])).toMatchObject({ code: 0 })
    const done = repo.git(['rev-parse', 'plan/p'])
    expect(await server.push(repo, ['plan/p'])).toMatchObject({ code: 0 })
    expect(await repo.plan(['rollback', 'p'])).toMatchObject({ code: 0 })
    const rewritten = await server.push(repo, ['--force', 'plan/p'])
    expect(rewritten.stderr).toMatch(/remote: .*plan\/p would be rewritten/)
    // An unfinished plan in a branch that is protected.
    repo.git(['checkout', '-q', 'main'])
    repo.git(['merge', '-q', '--no-ff', '-m', 'Too early', 'plan/p'])
    const early = await server.push(repo, ['main'])
    expect(early.stderr).toMatch(/remote: .*plan p is active, but main accepts only finished plans/)
    repo.git(['reset', '-q', '--hard', 'origin/main'])

    expect(await server.push(repo, ['--force', 'plan/p', 'refs/plan/p/*:refs/plan/p/*'])).toMatchObject({ code: 0 })
    expect(server.refs()).toMatchObject({ 'refs/heads/plan/p': repo.git(['rev-parse', 'plan/p']) })
    expect(server.git(['rev-parse', 'refs/plan/p/rollbacks/1^{commit}'])).toBe(done)
    expect(await repo.plan(['resume', 'p'])).toMatchObject({ code: 0 })
    expect(await repo.plan(['finish', 'p'])).toMatchObject({ code: 0 })
    const merged = await server.push(repo, ['main'])
    expect(merged, merged.stderr).toMatchObject({ code: 0 })
    const gone = await server.push(repo, [':plan/p'])
    expect(gone, gone.stderr).toMatchObject({ code: 0 })
  })

  test('lets nothing in where git-plan is missing', async ({ repo }) => {
    const server = await GitServer.beside(repo, { withProgram: false })
    server.plan(['hooks', 'install'])
    const ran = await server.push(repo, ['main'])
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.stderr).toContain('remote: git plan: pushes are refused, because git-plan cannot be run on this server')
    expect(server.refs()).toEqual({})
    server.close()
  })
})
