// What is a package to each manager, and what could be something else to it: an option, a path, an address, a second
// package.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packageProblem, readPackage, type Registry } from '../../../../src/plan/packages/package-names.ts'

const known: Readonly<Record<Registry, readonly (readonly [text: string, name: string, wanted: string])[]>> = {
  npm: [
    ['express', 'express', ''],
    ['express-rate-limit@^7', 'express-rate-limit', '^7'],
    ['JSONStream@1.3.5', 'JSONStream', '1.3.5'],
    ['@types/node@20', '@types/node', '20'],
    ['@scope/a.b-c@~1.2.3-beta.1+build.5', '@scope/a.b-c', '~1.2.3-beta.1+build.5'],
    ['x@latest', 'x', 'latest'],
    ['x@*', 'x', '*'],
    ['x@1.x', 'x', '1.x'],
    ['x@>=1.2 <2', 'x', '>=1.2 <2'],
    ['x@1 || ^2.0.0', 'x', '1 || ^2.0.0'],
    ['x@1.2 - 2.3', 'x', '1.2 - 2.3'],
  ],
  pypi: [
    ['requests', 'requests', ''],
    ['ruamel.yaml==0.18.6', 'ruamel.yaml', '==0.18.6'],
    ['requests[socks,security]>=2,<3', 'requests', '>=2,<3'],
    ['Django~=4.2', 'Django', '~=4.2'],
    ['x!=1.0.*', 'x', '!=1.0.*'],
    ['x==1!2.0rc1', 'x', '==1!2.0rc1'],
  ],
  poetry: [
    ['requests', 'requests', ''],
    ['requests>=2,<3', 'requests', '>=2,<3'],
    ['requests@^2.32', 'requests', ''],
    ['requests@latest', 'requests', ''],
  ],
  crates: [
    ['serde', 'serde', ''],
    ['serde_json@1.0', 'serde_json', '1.0'],
    ['tokio@^1.2.3', 'tokio', '^1.2.3'],
    ['x@>=1.2, <2', 'x', '>=1.2, <2'],
  ],
  go: [
    ['golang.org/x/sync', 'golang.org/x/sync', ''],
    ['github.com/Masterminds/semver/v3@v3.2.1', 'github.com/Masterminds/semver/v3', 'v3.2.1'],
    ['gopkg.in/yaml.v3@latest', 'gopkg.in/yaml.v3', 'latest'],
    ['example.com/a@v0.0.0-20240101000000-abcdef123456', 'example.com/a', 'v0.0.0-20240101000000-abcdef123456'],
  ],
  gems: [
    ['rack', 'rack', ''],
    ['rack@~> 3.1', 'rack', '~> 3.1'],
    ['rails@>= 7, < 8', 'rails', '>= 7, < 8'],
    ['rails@7.1.2', 'rails', '7.1.2'],
  ],
  packagist: [
    ['monolog/monolog', 'monolog/monolog', ''],
    ['monolog/monolog:^3.0', 'monolog/monolog', '^3.0'],
    ['symfony/http-kernel:6.* || 7.*', 'symfony/http-kernel', '6.* || 7.*'],
    ['a/b:dev-main', 'a/b', 'dev-main'],
  ],
}

const registries = Object.keys(known) as Registry[]

describe.each(registries)('a package of %s', (registry) => {
  test.each(known[registry])('%s', (text, name, wanted) => {
    expect(packageProblem(text)).toBeUndefined()
    expect(readPackage(registry, text)).toEqual({ name, wanted })
  })
})

/** Each is something else to at least one manager. */
const hostile = [
  '',
  '-g',
  '--global',
  '--registry=https://example.com/x',
  '-r requirements.txt',
  '.',
  './x',
  '../x',
  '/etc/passwd',
  '~/x',
  'x@./y',
  'x@../y',
  'x@/y',
  'x@~/y',
  'file:x',
  'x@file:../y',
  'x@link:../y',
  'x@npm:y@1',
  'npm:y',
  'x@workspace:*',
  'x@portal:../y',
  'x@patch:y',
  'x@exec:./gen.js',
  'jsr:@a/b',
  'github:a/b',
  'x@github:a/b',
  'git@example.com:a/b',
  'git+ssh://git@example.com/a/b',
  'git+https://example.com/a/b.git',
  'https://example.com/x.tgz',
  'http://example.com/x',
  'x@https://example.com/x.tgz',
  'x @ https://example.com/x.whl',
  'x.tgz',
  'x@1.tgz',
  'x.tar.gz',
  'x.whl',
  'x==1.zip',
  'x; python_version<"3"',
  'x;touch y',
  'x && touch y',
  'x|y',
  '$(touch y)',
  '`touch y`',
  "x'y",
  'x"y',
  'x\\y',
  'x\ny',
  'x\ty',
  'x\0y',
  'x\u202Ey',
  'x y',
  'x --global',
  'x@1 --global',
  'x@ -g',
  'x@-g',
  'x@',
  'x@1@2',
  'x=1',
  'x>1>',
  '%2e%2e/x',
  'x?y',
  'x#y',
  'x{y}',
  'é',
  `x${'y'.repeat(250)}`,
]

test.each(hostile)('%j is no package to anyone', (text) => {
  for (const registry of registries) expect(readPackage(registry, text), registry).toBeUndefined()
})

test.each([
  ['npm', 'a/b'],
  ['npm', '@a'],
  ['npm', '@a/b/c'],
  ['npm', '_x'],
  ['pypi', 'a/b'],
  ['pypi', 'x@1'],
  ['pypi', 'x[]'],
  ['crates', 'a/b'],
  ['crates', '1x'],
  ['go', 'x'],
  ['go', 'fmt'],
  ['go', 'example.com/a@none'],
  ['go', 'example.com/../a'],
  ['go', 'example.com/a/...'],
  ['gems', 'a/b'],
  ['packagist', 'monolog'],
  ['packagist', 'a/b@dev'],
] as const)('%s has no package called %s', (registry, text) => {
  expect(readPackage(registry, text)).toBeUndefined()
})

test('where it comes from is refused with the verb that can do it', () => {
  for (const text of [
    'https://example.com/x.tgz',
    'git+ssh://git@example.com/a',
    'x@file:../y',
    'x@npm:y',
    './x',
    'x.tgz',
  ])
    expect(packageProblem(text), text).toContain('use `run`')
  expect(packageProblem('-g')).toContain('begin with `-`')
})

test('whatever is taken for a package is one word to a shell that quotes it, no option, no path, and read in no time', () => {
  const piece = fc.constantFrom(
    'x',
    '@',
    '/',
    '.',
    '-',
    '~',
    '^',
    '>',
    '=',
    '|',
    ' ',
    '1',
    '*',
    ':',
    ',',
    '[',
    ']',
    '_',
    '+',
    '!',
    'a/b',
    '||',
    ' - ',
    'dev-',
    'tgz',
    'git',
  )
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(fc.constantFrom(...registries), text, (registry, each) => {
      const read = readPackage(registry, each)
      if (read === undefined) return
      expect(each.startsWith(read.name)).toBe(true)
      expect(read.name).toMatch(/^@?[A-Za-z0-9][A-Za-z0-9._~/-]*$/)
      expect(read.name).not.toMatch(/(^|\/)\.\.?(\/|$)|\/\//)
      expect(read.wanted).not.toMatch(/^-|[/'"`$;&()\\\n]/)
      expect(each).not.toMatch(/['"`$;&()\\\n\0]|:\/\//)
    }),
    { numRuns: 5000 },
  )
})

// With a pattern that backtracks this would not come to an end.
test.each(registries)('long names of %s that almost fit have an answer', (registry) => {
  for (const unit of ['a', 'a-', 'a.', '1.', '1 ', '1 || ', 'x@1 ', ',1', '>=1,'])
    for (const head of ['', 'a/', 'x@', 'a/b:', 'x==', 'a.b/'])
      expect(() => readPackage(registry, `${`${head}${unit.repeat(240)}`.slice(0, 248)}\u0021`)).not.toThrow()
})
