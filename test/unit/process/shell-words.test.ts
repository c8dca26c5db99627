// A program that is started by way of a shell gets the words that it was given, whatever is in them, and the shell
// reads none of them.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandLine } from '../../../src/process/shell-words.ts'

const said = (words: readonly string[], env: Record<string, string> = {}): string[] =>
  execFileSync('/bin/sh', ['-c', commandLine(['printf', '%s\\0', ...words])], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
    .split('\0')
    .slice(0, -1)

const piece = fc.constantFrom(
  "'",
  '"',
  '\\',
  '$',
  '`',
  '$(id)',
  '${HOME}',
  ';',
  '&&',
  '|',
  '>x',
  '*',
  '~',
  '!',
  '#',
  ' ',
  '\n',
  '\r',
  '\t',
  '-n',
  '--',
  '%s',
  'é',
  '\u202E',
  'a',
)
const word = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
)

test('every word arrives as it is', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      expect(said(words)).toEqual(words)
    }),
    { numRuns: 150 },
  )
})

test.each(["it's", '$(exit 3)', '-n', 'a b', '%d'])(
  'a directory called %j is one of the place where the shell is, and no other',
  (name) => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'git-plan-words-')))
    try {
      for (const at of ['here', 'elsewhere']) mkdirSync(join(top, at, name), { recursive: true })
      const answer = execFileSync('/bin/sh', ['-c', commandLine(['pwd', '-P'], { directory: name })], {
        cwd: join(top, 'here'),
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', CDPATH: join(top, 'elsewhere') },
      })
      expect(answer).toBe(`${join(top, 'here', name)}\n`)
      // Nothing runs where it is not there.
      expect(() =>
        execFileSync('/bin/sh', ['-c', commandLine(['true'], { directory: name })], { cwd: top, stdio: 'ignore' }),
      ).toThrow(/Command failed/)
    } finally {
      rmSync(top, { recursive: true, force: true })
    }
  },
)
