// What holds for every command, and not only for those that somebody thought of.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyCommand } from '../../../../src/judge/shell/classify.ts'
import { canaries, readers, sample } from '../../../helpers/shell-commands.ts'

/**
 * A comment, a here-document or a backslash would swallow what is put behind it; several lines do not fit everywhere.
 */
const isOneLine = (command: string): boolean => !/[\n#]/.test(command)
/** What begins with `!` or `time` cannot follow a pipe. */
const fitting = readers.filter((command) => isOneLine(command) && !/^(!|time) /.test(command))
const writing = [
  ...canaries,
  ...sample.filter(({ expected }) => expected === 'WRITE').map(({ command }) => command),
].filter(isOneLine)
/** Written with `&`, a `;` behind it is a mistake. */
const separable = (command: string): boolean => !/&\s*$/.test(command)

const reader = fc.constantFrom(...fitting)
const writer = fc.constantFrom(...writing.filter(separable))

/** Every way to put a command into another one. */
const places: readonly ((inner: string, other: string) => string)[] = [
  (inner, other) => `${other}; ${inner}`,
  (inner, other) => `${inner}; ${other}`,
  (inner, other) => `${other}\n${inner}`,
  (inner, other) => `${other} && ${inner}`,
  (inner, other) => `${other} || ${inner}`,
  (inner, other) => `${other} | ${inner}`,
  (inner, other) => `${inner} | ${other}`,
  (inner) => `( ${inner} )`,
  (inner) => `{ ${inner}; }`,
  (inner) => `! { ${inner}; }`,
  (inner) => `time ( ${inner} )`,
  (inner, other) => `if ${inner}; then ${other}; fi`,
  (inner, other) => `if ${other}; then ${inner}; fi`,
  (inner, other) => `if ${other}; then :; elif ${inner}; then :; fi`,
  (inner, other) => `if ${other}; then :; else ${inner}; fi`,
  (inner) => `while ${inner}; do :; done`,
  (inner) => `until true; do ${inner}; done`,
  (inner) => `for x in a b; do ${inner}; done`,
  (inner) => `case x in a) :;; *) ${inner};; esac`,
  (inner) => `f() { ${inner}; }`,
  (inner) => `echo $( ${inner} )`,
  (inner) => `echo "a $( ${inner} ) b"`,
  (inner) => `echo "\${x:-$( ${inner} )}"`,
  (inner) => `x=$( ${inner} )`,
  (inner) => `for x in $( ${inner} ); do :; done`,
  (inner) => `case $( ${inner} ) in a) :;; esac`,
  (inner) => `[ -n "$( ${inner} )" ]`,
  (inner) => `[[ -n $( ${inner} ) ]]`,
  (inner) => `cat <<< "$( ${inner} )"`,
  (inner) => `cat <(${inner})`,
  (inner) => `cat <<E\n$( ${inner} )\nE`,
  (inner) => `sh -c '${inner.replaceAll("'", `'\\''`)}'`,
  (inner) => `bash -c '${inner.replaceAll("'", `'\\''`)}' _ a`,
  (inner) => `find . -exec sh -c '${inner.replaceAll("'", `'\\''`)}' \\;`,
  (inner) => `{ ${inner}; } 2>/dev/null`,
]
const place = fc.constantFrom(...places)

describe('a writer', () => {
  test('makes whatever it stands in WRITE, however deep', () => {
    fc.assert(
      fc.property(writer, fc.array(fc.tuple(place, reader), { minLength: 1, maxLength: 4 }), (inner, around) => {
        const whole = around.reduce((command, [put, other]) => put(command, other), inner)
        expect(classifyCommand(whole).class, whole).toBe('WRITE')
      }),
      { numRuns: 3000 },
    )
  })

  test.each(places.map((put) => ({ shown: put('WRITER', 'READER'), put })))(
    '$shown: WRITE for each of them',
    ({ put }) => {
      expect(
        writing.filter((command) => separable(command) && classifyCommand(put(command, 'ls')).class === 'READ'),
      ).toEqual([])
    },
  )
})

describe('a reader', () => {
  const keeping = places.filter((put) => classifyCommand(put('ls', 'pwd')).class === 'READ')

  test('stays READ in every place that reads by itself', () => {
    expect(keeping.length).toBeGreaterThan(25)
    // Git is bound to its directory, and `{}` means something to find.
    const plain = fitting.filter(
      (command) => classifyCommand(`${command}; cd sub`).class === 'READ' && !command.includes('{}'),
    )
    expect(plain.length).toBeGreaterThan(150)
    for (const put of keeping)
      expect(plain.filter((command) => classifyCommand(put(command, 'ls')).class === 'WRITE')).toEqual([])
  })

  test('becomes WRITE with a file behind it, or in the background', () => {
    for (const command of fitting)
      for (const end of [' > out', ' >> out', ' 2> out', ' &> out', ' <> out', ' &', ' | tee out', ' | sh']) {
        expect(classifyCommand(`${command}${end}`).class, `${command}${end}`).toBe('WRITE')
      }
  })

  test('becomes WRITE with a variable before it that programs know', () => {
    for (const name of ['PATH', 'LD_PRELOAD', 'GIT_DIR', 'BASH_ENV', 'x'])
      for (const command of fitting)
        expect(classifyCommand(`${name}=./x command ${command}`).class, `${name} ${command}`).toBe('WRITE')
  })
})

describe('any text', () => {
  const pieces = [
    ...'\'"`$(){}[]<>|&;\\\n\t #!*?~=-+@%^,.:/'.split(''),
    '$(',
    '${',
    '$((',
    '))',
    '[[',
    ']]',
    '<<E\n',
    '\nE\n',
    '&&',
    '||',
    ';;',
    '>&',
    '2>&1',
    'if ',
    'then ',
    'fi',
    'do ',
    'done',
    'for x in ',
    'case x in ',
    'esac',
    'f()',
    'ls',
    'cat',
    'sort -',
    'git ',
    'sed ',
    "awk '",
    'find . -',
    'touch pwned',
    'a',
    '1',
  ]
  const shellish = fc.array(fc.constantFrom(...pieces), { maxLength: 400 }).map((each) => each.join('').slice(0, 4096))
  const text = fc.oneof(shellish, fc.string({ maxLength: 4096 }), fc.string({ unit: 'binary', maxLength: 4096 }))

  test('has an answer, of one line', () => {
    fc.assert(
      fc.property(text, (command) => {
        const { class: found, reason } = classifyCommand(command)
        expect(['READ', 'WRITE']).toContain(found)
        expect(reason).toMatch(/^[^\n]{1,200}$/)
      }),
      { numRuns: 3000 },
    )
  })

  test('in single quotes is data: the answer does not depend on it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (data) => {
        const quoted = `'${data.replaceAll("'", `'\\''`)}'`
        expect(classifyCommand(`echo ${quoted}`).class).toBe('READ')
        expect(classifyCommand(`grep -e ${quoted} a.txt`).class).toBe('READ')
        expect(classifyCommand(`frobnicate ${quoted}`).class).toBe('WRITE')
      }),
      { numRuns: 1000 },
    )
  })

  test('as the name of a program is WRITE, unless it is one of the table', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9_./-]{6,30}$/), (name) => {
        fc.pre(classifyCommand(`command -v ${name}`).class === 'READ' && /[0-9A-Z_./]/.test(name.slice(1, 5)))
        expect(classifyCommand(`'${name}' a`).class).toBe('WRITE')
      }),
      { numRuns: 1000 },
    )
  })
})
