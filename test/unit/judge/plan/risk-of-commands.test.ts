// How risky commands are: those that provably only read, those that name what is critical, and those of a database.

import { describe, expect, test } from 'vitest'
import { criticalPaths } from '../../../../src/judge/plan/critical-paths.ts'
import { mayRead, readersOf } from '../../../../src/judge/plan/readers.ts'
import { assessRisk, type RiskAssessment } from '../../../../src/judge/plan/risk.ts'
import type { SafetySetting } from '../../../../src/plan/config/config.ts'
import { readsOutside } from '../../../../src/judge/shell/outside.ts'
import { fenced, parsed } from '../../../helpers/plans.ts'
import { readers } from '../../../helpers/shell-commands.ts'

async function assessed(steps: string, safety: readonly SafetySetting[] = []): Promise<RiskAssessment> {
  const { plan } = parsed(fenced(`steps:\n${steps}`))
  return assessRisk(plan, [], await readersOf(plan, safety))
}
const riskOf = async (step: string, safety?: readonly SafetySetting[]): Promise<string> =>
  (await assessed(`  - ${step}`, safety)).plan

describe('a step that provably only reads', () => {
  test('is LOW, with the reason', async () => {
    expect(await assessed('  - {id: a, run: git log --oneline}')).toMatchObject({
      plan: 'LOW',
      reasons: ['a: `git log --oneline`: git only reads'],
    })
  })

  test.each([
    ['{run: git log}', 'LOW'],
    ['{run: "git diff --exit-code"}', 'LOW'],
    ['{run: "grep -rn TODO src | wc -l"}', 'LOW'],
    ['{run: "ls > files.txt"}', 'HIGH'],
    ['{run: "git log; touch x"}', 'HIGH'],
    ['{run: "git branch -D x"}', 'HIGH'],
    ['{run: "find . -delete"}', 'HIGH'],
    ['{run: git log, env: {PATH: "."}}', 'HIGH'],
    ['{run: git log, effect: external}', 'HIGH'],
    ['{run: git log, risk: MEDIUM}', 'MEDIUM'],
    ['{run: git log, verify: test -f x}', 'LOW'],
    ['{run: git log, verify: npm test}', 'HIGH'],
    ['{run: git log, test: npm test}', 'HIGH'],
    ['{run: git log, files: [.github/**]}', 'CRITICAL'],
    ['{create: a, content: x, verify: grep -q x a}', 'LOW'],
    ['{create: a, content: x, verify: [grep -q x a, npm test]}', 'HIGH'],
    ['{create: a, content: x, criteria: [{text: good, verify: test -s a}]}', 'LOW'],
    ['{edit: a, append: x, test: git diff --check}', 'MEDIUM'],
    ['{manual: x, effect: external, probe: test -f x, undo: test -f x}', 'HIGH'],
    ['{run: cat .github/workflows/ci.yml}', 'LOW'],
  ])('%s is %s', async (step, level) => {
    expect(await riskOf(step)).toBe(level)
  })

  // What it prints is recorded, and published with the plan.
  test.each([
    'cat ~/.ssh/id_rsa',
    'cat /etc/passwd',
    'ls ~',
    'ls ..',
    'cat ../x',
    'cat src/../../x',
    'find / -name x',
    'cat "/"etc/passwd',
    "cat '/etc/passwd'",
    'cat a\\/../x',
    'cat $HOME/x',
    'cat "$HOME/x"',
    'ls; env',
    'ls && printenv',
    'ls; set',
    'cat < /etc/passwd',
    'cat <~/x',
    'cat {/etc/passwd,x}',
    'ls .*',
    "cat $'\\x2fetc/x'",
    'ls $(pwd)/..',
    'cat <(env)',
    'cat <<< $HOME',
    'grep -f/etc/passwd x',
    'grep --file=/etc/passwd x',
    'test -f /etc/x',
    '[ -f /etc/x ]',
    '[[ -f /etc/x ]]',
    'ls | xargs cat',
    'cat .git/config',
    'ls; cd; cat x',
    'sort --files0-from=list',
    'sha256sum -c list',
    'find . -exec cat {} +',
    'git diff --no-index a /etc/passwd',
    'git show HEAD:../x',
    'ls; git config --list',
    'ls; git -C x log',
    'ls; git remote -v',
    'jq -n env x',
    'awk 1 x',
    'which node',
    'if ls /etc; then ls; fi',
    'ls; ( cat /x )',
    'ls; { cat /x; }',
    'for f in a b; do cat a; done',
    'grep -r topsecret .',
    'grep -rn topsecret',
    'grep -R -e topsecret src',
    'rg --hidden -uu x',
    'diff -r . x',
    'wc --files0-f=names',
    'du --f=names',
    'sha256sum --chec names',
    'git show stash@{0}',
    'git log -p --all',
    'git cat-file -p refs/plan-local/x/stash^3:f',
    // Branches that were not pushed.
    'git log main..feature/x',
    'git show private:a.txt',
    'git grep s private',
    'git diff main private',
    'git cat-file --batch-all-objects --batch',
  ])('%s may read outside the repository', async (command) => {
    expect(['MEDIUM', 'HIGH']).toContain(await riskOf(`{run: ${JSON.stringify(command)}}`))
    expect(readsOutside(command)).toBeDefined()
  })

  test.each([
    'ls',
    'ls -la src/*.ts',
    'cat a.txt .github/x "a b/c"',
    'grep -rn "TODO" src | sort | uniq -c',
    'find . -name "*.ts" -not -path "./node_modules/*"',
    'test -f a && ! test -e b',
    '[ -s a ]',
    '[[ -f a ]]',
    'ls && if test -f a; then cat a; fi',
    'wc -l < a.txt',
    'grep -q x a 2>/dev/null',
    'ls > /dev/null 2>&1',
    "sed -n '1,5p' a",
    'grep --include=*.ts -r x src',
    'rg -g "!src/x" TODO',
    'git log --format=%s HEAD~3..',
    'git diff --stat origin/main...HEAD -- src',
    'git show HEAD:src/a.ts',
    'git --no-pager status',
  ])('%s stays inside it', async (command) => {
    expect(await riskOf(`{run: ${JSON.stringify(command)}}`)).toBe('LOW')
    expect(readsOutside(command)).toBeUndefined()
  })

  test('is known by the registry as well, if its examples hold', async () => {
    const entry = { tool: 'shop', read: ['orders list'], examples: { read: ['shop orders list'] } }
    expect(await riskOf('{run: shop orders list}')).toBe('HIGH')
    expect(await riskOf('{run: shop orders list}', [entry])).toBe('LOW')
    expect(await riskOf('{run: shop orders drop}', [entry])).toBe('HIGH')
    expect(await riskOf('{run: shop orders list}', [{ ...entry, examples: { write: ['shop orders list'] } }])).toBe(
      'HIGH',
    )
  })

  test('without the classifier is as risky as any other', () => {
    expect(assessRisk(parsed(fenced('steps:\n  - {run: git log}')).plan, []).plan).toBe('HIGH')
  })

  test('is what is asked about, and little else', () => {
    expect(
      ['npm test', 'make', 'true', 'echo x > y', 'ls > x', 'git commit -m x', 'listing', 'sh x.sh'].filter((command) =>
        mayRead(command, []),
      ),
    ).toEqual([])
    expect(readers.filter((command) => mayRead(command, [])).length).toBeGreaterThan(readers.length / 3)
  })
})

describe('a command that names what is critical', () => {
  test.each([
    ['{run: "sed -i s/a/b/ .github/workflows/ci.yml"}', 'CRITICAL'],
    ['{run: "rm -r ./.github/"}', 'CRITICAL'],
    ['{run: "node build.mjs --out=deploy/site.yml"}', 'CRITICAL'],
    ['{run: "cp a src/auth/login.ts"}', 'CRITICAL'],
    ['{run: "protoc api/shop.proto"}', 'CRITICAL'],
    ['{run: "npm run deploy"}', 'HIGH'],
    ['{run: "npm run auth:test"}', 'HIGH'],
    ['{run: "curl https://host/auth/x -o y"}', 'HIGH'],
    ['{run: npm test}', 'HIGH'],
  ])('%s is %s', async (step, level) => {
    expect(await riskOf(step)).toBe(level)
  })

  test('says which path it is', async () => {
    expect((await assessed('  - {id: a, run: "sed -i s/a/b/ .github/workflows/ci.yml"}')).reasons).toEqual([
      'a: its command names a critical path: changes continuous integration (.github/workflows/ci.yml)',
    ])
  })
})

test.each([
  'psql -f x.sql',
  'npx prisma migrate dev',
  'rails db:migrate',
  'alembic upgrade head',
  'python manage.py migrate',
  'mysql < x.sql',
  'migrate up',
])('%s is HIGH because of the database', async (command) => {
  expect(await assessed(`  - {id: a, run: ${command}}`)).toMatchObject({
    plan: 'HIGH',
    reasons: ['a: run step', 'a: its command works on a database'],
  })
})

describe('critical paths', () => {
  const examples = [
    '.circleci/config.yml',
    '.buildkite/pipeline.yml',
    '.travis.yml',
    '.drone.yml',
    '.woodpecker/a.yml',
    'azure-pipelines.yml',
    'bitbucket-pipelines.yml',
    'Jenkinsfile',
    'ci/Jenkinsfile.release',
    'policy/access.rego',
    'db/migrate/1.rb',
    'alembic/versions/1.py',
    'deploy/a.yml',
    'ops/deployments/a.yml',
    'k8s/a.yml',
    'kubernetes/a.yml',
    'helm/a/values.yaml',
    'terraform/a.txt',
    'main.tf',
    'a.tfvars',
    'infra/a.yml',
    'infrastructure/a.yml',
    'config/prod/a.yml',
    'config/production/a.yml',
    'docs/openapi.yaml',
    'swagger.json',
    'asyncapi.yml',
    'api/a.proto',
    'schema.graphql',
    'a.graphqls',
    'a.thrift',
    'a.avsc',
    'a.p12',
    'a.pfx',
    'a.jks',
    'a.keystore',
    'a.kdbx',
    'keys/id_rsa',
    'id_ed25519',
    'secrets/a.txt',
    'secrets.yml',
    '.env',
    'app/.env.local',
    'credentials.json',
    '.github/workflows/a.yml',
    '.github/actions/a/action.yml',
    '.gitlab-ci.yml',
    '.plans/config.yml',
    'CODEOWNERS',
    'migrations/1.sql',
    'auth/a.ts',
    'authentication/a.ts',
    'auth.ts',
    'authorization/a.ts',
    'a.pem',
    'a.key',
  ]

  test.each(examples)('%s is CRITICAL', async (path) => {
    expect(await riskOf(`{create: ${path}, content: x}`)).toBe('CRITICAL')
  })

  test('every row of the table has an example, which holds its sign', () => {
    expect(
      criticalPaths.filter(
        ({ path, sign }) => !examples.some((each) => path().test(each) && each.toLowerCase().includes(sign)),
      ),
    ).toEqual([])
  })

  test.each([
    'src/deployer.ts',
    'docs/k8s.md',
    'src/product/a.ts',
    '.env.example',
    'src/secretary.ts',
    'src/protocol.ts',
    'Dockerfile',
    'docs/production.md',
    'src/id_card.ts',
  ])('%s is not', async (path) => {
    expect(await riskOf(`{create: ${path}, content: x}`)).toBe('LOW')
  })
})

describe('a step that installs packages', () => {
  test.each([
    ['{install: x}', 'MEDIUM', 'install step'],
    ['{install: x, dev: true, scripts: false}', 'MEDIUM', 'install step'],
    ['{install: x, scripts: true}', 'HIGH', 'lets packages run their scripts'],
    ['{install: x, env: {PATH: bin}}', 'HIGH', 'its variables may change what runs'],
    ['{install: x, in: infra/prod}', 'CRITICAL', 'changes a deployment (infra/prod)'],
  ])('%s is %s', async (step, risk, reason) => {
    const { plan, reasons } = await assessed(`  - ${step.replace('{', '{id: a, ')}`)
    expect(plan).toBe(risk)
    expect(reasons).toContain(`a: ${reason}`)
  })
})
