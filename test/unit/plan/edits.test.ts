import { describe, expect, test } from 'vitest'
import { fenced, findingsOf, parsed } from '../../helpers/plans.ts'
import { perform, world } from '../../helpers/verb-world.ts'
import { verbOf } from '../../../src/plan/verbs/index.ts'

const stepOf = (yaml: string) => parsed(fenced(`steps:\n  - ${yaml.trim().replaceAll('\n', '\n    ')}`)).plan.steps[0]!
const pathsOf = (yaml: string) => {
  const step = stepOf(yaml)
  return verbOf(step).paths(step.spec)
}
const block = (text: string): string => `patch: |\n${text.replace(/^(?=.)/gm, '  ')}`
const problem = (yaml: string) =>
  findingsOf(fenced(`steps:\n  - ${yaml.trim().replaceAll('\n', '\n    ')}`)).map(({ line, message }) => ({
    line,
    message,
  }))

describe('edits', () => {
  const step = `edits:
  - {file: a.ts, replace: one, with: two}
  - {file: b.ts, append: 'end'}
  - {file: a.ts, match: 'tw(o)', with: 'thre$1'}`
  test('several files in one step, and several edits of one file in order', async () => {
    const { context, content } = world({ 'a.ts': 'one\n', 'b.ts': 'b\n', 'c.ts': 'c\n' })
    expect(await perform(step, context)).toEqual({ kind: 'performed' })
    expect(content()).toEqual({ 'a.ts': 'threo\n', 'b.ts': 'b\nend\n', 'c.ts': 'c\n' })
    expect(pathsOf(step)).toEqual({ reads: ['a.ts', 'b.ts'], writes: ['a.ts', 'b.ts'], deletes: [] })
    expect(stepOf(step)).toMatchObject({ id: 'edit-a-ts', title: 'Edit a.ts and 1 more' })
  })
  test('one that fails leaves all files, and is named', async () => {
    const files = { 'a.ts': 'one\n', 'b.ts': 'b\n' }
    const { context, content } = world(files)
    expect(
      await perform(
        'edits:\n  - {file: a.ts, replace: one, with: two}\n  - {file: b.ts, replace: x, with: y}',
        context,
      ),
    ).toEqual({
      kind: 'failed',
      reason: 'verb',
      message: 'cannot edit b.ts: the text to replace was not found (edit 2 of 2)',
      place: { path: ['edits', 1, 'file'] },
    })
    expect(await perform('edits:\n  - {file: a.ts, append: x}\n  - {file: none, append: x}', context)).toMatchObject({
      message: 'cannot edit none: it does not exist (edit 2 of 2)',
    })
    expect(content()).toEqual(files)
  })
  test.each([
    ['edits: []', 3, '`edits` is empty'],
    ['edits:\n  - {file: a, append: x}\n  - {file: b}', 5, 'an edit has exactly one of'],
    ['edits:\n  - {file: ../b, append: x}', 4, 'must not contain `..`'],
    ['edits:\n  - {file: .git/config, append: x}', 4, 'git directory'],
    ['edits:\n  - {file: a, append: x, wiht: y}', 4, 'unknown key `wiht`'],
    ['edits:\n  - file: a\n    diff: |\n      @@ -1 +1 @@\n      -a\n      +b\n      *c', 9, 'belongs to no hunk'],
  ])('%j is refused at line %i', (yaml, line, message) => {
    expect(problem(yaml)).toEqual([{ line, message: expect.stringContaining(message) }])
  })
})

describe('patch', () => {
  const several = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,9 +1,7 @@
 one
-two
+TWO
 three
@@ -5,1 +5,1 @@ here
-five
+FIVE
diff --git a/new.sh b/new.sh
new file mode 100755
--- /dev/null
+++ b/new.sh
@@ -0,0 +1 @@
+echo
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-bye
-bye
diff --git a/lib/x.txt b/lib/y.txt
similarity index 50%
rename from lib/x.txt
rename to lib/y.txt
--- a/lib/x.txt
+++ b/lib/y.txt
@@ -1 +1 @@
-x
+y
diff --git a/logo.bin b/img/logo.bin
similarity index 100%
rename from logo.bin
rename to img/logo.bin
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`
  const files = {
    'src/a.ts': 'one\ntwo\nthree\nfour\nfive\n',
    'old.txt': 'bye\nbye\n',
    'lib/x.txt': 'x\n',
    'logo.bin': new Uint8Array([0xff, 0]),
    'run.sh': 'echo\n',
  }
  test('changes, creates, deletes and renames, with wrong numbers of lines', async () => {
    const { context, content, executable } = world(files)
    expect(await perform(block(several), context)).toEqual({ kind: 'performed' })
    expect(content()).toEqual({
      'src/a.ts': 'one\nTWO\nthree\nfour\nFIVE\n',
      'new.sh': 'echo\n',
      'lib/y.txt': 'y\n',
      'img/logo.bin': '�\0',
      'run.sh': 'echo\n',
    })
    expect([...executable].toSorted()).toEqual(['new.sh', 'run.sh'])
    expect(pathsOf(block(several))).toEqual({
      reads: ['src/a.ts', 'old.txt', 'lib/x.txt', 'logo.bin', 'run.sh'],
      writes: ['src/a.ts', 'new.sh', 'lib/y.txt', 'img/logo.bin', 'run.sh'],
      deletes: ['old.txt', 'lib/x.txt', 'logo.bin'],
    })
    expect(stepOf(block(several))).toMatchObject({ id: 'patch-src-a-ts', title: 'Patch src/a.ts and 5 more' })
  })
  test('without lines `diff`, with empty lines between files, and with quoted names', async () => {
    const { context, content } = world({ 'a.txt': 'a\n\nb\n', 'ä b.txt': 'x\n', 'b/c': 'c\n' })
    const plain =
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n\n--- "a/\\303\\244 b.txt"\t2026\n+++ "b/\\303\\244 b.txt"\n@@ -1 +1 @@\n-x\n+y\n--- b/c\n+++ b/c\n@@ -1 +1 @@\n-c\n+C\n'
    expect(await perform(block(plain), context)).toEqual({ kind: 'performed' })
    expect(content()).toEqual({ 'a.txt': 'a\n\nB\n', 'ä b.txt': 'y\n', 'b/c': 'C\n' })
  })
  test.each([
    ['src/a.ts', { 'src/a.ts': 'other\n' }, 'cannot patch src/a.ts: hunk 1 of 2 does not apply', 5],
    ['a second hunk', { 'src/a.ts': 'one\ntwo\nthree\n' }, 'cannot patch src/a.ts: hunk 2 of 2 does not apply', 10],
    ['a new file that exists', { 'new.sh': '' }, 'cannot patch new.sh: new.sh already exists', 13],
    ['a deleted file with more lines', { 'old.txt': 'bye\nbye\nmore\n' }, 'but not all of its lines', 19],
    ['a name that is taken', { 'lib/y.txt': '' }, 'cannot patch lib/x.txt: lib/y.txt already exists', 26],
  ])('%s: nothing is changed, and the hunk is named', async (_, other, message, line) => {
    const { context, content } = world({ ...files, ...other })
    const before = content()
    expect(await perform(block(several), context)).toEqual({
      kind: 'failed',
      reason: 'verb',
      message: expect.stringContaining(message),
      place: { path: ['patch'], line },
    })
    expect(content()).toEqual(before)
  })
  test('a file that is missing', async () => {
    const { context } = world({})
    expect(await perform(block(several), context)).toMatchObject({
      message: 'cannot patch src/a.ts: Git tracks no such file',
    })
  })
  const change = (name: string): string => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`
  test.each([
    ['no names', '@@ -1 +1 @@\n-a\n+b\n', 4, 'does not name the file'],
    ['a path outside', change('../x'), 4, 'must not contain `..`'],
    ['an absolute path', '--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n', 4, 'the path is absolute'],
    ['the Git directory', change('.git/config'), 4, 'git directory'],
    ['the directory of plans', change('.Plans/config.yml'), 4, 'belongs to git plan'],
    ['the same file twice', change('x') + change('x'), 9, 'the patch has x twice'],
    ['a rename onto a changed file', `${change('x')}diff --git a/y b/x\nrename from y\nrename to x\n`, 9, 'x twice'],
    ['two names', '--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n', 4, 'it names x and y'],
    ['a copy', 'diff --git a/x b/y\ncopy from x\ncopy to y\n', 5, 'copies a file'],
    ['binary', 'diff --git a/x b/x\nGIT binary patch\n', 5, 'binary'],
    [
      'a symlink',
      'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n',
      4,
      'symlink',
    ],
    ['prose', `${change('x')}That is all.\n`, 9, 'line 6 of the diff belongs to no hunk'],
    ['a half rename', 'diff --git a/x b/y\nrename from x\n', 4, 'a rename needs'],
    ['no change', 'diff --git a/x b/x\nindex 1..2 100644\n', 4, 'no hunks'],
  ])('%s is refused with its line', (_, text, line, message) => {
    expect(problem(block(text))).toEqual([{ line, message: expect.stringContaining(message) }])
  })
  test('deleting files is a high risk', () => {
    const step = stepOf(block(several))
    expect(verbOf(step).raises?.(step.spec)).toEqual({ risk: 'HIGH', reason: 'deletes files' })
  })
})
