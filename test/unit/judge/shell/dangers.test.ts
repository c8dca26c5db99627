// Dangerous and harmless commands: the tables of test/data/commands, positions, and commands that try to stop the
// judge.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dangersOf } from '../../../../src/judge/shell/dangers.ts'
import { dangerRules, type DangerName } from '../../../../src/judge/shell/dangers/rules.ts'
import { dangers, harmless, readers } from '../../../helpers/shell-commands.ts'

const rulesOf = (command: string, variables?: Record<string, string>): string[] =>
  dangersOf(command, variables).map(({ rule }) => rule)

test('every row of the table is found by the rule that it names', () => {
  expect(dangers.length).toBeGreaterThan(950)
  const missed = dangers.filter(({ rule, command }) => !rulesOf(command).includes(rule))
  expect(missed.map(({ rule, command }) => `${rule}: ${command} (${rulesOf(command).join(', ')})`)).toEqual([])
})

test('every rule has rows of its own', () => {
  const counted = Object.keys(dangerRules).map((rule) => ({
    rule,
    rows: dangers.filter((each) => each.rule === rule).length,
  }))
  expect(counted.filter(({ rows }) => rows < 5)).toEqual([])
})

/** For each rule, the harmless command that comes closest to it. */
const nearMisses: Readonly<Record<DangerName, string>> = {
  'shell-unparsable': 'case "$1" in a) echo a;; *) echo b;; esac',
  'shell-delete-outside': 'rm -rf "${BUILD:?}/"',
  'shell-delete-repository': 'rm -rf ./dist',
  'shell-clean-ignored': 'git clean -fdxn',
  'shell-device': 'dd if=/dev/zero of=x bs=1k count=1',
  'shell-write-outside': 'echo x > /tmp/x',
  'shell-git-directory': 'ls "$(git rev-parse --git-dir)"',
  'shell-network-to-shell': 'curl -sS https://x/y.json | jq .',
  'shell-force-push': 'git push --dry-run',
  'shell-rewrite-history': 'git reset HEAD src/x.ts',
  'shell-moves-branch': 'git merge --no-commit feature',
  'shell-credentials': 'cat ~/.ssh/id_rsa.pub',
  'shell-send-data': 'scp host:file .',
  'shell-privilege': 'chmod 0755 x',
  'shell-fork-bomb': 'walk() { for d in "$1"/*; do walk "$d"; done; }; walk src',
  'shell-checks-off': 'npm test || exit 1',
  'shell-obfuscated': '$CC -o x x.c',
  'shell-background': 'npm start & wait',
  'shell-machine': 'apt-get -s install jq',
  'shell-external-effect': 'npm publish --dry-run',
}

test.each(Object.entries(nearMisses))('%s does not find %s', (_rule, command) => {
  expect(harmless).toContain(command)
  expect(rulesOf(command)).toEqual([])
})

test('of what plans are made of, nothing is said', () => {
  expect(harmless.length).toBeGreaterThan(550)
  expect(
    harmless.flatMap((command) => dangersOf(command).map(({ rule, message }) => `${command}: ${rule}: ${message}`)),
  ).toEqual([])
})

test('of what only reads, nothing is said but that a name is hidden, or a key is looked at', () => {
  const said = readers.flatMap((command) => rulesOf(command).map((rule) => `${rule}: ${command}`))
  expect(said).toEqual(['shell-obfuscated: l\\s -l', 'shell-obfuscated: "l"s'])
})

describe('positions', () => {
  const places = (command: string): string[] =>
    dangersOf(command).map(({ rule, line, column }) => `${rule} ${line}:${column}`)

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

test('a function is judged once, where it is defined, without knowing its arguments', () => {
  const positions = (command: string): string[] =>
    dangersOf(command).map(({ rule, line, column }) => `${rule} ${line}:${column}`)
  expect(positions('f() {\n  rm -rf "$1/"\n}\nf build')).toEqual([])
  expect(positions('f() {\n  rm -rf /etc\n}\nf\nf')).toEqual(['shell-delete-outside 2:3'])
  expect(positions('f() { sudo ls; }; f() { ls; }; f')).toEqual(['shell-privilege 1:7'])
  expect(positions('reboot() { ls; }; reboot')).toEqual([])
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
      `${Array.from({ length: 200 }, (_, at) => `if x; then v${at % 20}=${at}; fi`).join('\n')}\necho ${Array.from(
        { length: 20 },
        (_, at) => `$v${at}`,
      )
        .join('')
        .repeat(50)}`,
    ],
    ['doubling', `a=xxxxxxxxxx\n${'a=$a$a$a$a\n'.repeat(40)}rm -rf $a`],
    ['braces', `echo ${'{a,b,c,d}'.repeat(200)}`],
    ['functions that call each other', 'f() { f a | f b; g c; }; g() { f d; f e; g; }; f x'],
    [
      'fetched files',
      `${Array.from({ length: 500 }, (_, at) => `curl -o f${at} https://x`).join('\n')}${'\nsh f1'.repeat(500)}`,
    ],
    ['words', `docker ${'run '.repeat(15_000)}x`],
    ['options', `kubectl ${'-n x '.repeat(12_000)}get`],
    ['open substitutions', `sh -c '${'<('.repeat(30_000)}'`],
    ['spaces', `python3 -c 'run${' '.repeat(60_000)}'`],
    ['self-reference', 'f() { "$@"; }; f f f f f f f f f f f f f f ls'],
  ])('%s are judged', (_name, command) => {
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
