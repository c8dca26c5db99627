// What somebody meets who uses it for the first time: a policy to be written, a fresh clone, a server that nobody
// named, and hints that have to lead somewhere.

import { join } from 'node:path'
import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** A remote at an address that is no known forge; what is pushed goes to a bare repository. */
function withRemote(repo: TestRepo, url = 'https://git.example.com/acme/widgets.git'): string {
  const bare = join(repo.home, 'remote.git')
  repo.git(['init', '-q', '--bare', '-b', 'main', bare])
  repo.git(['config', '--global', `url.${bare}.insteadOf`, url])
  repo.git(['remote', 'add', 'origin', url])
  repo.git(['push', '-q', 'origin', 'main'])
  repo.git(['remote', 'set-head', 'origin', 'main'])
  return url
}

const one = planText('  - {id: one, create: one.txt, content: "1"}')
const propose = (repo: TestRepo, text = one) => repo.plan(['new', '--from', '-', '--id', 'p'], { input: text })

test('check judges a configuration: each mistake with its place, as text, JSON and SARIF, also where the policy in force is broken', async ({
  repo,
}) => {
  const good = 'version: 1\napproval:\n  high: { from: [review], count: 1 }\n'
  repo.write('.plans/config.yml', good)
  const valid = await repo.plan(['check', '.plans/config.yml'])
  expect(valid, valid.all).toMatchObject({
    code: 0,
    stdout: '.plans/config.yml: valid configuration, 0 errors, 0 warnings\n',
  })

  repo.write('.plans/config.yml', 'version: 1\naproval:\n  high: review\nlimits: { steps: 0 }\n')
  repo.commit('A broken policy')
  const broken = await repo.plan(['check', '.plans/config.yml'])
  expect(broken.code, broken.all).toBe(2)
  expect(broken.stdout).toMatch(/\.plans\/config\.yml:2:1: error: unknown key `aproval`/)
  expect(broken.stdout).toMatch(/\.plans\/config\.yml:4:\d+: error/)
  expect(broken.stdout).toContain('.plans/config.yml: invalid configuration, 2 errors')
  expect((await repo.plan(['list'])).all).toContain('git plan check .plans/config.yml')
  repo.write('below/other.yaml', 'safety:\n  - tool: deploy\n    read: ["*"]\n    examples: { write: [deploy now] }\n')
  const untrue = await repo.json(['check', 'other.yaml'], { cwd: repo.path('below') })
  expect(untrue).toMatchObject({
    kind: 'check',
    what: 'configuration',
    valid: false,
    findings: [{ rule: 'untrue-example', line: 2, file: 'other.yaml' }],
  })
  const sarif = await repo.plan(['check', 'other.yaml', '--sarif'], { cwd: repo.path('below') })
  expect(sarif.code).toBe(2)
  expect(JSON.parse(sarif.stdout)).toMatchObject({
    runs: [
      {
        results: [
          {
            locations: [
              { physicalLocation: { artifactLocation: { uri: 'below/other.yaml' }, region: { startLine: 2 } } },
            ],
          },
        ],
      },
    ],
  })
  // A plan is one by its fences, whatever its name.
  repo.write('plan.yml', one)
  repo.write('.plans/config.yml', good)
  repo.commit('A policy')
  expect((await repo.plan(['check', 'plan.yml'])).stdout).toContain('plan.yml: valid plan')
})

test('init says what makes the settings count: the commit and, where there is a remote, the push', async ({ repo }) => {
  withRemote(repo)
  const ran = await repo.plan(['init'])
  expect(ran.code, ran.all).toBe(0)
  expect(ran.stdout).toContain('It takes effect once committed and pushed to origin/main')
  expect(ran.stderr).toMatch(
    /git plan check \.plans\/config\.yml\n.*git add \.plans\/config\.yml && git commit -m 'Configure git plan'\n\s+git push origin main\n/,
  )
})

test('a plan that is not in this clone is not called unknown: every command says how to get it', async ({ repo }) => {
  repo.write('.plans/p.md', one.replace('---\n\n', 'status: completed\nstate: { one: done }\n---\n\n'))
  repo.write('.plans/text.md', one)
  repo.commit('What a finished plan leaves, and a text that nobody has begun with')
  const url = withRemote(repo)
  await repo.plan(['new', '--from', '-', '--id', 'open'], { input: one })
  repo.git(['push', '-q', 'origin', 'plan/open'])
  const cwd = join(repo.home, 'clone')
  repo.git(['clone', '-q', url, cwd])
  for (const plan of ['p', 'open']) {
    const ran = await repo.plan(['audit', plan], { cwd })
    expect(ran.code, ran.all).toBe(2)
    expect(ran.stderr).toContain(
      `plan "${plan}" is not in this clone; origin should have it\nHint: git plan fetch ${plan}\n`,
    )
  }
  expect((await repo.plan(['audit', 'text'], { cwd })).stderr).toContain('there is no plan "text"')
  const fetched = await repo.plan(['fetch'], { cwd })
  expect(fetched.code).toBe(2)
  expect(fetched.stderr).toMatch(/Hint: git plan fetch open\n\s+git plan fetch p\n/)
  expect((await repo.plan(['list'], { cwd })).stdout).toBe(
    'No plans in this clone. origin has: open, p\nTo fetch one: git plan fetch open\n',
  )
})

test('diff says what it leaves out, and the hint after a new revision shows the change of the text', async ({
  repo,
}) => {
  await propose(repo)
  const empty = await repo.plan(['diff', 'p'])
  expect(empty).toMatchObject({ code: 0, stdout: '' })
  expect(empty.stderr).toContain('.plans/p.md is not shown')
  expect(empty.stderr).toContain('git plan diff p --all')
  expect(await repo.json(['diff', 'p', '--all'])).toMatchObject({ leftOut: [] })

  repo.git(['checkout', '-q', 'plan/p'])
  repo.write('.plans/p.md', repo.read('.plans/p.md').replace('content: "1"', 'content: "another"'))
  repo.commit('Another text')
  const ran = await repo.plan(['start', 'p'])
  expect(ran.all).toContain('the text of p was changed by')
  const [, hint] = /(git diff [0-9a-f]{40} [0-9a-f]{40} -- [^\s;]+)/.exec(ran.stderr) ?? []
  const shown = repo.git((hint ?? 'git diff').split(' ').slice(1))
  expect(shown).toMatch(/^-.*content: "1"/m)
  expect(shown).toMatch(/^\+.*content: "another"/m)
})

test('where the policy asks for a review, submit to a host that nobody named says that reviews cannot be read, and the line that is missing', async ({
  repo,
}) => {
  repo.write('.plans/config.yml', 'approval: { low: review, medium: review, high: review, critical: review }\n')
  repo.commit('Policy')
  withRemote(repo, 'http://127.0.0.1:38085/acme/widgets.git')
  await propose(repo)
  const line = 'forges: { "127.0.0.1:38085": { kind: github } }'
  const submitted = await repo.plan(['submit', 'p'])
  expect(submitted.code, submitted.all).toBe(0)
  expect(submitted.stdout).toContain('Pushed plan/p to origin')
  expect(submitted.stdout).toContain('the reviews that the policy requires cannot be read')
  expect(submitted.stdout).toContain(line)
  expect(submitted.stderr).toMatch(/Next:\n.*config\.yml/)
  expect(submitted.stderr).not.toContain('approve')
  const ready = await repo.plan(['start', 'p', '--wait'])
  expect(ready.all).toContain(line)
})

test('a push that the hooks refuse is told how to drop or adopt what stands in its way, and a plan that nobody started is not resumed', async ({
  repo,
}) => {
  withRemote(repo)
  await propose(repo)
  repo.git(['checkout', '-q', 'plan/p'])
  repo.write('stray.txt', 'stray\n')
  const stray = repo.commit('Stray')
  const call = (ref: string, to: string) =>
    repo.plan(['hook', 'pre-push', 'origin', 'x'], {
      input: `refs/heads/${ref} ${to} refs/heads/${ref} ${'0'.repeat(40)}\n`,
    })
  const foreign = await call('plan/p', stray)
  expect(foreign.code).not.toBe(0)
  expect(foreign.stderr).toContain('git plan approve p --files')
  expect(foreign.stderr).toContain(`git checkout plan/p && git reset --hard ${stray.slice(0, 12)}^`)
  repo.git(['reset', '-q', '--hard', 'HEAD^'])
  repo.git(['checkout', '-q', 'main'])
  repo.git(['merge', '-q', '--no-ff', '-m', 'Too early', 'plan/p'])
  const early = await call('main', repo.git(['rev-parse', 'main']))
  expect(early.stderr).toContain('plan p is proposed, but main accepts only finished plans')
  expect(early.stderr).toContain('git plan status p')
  expect(early.stderr).not.toContain('git plan resume')
})

test('config shows which branches are protected, and by what', async ({ repo }) => {
  const setting = async () => (await repo.json(['config']))['settings'] as unknown as { name: string }[]
  expect(await setting()).toContainEqual({ name: 'plan.protected', value: ['main'], source: 'default' })
  repo.git(['config', '--add', 'plan.protected', 'main'])
  repo.git(['config', '--add', 'plan.protected', 'release/*'])
  expect(await setting()).toContainEqual({
    name: 'plan.protected',
    value: ['main', 'release/*'],
    source: 'git config (local)',
  })
})
