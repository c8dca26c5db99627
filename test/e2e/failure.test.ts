// A step that fails: what is left, where it is kept, and every way to go on.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { drawn, keyBlock, tokens } from '../helpers/drawn-secrets.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** Passes once `ok` is there, in the tree or in $OUT; leaves junk until then. */
const flaky =
  '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, title: Second, run: "echo half > two.txt; echo junk > junk.txt; echo said-so; test -e ok -o -e $OUT && rm -f junk.txt"}\n  - {id: three, run: echo 3 > three.txt}'

const marker = (repo: TestRepo): string => join(dirname(repo.dir), 'ok')

async function start(repo: TestRepo, steps: string, args: readonly string[] = [], more = '') {
  repo.write('.plans/demo.md', planText(steps, more))
  return repo.plan(['start', '.plans/demo.md', '--approve', ...args], { env: { OUT: marker(repo) } })
}

const attempt = (step: string, number = 1): string => `refs/plan/demo/attempts/${step}/${number}`
const filesOf = (repo: TestRepo, ref: string): string[] => repo.git(['ls-tree', '-r', '--name-only', ref]).split('\n')
const states = (status: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries((status['steps'] as { id: string; status: string }[]).map((step) => [step.id, step.status]))
const events = (repo: TestRepo): string[] =>
  repo.git(['log', '--reverse', '--format=%(trailers:key=Plan-Event,valueonly,separator=)', 'main..plan/demo']).split('\n')

describe('a failing step', () => {
  test('is restored, kept with its output, and run again by resume', async ({ repo }) => {
    const ran = await start(repo, flaky)
    expect(ran.code).toBe(1)
    expect(ran.all).toContain('git plan resume demo')
    expect(repo.status()).toBe('')
    expect(repo.git(['diff', '--name-only', 'plan/demo~1', 'plan/demo'])).toBe('.plans/demo.md')
    expect(repo.git(['show', `${attempt('two')}:junk.txt`])).toBe('junk')
    expect(filesOf(repo, attempt('two'))).toEqual(['.plans/demo.md', 'a.txt', 'junk.txt', 'one.txt', 'two.txt'])
    expect(repo.git(['notes', '--ref=refs/notes/plan/demo', 'show', 'plan/demo'])).toContain('said-so')
    expect(repo.git(['notes', '--ref=refs/notes/plan/demo', 'show', attempt('two')])).toContain('said-so')
    expect((await repo.plan(['log', 'demo', '--output', 'two'])).stdout).toContain('said-so')

    const resumed = await repo.plan(['resume'], { env: { OUT: repo.path('a.txt') } })
    expect(resumed.code, resumed.all).toBe(0)
    expect(events(repo)).toEqual(['proposed', 'approved', 'step', 'failed', 'step', 'step', 'completed'])
    expect(filesOf(repo, 'plan/demo')).toEqual(['.plans/demo.md', 'a.txt', 'one.txt', 'three.txt', 'two.txt'])
    expect(repo.fsck()).toBe('')
  })

  test('goes on after an edit by hand, which --fix commits', async ({ repo }) => {
    await start(repo, flaky)
    repo.write('ok', 'by hand\n')
    const refused = await repo.plan(['resume'])
    expect(refused.code).toBe(2)
    expect(refused.all).toContain('git plan resume demo --fix')
    expect(repo.read('ok')).toBe('by hand\n')
    const other = await repo.plan(['resume', '--retry', 'three'])
    expect([other.code, other.all]).toEqual([2, expect.stringMatching(/step three has not failed[^]*git plan resume demo --retry two/)])
    const fixed = await repo.plan(['resume', '--fix', '-m', 'Create ok'])
    expect(fixed.all).toMatch(/taken as the fix: .*ok/)
    expect(fixed.code, fixed.all).toBe(0)
    expect(events(repo)).toEqual(['proposed', 'approved', 'step', 'failed', 'fixed', 'step', 'step', 'completed'])
    expect(repo.git(['show', 'plan/demo:ok'])).toBe('by hand')
    expect(repo.status()).toBe('')
  })

  test("goes on after the user's own commit, which --fix adopts unchanged", async ({ repo }) => {
    await start(repo, flaky)
    repo.write('ok', 'committed\n')
    const mine = repo.commit('My own fix')
    expect((await repo.plan(['resume'])).code).toBe(4)
    const fixed = await repo.plan(['resume', '--fix'])
    expect(fixed.code, fixed.all).toBe(0)
    expect(repo.git(['rev-list', 'plan/demo']).split('\n')).toContain(mine)
    expect(states(await repo.json(['status', 'demo']))).toEqual({ one: 'done', two: 'done', three: 'done' })
  })

  test('can be declared done only when its checks pass, and a refusal leaves the files as they are', async ({ repo }) => {
    // Not even rollback-all may take a person's work away.
    const waits = await start(
      repo,
      '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, manual: Write it, verify: {contains: {file: two.txt, pattern: "^good$"}}}',
      [],
      'on_failure: rollback-all\n',
    )
    expect(waits.code, waits.all).toBe(5)
    repo.write('two.txt', 'bad\n')
    const tip = repo.git(['rev-parse', 'plan/demo'])
    const refused = await repo.plan(['resume', 'demo', '--done', 'two'])
    expect(refused.code, refused.all).toBe(1)
    expect(refused.all).toContain('does not contain')
    expect(repo.read('two.txt')).toBe('bad\n')
    expect(repo.git(['rev-parse', 'plan/demo'])).toBe(tip)
    repo.write('two.txt', 'good\n')
    const done = await repo.plan(['resume', 'demo', '--done', 'two', '-m', 'typed it in'])
    expect(done.code, done.all).toBe(0)
    expect(events(repo)).toEqual(['proposed', 'approved', 'step', 'waiting', 'declared', 'completed'])
    expect(repo.git(['show', 'plan/demo:two.txt'])).toBe('good')
  })

  test('that may fail is run again by --retry, and holds up no person who declares what needs it', async ({ repo }) => {
    const out = { env: { OUT: marker(repo) } }
    const plan = '  - {id: one, allow_failure: true, run: "echo 1 > one.txt; test -e $OUT"}\n  - {id: two, manual: Look}\n  - {id: three, manual: Look again}'
    expect((await start(repo, plan)).code).toBe(5)
    const declared = await repo.plan(['resume', '--done', 'two'], out)
    expect([declared.code, states(await repo.json(['status']))]).toEqual([5, { one: 'failed', two: 'done', three: 'waiting' }])
    writeFileSync(marker(repo), '')
    const retried = await repo.plan(['resume', '--retry', 'one'], out)
    expect([retried.code, states(await repo.json(['status']))]).toEqual([5, { one: 'done', two: 'done', three: 'waiting' }])
    expect(repo.git(['show', 'plan/demo:one.txt'])).toBe('1')
  })

  test('can be skipped, and the outcome is then partial', async ({ repo }) => {
    await start(repo, flaky)
    expect((await repo.plan(['resume', '--skip', 'two', '-m', 'not needed'])).code).toBe(0)
    const status = await repo.json(['status', 'demo'])
    expect(status).toMatchObject({ status: 'completed', outcome: 'partial', progress: { done: 2, total: 3 } })
    expect(states(status)).toEqual({ one: 'done', two: 'skipped', three: 'done' })
  })

  test('can be retried from what an attempt left', async ({ repo }) => {
    await start(repo, '  - {id: one, run: "test -e half.txt && echo whole > whole.txt || { echo half > half.txt; rm a.txt; exit 3; }"}')
    expect(repo.read('a.txt')).toBe('hello\n')
    expect((await repo.plan(['resume', '--retry', 'one', '--from-attempt', '7'])).code).toBe(2)
    const resumed = await repo.plan(['resume', '--retry', 'one', '--from-attempt', '1'])
    expect(resumed.code, resumed.all).toBe(0)
    expect(filesOf(repo, 'plan/demo')).toEqual(['.plans/demo.md', 'half.txt', 'whole.txt'])
  })
})

describe('--keep-tree', () => {
  test('leaves the files of the failed step, and a plain resume begins from the checkpoint again', async ({ repo }) => {
    const ran = await start(repo, flaky, ['--keep-tree'])
    expect(ran.code).toBe(1)
    expect(repo.read('junk.txt')).toBe('junk\n')
    expect(repo.git(['show', `${attempt('two')}:junk.txt`])).toBe('junk')
    expect(repo.status()).toBe('?? junk.txt\n?? two.txt')
    const resumed = await repo.plan(['resume'], { env: { OUT: repo.path('a.txt') } })
    expect(resumed.code, resumed.all).toBe(0)
    expect(filesOf(repo, 'plan/demo')).not.toContain('junk.txt')
    expect(repo.status()).toBe('')
  })

  test("files that the failed step had ignored do not pass for the user's: the next attempt commits its own", async ({ repo }) => {
    const steps = `  - {id: one, run: 'echo $PLAN_ATTEMPT > gen; test $PLAN_ATTEMPT != 1 || { echo gen > .gitignore; exit 1; }'}`
    expect((await start(repo, steps, ['--keep-tree'])).code).toBe(1)
    const ran = await repo.plan(['resume', 'demo'])
    expect(ran.code, ran.all).toBe(0)
    expect([repo.status(), repo.git(['show', 'plan/demo:gen'])]).toEqual(['', '3'])
    expect(repo.git(['show', `${attempt('one', 2)}:gen`])).toBe('1')
  })

  test('lets the user finish the work by hand and declare it done', async ({ repo }) => {
    await start(repo, flaky, ['--keep-tree'])
    repo.git(['clean', '-fq', 'junk.txt'])
    repo.write('two.txt', 'whole\n')
    const done = await repo.plan(['resume', '--done', 'two'])
    expect(done.code, done.all).toBe(0)
    expect(repo.git(['show', 'plan/demo:two.txt'])).toBe('whole')
    expect(filesOf(repo, 'plan/demo')).toEqual(['.plans/demo.md', 'a.txt', 'one.txt', 'three.txt', 'two.txt'])
  })

  test('holds against on_failure: rollback-all', async ({ repo }) => {
    const ran = await start(repo, flaky, ['--keep-tree'], 'on_failure: rollback-all\n')
    expect(ran.code).toBe(1)
    expect(repo.read('junk.txt')).toBe('junk\n')
    expect(states(await repo.json(['status', 'demo']))).toEqual({ one: 'done', two: 'failed', three: 'pending' })
  })
})

describe('before anything runs', () => {
  test('a tree with changes is refused with exit 2 and what to type', async ({ repo }) => {
    repo.write('a.txt', 'changed\n')
    repo.write('new.txt', 'new\n')
    const ran = await start(repo, flaky)
    expect(ran.code).toBe(2)
    expect(ran.all).toContain('a.txt, new.txt')
    expect(ran.all).toContain('git plan start demo --autostash')
    expect(repo.read('a.txt')).toBe('changed\n')
    expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  })

  test('a failing preflight command exits 2 with no step run, and resume begins once it passes', async ({ repo }) => {
    const ran = await start(repo, '  - {id: one, run: echo 1 > one.txt}', [], 'preflight: [test -e $OUT]\n')
    expect(ran.code).toBe(2)
    expect(ran.all).toContain('preflight failed')
    expect(events(repo)).toEqual(['proposed', 'approved'])
    expect(repo.git(['for-each-ref', 'refs/plan/'])).toBe('')
    const resumed = await repo.plan(['resume', 'demo'], { env: { OUT: repo.path('a.txt') } })
    expect(resumed.code, resumed.all).toBe(0)
  })

  test('what done steps made is there: only what a later one deleted or moved may be missing', async ({ repo }) => {
    const makes = 'run: "mkdir old; touch seen.txt gone.txt old/x; echo dist > .gitignore; touch dist"'
    const steps = [
      '{id: made, create: made.txt, content: made}',
      `{id: seen, ${makes}, verify: [{exists: seen.txt}, {exists: gone.txt}, {exists: old/x}, {exists: dist}]}`,
      '{id: move, move: old, to: new}',
      '{id: remove, run: rm gone.txt dist}',
      '{id: delete, delete: new}',
      '{id: bad, run: test -e fixed.txt}',
    ]
    repo.write('.plans/demo.md', planText(steps.map((step) => `  - ${step}`).join('\n')))
    expect((await repo.plan(['start', '.plans/demo.md', '--approve'])).code).toBe(1)
    rmSync(repo.path('made.txt'))
    rmSync(repo.path('seen.txt'))
    repo.write('fixed.txt', '')
    for (const file of ['made.txt', 'seen.txt']) {
      const ran = await repo.plan(['resume', 'demo', '--fix'])
      expect(ran.code, ran.all).toBe(2)
      expect(ran.all).toContain(`${file} is not there`)
      const [, words = ''] = /git (restore .*) && git plan resume demo --fix/.exec(ran.all) ?? []
      repo.git(words.split(' '))
    }
    const ran = await repo.plan(['resume', 'demo', '--fix'])
    expect(ran.code, ran.all).toBe(0)
    expect([repo.read('made.txt'), existsSync(repo.path('seen.txt'))]).toEqual(['made', true])
  })

  test('a tool that is not on PATH is named', async ({ repo }) => {
    const ran = await start(repo, '  - {id: one, run: echo 1 > one.txt}', [], 'requires: [no-such-tool-at-all]\n')
    expect(ran.code).toBe(2)
    expect(ran.all).toContain('no-such-tool-at-all')
    expect(events(repo)).toEqual(['proposed', 'approved'])
  })
})

test('tokens and passwords of addresses are masked without being declared', async ({ repo }) => {
  const [github] = tokens
  repo.write('token.txt', `${github?.secret}\nhttps://deploy:${drawn('word', 16)}@git.acme.io/a\n${keyBlock('RSA ')}\n`)
  repo.write('.plans/demo.md', planText('  - {id: one, run: "cat token.txt; exit 1"}'))
  repo.git(['add', 'token.txt'])
  repo.git(['commit', '-m', 'token'])
  const ran = await repo.plan(['start', '.plans/demo.md', '--approve', '--json'])
  expect(ran.code).toBe(1)
  const log = readFileSync(repo.path('.git/plan/demo/logs/one-1.log'), 'utf8')
  for (const text of [ran.all, log, repo.git(['notes', '--ref=refs/notes/plan/demo', 'show', 'plan/demo'])]) {
    expect(text).toContain('deploy:[secret]@git.acme.io')
    expect(text).not.toContain(github?.secret)
    expect(text).not.toContain(drawn('word', 16))
    expect(text).not.toContain(keyBlock('RSA ').split('\n')[2])
  }
})

test('what a failed step left is no test for a runner that looks into every directory', async ({ repo }) => {
  repo.write('good.test.mjs', 'import "node:test"\n')
  repo.commit('A test')
  const ran = await start(repo, '  - {id: one, run: "echo throw 1 > bad.test.mjs; exit 1"}\n  - {id: two, needs: [], run: node --test}')
  expect(ran.code, ran.all).toBe(1)
  const skipped = await repo.plan(['resume', 'demo', '--skip', 'one'])
  expect(skipped, skipped.all).toMatchObject({ code: 0 })
})
