import { expect, test } from 'vitest'
import { languageOf } from '../../../../src/judge/syntax/syntax.ts'

test.each([
  ['src/a.ts', 'typescript'],
  ['a.d.mts', 'typescript'],
  ['a.TSX', 'tsx'],
  ['a.cjs', 'javascript'],
  ['a.jsx', 'javascript'],
  ['package.json', 'json'],
  ['a/tsconfig.json', 'jsonc'],
  ['tsconfig.build.json', 'jsonc'],
  ['.vscode/settings.json', 'jsonc'],
  ['a/.vscode/any.json', 'jsonc'],
  ['.eslintrc', 'jsonc'],
  ['.eslintrc.json', 'jsonc'],
  ['a.jsonc', 'jsonc'],
  ['.github/workflows/a.yml', 'yaml'],
  ['Cargo.toml', 'toml'],
  ['Cargo.lock', 'toml'],
  ['a.pyi', 'python'],
  ['a.go', 'go'],
  ['a.rs', 'rust'],
  ['A.java', 'java'],
  ['a.h', 'c'],
  ['a.hpp', 'cpp'],
  ['Rakefile', 'ruby'],
  ['lib/Gemfile', 'ruby'],
  ['a.gemspec', 'ruby'],
  ['a.php', 'php'],
  ['a.sh', 'shell'],
  ['.bashrc', 'shell'],
  ['a.htm', 'html'],
  ['a.css', 'css'],
])('%s is %s', (path, language) => {
  expect(languageOf(path)).toBe(language)
})

test.each([
  'a.md',
  'a.vue',
  'a.svelte',
  'a.scss',
  'a.less',
  'a.j2',
  'a.html.erb',
  'a.yaml.tmpl',
  'Makefile',
  'a',
  '.gitignore',
  'a.ts/b',
  '{{cookiecutter.name}}/a.py',
  'a.zsh',
  '.ts',
  '',
])('%s is not known', (path) => {
  expect(languageOf(path)).toBeUndefined()
})

test.each([
  ['bin/a', '#!/bin/sh\necho\n', 'shell'],
  ['bin/a', '#! /usr/bin/env -S bash -e\n', 'shell'],
  ['bin/a', '#!/usr/bin/env python3.12\n', 'python'],
  ['bin/a', '#!/usr/bin/env A=1 node', 'javascript'],
  ['bin/a', '#!/usr/bin/ruby -w\r\n', 'ruby'],
  ['bin/a', '#!/usr/bin/perl\n', undefined],
  ['bin/a', 'echo\n', undefined],
  // A script for another shell, whatever its name.
  ['a.sh', '#!/bin/zsh\n', undefined],
  ['a.sh', '#!/bin/bash\n', 'shell'],
  // Elsewhere the name counts.
  ['a.ts', '#!/usr/bin/env node\n', 'typescript'],
  ['a.pl', '#!/bin/sh\n', undefined],
])('%s that begins with %j is %s', (path, text, language) => {
  expect(languageOf(path, text)).toBe(language)
})
