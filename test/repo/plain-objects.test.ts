// An object that is read without git is the one that git has, and what is not there is not there. All else is asked of git.

import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { CatFile } from '../../src/git/cat-file.ts'
import { applyDelta } from '../../src/git/pack-delta.ts'
import { PlainObjects, type PlainAnswer } from '../../src/git/plain-objects.ts'
import { Repository } from '../../src/git/repository.ts'
import { GitRunner } from '../../src/git/runner.ts'
import { gitEnvironment, hookEnvironment } from '../../src/process/environment.ts'
import { test, TestRepo } from '../helpers/repo.ts'
import { isWide } from '../helpers/wide.ts'

const open = (repo: TestRepo): PlainObjects => new PlainObjects({ gitDir: repo.path('.git'), commonDir: repo.path('.git') })

function find(repo: TestRepo, name: string): PlainAnswer {
  const objects = open(repo)
  try {
    return objects.find(name)
  } finally {
    objects.close()
  }
}

/** All of them by both: how many were not asked of git. */
async function compare(repo: TestRepo, names: readonly string[]): Promise<number> {
  const git = new GitRunner({ cwd: repo.dir, env: gitEnvironment(repo.env) })
  const theirs = new CatFile(git.in({ cwd: repo.dir, gitDir: repo.path('.git'), workTree: repo.dir }))
  const ours = open(repo)
  let told = 0
  try {
    for (const [at, name] of names.entries()) {
      // With many questions they would be left to git.
      if (at % 8 === 0) ours.close()
      const answer = ours.find(name)
      if (answer === 'ask') continue
      told += 1
      const object = await theirs.contents(name)
      expect(answer && { oid: answer.oid, type: answer.type, bytes: answer.bytes.toString('hex') }, name).toEqual(
        object && { oid: object.oid, type: object.type, bytes: object.bytes.toString('hex') },
      )
    }
  } finally {
    ours.close()
    theirs.close()
  }
  return told
}

/** Files that are alike, so that packs have deltas, in commits with several parents, with tags of all kinds. */
function fill(repo: TestRepo, seed: number): void {
  const lines = Array.from({ length: 300 }, (_, at) => `line ${at} ${(at * seed * 7919) % 1013}`)
  const parts: string[] = ['reset refs/heads/main\n\n']
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  for (let at = 0; at < 12; at += 1) {
    lines[(at * 13 * seed) % lines.length] = `changed ${at}`
    const files = ['a.txt', 'deep/er/b.txt', `.plans/p${at % 3}.md`, 'ä/ö.txt', 'a-b', 'a.b/c'].map(
      (path, n) => `M 100644 inline "${path}"\n${data(lines.slice(n).join('\n'))}`,
    )
    parts.push(`commit refs/heads/main\nmark :${at + 1}\ncommitter Ada <a@b> ${1_700_000_000 + at} +0000\n${data(`Commit ${at}`)}${files.join('')}`)
    if (at % 4 === 3)
      parts.push(
        `commit refs/heads/side-${at}\nmark :${100 + at}\ncommitter Ada <a@b> 1700000000 +0000\n${data('Side')}from :${at}\nM 100755 inline x\n${data('x')}`,
      )
  }
  parts.push(`commit refs/heads/main\ncommitter Ada <a@b> 1800000000 +0000\n${data('Merge')}from :12\nmerge :103\nM 120000 inline link\n${data('a.txt')}`)
  parts.push(`tag v1\nfrom :5\ntagger Ada <a@b> 1700000000 +0000\n${data('One')}`)
  repo.git(['fast-import', '--quiet', '--force'], { input: parts.join('') })
  repo.git(['reset', '-q', '--hard'])
  repo.git(['tag', '-a', '-m', 'Two', 'v2', 'v1'])
  repo.git(['update-ref', 'refs/plan/p0/final', 'main~3'])
}

const everyName = (repo: TestRepo): string[] => {
  const ids = repo.git(['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']).split('\n')
  const starts = [
    'HEAD',
    'refs/heads/main',
    'refs/heads/side-3',
    'refs/tags/v1',
    'refs/tags/v2',
    'refs/plan/p0/final',
    'refs/heads/none',
    'main',
    'refs/heads/none-gabcd',
    ...ids.slice(0, 3),
  ]
  const paths = [
    'a.txt',
    'deep',
    'deep/er',
    'deep/er/b.txt',
    '.plans/p0.md',
    '.plans/none.md',
    'ä/ö.txt',
    'a',
    'a-b',
    'a.b',
    'a.b/c',
    'link',
    'link/x',
    'a.txt/x',
    './a.txt',
    'deep/',
    'deep//er',
  ]
  const forms = [
    '',
    '~1',
    '~3',
    '~30',
    '^{commit}',
    '~2^{commit}',
    '^{tree}',
    '^{blob}',
    '^',
    '^2',
    '@{0}',
    ':',
    ...paths.map((path) => `:${path}`),
    ...paths.map((path) => `~1:${path}`),
  ]
  return [...ids, ...starts.flatMap((start) => forms.map((form) => start + form)), '0'.repeat(40), 'f'.repeat(40)]
}

describe('what is found is what git finds', () => {
  test.for([
    ['loose', [['unpack']]],
    ['packed', [['repack', '-adfq', '--depth=50', '--window=50']]],
    ['packed with bases by name', [['-c', 'repack.useDeltaBaseOffset=false', 'repack', '-adfq', '--depth=50']]],
    [
      'in several packs',
      [
        ['repack', '-dq'],
        ['commit', '-q', '--allow-empty', '-m', 'More'],
        ['repack', '-dq'],
        ['pack-refs', '--all'],
        ['commit', '-q', '--allow-empty', '-m', 'Loose'],
      ],
    ],
    ['with an old index', [['-c', 'pack.indexVersion=1', 'repack', '-adfq']]],
    [
      'with an index of all packs',
      [
        ['repack', '-adfq'],
        ['multi-pack-index', 'write'],
      ],
    ],
  ] as const)('%s', { timeout: 60_000 }, async ([kind, commands], { repo }) => {
    fill(repo, 3)
    for (const command of commands) {
      if (command[0] !== 'unpack') repo.git(command)
      else {
        const packs = readdirSync(repo.path('.git/objects/pack'))
        const bytes = packs.filter((name) => name.endsWith('.pack')).map((name) => readFileSync(repo.path('.git/objects/pack', name)))
        for (const name of packs) rmSync(repo.path('.git/objects/pack', name), { force: true })
        for (const pack of bytes) execFileSync('git', ['unpack-objects', '-q'], { cwd: repo.dir, env: repo.env, input: pack })
      }
    }
    const names = everyName(repo)
    const told = await compare(repo, names)
    if (kind.startsWith('packed'))
      expect(
        repo.git([
          'verify-pack',
          '-s',
          ...readdirSync(repo.path('.git/objects/pack'))
            .filter((name) => name.endsWith('.idx'))
            .map((name) => repo.path('.git/objects/pack', name)),
        ]),
      ).toMatch(/chain length = [3-9]/)
    // Of what it is made for nothing is left to git.
    if (kind === 'with an old index') return
    expect(told).toBeGreaterThan(names.length / 2)
    for (const name of [
      'HEAD^{commit}',
      'refs/heads/main:.plans/p0.md',
      'refs/heads/main~3:deep/er/b.txt',
      'refs/tags/v2^{commit}',
      'refs/heads/none^{commit}',
    ])
      expect(find(repo, name), name).not.toBe('ask')
  })

  test('of any repository', { timeout: 300_000 }, async () => {
    for (let seed = 1; seed <= (isWide ? 25 : 1); seed += 1) {
      const repo = new TestRepo()
      fill(repo, seed)
      if (seed % 2 === 1) repo.git(['repack', '-adfq', `--depth=${1 + (seed % 50)}`])
      expect(await compare(repo, everyName(repo))).toBeGreaterThan(50)
      repo.remove()
    }
  })
})

test('what is added, packed and moved meanwhile is found', ({ repo }) => {
  const objects = open(repo)
  const is = (name: string): string | undefined => {
    const answer = objects.find(name)
    return answer === 'ask' ? 'ask' : answer?.oid
  }
  const head = repo.git(['rev-parse', 'HEAD'])
  expect(is('HEAD^{commit}')).toBe(head)
  repo.write('b.txt', 'b\n')
  const next = repo.commit('Another')
  expect(is('HEAD^{commit}')).toBe(next)
  expect(is(`${next}:b.txt`)).toBe(repo.git(['rev-parse', 'HEAD:b.txt']))
  repo.git(['gc', '-q', '--prune=now'])
  expect(is('HEAD:b.txt')).toBe(repo.git(['rev-parse', 'HEAD:b.txt']))
  repo.git(['update-ref', '-d', 'refs/heads/main'])
  expect(is('HEAD^{commit}')).toBe('ask')
  expect(is('refs/heads/main^{commit}')).toBeUndefined()
  objects.close()
  repo.git(['update-ref', 'refs/heads/main', head])
  expect(is('HEAD^{commit}')).toBe(head)
  objects.close()
})

describe('git is asked', () => {
  const head = (repo: TestRepo): string => repo.git(['rev-parse', 'HEAD'])
  const loose = (repo: TestRepo, name: string): string => {
    const oid = repo.git(['rev-parse', name])
    return repo.path('.git/objects', oid.slice(0, 2), oid.slice(2))
  }

  test('for parents where some are cut off or made up', ({ repo }) => {
    repo.write('b.txt', 'b\n')
    repo.commit('Another')
    expect(find(repo, 'HEAD~1^{commit}')).not.toBe('ask')
    for (const file of ['shallow', 'info/grafts']) {
      writeFileSync(repo.path('.git', file), `${head(repo)}\n`)
      expect(find(repo, 'HEAD~1^{commit}'), file).toBe('ask')
      rmSync(repo.path('.git', file))
    }
  })

  test('for what is not there: it may be with an alternate, or yet to be fetched', ({ repo }) => {
    const other = new TestRepo()
    other.write('only-there.txt', 'there\n')
    const there = other.commit('There')
    expect(find(repo, there)).toBe('ask')
    appendFileSync(repo.path('.git/objects/info/alternates'), `${other.path('.git/objects')}\n`)
    expect(find(repo, there)).toBe('ask')
    repo.git(['update-ref', 'refs/heads/main', there])
    expect(find(repo, 'HEAD:only-there.txt')).toBe('ask')
    other.remove()
  })

  test('for what is damaged, and for what is no file', ({ repo }) => {
    repo.write('big.txt', Buffer.alloc(5 * 1024 * 1024, 'x'))
    repo.commit('Big')
    expect(find(repo, 'HEAD:big.txt')).toBe('ask')
    const file = loose(repo, 'HEAD:a.txt')
    const bytes = readFileSync(file)
    chmodSync(file, 0o644)
    for (const spoilt of [Buffer.alloc(0), bytes.subarray(0, -3), Buffer.concat([bytes, Buffer.from('x')]), Buffer.from('blob 6\0hello\n')]) {
      writeFileSync(file, spoilt)
      expect(find(repo, 'HEAD:a.txt')).toBe('ask')
    }
    rmSync(file)
    execFileSync('mkfifo', [file])
    expect(find(repo, 'HEAD:a.txt')).toBe('ask')
    rmSync(file)
    mkdirSync(file)
    expect(find(repo, 'HEAD:a.txt')).toBe('ask')
  })

  test('for a commit or tag that is not what its name says: git believes none', ({ repo }) => {
    repo.git(['tag', '-a', '-m', 'One', 'v1'])
    const name = { commit: 'HEAD^{commit}', tag: 'refs/tags/v1^{commit}' }
    for (const type of ['tag', 'commit'] as const) {
      expect(find(repo, name[type])).not.toBe('ask')
      const file = loose(repo, type === 'tag' ? 'refs/tags/v1' : 'HEAD')
      const bytes = Buffer.concat([inflateSync(readFileSync(file)).subarray(0, -1), Buffer.from('!')])
      chmodSync(file, 0o644)
      writeFileSync(file, deflateSync(bytes))
      expect(find(repo, name[type]), type).toBe('ask')
      const said = spawnSync('git', ['cat-file', '-e', name[type]], { cwd: repo.dir, env: repo.env, encoding: 'utf8' })
      expect(said.stderr).toContain('hash mismatch')
      expect(said.status).toBeGreaterThan(0)
    }
  })

  test('for a pack that is damaged, wherever', ({ repo }) => {
    fill(repo, 1)
    repo.git(['repack', '-adfq'])
    const shelf = repo.path('.git/objects/pack')
    const name = readdirSync(shelf).find((each) => each.endsWith('.idx')) ?? ''
    const names = ['HEAD:a.txt', 'HEAD~4:deep/er/b.txt', 'refs/tags/v2^{commit}']
    const right = names.map((each) => find(repo, each))
    expect(right).not.toContain('ask')
    for (const file of [join(shelf, name), join(shelf, name.replace('.idx', '.pack'))]) {
      const bytes = readFileSync(file)
      chmodSync(file, 0o644)
      for (const length of [0, 7, 40, 1031, 1100, Math.floor(bytes.length / 2)]) {
        writeFileSync(file, bytes)
        truncateSync(file, Math.min(length, bytes.length))
        // What is whole may still be read.
        for (const [at, each] of names.entries()) expect([right[at], 'ask']).toContainEqual(find(repo, each))
      }
      writeFileSync(file, bytes)
    }
    rmSync(join(shelf, name))
    expect(names.map((each) => find(repo, each))).toEqual(['ask', 'ask', 'ask'])
  })

  test('where a tree is not as git makes them', async ({ repo }) => {
    const blob = repo.git(['rev-parse', 'HEAD:a.txt'])
    const entry = (mode: string, name: string): Buffer => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, 'hex')])
    for (const tree of [
      Buffer.concat([entry('100644', 'b'), entry('100644', 'a')]),
      Buffer.concat([entry('100644', 'a'), entry('100644', 'a')]),
      entry('100664', 'a'),
      entry('0100644', 'a'),
      entry('100644', 'a').subarray(0, -1),
      Buffer.from('100644 a'),
    ]) {
      const oid = execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
        cwd: repo.dir,
        env: repo.env,
        input: tree,
        encoding: 'utf8',
      }).trim()
      const commit = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], {
        cwd: repo.dir,
        env: repo.env,
        input: `tree ${oid}\nauthor A <a@b> 0 +0000\ncommitter A <a@b> 0 +0000\n\nx\n`,
        encoding: 'utf8',
      }).trim()
      expect(find(repo, `${commit}:a`)).toBe('ask')
    }
  })

  test('where refs are kept in another way, and for those of a work tree', ({ repo }) => {
    writeFileSync(repo.path('.git/HEAD'), 'ref: refs/heads/.invalid\n')
    expect(find(repo, 'HEAD^{commit}')).toBe('ask')
    expect(find(repo, 'refs/heads/none^{commit}')).toBe('ask')
    writeFileSync(repo.path('.git/HEAD'), 'ref: refs/heads/main\n')
    expect(find(repo, 'refs/bisect/bad^{commit}')).toBe('ask')
    expect(find(repo, 'refs/worktree/x^{commit}')).toBe('ask')
  })

  test('for names where many refs are packed: it finds one without reading all', ({ repo }) => {
    const at = head(repo)
    const packed = (count: number): string =>
      `# pack-refs with: peeled fully-peeled sorted \n${Array.from({ length: count }, (_, n) => `${at} refs/heads/b${String(n).padStart(6, '0')}\n`).join('')}`
    writeFileSync(repo.path('.git/packed-refs'), packed(100))
    expect(find(repo, 'refs/heads/b000007^{commit}')).toMatchObject({ oid: at })
    writeFileSync(repo.path('.git/packed-refs'), packed(5000))
    expect(find(repo, 'refs/heads/b000007^{commit}')).toBe('ask')
    expect(find(repo, at)).not.toBe('ask')
  })

  test('for what is in a directory of many files', ({ repo }) => {
    const blob = repo.git(['rev-parse', 'HEAD:a.txt'])
    for (const [count, isAsked] of [
      [500, false],
      [5000, true],
    ] as const) {
      const entries = Array.from({ length: count }, (_, at) => `100644 blob ${blob}\tf${String(at).padStart(5, '0')}\n`).join('')
      const tree = repo.git(['mktree'], { input: entries })
      expect(find(repo, `${tree}:f00007`) === 'ask').toBe(isAsked)
    }
  })

  test('in a repository of the other hash, with the same answers', async () => {
    const repo = new TestRepo({ init: ['--object-format=sha256'] })
    const one = await Repository.open({ cwd: repo.dir, env: gitEnvironment(repo.env) })
    expect((await one.readBlob('HEAD:a.txt'))?.toString()).toBe('hello\n')
    expect(one.readsParents()).toBe(false)
    one.close()
    repo.remove()
  })
})

test('a hook is about the repository that git has told it of', async ({ repo }) => {
  const other = new TestRepo()
  other.write('only-there.txt', 'there\n')
  other.commit('There')
  const there = await Repository.open({
    cwd: repo.dir,
    env: hookEnvironment({ ...repo.env, GIT_DIR: other.path('.git'), GIT_WORK_TREE: repo.dir }, 'client'),
  })
  expect(there.gitDir).toBe(other.path('.git'))
  expect((await there.readBlob('HEAD:only-there.txt'))?.toString()).toBe('there\n')
  there.close()
  other.remove()
})

test('for many objects git is asked, which is faster then', ({ repo }) => {
  fill(repo, 2)
  const objects = open(repo)
  const ids = repo.git(['rev-list', '--objects', '--all']).split('\n')
  const answers = ids.map((line) => objects.find(line.slice(0, 40)))
  expect(answers.filter((answer) => answer !== 'ask').length).toBe(50)
  expect(answers[0]).not.toBe('ask')
  expect(objects.haveOwnParents()).toBe(false)
  objects.close()
})

test('an object that another replaces is itself', async ({ repo }) => {
  const first = repo.git(['rev-parse', 'HEAD'])
  repo.write('a.txt', 'other\n')
  repo.git(['replace', first, repo.commit('Other')])
  expect(await compare(repo, [`${first}:a.txt`, `${first}^{commit}`, 'HEAD~1:a.txt'])).toBe(3)
})

test('a delta for another base, or one that says too much, makes nothing', () => {
  const base = Buffer.from('0123456789')
  expect(applyDelta(base, Buffer.from([10, 5, 0x91, 2, 3, 2, 0x61, 0x62]))?.toString()).toBe('234ab')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const result = applyDelta(base, Buffer.from([10, 5, ...bytes]))
      return result === undefined || result.length === 5
    }),
  )
  expect(applyDelta(base, Buffer.from([9, 5, 0x91, 2, 5]))).toBeUndefined()
  expect(applyDelta(base, Buffer.from([10, 5, 0x91, 8, 5]))).toBeUndefined()
  expect(applyDelta(base, Buffer.from([10, 5, 0]))).toBeUndefined()
})
