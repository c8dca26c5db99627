// Templates, parameters, included and composed plans, through the program.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { newPlan } from '../../src/commands/propose/new.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { runTemplate } from '../helpers/template-projects.ts'

const greeting = `---
title: Greet \${{ params.name }}
params:
  name: { description: who is greeted }
  times: { type: number, default: 1 }
steps:
  - id: greet
    create: greetings/\${{ params.times }}.txt
    content: Hello \${{ params.name }}
  - id: check
    run: test "$(cat "greetings/$PLAN_PARAM_TIMES.txt")" = "Hello $PLAN_PARAM_NAME"
    changes: none
---

For \${{ params.name }}.
`

const committed = (repo: TestRepo, id: string): string => repo.git(['show', `plan/${id}:.plans/${id}.md`])

test('a template of ours renames a symbol in a real project', async ({ repo }) => {
  const { before, after, all } = await runTemplate(repo, 'rename-symbol')
  expect(before).not.toBe(0)
  expect(after, all).toBe(0)
  expect(repo.subjects().slice(1, 5)).toEqual([
    'Run the tests',
    'Remove the script',
    'Rename cart to basket',
    'Add the script that renames',
  ])
  expect(repo.git(['show', '--format=', '--name-only', 'HEAD~3']).split('\n')).toEqual([
    '.plans/made.md',
    'src/shop.js',
    'test/shop.test.js',
  ])
})

test('values are committed with the plan, shown, and given to its commands', async ({ repo }) => {
  repo.write('.plans/templates/greet.md', greeting)
  repo.commit('A template')
  const hostile = `Ada "#'\n---\n$(touch owned) \${x}`
  const made = await repo.plan(['new', '--template', 'greet', '-p', `name=${hostile}`, '--id', 'hi', 'Say hello'])
  expect(made, made.all).toMatchObject({ code: 0 })
  const text = committed(repo, 'hi')
  expect(text).not.toContain('${{')
  expect(text).toContain('params:\n')
  const shown = await repo.json(['show', 'hi'])
  expect(shown).toMatchObject({
    title: 'Say hello',
    params: { name: hostile, times: 1 },
    sources: [{ template: 'greet', from: 'repository', digest: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    steps: [{ spec: { create: 'greetings/1.txt', content: `Hello ${hostile}` } }, {}],
  })
  expect((await repo.plan(['show', 'hi'])).stdout).toMatch(/source: template greet \(repository\), digest/)
  expect((await repo.plan(['status', 'hi'])).stdout).toMatch(/parameters +name: Ada/)
  const ran = await repo.plan(['start', 'hi', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(repo.read('greetings/1.txt')).toBe(`Hello ${hostile}`)
  expect(repo.git(['ls-files'])).not.toContain('owned')
  expect((await repo.plan(['report', 'hi'])).stdout).toMatch(/- parameters: name: Ada/)
})

test('start gives values to a file, but not to a plan', async ({ repo }) => {
  repo.write('.plans/templates/greet.md', greeting)
  repo.commit('A template')
  const file = await repo.plan(['start', '.plans/templates/greet.md', '-p', 'name=Ada', '--approve'])
  expect(file, file.all).toMatchObject({ code: 0 })
  const made = await repo.plan(['new', '--template', 'greet', '-p', 'name=Eve'])
  expect(made, made.all).toMatchObject({ code: 2 })
  repo.git(['checkout', '-q', 'main'])
  await repo.plan(['new', '--template', 'greet', '-p', 'name=Eve'])
  expect(committed(repo, 'greet-eve')).toContain('For Eve.')
  const refused = await repo.plan(['start', 'greet-eve', '-p', 'name=Bob'])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('plan greet-eve has its values already')
  expect(refused.stderr).toContain('git plan new --template greet --id greet-eve-2 -p times=1 -p name=Bob')
  expect(
    await repo.plan(['new', '--template', 'greet', '--id', 'greet-eve-2', '-p', 'times=1', '-p', 'name=Bob']),
  ).toMatchObject({ code: 0 })
})

test('the first template of a name is used, and list says where it is from', async ({ repo }) => {
  const user = join(repo.env['XDG_CONFIG_HOME'] ?? '', 'git-plan', 'templates')
  mkdirSync(user, { recursive: true })
  for (const name of ['codemod', 'greet']) writeFileSync(join(user, `${name}.md`), greeting)
  repo.write('.plans/templates/greet.md', greeting)
  repo.write('.plans/templates/Bad Name.md', greeting)
  symlinkSync('/etc/passwd', repo.path('.plans/templates/passwd.md'))
  const { templates } = (await repo.json(['template', 'list'])) as unknown as {
    templates: { name: string; from: string }[]
  }
  expect(Object.fromEntries(templates.map(({ name, from }) => [name, from]))).toMatchObject({
    codemod: 'user',
    greet: 'repository',
    release: 'git plan',
  })
  expect(templates.map(({ name }) => name)).not.toContain('passwd')
  expect((await repo.plan(['template', 'show', 'greet'])).stdout).toMatch(/-p name= +string, required +who is greeted/)
  const made = await repo.plan(['template', 'new', 'add-service'])
  expect(made, made.all).toMatchObject({ code: 0 })
  expect((await repo.plan(['check', '.plans/templates/add-service.md', '-p', 'name=x'])).code).toBe(0)
  expect((await repo.plan(['template', 'new', 'add-service'])).all).toContain('already exists')
})

test('what is wrong with a template or its values is refused', async ({ repo }) => {
  repo.write('.plans/templates/greet.md', greeting)
  const make = (...words: string[]) => repo.plan(['new', '--template', ...words])
  const missing = await make('greet', '-p', 'times=2')
  expect(missing).toMatchObject({ code: 2, stdout: '' })
  expect(missing.stderr).toContain('name: who is greeted')
  expect(missing.stderr).toContain('Hint: git plan new --template greet -p times=2 -p name=VALUE')
  expect((await make('greet', '-p', 'name=x', '-p', 'times=two')).stderr).toContain(
    'the parameter times should be a number, not `two`',
  )
  expect((await make('greet', '-p', 'name=x', '-p', 'tims=2')).stderr).toContain('did you mean `times`?')
  expect((await make('greet', '-p', 'name')).stderr).toContain('-p takes NAME=VALUE')
  for (const name of ['../greet', '.plans/templates/greet', 'greet.md', '/etc/passwd'])
    expect(await make(name, '-p', 'name=x'), name).toMatchObject({ code: 2 })
  expect(repo.git(['for-each-ref', 'refs/heads/plan'])).toBe('')
})

test('missing values are asked for on a terminal, until they are right', async ({ repo }) => {
  repo.write(
    '.plans/templates/ask.md',
    greeting.replace('times: { type: number, default: 1 }', 'times: { type: number }'),
  )
  const [asked, answers] = [new Array<string>(), ['Ada', 'two', '2']]
  const made = await newPlan(
    { template: 'ask' },
    {
      cwd: repo.dir,
      env: gitEnvironment(repo.env),
      now: () => new Date(),
      isInteractive: true,
      confirm: () => Promise.resolve(false),
      choose: () => Promise.resolve(undefined),
      ask: async (question) => {
        asked.push(question)
        return answers.shift()
      },
      readInput: () => Promise.resolve(new Uint8Array()),
      editFile: () => Promise.resolve(),
      serveMcp: () => Promise.resolve(),
      browse: () => Promise.resolve(),
      serveUi: () => Promise.resolve(),
      emit: () => {},
      signal: new AbortController().signal,
    },
  )
  expect(made.data.title).toBe('Greet Ada')
  expect(asked).toEqual([
    'name: who is greeted?',
    'times?',
    'the parameter times should be a number, not `two`. times?',
  ])
  expect(committed(repo, 'greet-ada')).toContain('create: greetings/2.txt')
})

test('a plan includes a file, a template and a plan at a commit; all of it is in the text', async ({ repo }) => {
  repo.write('.plans/parts/one.md', planText('  - { id: a, run: echo 1 > one.txt }'))
  repo.write('.plans/templates/greet.md', greeting)
  repo.commit('Parts')
  repo.write('other.md', planText('  - { id: b, run: echo 2 > two.txt }'))
  await repo.plan(['new', '--from', 'other.md'])
  const commit = repo.git(['rev-parse', 'plan/other'])
  repo.write(
    'all.md',
    planText(`  - id: one
    include: .plans/parts/one.md
  - id: hello
    include: { template: greet }
    with: { name: "Ada: #1", times: 3 }
  - id: two
    include: { plan: other, at: "${commit.slice(0, 12)}" }
  - run: cat one.txt two.txt > all.txt`),
  )
  const started = await repo.plan(['start', 'all.md', '--approve', '--autostash'])
  expect(started, started.all).toMatchObject({ code: 0 })
  expect(repo.read('all.txt')).toBe('1\n2\n')
  expect(repo.read('greetings/3.txt')).toBe('Hello Ada: #1')
  const shown = (await repo.json(['show', 'all'])) as unknown as { steps: { id: string }[]; sources: { at?: string }[] }
  expect(shown.steps.map(({ id }) => id)).toEqual([
    'one-a',
    'hello-greet',
    'hello-check',
    'two-b',
    'cat-one-txt-two-txt',
  ])
  expect(shown.sources).toMatchObject([
    { step: 'one', file: '.plans/parts/one.md' },
    { step: 'hello', template: 'greet' },
    { step: 'two', plan: 'other', at: commit },
  ])
  expect(committed(repo, 'all')).not.toContain('include')
})

test('what cannot be included is refused by check, new and replan', async ({ repo }) => {
  repo.write('.plans/parts/a.md', planText('  - include: .plans/parts/b.md'))
  repo.write('.plans/parts/b.md', planText('  - include: .plans/parts/a.md'))
  repo.write('outside.md', planText('  - run: rm -rf /'))
  writeFileSync(join(repo.home, 'outside.md'), planText('  - run: echo outside'))
  symlinkSync(join(repo.home, 'outside.md'), repo.path('.plans/parts/link.md'))
  symlinkSync(repo.home, repo.path('.plans/parts/dir'))
  const cases: readonly [string, string][] = [
    [
      '.plans/parts/a.md',
      '.plans/parts/b.md:3:5: error: a cycle of includes: p.md:3 → .plans/parts/a.md:3 → .plans/parts/b.md:3 → .plans/parts/a.md',
    ],
    ['../home/outside.md', 'the path must not contain `..`'],
    ['.plans/parts/link.md', '.plans/parts/link.md is a symlink'],
    ['.plans/parts/dir/outside.md', 'leads through .plans/parts/dir, which is not a directory'],
    ['.git/config', 'must not be inside the git directory'],
    ['none.md', 'there is no file none.md'],
    ['{ plan: p, at: "1234567" }', 'commit 1234567 not found'],
    ['{ plan: p }', 'plan p not found'],
    ['{ template: ../a }', '`../a` is not the name of a template'],
    ['outside.md', 'outside.md:3:5: error: '],
  ]
  for (const [include, message] of cases) {
    repo.write('p.md', planText(`  - include: ${include}`))
    const checked = await repo.plan(['check', 'p.md'])
    expect(checked.all, include).toContain(message)
    expect(checked.code, include).toBe(include === 'outside.md' ? 1 : 2)
    const made = await repo.plan(['new', '--from', 'p.md'])
    expect(made, include).toMatchObject({ code: 2 })
    expect(made.all, include).toContain(message)
  }
  expect(repo.git(['for-each-ref', 'refs/heads/plan'])).toBe('')
  repo.write('p.md', planText('  - run: echo 1'))
  await repo.plan(['new', '--from', 'p.md'])
  repo.write('p.md', planText('  - include: none.md'))
  expect((await repo.plan(['replan', 'p', '--from', 'p.md'])).all).toContain('there is no file none.md')
})

test('compose combines plans and files, in sequence or side by side', async ({ repo }) => {
  repo.write(
    'a.md',
    planText(
      '  - { id: x, run: echo a > a2.txt, test: true }\n  - { id: y, run: echo }',
      'title: A\ntest: "true"\nrequires: [git]\n',
    ),
  )
  repo.write(
    'b.md',
    planText(
      '  - { id: x, run: cat a2.txt > b.txt }',
      'title: B\nbase: main\nrequires: [sh]\nverify: [test -s b.txt]\n',
    ),
  )
  await repo.plan(['new', '--from', 'b.md'])
  const { text, steps, file } = (await repo.json(['compose', 'a.md', 'b', '-o', 'both.md'])) as unknown as Record<
    string,
    string
  >
  expect(steps).toEqual(['a-x', 'y', 'b-x'])
  expect(file).toBe(repo.path('both.md'))
  expect(repo.read('both.md')).toBe(text)
  expect(text).toContain('title: A, then B\n')
  expect(text).toContain('requires:\n  - git\n  - sh\n')
  expect(text).toContain('  - id: b-x\n    title: Run cat a2.txt > b.txt\n    needs: [y]\n')
  expect(text).toContain('test: "true"')
  expect((await repo.plan(['compose', 'a.md', 'b.md', '-o', 'both.md'])).all).toContain('both.md already exists')
  expect((await repo.plan(['compose', 'a.md', 'b.md', '--parallel'])).stdout).toContain('  - id: b-x\n    needs: []\n')
  const ran = await repo.plan(['start', 'both.md', '--approve', '--autostash'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(repo.read('b.txt')).toBe('a\n')
})

test('compose renames the sources of an include with its steps', async ({ repo }) => {
  repo.write('part.md', planText('  - { id: one, run: echo 1 }\n  - { id: two, run: echo 2 }'))
  for (const name of ['a', 'b'])
    repo.write(`${name}.md`, planText('  - { id: tea, include: part.md }', `title: ${name}\n`))
  const { text, steps } = (await repo.json(['compose', 'a.md', 'b.md'])) as unknown as Record<string, string>
  expect(steps).toEqual(['a-tea-one', 'a-tea-two', 'b-tea-one', 'b-tea-two'])
  for (const name of ['a', 'b'])
    expect(text).toMatch(new RegExp(`step: ${name}-tea\\n +file: part.md|file: part.md\\n +step: ${name}-tea`))
})

test('a wrong value of -p is not a mistake of the template', async ({ repo }) => {
  repo.write('.plans/templates/greet.md', greeting)
  const refused = await repo.plan(['new', '--template', 'greet', '-p', 'name=x', '-p', 'times=many'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toBe(
    'git plan: -p: the parameter times should be a number, not `many`\nHint: git plan template show greet\n',
  )
})

test('the plan of a title passes its check, and has one real step', async ({ repo }) => {
  const made = await repo.plan(['new', 'Add "rate": limits #1'])
  expect(made.code, made.all).toBe(0)
  const checked = await repo.plan(['check', 'add-rate-limits-1'])
  expect(checked.all).toContain('valid plan, 0 errors, 0 warnings')
  expect(committed(repo, 'add-rate-limits-1')).toContain('    create: docs/add-rate-limits-1.md\n')
  const ran = await repo.plan(['start', 'add-rate-limits-1', '--approve'])
  expect(ran.code, ran.all).toBe(0)
})

test('compose names what contradicts', async ({ repo }) => {
  repo.write('a.md', planText('  - run: echo', 'base: main\nsetup: npm ci\nmeta: { team: a, x: 1 }\n'))
  repo.write(
    'b.md',
    planText('  - run: echo', 'base: next\nsetup: make\nmeta: { team: b, y: 2 }\non_failure: rollback-all\n'),
  )
  const refused = await repo.plan(['compose', 'a.md', 'b.md'])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('base: "main" in a.md, "next" in b.md')
  expect(refused.stderr).toContain('setup: "npm ci" in a.md, "make" in b.md')
  expect(refused.stderr).toContain('meta.team: "a" in a.md, "b" in b.md')
  expect(refused.stderr).toContain('on_failure')
  expect((await repo.plan(['compose', 'a.md'])).code).toBe(2)
})
