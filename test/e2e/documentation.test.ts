// Every shell block of the README and of docs/ is run, and prints what the page says.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

test('there are pages with commands', () => expect(told.map(({ page }) => page)).toContain('README.md'))

test.each(told)('$page does what it says', { timeout: 120_000 }, ({ actions }) => {
  let repo = repository()
  const perform = (action: Action): void => {
    if (action.kind === 'fresh') {
      repo.remove()
      repo = repository()
    } else if (action.kind === 'file') repo.write(action.path, action.text)
    else {
      const ran = spawnSync('sh', ['-c', `exec 2>&1; ${action.command}`], { cwd: repo.dir, env: repo.env, encoding: 'utf8' })
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
