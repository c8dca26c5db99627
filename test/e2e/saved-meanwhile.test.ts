// What a user saves while a command waits or works is never taken for what it has already seen.

import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { until } from '../helpers/crash.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'

/** Git waits before one of its commands, while the file `hold` is there; `held` says that it does. */
function holding(
  repo: TestRepo,
  command: string,
): { readonly env: Record<string, string>; hold: string; isHeld(): Promise<void>; release(): void } {
  const [hold, held, bin] = ['hold', 'held', 'bin'].map((name) => join(repo.home, name)) as [string, string, string]
  mkdirSync(bin)
  const wait = `[ "$each" = ${command} ] && while [ -e ${hold} ]; do : > ${held}; sleep 0.05; done`
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nfor each; do ${wait}; done\nexec ${repo.git(['--exec-path'])}/git "$@"\n`)
  chmodSync(join(bin, 'git'), 0o755)
  return {
    env: { PATH: `${bin}:${process.env['PATH']}` },
    hold,
    isHeld: () => until('git waits', () => existsSync(held)),
    release: () => rmSync(hold),
  }
}

const everything = (repo: TestRepo): string =>
  `${repo.git(['log', '--all', '-p', '--format=', '-m'])}\n${['a.txt', 'b.txt', 'later.txt'].map((path) => (existsSync(repo.path(path)) ? repo.read(path) : '')).join('\n')}`

describe('before a plan begins', () => {
  test('a file that is saved while the approval waits is put aside with the others', async ({ repo }) => {
    repo.write('b.txt', 'b\n')
    repo.commit('More')
    repo.write('demo.md', planText('  - {id: one, run: "true"}'))
    expect((await repo.plan(['new', 'Demo', '--from', 'demo.md', '--id', 'demo'])).code).toBe(0)
    rmSync(repo.path('demo.md'))
    appendFileSync(repo.path('a.txt'), 'mine\n')
    const held = holding(repo, 'update-ref')
    writeFileSync(held.hold, '')
    const child = ended(repo.spawn(['start', 'demo', '--approve', '--autostash'], { env: held.env }))
    await held.isHeld()
    appendFileSync(repo.path('b.txt'), 'later\n')
    held.release()
    const ran = await child
    expect(ran.code, ran.all).toBe(0)
    expect((await repo.plan(['finish', 'demo'])).code).toBe(0)
    expect([repo.read('a.txt'), repo.read('b.txt')]).toEqual(['hello\nmine\n', 'b\nlater\n'])
  })

  test('a submodule that was just added is not put aside, with all that is in it', async ({ repo }) => {
    const other = join(repo.home, 'other')
    repo.git(['clone', '-q', repo.dir, other])
    repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub'])
    repo.git(['reset', '-q'])
    repo.write('sub/mine.txt', 'mine\n')
    repo.write('demo.md', planText('  - {id: one, run: "true"}'))
    const ran = await repo.plan(['start', 'demo.md', '--approve', '--autostash'])
    expect(ran.code, ran.all).toBe(5)
    expect(ran.all).toContain('sub')
    expect(repo.read('sub/mine.txt')).toBe('mine\n')
  })
})

describe('while a plan runs', () => {
  test('what is staged before the first step is committed or refused, and never reset', async ({ repo }) => {
    repo.write('b.txt', 'b\n')
    repo.commit('More')
    const held = holding(repo, 'status')
    repo.write(
      'demo.md',
      planText(`  - {id: one, run: "echo 1 >> a.txt; : > ${held.hold}"}\n  - {id: two, run: "false"}`),
    )
    const child = ended(repo.spawn(['start', 'demo.md', '--approve'], { env: held.env }))
    await held.isHeld()
    appendFileSync(repo.path('b.txt'), 'of mine\n')
    writeFileSync(repo.path('later.txt'), 'new of mine\n')
    repo.git(['add', 'b.txt', 'later.txt'])
    held.release()
    await child
    expect(everything(repo)).toContain('of mine')
    expect(everything(repo)).toContain('new of mine')
  })

  test('files that come and go are no reason to stop', async ({ repo }) => {
    repo.write('.gitignore', '*.tmp\n')
    repo.commit('Ignore')
    mkdirSync(repo.path('cache/a/b'), { recursive: true })
    const busy = spawn('sh', ['-c', 'while :; do mkdir -p cache/a/b; : > cache/a/b/x.tmp; rm -rf cache/a; done'], {
      cwd: repo.dir,
    })
    try {
      repo.write(
        'demo.md',
        planText(Array.from({ length: 25 }, (_, at) => `  - {id: s${at}, run: echo ${at} >> a.txt}`).join('\n')),
      )
      const ran = await repo.plan(['start', 'demo.md', '--approve'])
      expect(ran.code, ran.all).toBe(0)
    } finally {
      busy.kill()
      await new Promise((resolve) => busy.once('close', resolve))
    }
  })
})

describe('what decides how commits are made', () => {
  const start = ['start', 'demo.md', '--approve']

  test('hooks that a preflight command sets up run', async ({ repo }) => {
    mkdirSync(repo.path('.git/hk'))
    writeFileSync(repo.path('.git/hk/pre-commit'), `#!/bin/sh\necho ran >> ${join(repo.home, 'ran')}\n`)
    chmodSync(repo.path('.git/hk/pre-commit'), 0o755)
    const script = join(repo.home, 'hooks.sh')
    writeFileSync(script, 'git config core.hooksPath .git/hk\n')
    repo.write('demo.md', planText('  - {id: one, run: echo 1 > one.txt}', `preflight: sh ${script}\n`))
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(0)
    expect(readFileSync(join(repo.home, 'ran'), 'utf8')).toBe('ran\n')
  })

  test.for([[], ['--worktree']])(
    'a name for the branches of plans is in their commits: %j',
    async (flags, { repo }) => {
      writeFileSync(join(repo.home, 'bot'), '[user]\n\tname = Plan Bot\n')
      appendFileSync(repo.path('.git/config'), `[includeIf "onbranch:plan/**"]\n\tpath = ${join(repo.home, 'bot')}\n`)
      repo.write('demo.md', planText('  - {id: one, run: echo 1 > one.txt}'))
      const ran = await repo.plan([...start, ...flags])
      expect(ran.code, ran.all).toBe(0)
      expect(repo.git(['log', '-1', '--format=%an', '--grep=^Plan-Event: step$', 'plan/demo'])).toBe('Plan Bot')
    },
  )

  test('a home that is none is no reason to stop', async ({ repo }) => {
    const env = { HOME: '/dev/null', XDG_CONFIG_HOME: '/dev/null/config' }
    repo.write('demo.md', planText('  - {id: one, run: "true"}'))
    expect((await repo.plan(start, { env })).code).toBe(0)
    expect((await repo.plan(['list'], { env })).code).toBe(0)
  })

  test('the zone is git’s, also where only Node knows it', async ({ repo }) => {
    const env = { TZ: 'Europe/Berlin', TZDIR: '/nonexistent' }
    repo.write('demo.md', planText('  - {id: one, run: "true"}'))
    expect((await repo.plan(start, { env })).code).toBe(0)
    const theirs = execFileSync('git', ['var', 'GIT_COMMITTER_IDENT'], {
      cwd: repo.dir,
      env: { ...repo.env, ...env },
      encoding: 'utf8',
    })
    expect(repo.git(['log', '-1', '--format=%ci', 'plan/demo']).slice(-5)).toBe(theirs.trimEnd().slice(-5))
  })
})

describe('what the configuration asks', () => {
  test('is asked of a branch that was written by hand, and not of steps that are done', async ({ repo }) => {
    repo.write('demo.md', planText('  - {id: one, run: "true", pause: true}\n  - {id: two, run: "true"}'))
    expect((await repo.plan(['start', 'demo.md', '--approve'])).code).toBe(5)
    repo.git(['checkout', '-q', 'main'])
    repo.write('.plans/config.yml', 'require: [owner]\n')
    repo.commit('Require')
    const lacking = await repo.plan(['replan', 'demo', '--from', '-'], {
      input: planText('  - {id: one, run: "true", pause: true}\n  - {id: two, run: "false"}'),
    })
    expect(lacking.code, lacking.all).toBe(2)
    expect(lacking.all).toContain('two has no `owner`')
    expect(lacking.all).not.toContain('one has no `owner`')
    expect(lacking.all).toMatch(/:4:\d+/)

    repo.git(['checkout', '-q', '-b', 'plan/hand'])
    repo.write(
      '.plans/hand.md',
      planText('  - {id: one, title: One, needs: [], run: "true"}', 'plan: hand\ntitle: Hand\nbase: main\n').replace(
        '\n---\n\nProse',
        '\nstatus: proposed\nstate: {}\n---\n\nProse',
      ),
    )
    const { digest } = JSON.parse((await repo.plan(['check', '.plans/hand.md', '--json'])).stdout) as { digest: string }
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-m', `Plan: Hand\n\nPlan-Id: hand\nPlan-Event: proposed\nPlan-Digest: ${digest}`])
    repo.git(['checkout', '-q', 'main'])
    for (const command of [
      ['start', 'hand', '--approve'],
      ['approve', 'hand'],
    ]) {
      const ran = await repo.plan(command)
      expect(ran.code, ran.all).toBe(2)
      expect(ran.all).toContain('one has no `owner`')
    }
  })
})
