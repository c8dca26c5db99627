// The repository's hooks: run for step commits as `git commit` would, believed in nothing, and no way to another
// repository.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { bin, planText, test, TestRepo } from '../helpers/repo.ts'

function install(repo: TestRepo, hook: string, script: string, directory = '.git/hooks'): void {
  mkdirSync(repo.path(directory), { recursive: true })
  writeFileSync(repo.path(directory, hook), `#!/bin/sh\n${script}\n`)
  chmodSync(repo.path(directory, hook), 0o755)
}

const lines = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [])

async function start(repo: TestRepo, steps: string) {
  repo.write('.plans/p.md', planText(steps))
  return repo.plan(['start', '.plans/p.md', '--approve'])
}

test('a commit-msg hook that leaves a NUL fails the step, as it would fail git commit', async ({ repo }) => {
  install(
    repo,
    'commit-msg',
    'grep -q "^Plan-Step" "$1" || exit 0; printf "a\\0b\\n" > "$1.new"; tail -n +2 "$1" >> "$1.new"; mv "$1.new" "$1"',
  )
  const ran = await start(repo, '  - {id: one, run: echo 1 > one.txt}')
  expect(ran, ran.all).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('left a NUL in the message') as string,
  })
  expect(repo.fsck()).toBe('')
})

describe('pre-commit', () => {
  test('a hook that rejects fails the step: the attempt is saved, the tree restored, the reason shown', async ({
    repo,
  }) => {
    install(repo, 'pre-commit', 'if test -e bad.txt; then echo no bad files here >&2; exit 1; fi')
    const ran = await start(repo, '  - {id: good, run: echo 1 > good.txt}\n  - {id: bad, run: echo 1 > bad.txt}')
    expect(ran, ran.all).toMatchObject({ code: 1 })
    expect(ran.all).toContain('no bad files here')
    expect(repo.git(['show', 'refs/plan/p/attempts/bad/1:bad.txt'])).toBe('1')
    expect(existsSync(repo.path('bad.txt'))).toBe(false)
    expect(repo.status()).toBe('')
    expect(repo.git(['show', 'plan/p:good.txt'])).toBe('1')
  })

  test('a step that deletes and moves files is committed', async ({ repo }) => {
    install(repo, 'pre-commit', 'exit 0')
    repo.write('old/b.txt', 'b\n')
    repo.commit('More')
    const ran = await start(repo, '  - {id: one, run: "rm a.txt; mv old new"}\n  - {id: two, delete: new/b.txt}')
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(repo.git(['show', '--no-renames', '--name-status', '--format=', 'plan/p~2']).split('\n')).toEqual([
      'M\t.plans/p.md',
      'D\ta.txt',
      'A\tnew/b.txt',
      'D\told/b.txt',
    ])
    expect(repo.status()).toBe('')
  })

  for (const stages of [true, false]) {
    test(`a formatter that ${stages ? 'stages' : 'does not stage'} what it rewrites is in the step's commit`, async ({
      repo,
    }) => {
      install(repo, 'pre-commit', `sed -i s/tabs/spaces/ one.txt${stages ? '\ngit add one.txt' : ''}`)
      const ran = await start(repo, '  - {id: one, run: echo tabs > one.txt, files: [one.txt]}')
      expect(ran, ran.all).toMatchObject({ code: 0 })
      expect(repo.git(['show', 'plan/p:one.txt'])).toBe('spaces')
      expect(repo.read('one.txt')).toBe('spaces\n')
      expect(repo.status()).toBe('')
    })
  }

  test('what a hook adds is judged by the scope of the step', async ({ repo }) => {
    install(repo, 'pre-commit', 'echo surprise > other.txt\ngit add other.txt')
    const ran = await start(repo, '  - {id: one, run: echo 1 > one.txt, files: [one.txt]}')
    expect(ran, ran.all).toMatchObject({ code: 1 })
    expect(ran.all).toMatch(/after the pre-commit hook: .*other\.txt/)
    expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/p'])).not.toContain('one.txt')
    expect(existsSync(repo.path('other.txt'))).toBe(false)
    expect(repo.status()).toBe('')
  })

  for (const stages of [true, false]) {
    test(`a hook that changes the plan file is refused, ${stages ? 'staged' : 'not staged'}`, async ({ repo }) => {
      install(repo, 'pre-commit', `sed -i 's/Prose/Lies/' .plans/p.md${stages ? '\ngit add .plans/p.md' : ''}`)
      const ran = await start(repo, '  - {id: one, run: echo 1 > one.txt}')
      expect(ran, ran.all).toMatchObject({ code: 1 })
      expect(ran.all).toMatch(/pre-commit hook.*\.plans\/p\.md/)
      expect(repo.git(['show', 'plan/p:.plans/p.md'])).toContain('Prose')
      expect(repo.read('.plans/p.md')).toContain('Prose')
      expect(repo.status()).toBe('')
    })
  }
})

describe('commit-msg', () => {
  test('a hook that rejects a subject is heard before anything runs, and the remedy works', async ({ repo }) => {
    install(repo, 'commit-msg', 'head -1 "$1" | grep -q "^chore" || { echo subjects begin with chore >&2; exit 1; }')
    const ran = await start(repo, `  - {id: one, run: touch '${repo.home}/ran'}`)
    expect(ran, ran.all).toMatchObject({ code: 2 })
    expect(ran.all).toMatch(/subjects begin with chore[^]*Hint: set in \.plans\/config\.yml: commit: /)
    expect(existsSync(join(repo.home, 'ran'))).toBe(false)
    expect(repo.status()).toBe('')
    repo.git(['checkout', '-q', 'main'])
    repo.write('.plans/config.yml', 'commit: { subject: "chore(plan): {title}" }\n')
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '--no-verify', '-m', 'chore: subjects'])
    // Another configuration is another policy: what was approved under the old one is approved anew.
    const again = await repo.plan(['start', 'p', '--approve'])
    expect(again, again.all).toMatchObject({ code: 0 })
    expect(repo.subjects('plan/p')).toContain(`chore(plan): Run touch '${repo.home}/ran'`)
  })

  test('a hook that rewrites the message is obeyed, and the trailers are still read', async ({ repo }) => {
    install(repo, 'commit-msg', 'sed -i "1s/^/API-214 /" "$1"')
    const ran = await start(repo, '  - {id: one, title: The first, run: echo 1 > one.txt}')
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(repo.subjects('plan/p')[1]).toBe('API-214 The first')
    expect(repo.git(['log', '-1', '--format=%(trailers:key=Plan-Step,valueonly)', 'plan/p^'])).toContain('one')
    expect(await repo.json(['status', 'p'])).toMatchObject({
      steps: [{ id: 'one', status: 'done', commit: repo.git(['rev-parse', 'plan/p^']) }],
    })
  })

  test('a hook that adds a trailer of its own keeps ours', async ({ repo }) => {
    install(repo, 'commit-msg', 'git interpret-trailers --in-place --trailer "Change-Id: I123" "$1"')
    const ran = await start(repo, '  - {id: one, run: echo 1 > one.txt}')
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(repo.git(['log', '-1', '--format=%(trailers:key=Change-Id,valueonly)', 'plan/p^'])).toContain('I123')
    expect(await repo.json(['status', 'p'])).toMatchObject({ progress: { done: 1, total: 1 } })
  })

  test('a hook that drops the trailers is refused, and the tree is restored', async ({ repo }) => {
    install(repo, 'commit-msg', 'head -1 "$1" > "$1.new"; mv "$1.new" "$1"')
    const ran = await start(repo, '  - {id: one, run: echo 1 > one.txt}')
    expect(ran, ran.all).toMatchObject({ code: 1 })
    expect(ran.all).toMatch(/commit-msg hook changed the trailer Plan-/)
    expect(repo.git(['show', 'refs/plan/p/attempts/one/1:one.txt'])).toBe('1')
    expect(repo.status()).toBe('')
  })
})

describe('which hooks run, and when', () => {
  test('core.hooksPath is followed, a relative one from the top of the work tree', async ({ repo }) => {
    install(repo, 'pre-commit', `echo wrong >> '${repo.home}/log'`)
    install(repo, 'pre-commit', `echo right >> '${repo.home}/log'`, '.githooks')
    repo.commit('Hooks')
    repo.git(['config', 'core.hooksPath', '.githooks'])
    writeFileSync(join(repo.home, 'log'), '')
    mkdirSync(repo.path('sub'))
    repo.write('.plans/p.md', planText('  - {id: one, run: echo 1 > one.txt}'))
    const ran = await repo.plan(['start', '../.plans/p.md', '--approve'], { cwd: repo.path('sub') })
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(lines(join(repo.home, 'log'))).toEqual(['right'])
  })

  test('hooks run once for each step commit, and not for approved, failed, fixed, skipped and completed', async ({
    repo,
  }) => {
    for (const hook of ['pre-commit', 'post-commit']) install(repo, hook, `echo ${hook} >> '${repo.home}/log'`)
    const ran = await start(
      repo,
      '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: exit 1}\n  - {id: three, run: echo 3 > three.txt}',
    )
    expect(ran).toMatchObject({ code: 1 })
    expect(lines(join(repo.home, 'log'))).toEqual(['pre-commit', 'post-commit'])
    expect(await repo.plan(['resume', '--skip', 'two'])).toMatchObject({ code: 0 })
    expect(lines(join(repo.home, 'log'))).toEqual(['pre-commit', 'post-commit', 'pre-commit', 'post-commit'])
  })

  test('post-commit sees the commit of the step as HEAD, with a clean tree; its failure changes nothing', async ({
    repo,
  }) => {
    install(
      repo,
      'post-commit',
      `git log -1 --format=%s >> '${repo.home}/log'; git status --porcelain >> '${repo.home}/log'; exit 1`,
    )
    const ran = await start(repo, '  - {id: one, title: The first, run: echo 1 > one.txt}')
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(lines(join(repo.home, 'log'))).toEqual(['The first'])
  })
})

describe('called from a hook', () => {
  const run = (args: string): string => `'${process.execPath}' '${bin}' ${args}`

  test('status and a whole start inside a post-commit hook use the repository of the hook', async ({ repo }) => {
    repo.write('sub/p.md', planText('  - {id: one, run: "echo 1 > one.txt; env | grep ^GIT_ > env.txt; true"}'))
    repo.commit('The plan file')
    install(
      repo,
      'post-commit',
      [
        `test -e '${repo.home}/once' && exit`,
        `touch '${repo.home}/once'`,
        `env | grep -q ^GIT_INDEX_FILE= && touch '${repo.home}/has-index-variable'`,
        `${run('start sub/p.md --approve')} >'${repo.home}/out' 2>&1`,
        `echo $? >'${repo.home}/code'`,
        `${run('status p --json')} >'${repo.home}/status'`,
      ].join('\n'),
    )
    repo.write('sub/b.txt', 'b\n')
    repo.git(['add', '.'])
    repo.git(['commit', '-q', '-m', 'Second'], { cwd: repo.path('sub') })
    expect(existsSync(join(repo.home, 'has-index-variable'))).toBe(true)
    expect(lines(join(repo.home, 'code')), readFileSync(join(repo.home, 'out'), 'utf8')).toEqual(['0'])
    expect(JSON.parse(readFileSync(join(repo.home, 'status'), 'utf8'))).toMatchObject({ id: 'p', status: 'completed' })
    expect(repo.git(['show', 'plan/p:one.txt'])).toBe('1')
    expect(repo.git(['show', 'plan/p:env.txt'])).toBe('')
    expect(repo.status()).toBe('')
  })

  test('status inside a pre-push hook answers for the repository that pushes', async ({ repo }) => {
    const far = join(dirname(repo.dir), 'far')
    repo.git(['init', '-q', '--bare', far])
    expect(await start(repo, '  - {id: one, run: echo 1 > one.txt}')).toMatchObject({ code: 0 })
    install(repo, 'pre-push', `${run('status p --json')} >'${repo.home}/status'`)
    repo.git(['push', '-q', far, 'plan/p'])
    expect(JSON.parse(readFileSync(join(repo.home, 'status'), 'utf8'))).toMatchObject({ id: 'p', status: 'completed' })
  })
})
