// Records that another clone has pushed, under a policy for which a push is no approval: whoever can push can write them.

import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { canary, signedPolicy } from '../helpers/gate.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { TwoClones } from '../helpers/two-clones.ts'

/** The plan `p`, approved by Ada's signature. */
async function signed(repo: TestRepo, steps: string): Promise<TwoClones> {
  signedPolicy(repo)
  const clones = new TwoClones(repo)
  await clones.ada(0, 'new', '--from', '-', '--id', 'p', { input: planText(steps) })
  await clones.ada(0, 'approve', 'p', '--sign')
  await clones.ada(0, 'submit', 'p')
  return clones
}

/** A commit that Dan pushes as a record: with the files of `parent` and one more, or another text of one. */
function pushRecord(
  { repo, other }: TwoClones,
  ref: string,
  parent: string,
  { message, file, text }: { message: string; file?: string; text?: string },
): string {
  const at = { cwd: other, env: { GIT_INDEX_FILE: `${repo.home}/index` } }
  repo.git(['fetch', '-q', repo.dir, parent], at)
  repo.git(['read-tree', parent], at)
  const input = text ?? ''
  if (file !== undefined)
    repo.git(['update-index', '--add', '--cacheinfo', `100644,${repo.git(['hash-object', '-w', '--stdin'], { ...at, input })},${file}`], at)
  const oid = repo.git(['commit-tree', repo.git(['write-tree'], at), '-p', parent, '-m', message], at)
  repo.git(['push', '-q', 'origin', `${oid}:${ref}`], at)
  return oid
}

test('an attempt of another clone is not where a step begins; one of this clone is', async ({ repo }) => {
  repo.write('gen.sh', 'test -e ok.txt\n')
  repo.commit('Generator')
  const clones = await signed(repo, '  - {id: one, run: sh gen.sh}')
  await clones.ada(1, 'start', 'p')
  pushRecord(clones, 'refs/plan/p/attempts/one/2', repo.git(['rev-parse', 'plan/p']), {
    message: 'Attempt 2 of one',
    file: 'gen.sh',
    text: `touch '${canary(repo)}'\n`,
  })
  await clones.ada(0, 'fetch', 'p')
  const ran = await clones.ada(3, 'resume', 'p', '--retry', 'one', '--from-attempt', '2')
  expect(ran.all).toMatch(/of one was made in another clone\nHint: git plan resume p --retry one\n/)
  expect(existsSync(canary(repo))).toBe(false)
  expect(repo.status()).toBe('')
  await clones.ada(1, 'resume', 'p', '--retry', 'one', '--from-attempt', '1')
  await clones.ada(1, 'resume', 'p', '--retry', 'one')
})
