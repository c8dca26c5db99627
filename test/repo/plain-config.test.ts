// A configuration that is read without git is the one that git reads, or is not read at all.

import fc from 'fast-check'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { parseConfigText } from '../../src/git/config-text.ts'
import { askConfig } from '../../src/git/git-config.ts'
import { readPlainConfig } from '../../src/git/plain-config.ts'
import { GitRunner } from '../../src/git/runner.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { test, type TestRepo } from '../helpers/repo.ts'
import { isWide } from '../helpers/wide.ts'

/** Of any other git nobody knows where it looks. */
const isUsualGit = process.platform === 'linux' && execFileSync('sh', ['-c', 'readlink -f "$(command -v git)"'], { encoding: 'utf8' }) === '/usr/bin/git\n'

const envOf = (repo: TestRepo): Record<string, string> => gitEnvironment(repo.env)
const asked = (repo: TestRepo) => askConfig(new GitRunner({ cwd: repo.dir, env: envOf(repo) }))
const read = (repo: TestRepo) => readPlainConfig(repo.dir, envOf(repo))

/** As it is written, and as nobody would write it. */
const blank = fc.constantFrom('', '', ' ', '\t', '  ', ' \t ')
const word = fc.constantFrom('name', 'Name', 'x-y', 'x1', 'url', '1x', 'x_y', 'x.y', '', 'ä')
const part = fc.constantFrom('', ' "a"', ' "A b"', ' "a.b"', ' "a\\"b"', ' "a\\\\b"', '"a"', ' a', ' "a', ' "ä"', '\t"x"', ' "a" ', ' "a#;b"')
const piece = fc.constantFrom(
  'a',
  'b c',
  '  ',
  '\t',
  '"',
  '"a b"',
  '" a "',
  '\\n',
  '\\t',
  '\\b',
  '\\\\',
  '\\"',
  '\\x',
  '\\',
  '#',
  ';',
  '# c',
  '=',
  'ä',
  '~/x',
  '\u000b',
  '!f() { x; }; f',
)
const section = fc.tuple(
  blank,
  fc.constantFrom('core', 'Core', 'plan', 'x-y', 'a.b', 'includes', 'a b', ''),
  part,
  fc.constantFrom(']', ']', ']', '] ', '] # c', '] x = y', ''),
)
const line = fc.oneof(
  section.map(([before, name, sub, end]) => `${before}[${name}${sub}${end}`),
  fc
    .tuple(blank, word, blank, fc.constantFrom('=', '=', '=', '', ' = ', '=='), fc.array(piece, { maxLength: 4 }))
    .map(([before, key, between, equals, pieces]) => `${before}${key}${between}${equals}${pieces.join('')}`),
  fc.constantFrom('# comment', '; comment', '', '  ', '\t# [core]', '\ufeff', 'x = 1\r', '\r'),
)
const text = fc.tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\n', '')).map(([lines, end]) => lines.join('\n') + end)

describe.runIf(isUsualGit)('read from files', () => {
  test('what git says, or nothing', { timeout: 120_000 }, async ({ repo }) => {
    const file = join(repo.home, '.gitconfig')
    let told = 0
    await fc.assert(
      fc.asyncProperty(text, async (own) => {
        writeFileSync(file, own)
        const ours = read(repo)
        if (ours === undefined) return
        told += 1
        const { code, entries } = await asked(repo)
        expect(code).toBe(0)
        expect(ours).toEqual(entries)
      }),
      { numRuns: isWide ? 3000 : 300 },
    )
    expect(told).toBeGreaterThan(isWide ? 200 : 15)
  })

  test('from every place where it is looked for, in that order', async ({ repo }) => {
    mkdirSync(join(repo.home, '.config/git'), { recursive: true })
    writeFileSync(join(repo.home, '.config/git/config'), '[plan]\n\tdir = one\n[alias]\n\tst = "status -sb" # short\n')
    writeFileSync(join(repo.home, '.gitconfig'), '[Plan]\n\tDir = two\n[user "Ada"]\n\tName = "Ada; L" \n')
    repo.git(['config', 'plan.dir', 'three'])
    const entries = read(repo)
    expect(entries).toEqual((await asked(repo)).entries)
    expect(entries?.filter(({ key }) => key === 'plan.dir').map(({ scope, value }) => [scope, value])).toEqual([
      ['global', 'one'],
      ['global', 'two'],
      ['local', 'three'],
    ])
  })

  test('git is asked where a file includes another, is none, or cannot be read, and where another git is found', async ({ repo }) => {
    const file = join(repo.home, '.gitconfig')
    const isAsked = (): boolean => read(repo) === undefined
    expect(isAsked()).toBe(false)
    for (const written of [
      '[include]\n\tpath = more\n',
      '[includeIf "onbranch:x"]\n\tpath = more\n',
      '[INCLUDE]\npath=x\n',
      `[a]\nb = ${'x'.repeat(300_000)}\n`,
    ]) {
      writeFileSync(file, written)
      expect(isAsked(), written.slice(0, 40)).toBe(true)
    }
    rmSync(file)
    mkdirSync(file)
    expect(isAsked()).toBe(true)
    rmSync(file, { recursive: true })
    // It would never end.
    execFileSync('mkfifo', [file])
    expect(isAsked()).toBe(true)
    rmSync(file)
    symlinkSync(join(repo.home, 'gone'), file)
    expect(isAsked()).toBe(true)
    rmSync(file)

    const bin = join(repo.home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec /usr/bin/git "$@"\n')
    const path = repo.env['PATH'] ?? ''
    repo.env['PATH'] = `${bin}:${path}`
    for (const mode of [0o644, 0o700, 0o755]) {
      chmodSync(join(bin, 'git'), mode)
      expect(isAsked(), mode.toString(8)).toBe(true)
    }
    for (const other of [`:${path}`, `bin:${path}`, '', '/nowhere']) {
      repo.env['PATH'] = other
      expect(isAsked(), other).toBe(true)
    }
    repo.env['PATH'] = path
    for (const home of ['', 'relative']) {
      repo.env['HOME'] = home
      expect(isAsked(), home).toBe(true)
    }
    repo.env['HOME'] = repo.home
    renameSync(repo.path('.git/config'), repo.path('.git/moved'))
    expect(existsSync(repo.path('.git/config'))).toBe(false)
    expect(read(repo)?.filter(({ scope }) => scope === 'local')).toEqual([])
  })
})

test.each([
  ['[a]\nb\n', [{ key: 'a.b', value: 'true' }]],
  ['[a "B c"]\n\tD = "x  y" ; z\n', [{ key: 'a.B c.d', value: 'x  y' }]],
  ['[a]\nb =  one  two \n', [{ key: 'a.b', value: 'one  two' }]],
  ['[a]\nb = one\ttwo\n', undefined],
  ['[a]\nb = "one\n', undefined],
  ['[a]\nb = one\\\n two\n', undefined],
  ['b = 1\n', undefined],
])('%j is read as it is meant, or not at all', (given, entries) => {
  expect(parseConfigText(given)).toEqual(entries)
})
