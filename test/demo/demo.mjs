// The demo: a small project in a throw-away repository, and a plan for it that fails, is fixed, resumed, rolled back
// and finished. Every line after `$` is a real command with its real output. Exits 1 when one of them, or the final
// tree, is not as expected.

import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = process.env.GIT_PLAN_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url))
const cli = join(dist, 'cli.mjs')
const isKept = process.argv.includes('--keep')
const hasColour = process.stdout.isTTY && process.env.NO_COLOR === undefined

const top = realpathSync(mkdtempSync(join(tmpdir(), 'git-plan-demo-')))
const repository = join(top, 'shop')
const home = join(top, 'home')
// Nothing of the machine's: no configuration, no variables of git's, no identity but the repository's own.
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(GIT_|PLAN_|XDG_CONFIG_HOME$|NODE_TEST_CONTEXT$|NODE_OPTIONS$)/.test(name),
    ),
  ),
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  NO_COLOR: '1',
}

const files = {
  'package.json': `${JSON.stringify({ name: 'shop', version: '1.4.0', type: 'module', scripts: { test: 'node test/price.js' } }, null, 2)}\n`,
  'src/price.js': `import { round } from './util.js'

export function total(items) {
  return round(items.reduce((sum, item) => sum + item.price * item.count, 0))
}
`,
  'src/util.js': 'export const round = (amount) => Math.round(amount * 100) / 100\n',
  'test/price.js': `import assert from 'node:assert'
import { total } from '../src/price.js'

assert.equal(total([{ price: 2.5, count: 4 }]), 10)
assert.equal(total([]), 0)
console.log('prices: all tests passed')
`,
  'README.md': '# shop\n\nPrices are net.\n',
}

// The mistake is in the plan: after the move, src/price.js still asks for ./util.js.
const plan = `---
title: Charge VAT
test: npm test --silent
steps:
  - id: rates
    title: Add the table of rates
    create: src/vat.js
    content: |
      export const rates = { DE: 0.19, FR: 0.2 }

      export const withVat = (amount, country) => amount * (1 + (rates[country] ?? 0))
  - id: use
    title: Charge VAT in the total
    edit: src/price.js
    match: 'total\\(items\\) \\{\\n  return round\\((.*)\\)$'
    flags: m
    with: |-
      total(items, country) {
        return round(withVat($1, country))
  - id: import
    title: Import the rates
    edit: src/price.js
    insert: import { withVat } from './vat.js'
    before: import { round }
    test: true
  - id: rename
    title: Give the helper its proper name
    move: src/util.js
    to: src/money.js
  - id: test
    title: Run the tests
    run: npm test --silent
    changes: none
    timeout: 1m
  - id: docs
    title: Say so in the README
    edit: README.md
    replace: Prices are net.
    with: Prices are net; VAT is added to the total.
    verify:
      - contains: { file: README.md, pattern: VAT is added }
---

VAT is added to the total and never stored, so nothing has to be migrated.
`

const troubles = []

const tell = (text) => process.stdout.write(`\n${hasColour ? `\u001b[1m${text}\u001b[0m` : `# ${text}`}\n`)

/** Both streams go into one file, so that lines stand in the order in which they were printed. */
function spawn(program, args) {
  const file = join(top, 'output')
  const output = openSync(file, 'w')
  const { status, signal, error } = spawnSync(program, args, {
    cwd: repository,
    env,
    stdio: ['ignore', output, output],
    timeout: 60_000,
  })
  closeSync(output)
  return { code: status ?? signal ?? error?.message ?? 'unknown', text: readFileSync(file, 'utf8') }
}

/** Shows a command as one would type it, runs it, shows what it printed. */
function type(line, expected = 0) {
  const words = line.match(/'[^']*'|\S+/g).map((word) => word.replace(/^'|'$/g, ''))
  const isPlan = words[0] === 'git' && words[1] === 'plan'
  process.stdout.write(`$ ${line}\n`)
  const { code, text } = isPlan ? spawn(process.execPath, [cli, ...words.slice(2)]) : spawn(words[0], words.slice(1))
  process.stdout.write(text)
  if (code !== 0) process.stdout.write(`(exit code ${code})\n`)
  if (code !== expected) troubles.push(`${line}: exit code ${code}, expected ${expected}\n${text}`)
}

function git(...args) {
  const { code, text } = spawn('git', args)
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${code}\n${text}`)
  return text.trimEnd()
}

function write(path, text) {
  mkdirSync(dirname(join(repository, path)), { recursive: true })
  writeFileSync(join(repository, path), text)
}

function replaceIn(path, from, to) {
  process.stdout.write(`$ sed -i 's#${from}#${to}#' ${path}\n`)
  write(path, readFileSync(join(repository, path), 'utf8').replace(from, to))
}

function expect(what, isSo) {
  if (!isSo) troubles.push(`expected: ${what}`)
}

function run() {
  mkdirSync(home)
  mkdirSync(repository)
  git('init', '--quiet', '--initial-branch', 'main')
  git('config', 'user.name', 'Ada Demo')
  git('config', 'user.email', 'ada@example.com')
  git('config', 'commit.gpgSign', 'false')
  for (const [path, text] of Object.entries(files)) write(path, text)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'A small shop')
  write('.plans/charge-vat.md', plan)

  tell(`A small project in ${repository}, and a plan for it in .plans/charge-vat.md:`)
  process.stdout.write(
    plan
      .split('\n')
      .map((line) => `    ${line}`.trimEnd())
      .join('\n'),
  )

  tell('Validate it and see how risky it is.')
  type('git plan check .plans/charge-vat.md')
  tell('Approve it and run it. The fifth step fails: a move left an import behind.')
  type('git plan start .plans/charge-vat.md --approve', 1)
  tell('Nothing is lost: four steps are commits, and the work tree is clean.')
  type('git plan status')
  type('git status --short')
  tell('The output of the failed step, and its saved attempt.')
  type('git plan log --output test')
  type('git plan attempts')
  tell('Fix it by hand, in the work tree. --fix commits the edit and runs the failed step again.')
  replaceIn('src/price.js', './util.js', './money.js')
  type('git plan resume --fix')
  tell('A plan is a branch, a step is a commit.')
  type('git log --oneline main..')
  tell('Second thoughts: roll back to the step "rename". The old tip is saved under a tag.')
  type("git plan rollback --to rename -m 'one more look at the import'")
  type('git plan status')
  expect(
    'README.md without the last step after the rollback',
    readFileSync(join(repository, 'README.md'), 'utf8') === files['README.md'],
  )
  tell('It was fine: undo the rollback.')
  type('git plan rollback --undo')
  tell('Everything that happened, rollbacks included, is in the repository.')
  type('git plan log')
  tell('Merge it into main and return there.')
  type('git plan finish')
  type('git log --oneline --graph')
  tell('The result works.')
  type('npm test --silent')

  expect('main checked out', git('symbolic-ref', '--short', 'HEAD') === 'main')
  expect('a clean work tree', git('status', '--porcelain') === '')
  expect('no branch of the plan', git('for-each-ref', 'refs/heads/plan/') === '')
  const tracked = [
    '.plans/charge-vat.md',
    'README.md',
    'package.json',
    'src/money.js',
    'src/price.js',
    'src/vat.js',
    'test/price.js',
  ]
  expect(`the files ${tracked.join(', ')}`, git('ls-files') === tracked.join('\n'))
  const price = readFileSync(join(repository, 'src/price.js'), 'utf8')
  expect(
    'src/price.js as planned and fixed',
    price ===
      `import { withVat } from './vat.js'\nimport { round } from './money.js'\n\nexport function total(items, country) {\n  return round(withVat(items.reduce((sum, item) => sum + item.price * item.count, 0), country))\n}\n`,
  )
  expect('a sound repository', !/error|missing|corrupt/.test(git('fsck', '--strict', '--no-dangling')))
}

try {
  if (!existsSync(cli)) throw new Error(`${cli} does not exist; build it first: npm run build`)
  run()
} catch (error) {
  troubles.push(error.message)
} finally {
  if (isKept) tell(`The repository is kept: ${repository}`)
  else {
    rmSync(top, { recursive: true, force: true })
    tell(`The repository was ${repository}; it was deleted. To keep it: npm run demo -- --keep`)
  }
}

if (troubles.length > 0) {
  process.stderr.write(`\nThe demo did not go as expected:\n${troubles.map((trouble) => `- ${trouble}`).join('\n')}\n`)
  process.exitCode = 1
}
