// The workflows of templates/ci refuse a policy under which something runs that nobody reviewed or signed. All of them,
// at work: test/wide/ci.test.ts.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { test } from '../helpers/repo.ts'

const templates = ['github-actions.yml', 'gitlab-ci.yml'].map((name) =>
  readFileSync(new URL(`../../templates/ci/${name}`, import.meta.url), 'utf8'),
)
/** What judges the output of `git plan config --json`. */
const judges = templates.map((text) => /git plan config --json \| node -e '([^']*)'/.exec(text)![1]!)

test('a level that takes a local approval, or none at all, is refused', async ({ repo }) => {
  const policies: readonly (readonly [policy: string, lax: string])[] = [
    [
      'low: none, medium: review, high: { count: 2 }, critical: { from: [review, local] }',
      'approval.low, approval.high, approval.critical',
    ],
    ['low: review', 'approval.medium, approval.high, approval.critical'],
    ['low: signature, medium: review, high: { from: [review] }, critical: { from: [review, signature], count: 2 }', ''],
  ]
  for (const [policy, lax] of policies) {
    repo.write('.plans/config.yml', `approval: { ${policy} }\n`)
    repo.commit('Policy')
    const { stdout } = await repo.plan(['config', '--json'])
    for (const judge of judges) {
      const ran = spawnSync(process.execPath, ['-e', judge], { input: stdout, encoding: 'utf8' })
      expect([ran.status, ran.stderr.trim().split('config.yml: ')[1] ?? '']).toEqual([lax === '' ? 0 : 3, lax])
    }
  }
})
