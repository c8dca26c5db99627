// A kill at every call after a secret is removed from the work tree: it must end up in quarantine, be reported, and
// nothing else may be lost.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillShelves, Snapshot } from '../helpers/crash.ts'
import { drawn } from '../helpers/drawn-secrets.ts'
import { planText, TestRepo } from '../helpers/repo.ts'
import { figure, isWhole, tell } from './figures.ts'
import { inject } from './inject.ts'
import type { Point } from './points.ts'

const token = `ghp_${drawn('word', 36)}`
const start = ['start', '.plans/demo.md', '--approve']
/** A tracked file and a new one. */
const secrets = ['a.txt', 'new/made.txt']

let repo: TestRepo
let begin: Snapshot

beforeAll(() => {
  repo = new TestRepo()
  Object.assign(repo.env, { ONE: token.slice(0, 10), TWO: token.slice(10) })
  const writes = secrets.map((file) => `printf "key %s%s\\n" "$ONE" "$TWO" > ${file}`).join('; ')
  repo.write(
    '.plans/demo.md',
    planText(
      `  - {id: one, run: 'echo 1 > one.txt; mkdir new; ${writes}'}\n  - {id: two, needs: [], run: echo 2 > two.txt}`,
    ),
  )
  // Else the same call has another number in the next run, and the kill may come before the step has begun.
  fillShelves(repo)
  begin = new Snapshot(repo)
})
afterAll(() => repo.remove())

const quarantined = (): string[] => {
  const aside = repo.path('.git/plan/demo/aside')
  const places = existsSync(aside) ? readdirSync(aside).filter((name) => name.startsWith('quarantine-')) : []
  return places.flatMap((name) =>
    secrets.filter(
      (file) =>
        existsSync(join(aside, name, file)) && readFileSync(join(aside, name, file), 'utf8') === `key ${token}\n`,
    ),
  )
}

async function complaints(said: string): Promise<string[]> {
  const ran = await repo.plan(['resume', 'demo', '--skip', 'one'], { throughGit: true })
  const told = `${said}${ran.all}`
  const attempts = repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan/demo/attempts']).split('\n').filter((name) => name !== '') // prettier-ignore
  return [
    ...(ran.code === 0 ? [] : [`exit ${ran.code}: ${ran.all}`]),
    ...secrets.filter((file) => !quarantined().includes(file)).map((file) => `${file} is not in quarantine`),
    ...secrets
      .filter((file) => !new RegExp(`${file}:1 \\([^]*moved to`).test(told))
      .map((file) => `nobody was told of ${file}: ${told}`),
    ...(repo.git(['cat-file', '--batch-all-objects', '--batch', '--buffer']).includes(token)
      ? ['an object holds it']
      : []),
    ...(attempts[0]?.endsWith('/one/1') === true &&
    attempts.every((name) => repo.git(['ls-tree', '--name-only', name, 'a.txt']) === 'a.txt')
      ? []
      : [`attempts, or a.txt in them: ${attempts.join(', ')}`]),
    ...[...told.matchAll(/saved as attempt (\d+)/g)]
      .filter(([, n]) => !attempts.some((name) => name.endsWith(`/one/${n}`)))
      .map(([said]) => `not ${said}`),
    ...(repo.read('a.txt') === 'hello\n' && repo.status() === '' ? [] : [`the work tree: ${repo.status()}`]),
    ...(repo.fsck() === '' ? [] : ['fsck']),
    ...readdirSync(repo.path('.git/plan/demo')).filter((name) => /^(?:quarantine\.json|stored\.)/.test(name)),
  ]
}

const isOfQuarantine = ({ what }: Point): boolean => what.includes('/aside/quarantine-')

/**
 * The last ones are of who was told already, and of other steps. The sample is the moment when all is done but told; an
 * earlier one is in security/secrets.test.ts.
 */
function chosen(points: readonly Point[]): readonly Point[] {
  const since = points.slice(points.findIndex(isOfQuarantine))
  return isWhole
    ? since
    : since.filter(({ call, what }) => call === 'truncate' && what.endsWith('/intent.json')).slice(0, 1)
}

test('a secret that was found is told of, whenever the run is killed', { timeout: 3_600_000 }, async () => {
  const { points } = await inject(repo, start, { at: 0, action: 'record' })
  const swept = chosen(points)
  expect(swept.length).toBeGreaterThan(0)
  const wrong: string[] = []
  let fired = 0
  for (const point of swept) {
    begin.restore()
    const killed = await inject(repo, start, { at: point, action: 'group' })
    // What is meant is the same call of another run. Where it came before anything was found, it was another one.
    if (!killed.isFired || !killed.points.some(isOfQuarantine)) continue
    fired += 1
    const said = (await complaints(killed.all)).map(
      (each) => `${point.at} ${point.who} ${point.call} ${point.what}: ${each}`,
    )
    wrong.push(...said)
    if (said.length > 0) tell(said.join('\n'))
  }
  figure('other faults', 'a kill after a secret was found', { injections: fired, violations: wrong.length })
  expect(wrong).toEqual([])
  expect(fired).toBeGreaterThanOrEqual(Math.floor(swept.length * 0.9))
})
