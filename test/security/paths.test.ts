// F1 to F5: nothing is written outside of the work tree, through a link, or where it would change something else than a
// file of the repository.

import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { allowed, Canary, picture, refusalOf } from '../helpers/canary.ts'
import { isAlive, pidIn } from '../helpers/crash.ts'
import { onDisk } from '../helpers/listing.ts'
import { planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

/** A directory outside, with files that must stay as they are. */
function outside(repo: TestRepo): string {
  const path = join(repo.home, 'outside')
  mkdirSync(path)
  for (const name of ['x', 'hard']) writeFileSync(join(path, name), 'canary\n')
  return path
}
const untouched = { hard: 'file canary\n', x: 'file canary\n' }

/**
 * Steps that must all fail, each alone and for its own reason; the plan's branch is made, and holds no change of
 * theirs.
 */
async function fails(
  repo: TestRepo,
  steps: readonly (readonly [id: string, verb: string, why: RegExp])[],
): Promise<Ran> {
  repo.write('.plans/p.md', planText(steps.map(([id, verb]) => `  - {id: ${id}, needs: [], ${verb}}`).join('\n')))
  const others = repo.git(['for-each-ref', 'refs/heads/main', 'refs/tags'])
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--keep-going', '--skip-check', 'plan'])
  expect(ran, ran.all).toMatchObject({ code: 1 })
  for (const [id, , why] of steps) {
    const at = ran.stderr.indexOf(`] ${id}: `)
    expect(ran.stderr.slice(at, ran.stderr.indexOf('\n[', at)), `${id}\n${ran.stderr}`).toMatch(why)
  }
  expect(repo.git(['for-each-ref', 'refs/heads/main', 'refs/tags'])).toBe(others)
  expect(repo.git(['diff', '--stat', 'main', 'plan/p', '--', ':!.plans/p.md'])).toBe('')
  return ran
}

test('F1 a path that leaves the repository, names the git directory or begins with a dash: an invalid plan, each at its line', async ({
  repo,
}) => {
  const paths = [
    '../x', 'a/../../x', '/etc/x', 'C:/x', '.', '..', '', 'a//b', 'a\\b', 'x.', 'x ', 'a/b./c', '.git/config', '.GIT/hooks/x', 'sub/.git/x', 'a/.GiT/x', 'git~1/x', 'GIT~2',
    '.git::$INDEX_ALLOCATION/x', '.git:x', '.git./x', '.git /x', '.g\u200cit/x', '.gi\ufefft/x', '\u200d.git', 'x\r', 'a\u202eb', 'a\nb', '-rf', '--exec=x',
  ] // prettier-ignore
  const before = picture(repo)
  for (const verb of ['create: PATH, content: x', 'delete: PATH', 'move: a.txt, to: PATH', 'edit: PATH, append: x']) {
    const file = join(repo.home, 'p.md')
    writeFileSync(file, planText(paths.map((path) => `  - {${verb.replace('PATH', JSON.stringify(path))}}`).join('\n')))
    const refusal = refusalOf(await repo.plan(['start', file, '--approve', '--json']))
    expect(refusal.code).toBe('invalid-plan')
    expect(new Set(refusal.findings?.map(({ line, rule }) => `${line} ${rule}`))).toEqual(
      new Set(paths.map((_, at) => `${at + 3} bad-value`)),
    )
  }
  expect(picture(repo)).toEqual(before)
})

test('F2 a committed link to the outside, then a write through it or onto it: refused', async ({ repo }) => {
  const place = outside(repo)
  symlinkSync(place, repo.path('d'))
  symlinkSync(join(place, 'x'), repo.path('link'))
  symlinkSync('..', repo.path('up'))
  mkdirSync(repo.path('deep'))
  symlinkSync('../d', repo.path('deep/twice'))
  repo.commit('Links')
  await fails(repo, [
    ['through', 'create: d/new, content: x', /d is a symlink/],
    ['edit-through', 'edit: d/x, append: more', /d is a symlink/],
    ['delete-through', 'delete: d/x', /d is a symlink/],
    ['move-through', 'move: a.txt, to: d/a.txt', /d is a symlink/],
    ['move-out', 'move: d/x, to: y', /d is a symlink/],
    ['twice', 'create: deep/twice/new, content: x', /deep\/twice is a symlink/],
    ['up', 'create: up/outside.txt, content: x', /up is a symlink/],
    ['onto', 'edit: link, append: more', /link/],
    ['read-through', 'run: "true", verify: [{contains: {file: d/x, pattern: canary}}]', /d is a symlink|d\/x/],
  ])
  expect(onDisk(place)).toEqual(untouched)
  expect(repo.status()).toBe('')
})

test('F3 what a step left running swaps a directory for a link while later steps write: it is ended first, and nothing is written outside', async ({
  repo,
}) => {
  const place = outside(repo)
  const pid = new Canary(repo, 'swapper')
  repo.write('d/old', 'old\n')
  repo.commit('A directory')
  // A session of its own, forked twice, without the marks of the run: what hides best.
  const swap = `cd ${repo.dir}; while :; do mv d e; ln -s ${place} d; rm d; mv e d; done`
  writeFileSync(join(repo.home, 'swap.sh'), `trap "" HUP TERM\necho $$ > ${pid.path}\n${swap}\n`)
  const writes = Array.from({ length: 6 }, (_, n) => `  - {id: w${n}, create: d/new-${n}, content: x}`).join('\n')
  repo.write(
    '.plans/p.md',
    planText(
      `  - {id: swap, ${allowed}, run: "(setsid sh $HOME/swap.sh >/dev/null 2>&1 &); while [ ! -s ${pid.path} ]; do sleep 0.02; done"}\n${writes}`,
    ),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  // Where it was ended in the middle the tree is not as it was, and that step fails; it never writes outside.
  expect([0, 1, 2, 5], ran.all).toContain(ran.code)
  expect(isAlive(await pidIn(pid.path))).toBe(false)
  expect(onDisk(place)).toEqual(untouched)
})

test('F3 a step swaps a directory for a link, and the next one writes there: refused', async ({ repo }) => {
  const place = outside(repo)
  repo.write('d/old', 'old\n')
  repo.commit('A directory')
  repo.write(
    '.plans/p.md',
    planText(
      `  - {id: swap, run: "rm -r d; ln -s ${place} d"}\n  - {id: write, create: d/new, content: x}\n  - {id: more, edit: d/x, append: x}`,
    ),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--keep-going'])
  expect(ran, ran.all).toMatchObject({ code: 1 })
  expect(ran.all).toMatch(/d\/new is refused: d is a symlink/)
  expect(onDisk(place)).toEqual(untouched)
})

test('F4 a hard link, a pipe, a socket or a device at the target, an ignored file, another repository: refused', async ({
  repo,
}) => {
  const place = outside(repo)
  writeFileSync(repo.path('.gitignore'), 'pipe\nignored\nhard\nsub\nsocket\nnull\n')
  repo.commit('Ignore')
  linkSync(join(place, 'hard'), repo.path('hard'))
  execFileSync('mkfifo', [repo.path('pipe')])
  repo.git(['init', '-q', 'sub'])
  const server = createServer().listen(repo.path('socket'))
  // Only root may make one.
  const hasDevice = process.getuid?.() === 0
  if (hasDevice) execFileSync('mknod', [repo.path('null'), 'c', '1', '3'])
  try {
    await fails(repo, [
      ['hard', 'edit: hard, append: more', /other hard links|hard/],
      ['hard-create', 'create: hard, content: more', /hard/],
      ['pipe', 'edit: pipe, append: more', /pipe/],
      ['socket', 'edit: socket, append: more', /socket/],
      ...(hasDevice ? ([['device', 'edit: "null", append: more', /null/]] as const) : []),
      ['other', 'create: sub/new, content: x', /sub is another repository/],
      ['ignored', 'create: ignored, content: x', /ignores it/],
    ])
  } finally {
    server.close()
    for (const name of ['pipe', 'null', 'socket']) rmSync(repo.path(name), { force: true })
  }
  expect(onDisk(place)).toEqual(untouched)
  expect(repo.read('hard')).toBe('canary\n')
})

test('F5 the plan file, the configuration, what holds them, or the root: an invalid plan, named with its line', async ({
  repo,
}) => {
  repo.write('.plans/config.yml', 'version: 1\n')
  repo.commit('Configuration')
  const before = picture(repo)
  const verbs = [
    'edit: .plans/p.md, append: more',
    'move: .plans/p.md, to: elsewhere.md',
    'delete: .plans/config.yml',
    'create: .plans/CONFIG.yml, content: x',
    'delete: .plans',
    'move: .plans, to: other',
    'delete: [a.txt, .Plans]',
  ]
  const file = join(repo.home, 'p.md')
  writeFileSync(file, planText(verbs.map((verb) => `  - {${verb}}`).join('\n')))
  const refusal = refusalOf(await repo.plan(['start', file, '--approve', '--json']))
  expect(refusal.code).toBe('invalid-plan')
  expect(refusal.findings?.map(({ line, rule }) => `${line} ${rule}`)).toEqual(
    expect.arrayContaining(verbs.map((_, at) => `${at + 3} path-out-of-bounds`)),
  )
  writeFileSync(file, planText('  - {delete: .}\n  - {delete: ""}\n  - {delete: ./}\n  - {delete: /}'))
  const root = refusalOf(await repo.plan(['start', file, '--approve', '--json']))
  expect(new Set(root.findings?.map(({ line }) => line))).toEqual(new Set([3, 4, 5, 6]))
  expect(picture(repo)).toEqual(before)
})

test('F5 a submodule, checked out or not, or a directory with one in it: neither deleted nor moved nor written into', async ({
  repo,
}) => {
  const library = join(repo.home, 'library')
  repo.git(['clone', '-q', repo.dir, library])
  for (const path of ['lib', 'vendor/lib'])
    repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, path])
  repo.commit('Submodules')
  repo.git(['submodule', '--quiet', 'deinit', '-f', 'vendor/lib'])
  const before = [repo.read('lib/a.txt'), readFileSync(repo.path('.gitmodules'), 'utf8'), repo.git(['ls-files', '-s'])]
  await fails(repo, [
    ['delete', 'delete: lib', /lib is a submodule/],
    ['delete-empty', 'delete: vendor/lib', /vendor\/lib is a submodule/],
    ['delete-above', 'delete: vendor', /vendor\/lib is a submodule/],
    ['move', 'move: lib, to: lob', /lib is a submodule/],
    ['move-empty', 'move: vendor/lib, to: lob', /vendor\/lib is a submodule/],
    ['move-above', 'move: vendor, to: lob', /vendor\/lib is a submodule/],
    ['write', 'create: lib/x, content: x', /lib is another repository/],
    ['remove-in', 'delete: lib/a.txt', /lib is another repository/],
  ])
  expect([
    repo.read('lib/a.txt'),
    readFileSync(repo.path('.gitmodules'), 'utf8'),
    repo.git(['ls-files', '-s', ':!.plans']),
  ]).toEqual(before)
  expect(repo.status()).toBe('')
})
