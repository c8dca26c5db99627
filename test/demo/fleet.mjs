// The demo of fleets: twelve throw-away repositories, one of which fails and is retried, until all are merged. Every line
// after `$` is a real command with its real output. Exits 1 when one of them, or a repository, is not as expected.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cli = join(process.env.GIT_PLAN_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url)), 'cli.mjs')
const isKept = process.argv.includes('--keep')
const top = realpathSync(mkdtempSync(join(tmpdir(), 'git-plan-fleet-')))
const home = join(top, 'home')
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GIT_|PLAN_|XDG_|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/.test(name)),
  ),
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  NO_COLOR: '1',
}
const troubles = []
const tell = (text) => process.stdout.write(`\n# ${text}\n`)

function git(args, cwd = top) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${status}\n${stderr}`)
  return stdout.trimEnd()
}

/** Shows a command as one would type it, runs it, shows what it printed. */
function type(line, expected = 0) {
  process.stdout.write(`$ git plan ${line}\n`)
  const { status } = spawnSync(process.execPath, [cli, ...line.split(' ')], {
    cwd: top,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 300_000,
  })
  if (status !== 0) process.stdout.write(`(exit code ${status})\n`)
  if (status !== expected) troubles.push(`git plan ${line}: exit code ${status}, expected ${expected}`)
}

const names = Array.from({ length: 12 }, (_, at) => `service-${String(at + 1).padStart(2, '0')}`)
const addressOf = (name) => join(top, 'remotes', `${name}.git`)

/** One of them has a test that asks for the old version. */
function makeRepository(name, at) {
  const work = join(top, 'work')
  git(['init', '--quiet', '--bare', '--initial-branch', 'main', addressOf(name)])
  git(['clone', '--quiet', addressOf(name), work])
  writeFileSync(join(work, 'package.json'), `{ "name": "${name}", "engines": { "node": ">=18" } }\n`)
  writeFileSync(
    join(work, 'test.sh'),
    at === 6 ? 'grep -q 18 package.json || { echo "expected Node 18"; exit 1; }\n' : 'true\n',
  )
  git(['add', '--all'], work)
  git(['commit', '--quiet', '--message', `A small service: ${name}`], work)
  git(['push', '--quiet', 'origin', 'HEAD:main'], work)
  rmSync(work, { recursive: true })
}

const plan = `---
title: Require Node 20
steps:
  - id: engines
    title: Require Node 20
    edit: package.json
    replace: '>=18'
    with: '>=20'
  - id: test
    title: Run the tests
    run: test -e ${join(top, 'repaired')} || sh test.sh
    changes: none
---
`

function run() {
  mkdirSync(home)
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada Demo\n\temail = ada@example.com\n')
  for (const [at, name] of names.entries()) makeRepository(name, at)
  writeFileSync(join(top, 'repositories.txt'), names.map((name) => `${addressOf(name)}\n`).join(''))
  writeFileSync(join(top, 'node-20.md'), plan)

  tell(`Twelve repositories below ${top}, and a plan for all of them in node-20.md:`)
  process.stdout.write(plan.replace(/^/gm, '    ').trimEnd())
  process.stdout.write('\n')
  tell('Propose the campaign. It is a branch of a control repository, and nothing runs yet.')
  type('fleet new repositories.txt node-20.md --wave 2')
  tell('Approve it and run it: two repositories first, then the others. One of them fails.')
  type('fleet resume node-20 --approve -j 4', 1)
  tell('The same from the refs alone, at any time and from any machine.')
  type('fleet status')
  tell('Repair what was wrong, and let the one that failed run again.')
  writeFileSync(join(top, 'repaired'), '')
  type('fleet retry --failed test')
  type('fleet resume')
  tell('Merge all of them.')
  type('fleet finish')
  type('fleet report')
  tell('Every event of the campaign is a commit.')
  const control = join(home, '.local/state/git-plan/fleet/node-20/control.git')
  process.stdout.write(
    `$ git log --reverse --format=%s campaign/node-20\n${git(['log', '--reverse', '--format=%s', 'campaign/node-20'], control)}\n`,
  )

  for (const name of names) {
    if (!git(['show', 'main:package.json'], addressOf(name)).includes('>=20')) troubles.push(`${name} is not merged`)
    if (git(['branch', '--list', 'plan/*'], addressOf(name)) !== '') troubles.push(`${name} still has the branch`)
  }
}

try {
  if (!existsSync(cli)) throw new Error(`${cli} does not exist; build it first: npm run build`)
  run()
} catch (error) {
  troubles.push(error.message)
} finally {
  if (isKept) tell(`The repositories are kept: ${top}`)
  else {
    rmSync(top, { recursive: true, force: true })
    tell('The repositories were deleted. To keep them: npm run demo:fleet -- --keep')
  }
}

if (troubles.length > 0) {
  process.stderr.write(`\nThe demo did not go as expected:\n${troubles.map((each) => `- ${each}`).join('\n')}\n`)
  process.exitCode = 1
}
