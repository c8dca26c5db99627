import { expect, test } from 'vitest'
import { branchProblem, globProblem, pathProblem } from '../../../src/plan/repo-path.ts'

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
  'x'.repeat(5000),
])('the path %j is refused', (path) => {
  expect(pathProblem(path)).toBeTypeOf('string')
  expect(globProblem(path)).toBeTypeOf('string')
})

test.each(['a', 'a/b.ts', '.gitignore', '.github/workflows/x.yml', 'git', 'a.git', '-rf', 'ä/日本.md', 'a b/c', '...x', 'Foo::Bar.3', '.gitattributes'])(
  'the path %j is allowed',
  (path) => {
    expect(pathProblem(path)).toBeUndefined()
  },
)

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
