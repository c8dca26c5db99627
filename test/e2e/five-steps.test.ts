// Five steps of five kinds: what is committed, that it is the same everywhere, and that another implementation of git
// reads it the same.

import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import git from 'isomorphic-git'
import { describe, expect } from 'vitest'
import { bin, test, TestRepo } from '../helpers/repo.ts'

const ids = ['generate', 'add', 'change', 'rename', 'remove']

/** With FAIL_ONCE set to a path outside the repository, the first step fails as long as nothing is there. */
const plan = `---
plan: five
title: Five kinds of steps
base: main
steps:
  - id: generate
    title: Generate files
    run: |
      if [ -n "$FAIL_ONCE" ] && [ ! -e "$FAIL_ONCE" ]; then touch "$FAIL_ONCE"; echo junk > junk.txt; exit 1; fi
      mkdir -p bin && printf 'x\\n' > bin/data.txt && printf '#!/bin/sh\\n' > bin/tool && chmod +x bin/tool
  - id: add
    title: Add a file
    create: src/new.txt
    content: |
      one
      two
  - id: change
    title: Change a file
    edit: a.txt
    replace: hello
    with: good bye
  - id: rename
    title: Move a file
    move: src/new.txt
    to: lib/moved.txt
  - id: remove
    title: Remove a file
    delete: b.txt
---
`

function prepared(): TestRepo {
  const repo = new TestRepo()
  repo.write('b.txt', 'to be removed\n')
  repo.commit('Second')
  repo.write('five.md', plan)
  return repo
}

const treeOf = (repo: TestRepo): string => repo.git(['rev-parse', 'plan/five^{tree}'])
const stepCommits = (repo: TestRepo): string[] =>
  repo.git(['log', '--reverse', '--format=%H', '--grep=^Plan-Event: step$', 'plan/five']).split('\n')
const trailer = (repo: TestRepo, commit: string, key: string): string =>
  repo.git(['log', '-1', `--format=%(trailers:key=${key},valueonly)`, commit]).trim()

describe('a plan of five steps', () => {
  test('makes five commits, each with its trailers and a plan file that says done for exactly what is done', async () => {
    const repo = prepared()
    const ran = await repo.plan(['start', 'five.md', '--approve'])
    expect(ran.all).toContain('Completed five')
    expect(ran.code).toBe(0)

    const commits = stepCommits(repo)
    expect(commits).toHaveLength(5)
    const status = await repo.json(['status', 'five'])
    for (const [at, commit] of commits.entries()) {
      expect(repo.git(['log', '-1', '--format=%P', commit]).split(' ')).toHaveLength(1)
      expect(trailer(repo, commit, 'Plan-Id')).toBe('five')
      expect(trailer(repo, commit, 'Plan-Event')).toBe('step')
      expect(trailer(repo, commit, 'Plan-Step')).toBe(ids[at])
      expect(trailer(repo, commit, 'Plan-Attempt')).toBe('1')
      expect(trailer(repo, commit, 'Plan-Run')).toBe(trailer(repo, commits[0] ?? '', 'Plan-Run'))
      expect(trailer(repo, commit, 'Plan-Run')).toMatch(/^\d{8}t\d{6}z-[0-9a-f]{8}$/)
      expect(trailer(repo, commit, 'Plan-Digest')).toBe(status['digest'])
      const file = repo.git(['show', `${commit}:.plans/five.md`])
      const said = [...file.matchAll(/^ {2}([a-z]+): done$/gm)].map((match) => match[1])
      expect(said).toEqual(ids.slice(0, at + 1))
      expect(file).toContain('\nstatus: active\n')
    }
    // Commits have whole seconds: a step would begin before the one that it needs has ended.
    const times = commits.flatMap((commit) => [
      trailer(repo, commit, 'Plan-Started'),
      trailer(repo, commit, 'Plan-Ended'),
    ])
    expect(times).toEqual(times.toSorted())
    const seen = status['steps'] as unknown as { startedAt: string; endedAt: string }[]
    expect(seen.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt])).toEqual(times)
    expect([status['startedAt'], String(status['endedAt']) >= String(times.at(-1))]).toEqual([times[0], true])
    expect(repo.git(['show', 'plan/five:.plans/five.md'])).toContain('\nstatus: completed\n')
    const files = repo.git(['ls-tree', '-r', '--format=%(objectmode) %(path)', 'plan/five']).split('\n')
    expect(files).toEqual([
      '100644 .plans/five.md',
      '100644 a.txt',
      '100644 bin/data.txt',
      '100755 bin/tool',
      '100644 lib/moved.txt',
    ])
    expect(repo.read('a.txt')).toBe('good bye\n')
    expect(repo.status()).toBe('')
    expect(repo.fsck()).toBe('')
    repo.remove()
  })

  test('gives the same final tree under another path, user, umask, zone, locale, host and date', async () => {
    const [one, other] = [prepared(), prepared()]
    expect((await one.plan(['start', 'five.md', '--approve'])).code).toBe(0)
    other.git(['config', 'user.name', 'Žofie Grace'])
    other.git(['config', 'user.email', 'grace@example.net'])
    const env = {
      ...other.env,
      TZ: 'Pacific/Kiritimati',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
      USER: 'grace',
      GIT_AUTHOR_DATE: '2019-05-06T07:08:09+0930',
      GIT_COMMITTER_DATE: '2031-12-31T23:59:59-0800',
    }
    const [command, ...args] = [
      ...hostNamed('elsewhere'),
      'sh',
      '-c',
      'umask 077; exec "$0" "$@"',
      process.execPath,
      bin,
      'start',
      'five.md',
      '--approve',
    ]
    execFileSync(command ?? '', args, { cwd: other.dir, env, stdio: 'pipe' })

    expect(fs.statSync(other.path('bin/tool')).mode & 0o777).toBe(0o700)
    expect(fs.statSync(one.path('bin/tool')).mode & 0o777).toBe(0o755)
    expect(other.git(['log', '-1', '--format=%an %ad', '--date=iso', 'plan/five'])).toBe(
      'Žofie Grace 2019-05-06 07:08:09 +0930',
    )
    expect(treeOf(other)).toBe(treeOf(one))
    expect(other.status()).toBe('')
    one.remove()
    other.remove()
  })

  test('gives the same final tree after a failure and a resume', async () => {
    const [one, other] = [prepared(), prepared()]
    expect((await one.plan(['start', 'five.md', '--approve'])).code).toBe(0)
    const env = { FAIL_ONCE: join(dirname(other.dir), 'has-failed') }
    expect((await other.plan(['start', 'five.md', '--approve'], { env })).code).toBe(1)
    expect(other.status()).toBe('')
    expect((await other.plan(['resume'], { env })).code).toBe(0)
    expect(stepCommits(other)).toHaveLength(5)
    expect(trailer(other, stepCommits(other)[0] ?? '', 'Plan-Attempt')).toBe('2')
    expect(treeOf(other)).toBe(treeOf(one))
    expect(other.fsck()).toBe('')
    one.remove()
    other.remove()
  })

  test('is read by isomorphic-git exactly as by git', async () => {
    const repo = prepared()
    expect((await repo.plan(['start', 'five.md', '--approve'])).code).toBe(0)
    const commits = await git.log({ fs, dir: repo.dir, ref: 'plan/five' })
    const expected = repo.git(['log', '--format=%H', 'plan/five']).split('\n')
    expect(commits.map(({ oid }) => oid)).toEqual(expected)
    for (const { oid, commit } of commits) {
      expect(commit.tree).toBe(repo.git(['rev-parse', `${oid}^{tree}`]))
      expect(commit.parent.join(' ')).toBe(repo.git(['log', '-1', '--format=%P', oid]))
      expect(commit.message.trimEnd()).toBe(repo.git(['log', '-1', '--format=%B', oid]).trimEnd())
    }
    // First, Second, then the plan's own: all of those hold the plan file.
    for (const { oid } of commits.slice(0, -2)) {
      const { blob, oid: id } = await git.readBlob({ fs, dir: repo.dir, oid, filepath: '.plans/five.md' })
      expect(id).toBe(repo.git(['rev-parse', `${oid}:.plans/five.md`]))
      expect(Buffer.from(blob).toString()).toBe(`${repo.git(['show', `${oid}:.plans/five.md`])}\n`)
    }
    repo.remove()
  })
})

/** A prefix that gives a command another host name; empty where that is not allowed. */
function hostNamed(name: string): string[] {
  const prefix = ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', name]
  try {
    execFileSync(prefix[0] ?? '', [...prefix.slice(1), 'true'], { stdio: 'ignore' })
    return prefix
  } catch {
    return []
  }
}
