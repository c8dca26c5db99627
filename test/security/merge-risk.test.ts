// What a command has changed can be worse than its text: a merge asks for the approval of what is there.

import { describe, expect } from 'vitest'
import { ForgeRepo } from '../helpers/forge.ts'
import { as, ok, policy, refused } from '../helpers/gate.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** Its text does not name what it changes. */
function generator(repo: TestRepo): void {
  repo.write('gen.sh', 'mkdir pay && echo 7 > pay/rate.txt\n')
  repo.commit('Generator')
}
const step = '  - {id: one, run: sh gen.sh}'

describe('a step that changed a path which the configuration calls critical', () => {
  const risk = 'risk: { critical: ["pay/**"] }'

  test('is merged once as many have approved the result as its risk asks for', async ({ repo }) => {
    generator(repo)
    policy(repo, `${risk}\napproval: { high: { from: [local] }, critical: { from: [local], count: 2 } }`)
    await ok(repo, ['start', '-', '--approve'], planText(step, 'plan: p\n'))
    const main = repo.git(['rev-parse', 'main'])
    refused(repo, await repo.plan(['finish', 'p']), /1 of 2 approvals \(risk CRITICAL\)[\s\S]*git plan approve p\n/)
    await ok(repo, ['approve', 'p'])
    refused(repo, await repo.plan(['finish', 'p']), /1 of 2 approvals \(risk CRITICAL\)/)
    expect(repo.git(['rev-parse', 'main'])).toBe(main)
    const second = await repo.plan(['approve', 'p'], as('Bob'))
    expect(second.all).toContain('Approved the result of p')
    await ok(repo, ['finish', 'p'])
  })

  test('is merged once its result is reviewed, where only a review will do', async () => {
    const forge = await ForgeRepo.start(
      `${risk}\napproval: { high: { from: [local] }, critical: { from: [review] }, result_review: none }\n`,
    )
    try {
      generator(forge.repo)
      await forge.expect(0, ['start', '-', '--approve', '--push'], planText(step, 'plan: p\n'))
      await forge.expect(0, ['submit', 'p'])
      expect((await forge.expect(3, ['finish', 'p'])).all).toContain('git plan finish p --ready')
      await forge.expect(0, ['finish', 'p', '--ready'])
      forge.approve('bob')
      await forge.expect(0, ['finish', 'p'])
    } finally {
      await forge.close()
    }
  })
})
