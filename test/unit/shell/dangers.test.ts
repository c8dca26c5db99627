// What is dangerous and what is not: the tables of test/data/commands, places, and what no command may do to the judge.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dangersOf } from '../../../src/shell/dangers.ts'
import { dangerRules } from '../../../src/shell/dangers/rules.ts'
import { dangers, harmless, readers } from '../../helpers/shell-commands.ts'

const rulesOf = (command: string, variables?: Record<string, string>): string[] => dangersOf(command, variables).map(({ rule }) => rule)

test('every row of the table is found by the rule that it names', () => {
  expect(dangers.length).toBeGreaterThan(1000)
  const missed = dangers.filter(({ rule, command }) => !rulesOf(command).includes(rule))
  expect(missed.map(({ rule, command }) => `${rule}: ${command} (${rulesOf(command).join(', ')})`)).toEqual([])
})

test('every rule has rows of its own', () => {
  const counted = Object.keys(dangerRules).map((rule) => ({ rule, rows: dangers.filter((each) => each.rule === rule).length }))
  expect(counted.filter(({ rows }) => rows < 5)).toEqual([])
})

test('of what plans are made of, nothing is said', () => {
  expect(harmless.length).toBeGreaterThan(550)
  expect(harmless.flatMap((command) => dangersOf(command).map(({ rule, message }) => `${command}: ${rule}: ${message}`))).toEqual([])
})

test('of what only reads, nothing is said but that a name is hidden, or a key is looked at', () => {
  const said = readers.flatMap((command) => rulesOf(command).map((rule) => `${rule}: ${command}`))
  expect(said).toEqual(['shell-obfuscated: l\\s -l', 'shell-obfuscated: "l"s'])
})

describe('places', () => {
  const places = (command: string): string[] => dangersOf(command).map(({ rule, line, column }) => `${rule} ${line}:${column}`)

  test.each([
    ['sudo ls', ['shell-privilege 1:1']],
    ['ls && sudo ls', ['shell-privilege 1:7']],
    ['npm ci\n  sudo ls\nreboot\n', ['shell-privilege 2:3', 'shell-machine 3:1']],
    ['echo "a $(sudo ls)"', ['shell-privilege 1:11']],
    ["bash -c 'ls\n  sudo ls'", ['shell-privilege 2:3']],
    ['bash -c "ls; sudo ls"', ['shell-privilege 1:1']],
    ['bash <<EOF\nls\nsudo ls\nEOF', ['shell-privilege 3:1']],
    ['sh -c \'ls; sh -c "sudo ls"\'', ['shell-privilege 1:12']],
    ['echo `echo \\`sudo ls\\``', ['shell-privilege 1:6']],
    ['ls\necho a\u200bb', ['shell-obfuscated 2:7']],
    ['ls\nls (x', ['shell-unparsable 1:1']],
  ])('of %j', (command, expected) => {
    expect(places(command)).toEqual(expected)
  })

  test('the same is said once, whatever leads to it', () => {
    expect(places('for i in / /etc /usr; do rm -rf $i; done')).toEqual(['shell-delete-outside 1:26'])
    expect(places('f() { sudo ls; }; f; f')).toEqual(['shell-privilege 1:7'])
  })
})

describe('variables', () => {
  test('of the step count as if the command had set them', () => {
    expect(rulesOf('rm -rf "$D"')).toEqual([])
    expect(rulesOf('rm -rf "$D"', { D: '/' })).toEqual(['shell-delete-outside'])
    expect(rulesOf('$R -rf x', { R: 'sudo rm' })).toEqual(['shell-privilege'])
    expect(rulesOf('rm -rf "$D/x"', { D: 'build' })).toEqual([])
  })

  test('have the value that they were given last, and in a branch either', () => {
    expect(rulesOf('d=/; d=build; rm -rf $d')).toEqual([])
    expect(rulesOf('d=build; if x; then d=/; fi; rm -rf $d')).toEqual(['shell-delete-outside'])
    expect(rulesOf('(d=/); d=${d:-build}; rm -rf $d')).toEqual([])
  })
})

describe('functions', () => {
  const places = (command: string): string[] => dangersOf(command).map(({ rule, line, column }) => `${rule} ${line}:${column}`)

  test('are judged with the arguments of each call, at their own place', () => {
    expect(places('f() {\n  rm -rf "$1/"\n}\nf build')).toEqual([])
    expect(places('f() {\n  rm -rf "$1/"\n}\nf build\nf /etc')).toEqual(['shell-delete-outside 2:3'])
    expect(places('f() {\n  rm -rf "$1/"\n}\nf build\nsh -c \'f ~\'')).toEqual(['shell-delete-outside 2:3'])
  })

  test('that nothing calls are judged without', () => {
    expect(places('f() { rm -rf "$1/"; }')).toEqual(['shell-delete-outside 1:7'])
    expect(places('f() { sudo ls; }; f() { ls; }; f')).toEqual(['shell-privilege 1:7'])
  })
})

describe('a command cannot stop its judge', () => {
  test('too long is not judged, and said to be so', () => {
    expect(rulesOf('x'.repeat(70_000))).toEqual(['shell-unparsable'])
  })

  test.each([
    ['subshells', `${'('.repeat(5000)}ls${')'.repeat(5000)}`],
    ['substitutions', `${'echo $('.repeat(3000)}ls${')'.repeat(3000)}`],
    ['quoted substitutions', `${'echo "$('.repeat(500)}ls${')"'.repeat(500)}`],
    ['functions', `${'f() { '.repeat(2000)}ls${'; }'.repeat(2000)}`],
    ['evaluations', `${'eval '.repeat(2000)}ls`],
    ['wrappers', `${'env '.repeat(5000)}ls`],
    ['pipes', `ls${' | cat'.repeat(8000)}`],
    ['commands', 'ls;'.repeat(20_000)],
    [
      'values',
      `${Array.from({ length: 200 }, (_, at) => `if x; then v${at % 20}=${at}; fi`).join('\n')}\necho ${Array.from({ length: 20 }, (_, at) => `$v${at}`)
        .join('')
        .repeat(50)}`,
    ],
    ['doubling', `a=xxxxxxxxxx\n${'a=$a$a$a$a\n'.repeat(40)}rm -rf $a`],
    ['braces', `echo ${'{a,b,c,d}'.repeat(200)}`],
    ['calls of functions', `f() { rm -rf "$1"; }\n${'f x\n'.repeat(2000)}`],
    ['functions that call each other', 'f() { f a | f b; g c; }; g() { f d; f e; g; }; f x'],
    ['links', `${Array.from({ length: 500 }, (_, at) => `ln -s a${at} b${at}`).join('\n')}${'\nrm x y z'.repeat(500)}`],
    ['written files', `${Array.from({ length: 500 }, (_, at) => `echo a > f${at}`).join('\n')}${'\nsh d/*.sh'.repeat(500)}`],
    ['backslashes in code', `perl -e 'system("${'\\'.repeat(30_000)}x'`],
    ['spaces in code', `python3 -c 'run${' '.repeat(60_000)}'`],
    ['quotes in code', `ruby -e '${'%x{ qx( open '.repeat(4000)}'`],
    ['scripts of sed', `sed '${';s/a'.repeat(12_000)}' x`],
    ['self-reference', 'f() { "$@"; }; f f f f f f f f f f f f f f ls'],
  ])('%s have an answer', (_name, command) => {
    // With a pattern that backtracks this would not come to an end.
    expect(Array.isArray(dangersOf(command))).toBe(true)
  })

  test('whatever it is', () => {
    const pieces = [
      '$(',
      '`',
      '"',
      "'",
      '{',
      '}',
      '(',
      ')',
      '|',
      '&',
      ';',
      '\n',
      '<<E',
      'E',
      '$x',
      '${x:-',
      ' ',
      'rm',
      '-rf',
      '/',
      'sh -c ',
      'eval ',
      '\\',
      '*',
      '~',
      '>',
      '=',
      'x',
      '#',
      '[[',
      ']]',
      '((',
      '))',
      'if',
      'then',
      'fi',
      'case',
      'esac',
      'in',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
        for (const danger of dangersOf(parts.join(''))) {
          expect(Object.keys(dangerRules)).toContain(danger.rule)
          expect(danger.line).toBeGreaterThan(0)
          expect(danger.column).toBeGreaterThan(0)
        }
      }),
      { numRuns: 2000, seed: 7 },
    )
  })
})
