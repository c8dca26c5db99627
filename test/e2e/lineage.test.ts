// Where a plan came from, which text of it this is, and the archive.

import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'
import { TwoClones } from '../helpers/two-clones.ts'

const steps = '  - {id: one, run: echo 1 > one.txt}'

test('a copy names its origin and the commit, also on a new base; a new text has a new revision', async ({ repo }) => {
  repo.write('../p.md', planText(steps, 'base: main\n'))
  await repo.plan(['new', '--from', '../p.md'])
  const origin = repo.git(['rev-parse', 'plan/p'])
  expect(await repo.json(['clone', 'p', 'q'])).toMatchObject({ from: 'p' })
  expect(repo.git(['log', '-1', '--format=%(trailers:key=Plan-Cloned-From,valueonly)', 'plan/q'])).toContain(
    `p ${origin}`,
  )
  expect(await repo.json(['status', 'q'])).toMatchObject({ clonedFrom: { plan: 'p', tip: origin }, revision: 0 })
  expect(await repo.json(['status', 'p'])).toMatchObject({ clonedFrom: null })
  const short = origin.slice(0, 7)
  expect((await repo.plan(['status', 'q'])).stdout).toMatch(new RegExp(`copy of +p at ${short}`))
  expect((await repo.plan(['show', 'q'])).stdout).toContain(`copy of   p at ${short}`)
  expect((await repo.plan(['report', 'q'])).stdout).toContain(`- copy of: \`p\` at \`${short}\``)

  repo.write('../more.md', planText(`${steps}\n  - {id: two, run: echo 2 > two.txt}`, 'base: main\n'))
  await repo.plan(['replan', 'q', '--from', '../more.md'])
  expect(await repo.json(['status', 'q'])).toMatchObject({ revision: 1, clonedFrom: { plan: 'p' } })
  expect((await repo.plan(['status', 'q'])).stdout).toContain(', revision 1')
  expect((await repo.json(['show', 'q'])) as object).toMatchObject({ revision: 1, clonedFrom: { plan: 'p' } })
  expect(
    ((await repo.json(['list'])) as unknown as { plans: { id: string; revision: number }[] }).plans,
  ).toContainEqual(expect.objectContaining({ id: 'q', revision: 1 }))
  await repo.plan(['approve', 'q'])
  repo.write('b.txt', 'b\n')
  repo.commit('Second')
  await repo.plan(['rebase', 'q', '--approve'])
  expect(await repo.json(['status', 'q'])).toMatchObject({ clonedFrom: { plan: 'p', tip: origin } })
})

test('an archived plan is out of the list, keeps its records, and comes back', async ({ repo }) => {
  const ids = async (...options: string[]): Promise<string[]> =>
    ((await repo.json(['list', ...options])) as unknown as { plans: { id: string }[] }).plans
      .map(({ id }) => id)
      .toSorted()
  repo.write('../p.md', planText(steps))
  await repo.plan(['start', '../p.md', '--approve'])
  expect(await repo.plan(['archive', 'p'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('git plan finish p'),
  })
  await repo.plan(['finish', 'p'])
  repo.write('../q.md', planText(steps))
  await repo.plan(['new', '--from', '../q.md'])
  await repo.plan(['cancel', 'q', '-m', 'no'])
  expect(await ids()).toEqual(['p', 'q'])

  const refs = repo.git(['for-each-ref', 'refs/plan', 'refs/heads/plan', 'refs/notes'])
  expect(await repo.plan(['archive', 'p', '-m', 'old'])).toMatchObject({ code: 0 })
  expect(await repo.plan(['archive', 'q'])).toMatchObject({ code: 0 })
  expect(await repo.json(['archive', 'q'])).toMatchObject({ archived: true, ref: null })
  expect(repo.git(['for-each-ref', 'refs/plan', 'refs/heads/plan', 'refs/notes'])).toContain(refs.split('\n')[0])
  expect(await ids()).toEqual([])
  expect((await repo.plan(['list'])).stdout).toContain('2 archived: git plan list --archived')
  expect(await ids('--archived')).toEqual(['p', 'q'])
  expect(await ids('--all')).toEqual(['p', 'q'])
  expect(await repo.json(['status', 'p'])).toMatchObject({ archived: { by: 'Ada <ada@example.com>', reason: 'old' } })
  expect((await repo.plan(['report', 'p'])).stdout).toMatch(/^- archived: .* by Ada/m)
  expect((await repo.plan(['audit', 'p'])).code).toBe(0)

  expect(await repo.plan(['archive', 'p', '--undo'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/in the list/),
  })
  expect(await ids()).toEqual(['p'])
  expect(await repo.json(['status', 'p'])).toMatchObject({ archived: null })
  // Work that was reopened is not hidden.
  await repo.plan(['rollback', 'q', '--undo'])
  expect(await ids()).toEqual(['p', 'q'])
})

test('the archive goes with the records of a plan to other clones, also if both have archived it', async ({ repo }) => {
  const clones = await TwoClones.with(repo, steps)
  await clones.ada(0, 'cancel', 'p', '-m', 'no', '--push')
  await clones.dan(0, 'fetch', 'p')
  await clones.ada(0, 'archive', 'p', '-m', 'by Ada', '--push')
  await clones.dan(0, 'archive', 'p', '-m', 'by Dan')
  expect((await clones.dan(0, 'fetch', 'p')).all).not.toContain('differ')
  expect((await clones.dan(0, 'list')).stdout).toContain('1 archived')
  await clones.dan(0, 'archive', 'p', '--undo', '--push')
  await clones.ada(0, 'fetch', 'p')
  expect((await clones.ada(0, 'list')).stdout).toMatch(/^p +cancelled/m)
  expect(repo.git(['for-each-ref', '--format=%(refname:lstrip=4) %(subject)', 'refs/plan/p/archive'])).toBe(
    '1 archived p\n2 archived p\n3 unarchived p',
  )
})
