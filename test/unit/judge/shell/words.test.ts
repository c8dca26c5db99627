// What a word becomes, as far as that can be said before it runs.

import { describe, expect, test } from 'vitest'
import { isOperand, type Argument } from '../../../../src/judge/shell/argument.ts'
import { parseShell } from '../../../../src/judge/shell/parse.ts'
import { argumentOf } from '../../../../src/judge/shell/words.ts'

function argument(word: string): Argument {
  const parsed = parseShell(`x ${word}`)
  const command = 'script' in parsed ? parsed.script.commands[0]?.command : undefined
  const first = command?.type === 'Command' ? command.suffix[0] : undefined
  if (first?.type !== 'Word') throw new Error(`${word} is no word`)
  return argumentOf(first)
}

describe('a word that is known', () => {
  test.each([
    ['plain', 'plain'],
    ["'a b'", 'a b'],
    ['"a b"', 'a b'],
    ['a"b"\'c\'d', 'abcd'],
    ['a\\ b', 'a b'],
    ['a\\\nb', 'ab'],
    ['"a\\$b\\n"', 'a$b\\n'],
    ["'$(x)'", '$(x)'],
    ['\\*', '*'],
    ['"*"', '*'],
    ['""', ''],
    ['HEAD@{1}', 'HEAD@{1}'],
    ['{}', '{}'],
    ['"{a,b}"', '{a,b}'],
    ['a$', 'a$'],
    ['[', '['],
    ['x=y', 'x=y'],
  ])('%s is %j', (word, literal) => {
    expect(argument(word)).toEqual({ text: word, literal, prefix: literal, fields: 'one' })
  })
})

describe('a word that is not known', () => {
  test.each([
    ['"$x"', '', 'one'],
    ['"a$x"', 'a', 'one'],
    ['$x', '', 'any'],
    ['a$x', 'a', 'any'],
    ['a"$x"b', 'a', 'one'],
    ['"$@"', '', 'any'],
    ['"${a[@]}"', '', 'any'],
    ['$(ls)', '', 'any'],
    ['"./$(ls)"', './', 'one'],
    ['*', '', 'like'],
    ['a*', 'a', 'like'],
    ['[ab]c', '', 'like'],
    ['src/{a,b}', 'src/', 'like'],
    ['{-o,x}', '', 'like'],
    ['a{b,$x}', 'a', 'any'],
    ['*$x', '', 'any'],
    ['~/x', '~/x', 'one'],
    ["$'a'", 'a', 'one'],
    ["$'-o'", '-o', 'one'],
    [String.raw`$'\x2do'`, '', 'one'],
    [String.raw`$'\tb'`, ' b', 'one'],
    ['<(ls)', '/', 'one'],
    ['$(git merge-base a b)', '0', 'like'],
    ['$(git merge-base $x b)', '', 'any'],
    ['{"a,b",c}', '', 'any'],
    ['[a"b"]', '', 'like'],
  ])('%s begins with %j and has fields: %s', (word, prefix, fields) => {
    expect(argument(word)).toEqual({ text: word, literal: undefined, prefix, fields })
  })
})

test.each([
  ['a', true],
  ['-', true],
  ['""', true],
  ['"a$x"', true],
  ['./*', true],
  ['~/x', true],
  ['-a', false],
  ['"-"$x', false],
  ['"$x"', false],
  ['*', false],
  ['a$x', false],
  ['{a,b}', false],
  ['"$@"', false],
])('that %s cannot become an option is %s', (word, expected) => {
  expect(isOperand(argument(word))).toBe(expected)
})
