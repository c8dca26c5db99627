// Tests that a machine cannot run are left out and named. Where every test must run, that is an error which says what
// to install.

import { expect, test } from 'vitest'
import { untestable } from '../helpers/machine.ts'

test('a missing tool is named, with what is not tried and what to install', () => {
  const { globs, sentences } = untestable({ PATH: '/nowhere' })
  expect(globs).toHaveLength(2)
  expect(sentences).toEqual([
    'skipped without gcc: kills and errors at a given system call (apt-get install gcc libc6-dev)',
    'skipped without strace: the order of writes before a power cut (apt-get install strace)',
  ])
})

test('with CI=true that is an error', () => {
  const install = 'with CI=true every test must run: apt-get install gcc libc6-dev strace'
  expect(() => untestable({ PATH: '/nowhere', CI: 'true' })).toThrow(install)
})
