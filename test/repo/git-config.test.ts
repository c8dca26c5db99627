// The configuration is asked for once, and is never an old one. Who commits is whom git would name.

import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import { identityOf } from '../../src/git/trust/identity.ts'
import { Repository } from '../../src/git/repository.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { test, type TestRepo } from '../helpers/repo.ts'

async function opened<T>(
  repo: TestRepo,
  work: (found: Repository, asked: () => string[]) => Promise<T>,
  env: Record<string, string | undefined> = repo.env,
): Promise<T> {
  const found = await Repository.open({ cwd: repo.dir, env: gitEnvironment(env) })
  const run = vi.spyOn(found.git, 'run')
  try {
    return await work(found, () => run.mock.calls.splice(0).map(([args]) => args[0] ?? ''))
  } finally {
    found.close()
  }
}

describe('a value', () => {
  test('is asked for once', ({ repo }) =>
    opened(repo, async (found, asked) => {
      expect(await found.config.value('user.name')).toBe('Ada')
      expect(await found.config.value('commit.gpgsign')).toBeUndefined()
      expect(asked()).toEqual(['config'])
    }))

  test.for([
    ['of the repository', (repo: TestRepo) => repo.git(['config', 'commit.gpgsign', 'true'])],
    [
      'of a work tree',
      (repo: TestRepo) => writeFileSync(repo.path('.git/config.worktree'), '[commit]\n\tgpgsign = true\n'),
    ],
    ['of the user', (repo: TestRepo) => writeFileSync(join(repo.home, '.gitconfig'), '[commit]\n\tgpgsign\n')],
    [
      'of the user, elsewhere',
      (repo: TestRepo) => {
        mkdirSync(join(repo.home, '.config/git'), { recursive: true })
        writeFileSync(join(repo.home, '.config/git/config'), '[commit]\n\tgpgsign = true\n')
      },
    ],
    [
      'of a file that was included before it was there',
      (repo: TestRepo) => writeFileSync(join(repo.home, 'more'), '[commit]\n\tgpgsign = true\n'),
    ],
  ] as const)('%s is seen when it comes', async ([, write], { repo }) => {
    repo.git(['config', 'extensions.worktreeConfig', 'true'])
    repo.git(['config', 'include.path', join(repo.home, 'more')])
    await opened(repo, async (found, asked) => {
      expect(await found.config.value('commit.gpgsign')).toBeUndefined()
      expect(asked()).toEqual(['config'])
      write(repo)
      // What is asked for within one moment is answered once.
      await sleep(3)
      expect(await found.config.value('commit.gpgsign')).toBe('true')
      expect(asked()).toEqual(['config'])
      expect(await found.config.value('commit.gpgsign')).toBe('true')
      expect(asked()).toEqual([])
    })
  })

  test('for a branch is that of the branch', async ({ repo }) => {
    writeFileSync(join(repo.home, 'signed'), '[commit]\n\tgpgsign = true\n')
    appendFileSync(repo.path('.git/config'), `[includeIf "onbranch:plan/**"]\n\tpath = ${join(repo.home, 'signed')}\n`)
    await opened(repo, async (found) => {
      expect(await found.config.value('commit.gpgsign')).toBeUndefined()
      repo.git(['checkout', '-q', '-b', 'plan/one'])
      expect(await found.config.value('commit.gpgsign')).toBe('true')
      repo.git(['checkout', '-q', 'main'])
      expect(await found.config.value('commit.gpgsign')).toBeUndefined()
    })
  })

  test('that was pinned for our own calls is not the user’s', ({ repo }) =>
    opened(repo, async (found) => {
      expect(await found.config.value('core.hookspath')).toBeUndefined()
      expect(await found.hooksPath()).toBe(repo.path('.git/hooks'))
      repo.git(['config', 'core.hooksPath', 'my hooks'])
      expect(await found.hooksPath()).toBe(repo.path('my hooks'))
    }))
})

describe('who commits', () => {
  const names = [
    'Ada',
    'Ada Lovelace',
    'Å. Née (Ops)',
    'Ada.',
    '.Ada',
    'A<d>a',
    "O'Neil",
    '"Ada"',
    ' Ada ',
    'Ada\tL',
    'A, B',
    '王',
    'x',
    '-',
    '(Ada)',
    'é\u0301',
  ]
  const addresses = [
    'ada@example.com',
    'ada',
    'a.b+c@d-e.f',
    '<ada@example.com>',
    'ada@example.com.',
    'ä@example.com',
    ' a@b ',
  ]

  test('is whom git would name, however it is said', async ({ repo }) => {
    let plain = 0
    for (const [at, name] of names.entries()) {
      const address = addresses[at % addresses.length]!
      for (const how of ['config', 'own config', 'environment'] as const) {
        repo.git(['config', 'user.name', how === 'config' ? name : 'Other'])
        repo.git(['config', 'user.email', how === 'config' ? address : 'other@example.com'])
        repo.git(['config', 'author.name', how === 'own config' ? name : 'Other'])
        repo.git(['config', 'author.email', how === 'own config' ? address : 'other@example.com'])
        if (how === 'config') repo.git(['config', '--remove-section', 'author'])
        // The zone of this process, as for a person who starts it.
        const env: Record<string, string> = {
          ...repo.env,
          ...(how === 'environment' ? { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: address } : {}),
        }
        delete env['TZ']
        if (process.env['TZ'] !== undefined) env['TZ'] = process.env['TZ']
        const theirs = execFileSync('git', ['var', 'GIT_AUTHOR_IDENT'], {
          cwd: repo.dir,
          env,
          encoding: 'utf8',
        }).trimEnd()
        const ours = await opened(
          repo,
          async (found, asked) => {
            const said = await identityOf(found, 'AUTHOR')
            plain += asked().includes('var') ? 0 : 1
            return said
          },
          env,
        )
        expect(ours.replace(/ \d+ /, ' ')).toBe(theirs.replace(/ \d+ /, ' '))
      }
    }
    expect(plain).toBeGreaterThan(8)
  })

  test('in another zone is asked of git', async ({ repo }) => {
    const said = await opened(repo, (found) => identityOf(found, 'AUTHOR'), { ...repo.env, TZ: 'Asia/Kathmandu' })
    expect(said).toMatch(/^Ada <ada@example.com> \d+ \+0545$/)
  })

  test('at a date that is given is asked of git', ({ repo }) =>
    opened(
      repo,
      async (found, asked) => {
        expect(await identityOf(found, 'COMMITTER')).toBe('Ada <ada@example.com> 1767323045 +0000')
        expect(asked()).toEqual(['config', 'var'])
      },
      { ...repo.env, GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z' },
    ))
})
