// Every shell block of the README and of docs/ is run, and prints what the page says.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { actionsOf, comparable, type Action } from '../helpers/documentation.ts'
import { repository, shell } from '../helpers/page-repository.ts'
import { bin } from '../helpers/repo.ts'

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

function runProgram({ text, line }: Extract<Action, { kind: 'program' }>, files: ReadonlyMap<string, string>): void {
  const repo = repository()
  try {
    for (const [path, body] of files) if (path.startsWith('.plans/')) repo.write(path, body)
    const installed = join(repo.home, 'node_modules/git-plan')
    mkdirSync(installed, { recursive: true })
    cpSync(join(root, 'package.json'), join(installed, 'package.json'))
    symlinkSync(dirname(bin), join(installed, 'dist'))
    writeFileSync(join(repo.home, 'program.mjs'), text)
    const ran = spawnSync(process.execPath, [join(repo.home, 'program.mjs')], {
      cwd: repo.dir,
      env: repo.env,
      encoding: 'utf8',
    })
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
