// A plan from a program: propose, check, approve, run, fix, resume, read the report, roll back.
// Run it in a repository with a clean work tree: node library.mjs

import { writeFile } from 'node:fs/promises'
import { openPlans, PlanError } from 'git-plan'

const plans = openPlans({
  directory: '.',
  onEvent: (event) => {
    if (event.kind === 'step-done') console.log(`done: ${event.step}`)
    if (event.kind === 'step-failed') console.log(`failed: ${event.step}: ${event.message}`)
  },
})

const text = `---
plan: greet
title: Greet the world
steps:
  - id: script
    create: greet.sh
    content: |
      echo hello
  - id: test
    run: sh greet.sh | grep world
---
`

const checked = await plans.check({ text })
if (!checked.data.valid) throw new Error(checked.data.findings.map((finding) => finding.message).join('\n'))
console.log(`risk: ${checked.data.risk}`)

const proposed = await plans.new({ text })
const plan = proposed.data.id

// Nothing runs until exactly this text is approved.
try {
  await plans.start({ plan })
} catch (error) {
  if (!(error instanceof PlanError) || error.code !== 'not-approved') throw error
  console.log(`refused: ${error.code}`)
}
await plans.approve({ plan, digest: proposed.data.digest, message: 'read it' })

// A failure is a result, not an exception.
let run = await plans.start({ plan })
if (run.data.end === 'failed') {
  await writeFile('greet.sh', 'echo hello world\n')
  run = await plans.resume({ plan, fix: true, message: 'greet the world' })
}
console.log(`${run.data.end}: ${run.data.progress.done} of ${run.data.progress.total}`)

const report = await plans.report({ plan })
console.log(`files created: ${report.data.totals.created}, attempts that failed: ${report.data.plan.attempts.length}`)

await plans.rollback({ plan, to: 'script' })
console.log(`rolled back: ${(await plans.status({ plan })).data.seen}`)
await plans.rollback({ plan, undo: true })
await plans.finish({ plan })
console.log(`now: ${(await plans.status({ plan })).data.seen}`)
