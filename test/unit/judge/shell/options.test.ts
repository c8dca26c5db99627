// Options as a line of usage has them.

import { describe, expect, test } from 'vitest'
import { literalArgument, type Argument } from '../../../../src/judge/shell/argument.ts'
import { options, readOptions } from '../../../../src/judge/shell/options.ts'

const known = options('-ab -k= -M[=] -# --name --key= --color[=]')
const words = (line: string): Argument[] =>
  line
    .split(' ')
    .filter((word) => word !== '')
    .map(literalArgument)
const read = (line: string, until: 'end' | 'first' = 'end') => {
  const { problem, options, operands, afterDashes, isMixed } = readOptions(known, words(line), until)
  return {
    problem,
    options: options.map(({ name, value }) => (value === undefined ? name : `${name} ${value.literal}`)),
    operands: operands.map(({ literal }) => literal),
    afterDashes,
    isMixed,
  }
}

describe('what is known', () => {
  test.each([
    ['-a -b', ['-a', '-b'], []],
    ['-ab', ['-a', '-b'], []],
    ['-k v x', ['-k v'], ['x']],
    ['-kv x', ['-k v'], ['x']],
    ['-abk v', ['-a', '-b', '-k v'], []],
    ['-M -M90% x', ['-M', '-M 90%'], ['x']],
    ['-5', [], []],
    ['--name --key=v --key w --color --color=auto', ['--name', '--key v', '--key w', '--color', '--color auto'], []],
    ['- x', [], ['-', 'x']],
    ['-a -- -z --zz', ['-a'], ['-z', '--zz']],
  ])('%s', (line, given, operands) => {
    expect(read(line)).toMatchObject({ problem: undefined, options: given, operands })
  })

  test('an option behind an operand is told, and so is how much follows the dashes', () => {
    expect(read('x -a')).toMatchObject({ isMixed: true })
    expect(read('-a x -- y z')).toMatchObject({ isMixed: false, afterDashes: 2 })
  })

  test('of a program that runs another one, what follows is not read', () => {
    expect(read('-a x -z --zz', 'first')).toMatchObject({
      problem: undefined,
      options: ['-a'],
      operands: ['x', '-z', '--zz'],
    })
  })
})

describe('what is not', () => {
  test.each([
    '-z',
    '-az',
    '-5a',
    '--nam',
    '--n',
    '--names',
    '--name=x',
    '--ke=x',
    '--Key=x',
    '---name',
    '-k',
    '--key',
    '-k -a',
    '--key -a',
    '--key --',
    '-Mx',
  ])('%s is a problem', (line) => {
    expect(read(line).problem).toBeDefined()
  })

  test('a word that the shell makes is none, unless the name of an option is there', () => {
    const open = (prefix: string, fields: Argument['fields']): Argument => ({
      text: '"…"',
      literal: undefined,
      prefix,
      fields,
    })
    expect(readOptions(known, [open('', 'one')]).problem).toBeDefined()
    expect(readOptions(known, [open('-', 'one')]).problem).toBeDefined()
    expect(readOptions(known, [open('a', 'any')]).problem).toBeDefined()
    expect(readOptions(known, [open('--key=', 'any')]).problem).toBeDefined()
    expect(readOptions(known, [open('--zz=', 'one')]).problem).toBeDefined()
    expect(readOptions(known, [open('--key=', 'one')]).problem).toBeUndefined()
    expect(readOptions(known, [open('a', 'one'), open('./', 'like')]).problem).toBeUndefined()
  })
})
