// Every shell block of the README and of docs/ is run, and prints what the page says.

import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { actionsOf, comparable, type Action } from '../helpers/documentation.ts'
import { bin, TestRepo } from '../helpers/repo.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].filter((page) => page !== 'docs/commands.md')
const told = pages
  .map((page) => ({ page, actions: actionsOf(readFileSync(join(root, page), 'utf8')) }))
  .filter(({ actions }) => actions.some(({ kind }) => kind === 'command'))

function repository(): TestRepo {
  const repo = new TestRepo({ isEmpty: true })
  const tools = join(repo.home, 'bin')
  mkdirSync(tools)
  writeFileSync(join(tools, 'git-plan'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`)
  chmodSync(join(tools, 'git-plan'), 0o755)
  repo.env['PATH'] = `${tools}:${repo.env['PATH']}`
  repo.write('README.md', '# Hello\n')
  repo.commit('First')
  return repo
}

const program = `exec "${process.execPath}" "${bin}"`

const shell = (repo: { dir: string; env: Record<string, string> }, command: string) =>
  spawnSync('sh', ['-c', `exec 2>&1; ${command}`], { cwd: repo.dir, env: repo.env, encoding: 'utf8' })

function runProgram({ text, line }: Extract<Action, { kind: 'program' }>, files: ReadonlyMap<string, string>): void {
  const repo = repository()
  try {
    for (const [path, body] of files) if (path.startsWith('.plans/')) repo.write(path, body)
    const installed = join(repo.home, 'node_modules/git-plan')
    mkdirSync(installed, { recursive: true })
    cpSync(join(root, 'package.json'), join(installed, 'package.json'))
    symlinkSync(dirname(bin), join(installed, 'dist'))
    writeFileSync(join(repo.home, 'program.mjs'), text)
    const ran = spawnSync(process.execPath, [join(repo.home, 'program.mjs')], { cwd: repo.dir, env: repo.env, encoding: 'utf8' })
    expect(ran.status, `line ${line}\n${ran.stdout}${ran.stderr}`).toBe(0)
  } finally {
    repo.remove()
  }
}

test('there are pages with commands', () => expect(told.map(({ page }) => page)).toContain('README.md'))

test.each(told)('$page does what it says', { timeout: 120_000 }, ({ actions }) => {
  let repo = repository()
  const files = new Map<string, string>()
  const perform = (action: Action): void => {
    if (action.kind === 'fresh') {
      repo.remove()
      repo = repository()
    } else if (action.kind === 'file') {
      files.set(action.path, action.text)
      repo.write(action.path, action.text)
    } else if (action.kind === 'program') runProgram(action, files)
    else {
      const ran = shell(repo, action.command)
      const printed = comparable(ran.stdout, repo.dir)
      if (action.output === undefined) expect(ran.status, `line ${action.line}: ${action.command}\n${printed}`).toBe(0)
      else expect(printed, `line ${action.line}: ${action.command}`).toBe(comparable(action.output, repo.dir))
    }
  }
  try {
    for (const action of actions) perform(action)
  } finally {
    repo.remove()
  }
})

const limits = (docs: string): string => `---
plan: add-rate-limiting
title: Add rate limiting
steps:
  - id: middleware
    create: limit.txt
    content: 100 requests a minute
  - id: wire
    run: test -e ../go && echo wired > wire.txt
  - id: docs
    run: echo ${docs} > docs.txt
  - id: test
    run: cat limit.txt
    changes: none
---
`

/** How a repository comes to be in the state that examples are about, each from the one before it. */
const states: Readonly<Record<string, readonly string[]>> = {
  files: [],
  proposed: ['git plan new --from limits.md'],
  failed: ['git plan start add-rate-limiting --approve', 'git plan resume', 'touch ../go'],
  completed: ['git plan resume'],
  rolled: ['git plan rollback'],
}

/** An example that is not here fails the test: say in which state it makes sense. */
const examples: Readonly<Record<string, readonly string[]>> = {
  files: ['init', 'new', 'check limits.md', 'start limits.md', 'list', 'schema', 'config', 'doctor', 'prune', 'completion'],
  proposed: ['edit', 'check add-rate-limiting', 'approve', 'reject', 'start add-rate-limiting', 'delete', 'show', 'clone'],
  failed: ['resume', 'replan', 'cancel', 'list --status failed', 'status', 'log add-rate-limiting', 'attempts', 'diff', 'doctor --unlock'],
  completed: ['rollback', 'rebase', 'finish', 'log --output', 'diff add-rate-limiting', 'report'],
  rolled: ['rollback --undo'],
}

test('every example of docs/commands.md works in the state that it is about', { timeout: 120_000 }, () => {
  const stateOf = (command: string): string | undefined =>
    Object.entries(examples)
      .flatMap(([state, starts]) => starts.map((start) => ({ state, start })))
      .filter(({ start }) => command.startsWith(`git plan ${start}`))
      .toSorted((a, b) => b.start.length - a.start.length)[0]?.state
  const commands = actionsOf(readFileSync(join(root, 'docs/commands.md'), 'utf8')).flatMap((action) => (action.kind === 'command' ? [action.command] : []))
  expect(commands.length).toBeGreaterThan(35)
  expect(commands.filter((command) => stateOf(command) === undefined)).toEqual([])

  const repo = repository()
  try {
    repo.env['EDITOR'] = 'true'
    writeFileSync(join(repo.home, 'limits.md'), limits('all'))
    repo.write('limits.md', limits('all'))
    repo.write('limits-2.md', limits('more'))
    repo.commit('The plans')
    for (const [state, steps] of Object.entries(states)) {
      for (const step of steps) shell(repo, step.replace(/^git plan/, program))
      for (const command of commands.filter((each) => stateOf(each) === state)) {
        const copy = join(dirname(repo.dir), 'copy')
        cpSync(repo.dir, join(copy, 'repo'), { recursive: true })
        if (state !== 'proposed') writeFileSync(join(copy, 'go'), '')
        // The program itself: that git finds it is shown above.
        const ran = shell({ dir: join(copy, 'repo'), env: repo.env }, `${command.replace(/^git plan/, program)} < "${join(repo.home, 'limits.md')}"`)
        expect(ran.status, `${command} (${state})\n${ran.stdout}`).toBe(0)
        rmSync(copy, { recursive: true })
      }
    }
  } finally {
    repo.remove()
  }
})
