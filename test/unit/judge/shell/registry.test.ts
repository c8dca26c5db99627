// Programs of the user's own: what the configuration says about them holds for one simple command at a time.

import { describe, expect, test } from 'vitest'
import { classifyCommand, safetyProblems } from '../../../../src/judge/shell/classify.ts'
import type { SafetyEntry } from '../../../../src/judge/shell/registry.ts'

const mail: SafetyEntry = {
  tool: 'npx go-gmail',
  read: ['* search *', '* show * --format=*', 'labels', 'list **', '-v'],
  examples: {
    read: ['npx go-gmail a search x', 'npx go-gmail labels | sort'],
    write: ['npx go-gmail a send x', 'npx go-gmail a search x; rm y'],
  },
}
const classOf = (command: string): string => classifyCommand(command, [mail]).class

describe('what an entry allows', () => {
  test.each([
    'npx go-gmail a search x',
    "npx go-gmail a search 'two words; rm -rf /'",
    'npx "go-gmail" a sea\\rch x',
    'npx go-gmail a show 1 --format=json',
    'npx go-gmail labels | sort -u',
    'npx go-gmail list',
    'npx go-gmail list a b c',
    'npx go-gmail -v',
    'if npx go-gmail labels; then echo "$(npx go-gmail a search x)"; fi',
    'timeout 5 npx go-gmail labels',
  ])('%s is READ', (command) => {
    expect(classOf(command)).toBe('READ')
    expect(classifyCommand(command).class).toBe('WRITE')
  })
})

describe('what it does not allow', () => {
  test.each([
    'npx go-gmail a send x',
    'npx go-gmail',
    'npx other a search x',
    'npx',
    'go-gmail a search x',
    'npx go-gmail search x',
    'npx go-gmail a search x y',
    'npx go-gmail a search',
    'npx go-gmail a search --delete',
    'npx go-gmail --config=x search y',
    'npx go-gmail list a --delete',
    'npx go-gmail a show 1 --formatted',
    'npx go-gmail labels x',
    'npx --yes go-gmail labels',
    'npx go-gmail a search $x',
    'npx go-gmail a search "$x"',
    'npx go-gmail a search *',
    'npx go-gmail a search x > out',
    'npx go-gmail a search x; rm y',
    'npx go-gmail a search x | sh',
    'npx go-gmail a search x && npx go-gmail a send y',
    'npx go-gmail a search "$(npx go-gmail a send y)"',
    'X=1 npx go-gmail labels',
    './npx go-gmail labels',
    'cd x && npx go-gmail labels',
  ])('%s is WRITE', (command) => {
    expect(classOf(command)).toBe('WRITE')
  })

  test('an entry without a program allows nothing', () => {
    expect(classifyCommand('rm x', [{ tool: ' ', read: ['**', ''] }]).class).toBe('WRITE')
  })
})

describe('examples', () => {
  test('that are right are no problem', () => {
    expect(safetyProblems([mail])).toEqual([])
    expect(safetyProblems([{ tool: 'x', read: [] }])).toEqual([])
  })

  test.each([
    ['rm', 'rm is known to git plan'],
    ['git', 'git is known to git plan'],
    ['sudo', 'sudo runs other programs'],
    ['./tool', 'a path may lead to any program'],
  ])('an entry for %s is refused', (tool, problem) => {
    expect(safetyProblems([{ tool, read: ['*'] }]).join()).toContain(problem)
  })

  test('that are wrong are named, with what was found', () => {
    expect(
      safetyProblems([{ ...mail, examples: { read: ['npx go-gmail a send x'], write: ['npx go-gmail labels'] } }]),
    ).toEqual([
      'the example "npx go-gmail a send x" is WRITE, not READ: npx may write',
      'the example "npx go-gmail labels" is READ, not WRITE: npx only reads',
    ])
  })
})
