import { expect, test } from 'vitest'
import { branchProblem, globProblem, pathProblem } from '../../../src/plan/text/repo-path.ts'

test.each([
  '../x',
  'a/../x',
  './x',
  'a/./b',
  '/etc/passwd',
  'C:/x',
  'c:x',
  '',
  'a//b',
  'a/',
  '/',
  '.',
  '..',
  'a\\b',
  '\\x',
  '.git',
  '.git/config',
  '.GIT/hooks/x',
  'a/.Git/x',
  'git~1/x',
  'GIT~1',
  '.git::$INDEX_ALLOCATION/x',
  '.git:x',
  '.g\u200cit/x',
  '.git\ufeff',
  '.git./x',
  '.git /x',
  'a./b',
  'a /b',
  'a.',
  'a ',
  'a\nb',
  'a\0b',
  'a\u202eb',
  'a/../../x',
  'a/b/../../..',
  'a/.git/hooks/x',
  '.GiT/config',
  'a/.git',
  'GIT~1/config',
  'git~12/x',
  'a/Git~1',
  '.git::$DATA',
  '.git:stream/x',
  'a/.git::$INDEX_ALLOCATION',
  '.git...',
  '.git. . /x',
  // What HFS+ does not see in a name, each of them.
  ...[
    '\u200c',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202b',
    '\u202c',
    '\u202d',
    '\u206a',
    '\u206b',
    '\u206c',
    '\u206d',
    '\u206e',
    '\u206f',
    '\ufeff',
  ].flatMap((unseen) => [`.g${unseen}it/x`, `${unseen}.git`, `.git${unseen}/x`]),
  'a\r',
  'a/b\r/c',
  'x\u0085',
  '-rf',
  '-',
  '--upload-pack=x',
  'prn ',
  'x'.repeat(5000),
])('the path %j is refused', (path) => {
  expect(pathProblem(path)).toBeTypeOf('string')
  expect(globProblem(path)).toBeTypeOf('string')
})

test.each([
  'a',
  'a/b.ts',
  '.gitignore',
  '.github/workflows/x.yml',
  'git',
  'a.git',
  'a/-rf',
  'ä/日本.md',
  'a b/c',
  '...x',
  '.gitattributes',
])('the path %j is allowed', (path) => {
  expect(pathProblem(path)).toBeUndefined()
})

// Windows, which is not supported, takes these for a stream or a device, and macOS two of them for one file: here they
// are names like others, and there are repositories that have them.
test.each([
  'Foo::Bar.3',
  'a.txt:stream',
  'a.txt::$DATA',
  'con',
  'nul.txt',
  'src/aux.c',
  'com1',
  'e\u0301.md',
  '\u00e9.md',
])('the path %j is allowed, and inside', (path) => {
  expect(pathProblem(path)).toBeUndefined()
})

test('globs are allowed in files and cannot be turned round', () => {
  for (const glob of ['**', 'src/**/*.ts', 'docs/{a,b}/*.md', '[a-z]?.txt']) expect(globProblem(glob)).toBeUndefined()
  expect(globProblem('!src/**')).toBeTypeOf('string')
})

test('branch names follow the rules of git, and none begins with a dash', () => {
  for (const name of ['main', 'release/1.0', 'feature/x_y', 'ä']) expect(branchProblem(name)).toBeUndefined()
  for (const name of [
    '',
    '-x',
    'a b',
    'a..b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    '/a',
    'a/',
    'a//b',
    'a.lock',
    'a.lock/b',
    '.a',
    'a/.b',
    'a.',
    '@',
    'a@{1}',
    'a\n',
  ])
    expect(branchProblem(name), name).toBeTypeOf('string')
})
