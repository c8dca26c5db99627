// `git plan hooks` wherever hooks can lie: nothing of anybody's is lost, whatever is there and whenever it is killed.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { authorOf, withSum } from '../../src/commands/utilities/hooks/scripts.ts'
import { bin, planText, test, type TestRepo } from '../helpers/repo.ts'

const published = fileURLToPath(new URL('../../hooks', import.meta.url))
const script = (name: string): string => readFileSync(join(published, name), 'utf8')
const mine = '#!/bin/sh\n# Mine.\ncat > "$HOME/heard"\n'
const hook = (repo: TestRepo, name = 'pre-push'): string => repo.path('.git/hooks', name)

function put(path: string, text = mine, mode = 0o755): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** What git would run says that it was run. */
function isHeard(repo: TestRepo): boolean {
  rmSync(join(repo.home, 'heard'), { force: true })
  repo.git(['push', '-q', '--force', join(dirname(repo.dir), 'far.git'), 'HEAD:refs/heads/main'])
  return existsSync(join(repo.home, 'heard'))
}

/** Something is to be pushed each time. */
function withRemote(repo: TestRepo): void {
  repo.git(['init', '-q', '--bare', join(dirname(repo.dir), 'far.git')])
}

const stateOf = async (repo: TestRepo, name = 'pre-push'): Promise<string> => {
  const { hooks } = (await repo.json(['hooks', 'status', name])) as unknown as { hooks: { state: string }[] }
  return hooks[0]?.state ?? ''
}

test('the sum of each script is right, it is executable, and a changed one is told from ours', () => {
  for (const name of readdirSync(published)) {
    expect(withSum(script(name)), `npm run docs: ${name}`).toBe(script(name))
    expect(authorOf(script(name))).toBe('ours')
    expect(authorOf(`${script(name)}echo more\n`)).toBe('changed')
    expect(statSync(join(published, name)).mode & 0o111).toBe(0o111)
    expect(spawnSync('sh', ['-n', join(published, name)]).status).toBe(0)
  }
  expect(authorOf(mine)).toBe('other')
})

describe('what is there', () => {
  test('a link is kept as a link, to where it led', async ({ repo }) => {
    put(repo.path('mine.sh'))
    symlinkSync('../../mine.sh', hook(repo))
    withRemote(repo)
    expect(await repo.plan(['hooks', 'install', 'pre-push'])).toMatchObject({ code: 0 })
    expect(readlinkSync(`${hook(repo)}.before-git-plan`)).toBe('../../mine.sh')
    expect(isHeard(repo)).toBe(true)
    expect(await repo.plan(['hooks', 'uninstall'])).toMatchObject({ code: 0 })
    expect(readlinkSync(hook(repo))).toBe('../../mine.sh')
    expect(readdirSync(repo.path('.git/hooks')).filter((name) => name.includes('git-plan'))).toEqual([])
  })

  test('one that is not executable is kept, and runs no more than before', async ({ repo }) => {
    put(hook(repo), mine, 0o640)
    withRemote(repo)
    const ran = await repo.plan(['hooks', 'install', 'pre-push'])
    expect(ran.stdout).toContain('is not executable and does not run')
    expect(isHeard(repo)).toBe(false)
    await repo.plan(['hooks', 'uninstall'])
    expect(statSync(hook(repo)).mode & 0o777).toBe(0o640)
  })

  test('a directory, or anything else that is no file, is refused and left', async ({ repo }) => {
    mkdirSync(hook(repo))
    const ran = await repo.plan(['hooks', 'install'])
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain('is not a file')
    // All or nothing: the other one was not put there either.
    expect(existsSync(hook(repo, 'pre-commit'))).toBe(false)
  })

  test('one of ours that somebody has changed is left alone', async ({ repo }) => {
    await repo.plan(['hooks', 'install', 'pre-push'])
    const changed = `${script('pre-push')}echo mine\n`
    put(hook(repo), changed)
    for (const action of ['install', 'uninstall']) {
      const ran = await repo.plan(['hooks', action, 'pre-push'])
      expect(ran).toMatchObject({ code: 2 })
      expect(ran.stderr).toContain('modified since')
      expect(readFileSync(hook(repo), 'utf8')).toBe(changed)
    }
  })

  test('one of another version of ours is replaced, and so is one that lost its mode', async ({ repo }) => {
    put(hook(repo), withSum(`${script('pre-push')}# Older.\n`))
    expect(await stateOf(repo)).toBe('outdated')
    await repo.plan(['hooks', 'install', 'pre-push'])
    expect(await stateOf(repo)).toBe('installed')
    chmodSync(hook(repo), 0o644)
    expect(await stateOf(repo)).toBe('not-executable')
    await repo.plan(['hooks', 'install', 'pre-push'])
    expect(await stateOf(repo)).toBe('installed')
    expect(existsSync(`${hook(repo)}.before-git-plan`)).toBe(false)
  })

  test('a manager that has put its own there since is not undone, and what was there first is named', async ({
    repo,
  }) => {
    put(hook(repo))
    await repo.plan(['hooks', 'install', 'pre-push'])
    // As `pre-commit install` does it: ours gets another name, and is called from there.
    renameSync(hook(repo), `${hook(repo)}.legacy`)
    put(hook(repo), '#!/bin/sh\nexec "$0.legacy" "$@"\n')
    withRemote(repo)
    expect(isHeard(repo)).toBe(true)
    expect(await stateOf(repo)).toBe('replaced')
    const again = await repo.plan(['hooks', 'install', 'pre-push'])
    expect(again).toMatchObject({ code: 2 })
    expect(again.stderr).toContain('.before-git-plan')
    const ran = await repo.plan(['hooks', 'uninstall', 'pre-push'])
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toContain('the previous hook is')
    expect(readFileSync(hook(repo), 'utf8')).toContain('legacy')
    expect(readFileSync(`${hook(repo)}.before-git-plan`, 'utf8')).toBe(mine)
  })

  test('what an installation that was killed left is put in order by the next, and by uninstall', async ({ repo }) => {
    const before = `${hook(repo)}.before-git-plan`
    const states: Record<string, () => void> = {
      'two names for one file': () => {
        put(hook(repo))
        linkSync(hook(repo), before)
      },
      'only the second name': () => put(before),
      'a draft beside it': () => {
        put(hook(repo))
        put(`${hook(repo)}.git-plan-draft-1`, 'half')
      },
    }
    for (const [name, make] of Object.entries(states)) {
      for (const action of ['install', 'uninstall']) {
        for (const path of [hook(repo), before]) rmSync(path, { force: true })
        make()
        const ran = await repo.plan(['hooks', action, 'pre-push'])
        expect(ran, `${name}: ${ran.all}`).toMatchObject({ code: 0 })
        expect(readFileSync(action === 'install' ? before : hook(repo), 'utf8'), name).toBe(mine)
        expect(await stateOf(repo), name).toBe(action === 'install' ? 'installed' : 'other')
        expect(readdirSync(repo.path('.git/hooks')).filter((each) => each.includes('draft'))).toEqual([])
      }
    }
  })

  test('a hook that does not read its input is no trouble, however much is pushed', async ({ repo }) => {
    put(hook(repo), `#!/bin/sh\ntouch "$HOME/heard"\n`)
    withRemote(repo)
    await repo.plan(['hooks', 'install', 'pre-push'])
    const tip = repo.git(['rev-parse', 'HEAD'])
    repo.git(['update-ref', '--stdin'], {
      input: Array.from({ length: 3000 }, (_, n) => `create refs/tags/t${n} ${tip}\n`).join(''),
    })
    repo.git(['push', '-q', join(dirname(repo.dir), 'far.git'), '--tags'])
    expect(isHeard(repo)).toBe(true)
  })
})

describe('where hooks are', () => {
  test('a repository without a directory for them gets one', async ({ repo }) => {
    rmSync(repo.path('.git/hooks'), { recursive: true, force: true })
    expect(await repo.plan(['hooks', 'install'])).toMatchObject({ code: 0 })
    expect(await stateOf(repo, 'pre-commit')).toBe('installed')
  })

  test.skipIf(process.getuid?.() === 0)(
    'a directory that cannot be written to is refused in words',
    async ({ repo }) => {
      chmodSync(repo.path('.git/hooks'), 0o555)
      const ran = await repo.plan(['hooks', 'install'])
      chmodSync(repo.path('.git/hooks'), 0o755)
      expect(ran).toMatchObject({ code: 2 })
      expect(ran.stderr).toContain('could not be written')
    },
  )

  test('a file in the place of the directory is refused in words, and left', async ({ repo }) => {
    rmSync(repo.path('.git/hooks'), { recursive: true, force: true })
    writeFileSync(repo.path('.git/hooks'), 'mine\n')
    for (const action of ['install', 'status', 'uninstall']) {
      const ran = await repo.plan(['hooks', action])
      expect(ran, ran.all).toMatchObject({ code: action === 'install' ? 2 : 0 })
    }
    expect(repo.read('.git/hooks')).toBe('mine\n')
  })

  test('in the work tree, as husky has them, they are changed by hand', async ({ repo }) => {
    put(repo.path('.husky/_/pre-commit'), '#!/bin/sh\n. "${0%/*}/h"\n')
    repo.git(['config', 'core.hooksPath', '.husky/_'])
    const ran = await repo.plan(['hooks', 'install', 'pre-commit'])
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain(`add this line to ${repo.path('.husky/pre-commit')}: git-plan hook pre-commit "$@"`)
    expect(existsSync(repo.path('.git/hooks/pre-commit'))).toBe(false)
    put(repo.path('.husky/pre-commit'), 'git-plan hook pre-commit "$@"\n')
    expect(await stateOf(repo, 'pre-commit')).toBe('called')
    expect(await repo.plan(['hooks', 'install', 'pre-commit'])).toMatchObject({ code: 0 })
  })

  test('outside of the repository they are written only when told so', async ({ repo }) => {
    const shared = join(repo.home, 'hooks')
    repo.git(['config', '--global', 'core.hooksPath', shared])
    const ran = await repo.plan(['hooks', 'install'])
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain('--shared')
    expect(existsSync(shared)).toBe(false)
    expect(await repo.plan(['hooks', 'install', '--shared'])).toMatchObject({ code: 0 })
    expect(existsSync(join(shared, 'pre-push'))).toBe(true)
    expect(await repo.plan(['hooks', 'uninstall'])).toMatchObject({ code: 2 })
    expect(await repo.plan(['hooks', 'uninstall', '--shared'])).toMatchObject({ code: 0 })
    expect(readdirSync(shared)).toEqual([])
  })

  test('switched off is said so', async ({ repo }) => {
    repo.git(['config', 'core.hooksPath', '/dev/null'])
    expect((await repo.plan(['hooks', 'install'])).stderr).toContain('hooks are disabled')
    expect((await repo.plan(['hooks', 'status'])).stdout).toContain('pre-push: hooks are disabled')
  })

  test('a linked work tree has those of its repository, and a bare one that for servers', async ({ repo }) => {
    repo.git(['worktree', 'add', '-q', '../other'])
    expect(await repo.plan(['hooks', 'install'], { cwd: join(dirname(repo.dir), 'other') })).toMatchObject({ code: 0 })
    expect(existsSync(hook(repo))).toBe(true)
    withRemote(repo)
    const far = join(dirname(repo.dir), 'far.git')
    expect(await repo.plan(['hooks', 'install'], { cwd: far })).toMatchObject({ code: 0 })
    expect(readdirSync(join(far, 'hooks')).filter((name) => !name.endsWith('.sample'))).toEqual(['pre-receive'])
  })

  test('an unknown action or hook is named with the nearest', async ({ repo }) => {
    expect((await repo.plan(['hooks', 'instal'])).stderr).toContain('`install`')
    expect((await repo.plan(['hooks', 'install', 'pre-pusch'])).stderr).toContain('`pre-push`')
    expect((await repo.plan(['hook', 'pre-pusch'])).stderr).toContain('unknown hook "pre-pusch"')
  })

  test('while a plan runs they stay as they are', async ({ repo }) => {
    repo.write(
      '.plans/p.md',
      planText(
        `  - {id: one, run: "touch '${repo.home}/runs'; while [ ! -e '${repo.home}/go' ]; do sleep 0.05; done"}`,
      ),
    )
    const run = repo.plan(['start', '.plans/p.md', '--approve'])
    while (!existsSync(join(repo.home, 'runs'))) await new Promise((resolve) => setTimeout(resolve, 20))
    const ran = await repo.plan(['hooks', 'install'])
    writeFileSync(join(repo.home, 'go'), '')
    expect(ran).toMatchObject({ code: 4 })
    expect(await run).toMatchObject({ code: 0 })
  })
})

test('killed before any of its system calls that change a name, install and uninstall lose nothing, and git goes on running what was there', async ({
  repo,
}) => {
  put(hook(repo), mine, 0o754)
  const { ino } = statSync(hook(repo))
  withRemote(repo)
  const calls = 'link,linkat,symlink,symlinkat,rename,renameat,renameat2,unlink,unlinkat,fsync'
  let killed = 0
  for (const action of ['install', 'uninstall']) {
    for (let when = 1; ; when += 1) {
      await repo.plan(['hooks', action === 'install' ? 'uninstall' : 'install', 'pre-push'])
      const args = [
        '-f',
        '-o',
        '/dev/null',
        '-e',
        `inject=${calls}:signal=KILL:when=${when}`,
        process.execPath,
        bin,
        'hooks',
        action,
        'pre-push',
      ]
      const { status, signal } = spawnSync('strace', args, { cwd: repo.dir, env: repo.env })
      const places = [hook(repo), `${hook(repo)}.before-git-plan`].filter(
        (path) => lstatSync(path, { throwIfNoEntry: false })?.ino === ino,
      )
      expect(places.length, `${action} ${when}`).toBeGreaterThan(0)
      expect(readFileSync(places[0]!, 'utf8')).toBe(mine)
      expect(statSync(places[0]!).mode & 0o777).toBe(0o754)
      expect(isHeard(repo), `${action} ${when}`).toBe(true)
      if (status === 0) break
      expect(signal === 'SIGKILL' || status === 137, `${status} ${signal}`).toBe(true)
      killed += 1
    }
  }
  expect(killed).toBeGreaterThanOrEqual(4)
  await repo.plan(['hooks', 'uninstall'])
  expect(statSync(hook(repo)).ino).toBe(ino)
}, 300_000)
