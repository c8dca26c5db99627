// Steps that break what git needs. Each does it once: the refusal says what is wrong, and the command in its hint,
// typed as it is, leads to the end of the plan.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { Outside } from '../helpers/crash.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** The rules of `check` know these commands by their text: here they are in a script. */
function propose(repo: TestRepo, command: string): void {
  const [script, once] = [new Outside(repo, 'bad.sh'), new Outside(repo, 'once')]
  script.write(`[ -e ${once.path} ] || { touch ${once.path}; ${command}; }\n`)
  repo.write(
    '.plans/demo.md',
    planText(`  - {id: one, run: echo 1 > one.txt}\n  - {id: bad, run: 'echo 2 > two.txt; sh ${script.path}'}`),
  )
}

const hintIn = (said: string): string => /^Hint: (.*)$/m.exec(said)?.[1] ?? ''

test.for([
  [
    'turns the index into a directory',
    'rm .git/index; mkdir .git/index; echo x > .git/index/x',
    [],
    5,
    /the index .* is no longer a file/,
  ],
  ['removes the link to the git directory', 'rm .git', ['--worktree'], 5, /\/\.git no longer exists/],
  [
    'leaves and deletes the branch of the plan',
    'git checkout -q --detach; git branch -q -D plan/demo',
    [],
    4,
    /plan\/demo was deleted/,
  ],
] as const)('a step that %s', async ([, command, flags, code, message], { repo }) => {
  propose(repo, command)
  const ran = await repo.plan(['start', '.plans/demo.md', '--approve', ...flags])
  expect(ran.code, ran.all).toBe(code)
  expect(ran.all).toMatch(message)
  const typed = spawnSync('sh', ['-c', hintIn(ran.all)], {
    cwd: repo.dir,
    env: { ...repo.env, PATH: repo.pathForGit() },
    encoding: 'utf8',
  })
  expect(typed.status, hintIn(ran.all) + typed.stderr).toBe(0)
  expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/demo']).split('\n')).toEqual([
    '.plans/demo.md',
    'a.txt',
    'one.txt',
    'two.txt',
  ])
  expect(repo.fsck()).toBe('')
})

test('a step that removes the git directory', async ({ repo }) => {
  propose(repo, 'rm -rf .git')
  const ran = await repo.plan(['start', '.plans/demo.md', '--approve'])
  expect(ran.code, ran.all).toBe(5)
  expect(ran.all).toMatch(/\/\.git no longer exists/)
  expect(existsSync(repo.path('.git'))).toBe(false)
  expect(repo.read('two.txt')).toBe('2\n')
})
