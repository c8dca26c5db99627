// When `setup` runs again: the files that `setup_inputs` names have changed.

import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

test.for([
  ['app/x.lock', '["**/*.lock"]', true],
  ['app/[id]/x.lock', '["app/[id]/x.lock"]', true],
  ['\u00e9t\u00e9/x.lock', '["\u00e9*/x.lock"]', true],
  ['app/x.txt', '["**/*.lock"]', false],
] as const)(
  'a rollback that changes %s runs setup again with the inputs %s: %s',
  async ([file, inputs, isRun], { repo }) => {
    const ready = `${repo.home}/ready`
    const text = `  - {id: one, create: "${file}", content: "1"}\n  - {id: two, edit: "${file}", append: "2"}`
    const ran = await repo.plan(['start', '-', '--approve'], {
      input: planText(text, `plan: demo\nsetup: touch '${ready}'\nsetup_inputs: ${inputs}\n`),
    })
    expect(ran.code, ran.all).toBe(0)
    expect(existsSync(ready)).toBe(false)
    const back = await repo.plan(['rollback', 'demo'])
    expect(back.code, back.all).toBe(0)
    expect(existsSync(ready)).toBe(isRun)
  },
)
