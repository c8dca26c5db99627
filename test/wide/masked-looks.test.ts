// O3 of every command that looks: a token that stands in the texts of a plan is shown by none of them.

import { expect } from 'vitest'
import { drawn } from '../helpers/drawn-secrets.ts'
import { readingCommands } from '../helpers/reading-commands.ts'
import { planText, test } from '../helpers/repo.ts'

test('O3 a token in the title, the request and a step: no command that looks shows it', async ({ repo }) => {
  const rest = drawn('word', 36)
  repo.write('.plans/config.yml', 'validation: { secrets: false }\n')
  repo.commit('Policy')
  const steps = `  - {id: one, title: "One ghp_${rest}", run: echo ghp_${rest}}`
  repo.write('.plans/p.md', planText(steps, `title: "All of ghp_${rest}"\nrequest: "Use ghp_${rest}"\n`))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(0)
  // diff prints what is committed, as it is; classify and schema show nothing of a plan.
  const looks = readingCommands({
    list: [[]],
    status: [['p']],
    show: [['p']],
    log: [['p']],
    wait: [['p']],
    report: [['p']],
    audit: [['p']],
    attempts: [['p']],
    check: [['p']],
    config: [[]],
    doctor: [[]],
    diff: [],
    guard: [],
    context: [[]],
    classify: [],
    schema: [],
    metrics: [[]],
    stats: [[]],
  })
  for (const args of looks.flatMap((each) => [each, [...each, '--json']])) {
    const { all } = await repo.plan(args)
    expect(all, args.join(' ')).not.toContain(rest)
    expect(all, args.join(' ')).not.toBe('')
  }
})
