// `report`: what was done and what proves it.

import { rmSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

test('the report has durations, files and lines of each step, every check with its evidence, attempts, rollbacks and the outcome', async ({
  repo,
}) => {
  repo.write('old.txt', '1\n2\n')
  repo.commit('Something to delete')
  repo.write(
    '.plans/all.md',
    planText(
      `
  - id: make
    create: made.txt
    content: "a\\nb\\nc\\n"
    verify:
      - exists: made.txt
      - "grep -q b made.txt; true"
    criteria:
      - text: It | has three lines
        verify: test $(wc -l < made.txt) -eq 3
      - text: It reads well
  - id: flaky
    title: Fails *once* for @ada, see https://example.com & www.example.com, not to ada@example.com
    run: test -e ../go && rm old.txt && echo changed > a.txt
    files: ['*.txt']
    test: true
  - id: last
    run: test ! -e ../stop
    verify: test ! -e ../wrong`,
      'test: test -e made.txt\nverify: [test -e a.txt]\n',
    ),
  )
  expect((await repo.plan(['start', '.plans/all.md', '--approve'])).code).toBe(1)
  repo.write('../go', '')
  repo.write('../wrong', '')
  expect((await repo.plan(['resume'])).code).toBe(1)
  const failed = await repo.json(['report'])
  expect(failed).toMatchObject({
    plan: { seen: 'failed' },
    checks: expect.arrayContaining([
      expect.objectContaining({
        step: 'last',
        result: 'failed',
        commit: repo.git(['rev-parse', 'HEAD']),
        detail: expect.stringContaining('../wrong') as string,
      }),
    ]) as object,
  })

  rmSync(repo.path('../wrong'))
  await repo.plan(['rollback', '--to', 'make', '-m', 'again'])
  expect((await repo.plan(['resume'])).code).toBe(0)

  const report = await repo.json(['report'])
  const commit = (step: string): string =>
    (report as unknown as { plan: { steps: { id: string; commit: string }[] } }).plan.steps.find(
      ({ id }) => id === step,
    )?.commit ?? ''
  expect(report).toMatchObject({
    kind: 'plan-report',
    plan: { outcome: 'complete', progress: { done: 3, total: 3 } },
    totals: { created: 1, modified: 1, deleted: 1, added: 4, removed: 3 },
    steps: [
      { id: 'make', failures: 0, totals: { created: 1, added: 3 }, files: [{ path: 'made.txt', change: 'created' }] },
      { id: 'flaky', failures: 1, totals: { modified: 1, deleted: 1, added: 1, removed: 3 } },
      { id: 'last', failures: 1, files: [] },
    ],
    checks: [
      { step: 'make', kind: 'verify', check: 'exists made.txt', result: 'held', commit: commit('make') },
      { step: 'make', kind: 'verify', check: 'grep -q b made.txt; true', result: 'held' },
      { step: 'make', kind: 'criteria', check: 'It | has three lines', result: 'held' },
      { step: 'make', kind: 'criteria', check: 'It reads well', result: 'unproven' },
      { step: 'flaky', kind: 'test', check: 'test -e made.txt', result: 'held', commit: commit('flaky') },
      { step: 'flaky', kind: 'files', check: 'changes stay inside *.txt', result: 'held' },
      { step: 'last', kind: 'verify', check: 'test ! -e ../wrong', result: 'held' },
      { step: null, kind: 'verify', check: 'test -e a.txt', result: 'held', commit: repo.git(['rev-parse', 'HEAD']) },
    ],
  })
  const { stdout } = await repo.plan(['report'])
  expect(stdout).toMatch(
    /^\| flaky \| done \| \d+ms \| [^|]*\| 1 \| 1 modified, 1 deleted \| \+1 -3 \| [0-9a-f]{7} \| Fails \\\*once\\\* for `@ada`, see https\\:\/\/example\.com &amp; www\\\.example\.com, not to ada@example\.com \|$/m,
  )
  expect(stdout).toContain('| make | criteria | It \\| has three lines | verified |')
  expect(stdout).toMatch(/## Attempts\n\n- flaky, attempt 1, .*\n- last, attempt 1, /)
  expect(stdout).toContain('## Rollbacks')
})

test('of a failure the report names the check that failed, of whatever kind, and no other', async ({ repo }) => {
  repo.write(
    '.plans/kinds.md',
    planText(`
  - {id: exists, needs: [], run: "true", verify: [{exists: missing.txt}], test: i}
  - {id: absent, needs: [], run: "true", verify: [{absent: a.txt}]}
  - {id: contains, needs: [], run: "true", verify: [{exists: a.txt}, {contains: {file: a.txt, pattern: nope}}]}
  - {id: lacks, needs: [], run: "true", verify: [{lacks: {file: a.txt, pattern: hello}}]}
  - {id: scope, needs: [], run: echo > stray.txt, files: ["x/*"]}
  - {id: declared, needs: [], run: "true", files: [missing.txt]}
  - {id: criterion, needs: [], run: "true", criteria: [{text: It is good, verify: "false"}]}
  - {id: command, needs: [], run: "false", verify: "true"}`),
  )
  expect((await repo.plan(['start', '.plans/kinds.md', '--approve', '--keep-going'])).code).toBe(1)
  expect((await repo.plan(['resume', '--skip', 'lacks'])).code).toBe(1)
  const { checks } = (await repo.json(['report'])) as unknown as {
    checks: { step: string; check: string; result: string }[]
  }
  expect(checks.map(({ step, check, result }) => `${step}: ${check}: ${result}`)).toEqual([
    'exists: exists missing.txt: failed',
    'exists: i: not-recorded',
    'absent: absent a.txt: failed',
    'contains: exists a.txt: not-recorded',
    'contains: a.txt contains nope: failed',
    'lacks: a.txt lacks hello: skipped',
    'scope: changes stay inside x/*: failed',
    'declared: changes stay inside missing.txt: failed',
    'criterion: It is good: failed',
    'command: true: not-recorded',
  ])
})

test('a failed check of the whole plan is in the report, and a file that is named like a commit confuses nothing', async ({
  repo,
}) => {
  const name = '0123456789abcdef0123456789abcdef01234567'
  repo.write(
    '.plans/whole.md',
    planText(`  - {id: odd, run: "echo 1 > ${name}; echo 2 > two.txt"}`, 'verify: [{exists: never.txt}]\n'),
  )
  expect((await repo.plan(['start', '.plans/whole.md', '--approve'])).code).toBe(1)
  expect(await repo.json(['report'])).toMatchObject({
    steps: [{ id: 'odd', totals: { created: 2, added: 2 } }],
    checks: [{ step: null, check: 'exists never.txt', result: 'failed', commit: repo.git(['rev-parse', 'HEAD']) }],
  })
})

test('report and audit name what people did: fixes, commits of theirs, answers, and who approved what', async ({
  repo,
}) => {
  repo.write('.plans/config.yml', 'version: 1\napproval: { result_review: required }\n')
  repo.commit('Policy')
  const text = planText(
    '  - {id: one, run: test -e ready.txt}\n  - {id: two, run: test -e bob.txt}\n  - {id: ask, gate: Ship it?}',
  )
  await repo.plan(['new', '--from', '-', '--id', 'p'], { input: text })
  expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(1)
  repo.write('ready.txt', 'x\n')
  expect((await repo.plan(['resume', 'p', '--fix', '-m', 'hi takes a greeting'])).code).toBe(1)
  repo.write('bob.txt', 'x\n')
  repo.git(['add', 'bob.txt'])
  repo.git(['commit', '-q', '-m', 'Own work', '--author=Bob <bob@example.com>'])
  const waiting = await repo.plan(['resume', 'p', '--fix'])
  expect(waiting.code, waiting.all).toBe(5)
  expect((await repo.plan(['resume', 'p', '--done', 'ask', '-m', 'go | on'])).code).toBe(0)
  expect((await repo.plan(['approve', 'p', '-m', 'looks right'])).code).toBe(0)

  const { stdout: report } = await repo.plan(['report', 'p'])
  const section = (name: string): string => report.split(`## ${name}\n`)[1]?.split('\n## ')[0] ?? ''
  expect(section('By hand')).toMatch(
    /- fix, `\w{7}`, .*, by Ada &lt;ada@example.com&gt;: hi takes a greeting \(ready.txt\)\n/,
  )
  expect(section('By hand')).toMatch(/- commit, `\w{7}`, .*, by Bob &lt;bob@example.com&gt;: Own work \(bob.txt\)\n/)
  expect(section('By hand')).toMatch(/- gate `ask` answered, `\w{7}`, .*, by Ada &lt;ada@example.com&gt;: go \\\| on\n/)
  expect(section('Decisions')).toMatch(/- plan approved, .*, by Ada &lt;ada@example.com&gt; \(local\)/)
  expect(section('Decisions')).toMatch(/- result approved, .*, by Ada &lt;ada@example.com&gt; \(local\): looks right\n/)
  expect(await repo.json(['report', 'p'])).toMatchObject({
    byHand: [
      { kind: 'fix', subject: 'hi takes a greeting', files: [{ path: 'ready.txt' }] },
      { kind: 'commit', by: 'Bob <bob@example.com>', files: [{ path: 'bob.txt' }] },
      { kind: 'fix', files: [] },
      { kind: 'gate', step: 'ask', reason: 'go | on' },
    ],
    decisions: [{ of: 'plan' }, { of: 'result', reason: 'looks right' }],
  })

  const audited = await repo.plan(['audit', 'p'])
  expect(audited.code, audited.all).toBe(0)
  expect(audited.all).not.toContain('all made by git plan')
  expect(audited.all).toMatch(/2 fixes by hand: \w{7} by Ada, "hi takes a greeting"; /)
  expect(audited.all).toMatch(/1 commit by hand, adopted: \w{7} by Bob, "Own work"/)
  expect(audited.all).toMatch(/· 1 gate answered: \w{7} by Ada, "ask: go \| on"/)
})

test('a check that cannot be run again shows what it printed, and that `setup` would prepare it; with one, it holds', async ({
  repo,
}) => {
  repo.write('.gitignore', 'tools\n')
  repo.commit('Ignore')
  const step = '  - {id: one, create: one.txt, content: "1", verify: ["echo looking for tools; ls tools/"]}'
  repo.write('tools/x', '')
  for (const [id, more] of [
    ['bare', ''],
    ['ready', 'setup: "mkdir -p tools"\n'],
  ] as const) {
    repo.git(['checkout', '-q', 'main'])
    repo.write(`.plans/${id}.md`, planText(step, more))
    const ran = await repo.plan(['start', `.plans/${id}.md`, '--approve'])
    expect(ran.code, ran.all).toBe(0)
  }
  const bare = await repo.plan(['audit', 'bare', '--rerun'])
  expect(bare.code, bare.all).toBe(1)
  expect(bare.stdout).toMatch(/exit code \d+ \[check\]\n {4}\| looking for tools\n {4}\| .*tools/)
  expect(bare.stdout).toContain('for example `setup: npm ci`')
  const ready = await repo.plan(['audit', 'ready', '--rerun'])
  expect(ready.code, ready.all).toBe(0)
  expect(ready.all).toContain('setup: mkdir -p tools')
})

test('checks that are run again show no secret of any step, nor do `setup` and the checks of the plan', async ({
  repo,
}) => {
  const print = (what: string): string => `"echo ${what} of $TOKEN; test $BROKEN != ${what}"`
  repo.write(
    '.plans/p.md',
    planText(
      `
  - {id: one, create: one.txt, content: "1", secrets: [TOKEN]}
  - {id: two, create: two.txt, content: "2", verify: [${print('step')}, "test $BROKEN != step || false deep-lake-42"]}`,
      `setup: ${print('setup')}\nverify: [${print('step')}]\n`,
    ),
  )
  const env = { TOKEN: 'deep-lake-42' }
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'], { env: { ...env, BROKEN: 'no' } })
  expect(ran.code, ran.all).toBe(0)
  for (const broken of ['setup', 'step']) {
    const audited = await repo.plan(['audit', 'p', '--rerun'], { env: { ...env, BROKEN: broken } })
    expect(audited.code, audited.all).toBe(1)
    expect(audited.all.split(`| ${broken} of [secret]\n`), audited.all).toHaveLength(3)
    expect(audited.all).not.toContain('deep-lake')
  }
})

test('the report of a plan of people and agents tells a reviewer what happened, who has to judge what, and what comes next', async ({
  repo,
}) => {
  repo.write('src/price.mjs', 'export const total = (list) => list.reduce((sum, each) => sum + each, 0)\n')
  repo.write(
    'test/price.test.mjs',
    [
      "import test from 'node:test'",
      "import assert from 'node:assert'",
      "import { total } from '../src/price.mjs'",
      "test('adds prices', () => assert.equal(total([1, 2]), 3))",
      "test('takes a discount', () => assert.equal(total([4], 0.5), 2))\n",
    ].join('\n'),
  )
  const said = {
    summary: 'Documented discounts',
    decisions: ['A discount is a fraction'],
    questions: ['May it be negative?'],
    notes: 'The list of 2025 is not covered',
  }
  repo.write(
    'tools/writer.sh',
    `cat > prompt.tmp; rm prompt.tmp; echo Discounts >> docs/api.md\ncat <<'END'\n\`\`\`json\n${JSON.stringify(said)}\n\`\`\`\nEND\n`,
  )
  repo.commit('A shop')
  repo.git(['config', 'plan.agent.writer.run', 'sh tools/writer.sh'])
  repo.write(
    '../discount.md',
    planText(
      `  - id: contract
    phase: design
    owner: api
    create: docs/api.md
    content: "total(list, discount)\\n"
    criteria:
      - text: The signature is written down
        verify: { contains: { file: docs/api.md, pattern: discount } }
      - Support agrees with it
  - id: implement
    phase: implementation
    owner: checkout
    edit: src/price.mjs
    replace: sum + each,
    with: sum + each * (1 - discount),
    test: true
  - id: measure
    phase: implementation
    run: node -e "const a = Buffer.alloc(8e7, 1); const end = Date.now() + 700; while (Date.now() < end) a[0]++"
    limits: { memory: 800mb }
  - id: document
    owner: docs
    agent: writer
    prompt: Document discounts
    files: [docs/api.md]
  - id: release
    owner: support
    gate: Is support ready?
  - id: tell
    run: "true"`,
      'title: Discounts\nowner: checkout\nrequires: [node]\npreflight: [node --version]\ntest: { run: node --test --test-reporter=tap test }\n',
    ),
  )
  expect((await repo.plan(['start', '../discount.md', '--approve'])).code).toBe(1)
  repo.write('src/price.mjs', repo.read('src/price.mjs').replace('(list)', '(list, discount = 0)'))
  expect((await repo.plan(['resume', '--fix', '-m', 'The discount needs a default'])).code).toBe(5)

  const { stdout } = await repo.plan(['report'])
  const section = (name: string): string[] =>
    (stdout.split(`## ${name}\n\n`)[1]?.split('\n\n## ')[0] ?? '').trim().split('\n')
  expect(section('Highlights')).toEqual([
    '- a regression was stopped: implement, attempt 1, broke a test that passed before: test/price.test.mjs &gt; adds prices; done in attempt 2',
    '- tests: 2 run, 1 passed, 1 failed, 0 skipped before the plan; 2 run, 2 passed, 0 failed, 0 skipped after implement; 1 failure from before is gone',
    '- criteria: 1 of 2 verified, 1 waits for a person',
    '- by hand: 1 fix',
    '- agents and drivers: writer (document)',
    expect.stringMatching(/^- resources: \d+\.\d s of processor time, at most \d.* of memory \(measure\)$/),
  ])
  expect(section('Phases').slice(2)).toEqual([
    '| design | contract | 1 of 1 | api |',
    '| implementation | implement, measure | 2 of 2 | checkout |',
    '| none | document, release, tell | 1 of 3 | docs, support |',
  ])
  expect(section('Steps')[0]).toBe(
    '| step | status | owner | agent | took | used | failures | files | lines | commit | title |',
  )
  expect(section('Before the first step')).toEqual([
    '- passed: tools (node), agents (writer), disk, memory, signing, commit-msg, files, plan',
    '- skipped: node --version (the plan begins with a design step)',
  ])
  expect(stdout).toMatch(
    /\| contract \| criteria \| The signature is written down \| verified \| `\w{7}` docs\/api.md:1: total/,
  )
  expect(stdout).toMatch(/\| contract \| criteria \| Support agrees with it \| waits for a person \|/)
  expect(section('Next')).toEqual([
    '- next: `release` (support): Is support ready?',
    '- then: `tell`',
    '- to be judged: `contract` Support agrees with it',
    '- to be answered: `document` May it be negative?',
    '- to be known: `document` The list of 2025 is not covered',
    '- to type: `git plan resume discount --done release`',
    '- to type: `git plan cancel discount -m WHY`',
  ])
  expect(await repo.json(['report'])).toMatchObject({
    highlights: expect.arrayContaining([expect.objectContaining({ kind: 'regression' })]) as object,
    plan: { attempts: [{ step: 'implement', brokenTests: ['test/price.test.mjs > adds prices'] }] },
    outlook: { steps: [{ id: 'release' }, { id: 'tell' }], judge: [{ step: 'contract' }] },
    preflight: expect.arrayContaining([expect.objectContaining({ check: 'disk', result: 'passed' })]) as object,
  })

  await repo.plan(['resume', '--done', 'release', '-m', 'yes'])
  const end = (await repo.plan(['report'])).stdout
  expect(end).toContain('- by hand: 1 fix, 1 gate answered')
  expect(end.split('## Next\n')[1]).toContain('- to type: `git plan finish discount`')
  expect(end.split('## Next\n')[1]).not.toContain('- next:')
})

test('the report names preflight checks that were skipped, and a plan that has not begun', async ({ repo }) => {
  repo.write(
    '../p.md',
    planText('  - {id: one, run: exit 1, allow_failure: true}\n  - {id: two, run: "true"}', 'preflight: ["true"]\n'),
  )
  await repo.plan(['new', '--from', '../p.md'])
  const before = (await repo.plan(['report', 'p'])).stdout
  expect(before).toContain('- pending: disk, memory, signing, commit-msg, files, plan\n- pending: true\n')
  await repo.plan(['start', 'p', '--approve', '--skip-check', 'memory', '--skip-check', 'commands'])
  const { stdout } = await repo.plan(['report', 'p'])
  expect(stdout).toContain('- passed: disk, signing, commit-msg, files, plan\n- skipped: memory\n- skipped: true\n')
  expect(stdout).toContain('- one failed, which is allowed: exit code 1')
})

test('an allowed failure is named once, is not next, and the elapsed time is not less than the run time', async ({
  repo,
}) => {
  repo.write(
    '.plans/allowed.md',
    planText(`
  - {id: odd, run: "true", verify: [{exists: never.txt}], allow_failure: true}
  - {id: stop, needs: [], run: "sleep 0.4; test -e ../go"}`),
  )
  expect((await repo.plan(['start', '.plans/allowed.md', '--approve'])).code).toBe(1)
  const report = (await repo.json(['report'])) as unknown as {
    workedMs: number
    elapsedMs: number
    outlook: { steps: { id: string }[] }
    highlights: { text: string }[]
  }
  expect(report.outlook.steps.map(({ id }) => id)).toEqual(['stop'])
  expect(report.highlights.filter(({ text }) => text.includes('odd'))).toHaveLength(1)
  expect(report.elapsedMs).toBeGreaterThanOrEqual(report.workedMs)
})
