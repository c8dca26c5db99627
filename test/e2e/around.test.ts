// The commands around a plan: each says what a person or a program would ask, and changes nothing.

import { mkdirSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

test('looking at a plan in every way changes no ref and no file', async ({ repo }) => {
  repo.write(
    '.plans/demo.md',
    planText(
      '  - {id: one, run: echo said; echo 1 > one.txt, verify: {exists: one.txt}}\n  - {id: left, needs: [one], run: echo 2 > left.txt}\n  - {id: right, needs: [one], run: exit 7}'.replace(
        'run: echo said; echo 1 > one.txt',
        'run: "echo said; echo 1 > one.txt"',
      ),
      'title: Looked at\n',
    ),
  )
  expect((await repo.plan(['start', '.plans/demo.md', '--approve'])).code).toBe(1)
  const before = [repo.git(['for-each-ref']), repo.status()]

  const graph = await repo.plan(['show', 'demo', '--graph'])
  expect(graph.code).toBe(0)
  for (const id of ['one', 'left', 'right']) expect(graph.stdout).toContain(id)
  const mermaid = await repo.plan(['show', 'demo', '--mermaid'])
  expect(mermaid.stdout).toMatch(/^(graph|flowchart)/)
  expect(mermaid.stdout).toMatch(/s0 --> s1\n.*s0 --> s2/)

  const report = await repo.plan(['report', 'demo'])
  expect(report.stdout).toContain('Looked at')
  for (const word of ['one.txt', 'left.txt', 'exists one.txt', 'exited with 7']) expect(report.stdout).toContain(word)
  expect((await repo.plan(['diff', 'demo', 'left'])).stdout).toContain('+2')
  expect((await repo.plan(['log', 'demo', '--output', 'one'])).stdout).toContain('said')
  expect((await repo.plan(['attempts', 'demo'])).stdout).toContain('right')
  expect((await repo.json(['list', '--resumable']))['plans']).toMatchObject([{ id: 'demo', status: 'failed' }])
  expect([repo.git(['for-each-ref']), repo.status()]).toEqual(before)
})

test('check finds what is wrong with a file, exits 2 where it is no plan and 1 where it is a bad one, and runs nothing', async ({ repo }) => {
  repo.write('bad.md', '---\nsteps:\n  - {id: one, run: touch ran}\n  - {id: one, needs: [nowhere], crate: x}\n---\n')
  const found = await repo.json(['check', 'bad.md'])
  expect(found).toMatchObject({ valid: false })
  const findings = found['findings'] as unknown as { line: number; severity: string }[]
  expect(findings.length).toBeGreaterThan(0)
  expect(findings.every((each) => each.line === 4 && each.severity === 'error')).toBe(true)
  const ran = await repo.plan(['check', 'bad.md'])
  expect(ran.code).toBe(2)
  expect(ran.all).toMatch(/bad\.md:4:\d+/)
  const reaching = await repo.plan(['check', '-', '--json'], { input: planText('  - {id: one, create: .plans/config.yml, content: "version: 1"}') })
  expect(reaching.code).toBe(1)
  expect(reaching.stdout).toContain('path-out-of-bounds')
  repo.write('good.md', planText('  - {id: one, run: touch ran}'))
  expect(await repo.json(['check', 'good.md'])).toMatchObject({ valid: true, id: 'good' })
  const shown = await repo.plan(['check', 'bad.md', '--sarif'])
  expect(shown.code).toBe(2)
  const [run] = (JSON.parse(shown.stdout) as { runs: { tool: { driver: { rules: { id: string }[] } }; results: { ruleId: string; ruleIndex: number }[] }[] })
    .runs
  expect(run?.results).toHaveLength(findings.length)
  expect(run?.results[0]).toMatchObject({
    level: 'error',
    locations: [{ physicalLocation: { artifactLocation: { uri: 'bad.md' }, region: { startLine: 4 } } }],
  })
  expect(run?.results.every(({ ruleId, ruleIndex }) => run.tool.driver.rules[ruleIndex]?.id === ruleId)).toBe(true)
  expect(JSON.parse((await repo.plan(['check', 'good.md', '--sarif'])).stdout)).toMatchObject({ runs: [{ results: [], properties: { risk: 'HIGH' } }] })
  mkdirSync(repo.path('below'))
  const elsewhere = await repo.plan(['check', '../bad.md', '--sarif'], { cwd: repo.path('below') })
  expect(elsewhere.stdout).toContain('"uri":"bad.md"')
  expect(repo.status()).toBe('?? bad.md\n?? good.md')
})

test('config says where each setting comes from, doctor that all is well or what is not, schema is JSON Schema', async ({ repo }) => {
  repo.write('.plans/config.yml', 'version: 1\nlimits: { steps: 3 }\ncommit: { subject: "chore(plan): {title}" }\n')
  repo.commit('Configure')
  const config = await repo.plan(['config'])
  expect(config.stdout).toMatch(/limits\.steps.*3.*config\.yml/)
  const schema = JSON.parse((await repo.plan(['schema'])).stdout) as { $schema: string; properties: Record<string, unknown> }
  expect(schema.$schema).toContain('json-schema.org')
  expect(Object.keys(schema.properties)).toContain('steps')
  expect((await repo.plan(['doctor'])).code).toBe(0)

  const four = ['one', 'two', 'three', 'four'].map((id) => `  - {id: ${id}, title: Do ${id}, run: echo ${id} > ${id}.txt}`)
  const refused = await repo.plan(['new', 'Demo', '--from', '-', '--id', 'demo'], { input: planText(four.join('\n')) })
  expect(refused.code).toBe(2)
  expect(refused.all).toContain('allows 3')
  repo.write('demo.md', planText(four.slice(0, 1).join('\n')))
  expect((await repo.plan(['start', 'demo.md', '--approve'])).code).toBe(0)
  expect(repo.subjects('plan/demo')[1]).toBe('chore(plan): Do one')

  repo.git(['branch', 'plan/broken', 'main'])
  const doctor = await repo.plan(['doctor'])
  expect(doctor.code).toBe(1)
  expect(doctor.all).toContain('broken')
  expect((await repo.json(['list']))['plans']).toMatchObject([{ id: 'demo' }])
  expect(JSON.stringify(await repo.json(['list']))).toContain('broken')
})
