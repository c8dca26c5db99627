// Every example of docs/commands.md is run. The other pages are in test/e2e/documentation.test.ts.

import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { actionsOf } from '../helpers/documentation.ts'
import { program, repository, shell } from '../helpers/page-repository.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const driven = `---
plan: add-rate-limiting
title: Add rate limiting
steps:
  - { id: wire, agent: driver, prompt: Wire it, changes: none, verify: [{ exists: limits.md }] }
  - { id: docs, run: cat limits.md, changes: none }
---
`

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
  driven: ['git plan new --from driven.md', 'git plan approve', 'git plan next'],
  proposed: ['git plan cancel', 'git plan delete add-rate-limiting --force', 'git plan new --from limits.md'],
  submitted: ['git plan submit add-rate-limiting'],
  failed: ['git plan start add-rate-limiting --approve', 'git plan resume', 'touch ../go'],
  completed: ['git plan resume'],
  rolled: ['git plan rollback'],
  aside: [
    'git checkout -q main; echo mine > mine.txt',
    'git plan resume add-rate-limiting --autostash',
    'git checkout -q main && git branch -q -D plan/add-rate-limiting',
  ],
  rejected: ['git plan new --from limits.md', 'git plan reject add-rate-limiting -m no'],
}

/** These wait for a person, or need several repositories. */
const ownTests = /^git plan (?:browse|fleet|ui)\b/

/** An example that is not here fails the test: say in which state it makes sense. */
const examples: Readonly<Record<string, readonly string[]>> = {
  files: [
    'init',
    'new',
    'import',
    'check limits.md',
    'check .plans/config.yml',
    'template',
    'compose',
    'start limits.md',
    'list',
    'mode',
    'guard',
    'agents install',
    'agents uninstall',
    'agents status',
    'context',
    'safety',
    'classify',
    'schema',
    'config',
    'hooks',
    'mcp',
    'doctor',
    'prune --dry-run',
    'completion',
    'cache',
    'metrics',
    'stats',
  ],
  driven: ['next'],
  proposed: [
    'edit',
    'check add-rate-limiting',
    'approve',
    'reject',
    'start add-rate-limiting',
    'delete',
    'show',
    'clone',
    'submit',
  ],
  submitted: ['fetch'],
  failed: [
    'resume',
    'replan',
    'cancel',
    'list --status failed',
    'status',
    'log add-rate-limiting',
    'attempts',
    'diff',
    'doctor --unlock',
  ],
  completed: [
    'prune add-rate-limiting',
    'rollback',
    'rebase',
    'finish',
    'log --output',
    'diff add-rate-limiting',
    'report',
    'audit',
    'wait',
    'log --follow',
  ],
  rolled: ['rollback --undo'],
  aside: ['doctor --restore'],
  rejected: ['archive'],
}

/** A key of the user's, and a file that says so, as `approve --sign` needs them. */
function signing(repo: ReturnType<typeof repository>): void {
  const key = join(repo.home, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const signers = join(repo.home, 'allowed_signers')
  writeFileSync(signers, `${repo.git(['config', 'user.email'])} ${readFileSync(`${key}.pub`, 'utf8')}`)
  for (const [name, value] of Object.entries({
    'gpg.format': 'ssh',
    'user.signingkey': key,
    'gpg.ssh.allowedSignersFile': signers,
  }))
    repo.git(['config', name, value])
}

test('every example of docs/commands.md works in the state that it is about', { timeout: 120_000 }, () => {
  const stateOf = (command: string): string | undefined =>
    Object.entries(examples)
      .flatMap(([state, starts]) => starts.map((start) => ({ state, start })))
      .filter(({ start }) => command.startsWith(`git plan ${start}`))
      .toSorted((a, b) => b.start.length - a.start.length)[0]?.state
  const commands = actionsOf(readFileSync(join(root, 'docs/commands.md'), 'utf8')).flatMap((action) =>
    action.kind === 'command' && !ownTests.test(action.command) ? [action.command] : [],
  )
  expect(commands.length).toBeGreaterThan(35)
  expect(commands.filter((command) => stateOf(command) === undefined)).toEqual([])

  const repo = repository()
  try {
    repo.env['EDITOR'] = 'true'
    writeFileSync(join(repo.home, 'limits.md'), limits('all'))
    repo.write('limits.md', limits('all'))
    repo.write('limits-2.md', limits('more'))
    repo.write('docs.md', limits('it').replaceAll('add-rate-limiting', 'add-docs'))
    repo.write('driven.md', driven)
    repo.write('.plans/config.yml', 'version: 1\n')
    repo.write('.kiro/specs/login/tasks.md', '# Implementation Plan\n\n- [ ] 1. Add the form\n')
    repo.write(
      'checkpoints/7d0c6b1e.json',
      JSON.stringify({
        plan_id: '7d0c6b1e',
        status: 'failed',
        steps: [{ step_id: 1, description: 'x', status: 'failed' }],
      }),
    )
    repo.write(
      '.taskmaster/tasks/tasks.json',
      JSON.stringify({ tasks: [{ id: 1, title: 'Add it', status: 'pending', dependencies: [] }] }),
    )
    repo.commit('The plans')
    const remote = join(repo.home, 'remote.git')
    repo.git(['init', '-q', '--bare', remote])
    repo.git(['remote', 'add', 'origin', remote])
    repo.git(['config', 'plan.policyRef', 'main'])
    signing(repo)
    repo.git(['config', 'plan.agent.claude.run', `cat "${join(repo.home, 'limits.md')}"`])
    for (const [state, steps] of Object.entries(states)) {
      for (const step of steps) shell(repo, step.replace(/^git plan/, program))
      for (const command of commands.filter((each) => stateOf(each) === state)) {
        const copy = join(dirname(repo.dir), 'copy')
        cpSync(repo.dir, join(copy, 'repo'), { recursive: true })
        if (state !== 'proposed' && state !== 'submitted') writeFileSync(join(copy, 'go'), '')
        // The program itself: that git finds it is shown above.
        const ran = shell(
          { dir: join(copy, 'repo'), env: repo.env },
          `${command.replace(/^git plan/, program)} < "${join(repo.home, 'limits.md')}"`,
        )
        // A step that its driver gives up is a failed one.
        const expected = command.startsWith('git plan next') && command.includes('--failed') ? 1 : 0
        expect(ran.status, `${command} (${state})\n${ran.stdout}`).toBe(expected)
        rmSync(copy, { recursive: true })
      }
    }
  } finally {
    repo.remove()
  }
})
