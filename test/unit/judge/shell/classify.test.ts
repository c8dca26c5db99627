// What is read, and what may write: the tables of test/data/commands, and what cannot be written in a table.

import { describe, expect, test } from 'vitest'
import { classifyCommand } from '../../../../src/judge/shell/classify.ts'
import { canaries, judged as table, readers, sample, writers } from '../../../helpers/shell-commands.ts'

const judged = (commands: readonly string[], wrong: string): string[] =>
  commands.flatMap((command) => {
    const { class: found, reason } = classifyCommand(command)
    return found === wrong ? [`${JSON.stringify(command)}: ${reason}`] : []
  })

test('every row of the sample is judged as it says', () => {
  expect(sample.length).toBeGreaterThan(120)
  expect(sample.filter(({ command, expected }) => classifyCommand(command).class !== expected)).toEqual([])
})

test.each(['READ', 'WRITE'])('what people type is %s where the table says so', (expected) => {
  const rows = table.filter((row) => row.expected === expected).map(({ command }) => command)
  expect(rows.length).toBeGreaterThan(900)
  expect(judged(rows, expected === 'READ' ? 'WRITE' : 'READ')).toEqual([])
})

test('readers are READ', () => {
  expect(readers.length).toBeGreaterThan(300)
  expect(judged(readers, 'WRITE')).toEqual([])
})

test('what may write is never READ', () => {
  expect(writers.length).toBeGreaterThan(700)
  expect(judged(writers, 'READ')).toEqual([])
})

test('what makes a file when it runs is never READ', () => {
  expect(canaries.length).toBeGreaterThan(250)
  expect(judged(canaries, 'READ')).toEqual([])
})

describe('characters that are not seen, or not what they seem', () => {
  test.each([
    '\0',
    '\u0001',
    '\u0007',
    '\b',
    '\u000B',
    '\f',
    '\r',
    '\u001B[2K',
    '\u007F',
    '\u0085',
    '\u00A0',
    '\u00AD',
    '\u061C',
    '\u1680',
    '\u180E',
    '\u2003',
    '\u200B',
    '\u200D',
    '\u2028',
    '\u2029',
    '\u202E',
    '\u2060',
    '\u2066',
    '\u3000',
    '\uFEFF',
    '\uFFF9',
    '\uD800',
    '\uDFFF',
    '\uE000',
    '\u{E0041}',
  ])('%j makes a command WRITE wherever it stands', (character) => {
    for (const command of [
      `ls${character}`,
      `${character}ls`,
      `ls ${character}a`,
      `ls 'a${character}b'`,
      `ls # ${character}`,
      `cat <<'E'\n${character}\nE`,
    ])
      expect(classifyCommand(command)).toMatchObject({
        class: 'WRITE',
        reason: expect.stringMatching(/U\+[0-9A-F]{4}/) as string,
      })
  })

  test('letters of other alphabets are names of other programs, and plain text in arguments', () => {
    expect(classifyCommand('ｃａｔ a.txt').class).toBe('WRITE')
    expect(classifyCommand('grep -n "größe 大きさ" a.txt').class).toBe('READ')
  })
})

describe('an answer', () => {
  test.each([
    ['ls', 'ls only reads'],
    ['ls | sort', 'ls, sort only read'],
    ['', 'nothing is run'],
    ['# rm -rf /', 'nothing is run'],
    ['x=1', 'nothing is run'],
  ])('%j is READ: %s', (command, reason) => {
    expect(classifyCommand(command)).toEqual({ class: 'READ', reason })
  })

  test.each([
    ['ls; frobnicate -x', 'frobnicate may write'],
    ['sort -uo x a', 'sort: -uo may write'],
    ['git branch topic', 'git branch: topic may be made'],
    ['ls > x', '> x writes a file'],
    ['cd x && git status', 'cd: the settings that git finds there may run programs'],
    ['env X=1 ls', 'env: X is set for a command'],
    ['ls (x', '( is not part of any command'],
  ])('%j is WRITE: %s', (command, reason) => {
    expect(classifyCommand(command)).toEqual({ class: 'WRITE', reason })
  })

  test('has a reason of one line, and a short one, whatever it is about', () => {
    const long = 'x'.repeat(5000)
    for (const command of [
      long,
      `${long}\n'a\nb'`,
      `'a\nb' c`,
      `ls > '${long}'`,
      `sort --${long}`,
      `echo \${${long}@P}`,
      `git ${long}`,
    ]) {
      const { reason } = classifyCommand(command)
      expect(reason.length).toBeLessThan(160)
      expect(reason).not.toContain('\n')
    }
  })
})

describe('limits', () => {
  test('a command that is very long is WRITE', () => {
    expect(classifyCommand(`ls ${'a '.repeat(40_000)}`)).toEqual({
      class: 'WRITE',
      reason: 'the command is too long to be judged',
    })
  })

  test.each([
    ['substitutions', `${'echo $('.repeat(300)}ls${')'.repeat(300)}`],
    ['subshells', `${'('.repeat(2000)}ls${')'.repeat(2000)}`],
    ['groups', `${'{ '.repeat(2000)}ls${'; }'.repeat(2000)}`],
    ['wrappers', `${'env '.repeat(300)}ls`],
    ['braces', `ls ${'{a,'.repeat(2000)}b${'}'.repeat(2000)}; touch pwned`],
    ['parameters', `echo ${'${x:-'.repeat(500)}a${'}'.repeat(500)}`],
    ['chains', `${'true && '.repeat(2000)}touch pwned`],
    ['quotes', `ls ${`'"'"'`.repeat(3000)}; touch pwned`],
    ['here-documents', `${'cat <<E\n'.repeat(500)}$(touch pwned)\n${'E\n'.repeat(500)}`],
  ])('%s without end are WRITE', (_, command) => {
    expect(classifyCommand(command).class).toBe('WRITE')
  })
})
