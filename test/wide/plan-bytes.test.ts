// The author's bytes: whatever happens to a plan, only the text from `status:` to the closing fence is the executor's.

import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { test, type TestRepo } from '../helpers/repo.ts'

/** The plan file's bytes at every commit of the branch, oldest first. */
function versions(repo: TestRepo, id: string): Buffer[] {
  const commits = repo.git(['rev-list', '--reverse', `main..plan/${id}`]).split('\n')
  return commits.map((commit) =>
    execFileSync('git', ['cat-file', 'blob', `${commit}:.plans/${id}.md`], { cwd: repo.dir, env: repo.env }),
  )
}

/** Without the tail: from the last line `status:` before the closing fence to that fence. */
function withoutTail(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  const fence = /\r?\n---(\r?\n|$)/.exec(text.slice(3))
  if (fence === null) throw new Error('no closing fence')
  const end = 3 + fence.index + (fence[0].startsWith('\r') ? 2 : 1)
  const start = text.lastIndexOf('\nstatus:', end) + 1
  return start > 0 ? text.slice(0, start) + text.slice(end) : text
}

/** Runs it through a failure, a skip and the end, so that every kind of event writes the file. */
async function throughItsLife(repo: TestRepo, file: string, bytes: Buffer): Promise<Buffer[]> {
  repo.write(file, bytes)
  const failed = await repo.plan(['start', file, '--approve'])
  expect(failed.code, failed.all).toBe(1)
  const resumed = await repo.plan(['resume', 'demo', '--skip', 'two'])
  expect(resumed.code, resumed.all).toBe(0)
  const all = versions(repo, 'demo')
  expect(all.length).toBeGreaterThanOrEqual(6)
  expect(new Set(all.map((each) => each.toString('latin1'))).size).toBe(all.length)
  expect(repo.status()).toBe('')
  return all
}

const full = `---
# a comment at the top, with  two  spaces
plan:   demo   # aligned by hand
title: "Dem\\u00f6"
base: main
request: >
  folded over
  two lines

  and a paragraph
meta: { b: 1,   a: [ 2,3 ] }   # flow, spaced oddly
steps:

  - id:    one
    title: 'It''s first'
    run: >-
      echo 1 >
      one.txt
    # a comment inside a step
  - id: two
    title: Second ✓
    run: |
      # status: not the tail
      exit 1
  - {id: three, title: Third,   needs: [one], create: three.txt, content: "3\\n"}
# a comment before the tail
status: proposed
state: {}
---

# Why

status: this is prose, and so is the fence below

---
state: {}
---
Trailing spaces   \t
`

test('comments, folded scalars, odd spacing and prose with fences stay as they are at every commit', async ({
  repo,
}) => {
  const given = Buffer.from(full)
  for (const version of await throughItsLife(repo, '.plans/demo.md', given))
    expect(withoutTail(version)).toBe(withoutTail(given))
})

test('a file with CRLF line ends keeps them, and the tail has them too', async ({ repo }) => {
  const given = Buffer.from(full.replaceAll('\n', '\r\n'))
  for (const version of await throughItsLife(repo, 'demo.md', given)) {
    expect(withoutTail(version)).toBe(withoutTail(given))
    expect(version.toString()).not.toMatch(/[^\r]\n/)
  }
})

test('a file that ends without a newline keeps doing so, after prose and after the fence', async ({ repo }) => {
  const prose = Buffer.from(`${full}the last line has no end`)
  for (const version of await throughItsLife(repo, 'demo.md', prose))
    expect(withoutTail(version)).toBe(withoutTail(prose))
  await repo.plan(['cancel', 'demo'])
  repo.git(['checkout', '-q', 'main'])
  expect((await repo.plan(['delete', 'demo', '--force'])).code).toBe(0)
  const bare = Buffer.from(full.slice(0, full.indexOf('\n---\n\n# Why') + 4))
  expect(bare.toString()).toMatch(/\n---$/)
  for (const version of await throughItsLife(repo, 'demo.md', bare))
    expect(withoutTail(version)).toBe(withoutTail(bare))
})

test('a file without status and state gets them before the closing fence, and nothing else', async ({ repo }) => {
  const given = Buffer.from(full.replace('status: proposed\nstate: {}\n', ''))
  for (const version of await throughItsLife(repo, 'demo.md', given)) {
    expect(withoutTail(version)).toBe(given.toString('latin1'))
    expect(version.toString()).toMatch(/# a comment before the tail\nstatus: /)
  }
})

test('of a short plan the derived lines are added and every line of the author stays', async ({ repo }) => {
  const given =
    "---\nsteps:\n  - run: echo 1 > one.txt   # why\n  - {create: two.txt, content: '2'}\n---\n\n# A short one\n\nText.\n"
  repo.write('.plans/demo.md', given)
  expect((await repo.plan(['start', '.plans/demo.md', '--approve'])).code).toBe(0)
  const derived =
    '---\nplan: demo\ntitle: A short one\nbase: main\nsteps:\n  - id: echo-1-one-txt\n    title: "Run echo 1 > one.txt"\n    run: echo 1 > one.txt   # why\n  - {id: create-two-txt, title: Create two.txt, create: two.txt, content: \'2\'}\n---\n\n# A short one\n\nText.\n'
  for (const version of versions(repo, 'demo')) expect(withoutTail(version)).toBe(derived)
  expect(repo.read('.plans/demo.md')).toContain(
    'status: completed\nstate:\n  echo-1-one-txt: done\n  create-two-txt: done\n---\n',
  )
})

test('git attributes that convert line ends change neither the committed bytes nor what status says', async ({
  repo,
}) => {
  repo.write('.gitattributes', '*.md text eol=crlf\n')
  repo.commit('Attributes')
  const given = Buffer.from(full)
  for (const version of await throughItsLife(repo, '.plans/demo.md', given))
    expect(withoutTail(version)).toBe(withoutTail(given))
  expect(repo.read('.plans/demo.md')).not.toMatch(/[^\r]\n/)
})
