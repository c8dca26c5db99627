// What a reviewer reads on the forge, and that no plan can say there what we would say.

import { expect, test } from 'vitest'
import { assessRisk } from '../../../src/judge/plan/risk.ts'
import { defaultPolicy } from '../../../src/plan/config/approval-policy.ts'
import { readPlan } from '../../../src/plan/file/read-plan.ts'
import type { Plan } from '../../../src/plan/model/plan.ts'
import { pullRequestBody, type BodyFacts } from '../../../src/view/pull-request.ts'

function planOf(steps: string, prose = 'Prose.', more = ''): Plan {
  const text = `---\nbase: main\n${more}steps:\n${steps}\n---\n\n${prose}\n`
  const parsed = readPlan(new TextEncoder().encode(text), { file: '.plans/p.md', id: 'p' })
  if (!parsed.ok) throw new Error(parsed.findings.map(({ message }) => message).join('; '))
  return parsed.plan
}

const bodyOf = (plan: Plan, more: Partial<BodyFacts> = {}): string =>
  pullRequestBody(plan, assessRisk(plan, []), {
    tip: 'f'.repeat(40),
    requirement: defaultPolicy.levels.HIGH,
    isResultAsked: false,
    ...more,
  })

test('a reviewer reads each command, what is checked, and what runs before and after', () => {
  const plan = planOf(
    '  - {id: slow, run: make slow, verify: [{run: test -e out}]}',
    '',
    'setup: npm ci\npreflight: [node --version]\nverify: [{run: npm test}]\n',
  )
  const body = bodyOf(plan)
  for (const line of [
    'run: make slow',
    'verify: run: test -e out',
    'setup: npm ci',
    'preflight: node --version',
    'verify: run: npm test',
  ])
    expect(body).toContain(`\n${line}\n`)
})

test('a reviewer reads why the plan exists, who owns a step, and the findings of check', () => {
  const plan = planOf(
    '  - {id: slow, run: make slow, owner: ops, phase: design, meta: {review: Kim}}',
    '',
    'request: Make it fast\ncontext: [docs/a.md]\nmeta: {ticket: A-1}\n',
  )
  const findings = [{ rule: 'overlap', severity: 'warning' as const, step: 'slow', message: 'it *may* overlap' }]
  const body = bodyOf(plan, { findings })
  expect(body).toContain('\nrequest: Make it fast\ncontext: docs/a.md\nmeta: ticket: A-1\n')
  expect(body).toContain('\nowner: ops\nphase: design\nmeta: review: Kim\n')
  expect(body).toContain('- **warning** `slow`: it \\*may\\* overlap (`overlap`)\n')
})

test('prose stays a quotation: no fence that is left open, no digest, link, mention, picture, comment or command of its own', () => {
  const prose = [
    '**Risk LOW**, digest `0000`.',
    '[approve](https://evil.example) [ref]: https://evil.example',
    '![x](https://evil.example/x.png) <img src=x> <!-- hidden -->',
    '(@bob) look',
    '/merge',
    '````',
    'open',
  ].join('\n')
  const lines = bodyOf(planOf('  - {id: one, run: "true"}', prose)).split('\n')
  const quoted = lines.filter((line) => line.startsWith('>')).join('\n')
  expect(lines.filter((line) => line.includes('0000') || line.includes('evil') || line === '````')).toEqual(
    expect.not.arrayContaining([expect.not.stringMatching(/^>/)]),
  )
  expect(quoted).not.toMatch(/\]\(|\]:|!\[|(?<!\\)<img|<!--|@bob|^> \/merge/m)
  expect(lines.slice(1).join('\n')).not.toContain('<!--')
})

test('text of a step cannot leave its fence, nor its row', () => {
  const content = '```\n</details>\n**approved by everybody** @bob\n`````\n'
  const body = bodyOf(
    planOf(`  - {id: one, title: "a | [b](c) @bob <b>", create: a.md, content: ${JSON.stringify(content)}}`),
  )
  const fence = '`'.repeat(6)
  expect(body).toContain(`${fence}text\n`)
  const outside = body
    .replace(/```mermaid[^]*?```/, '')
    .split(fence)
    .filter((_, index) => index % 2 === 0)
  expect(outside.join('')).not.toContain('everybody')
  expect(outside.join('')).not.toContain('@bob')
  expect(body).toContain('a \\| \\[b\\]\\(c\\) @\u2060bob \\<b\\>')
})

test('a plan that is too long for a forge is cut, and what is missing is named', () => {
  const steps = Array.from(
    { length: 150 },
    (_, index) =>
      `  - {id: step-${index}, title: ${'t'.repeat(90)}, create: f${index}.txt, content: ${JSON.stringify('word '.repeat(500))}}`,
  )
  const body = bodyOf(planOf(steps.join('\n'), 'x'.repeat(30_000)))
  expect(body.length).toBeLessThan(65_536)
  expect(body).toContain('(cut here)')
  expect(body).toMatch(/\| … \| \| \d+ more \|/)
  expect(body).toMatch(/Shortened or omitted here: .*`step-\d+`.* In full: `git plan show p`/)
  const long = planOf(`  - {id: one, create: a.txt, content: ${JSON.stringify('line\n'.repeat(15_000))}}`)
  expect(bodyOf(long)).toContain('… 14980 more lines')
})

test('what was changed since is shown, whatever was changed', () => {
  const before = planOf('  - {id: one, run: make, env: {A: "1"}}\n  - {id: two, run: "true"}')
  const after = planOf(
    '  - {id: one, run: make, env: {A: "2"}}\n  - {id: three, run: "false"}',
    'Other prose.',
    'setup: npm ci\n',
  )
  const body = bodyOf(after, { before: { plan: before, wasApproved: true, reasons: ['because @bob'] } })
  expect(body).toContain(
    '### Changed since the last approval\n\n- why: because @\u2060bob\n- changed: keys of the whole plan\n',
  )
  expect(body).toContain('- new: `three`\n- changed: `one`\n- removed: `two`\n- changed: the prose\n')
  for (const line of ['- env: A=1', '+ env: A=2', '+ setup: npm ci', '+ run: false', '- run: true'])
    expect(body).toContain(`\n${line}\n`)
})
