// An agent with a shell and the permissions of the user wants its own plan to run, although the policy asks for the
// signature of a person. Its clone is its own, so what it can change there is undone by every other clone: nothing that
// it makes is accepted elsewhere.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { canary, signedPolicy } from '../helpers/gate.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** A plan of the agent, in a clone of a remote whose policy accepts the signature of Ada alone. Her key is elsewhere. */
async function agentsClone(repo: TestRepo): Promise<{ bare: string; shell: (line: string, env?: object) => string }> {
  const bare = join(repo.home, 'bare.git')
  signedPolicy(repo)
  repo.git(['init', '-q', '--bare', '-b', 'main', bare])
  repo.git(['remote', 'add', 'origin', bare])
  repo.git(['push', '-q', 'origin', 'main'])
  repo.git(['fetch', '-q'])
  repo.git(['remote', 'set-head', 'origin', 'main'])
  repo.git(['config', '--unset', 'user.signingkey'])
  for (const name of ['key', 'key.pub']) rmSync(join(repo.home, name))
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(repo.home, 'own')])
  repo.write(
    '../p.md',
    planText(`  - {id: one, run: touch '${canary(repo)}', allow: [shell-write-outside]}`, 'title: Greet\n'),
  )
  expect((await repo.plan(['new', '--from', '../p.md', '--id', 'greet'])).code).toBe(0)
  const shell = (line: string, env: object = {}): string => {
    const { stdout, stderr } = spawnSync('sh', ['-c', line], {
      cwd: repo.dir,
      env: { ...repo.env, PATH: repo.pathForGit(), ...env },
      encoding: 'utf8',
      input: 'y\ny\ny\n',
    })
    return stdout + stderr
  }
  return { bare, shell }
}

const approval = `Approved: Greet

Plan-Event: approved
Plan-Id: greet
Plan-Approved-By: Ada <ada@example.com>
Plan-Approval: signature`

/** Lines of a shell. Each ends where it began, on main, so that the next one has the same chances. */
function attempts(repo: TestRepo): string[] {
  const lax = 'version: 1\\napproval: { low: none, medium: none, high: none, critical: none }\\n'
  const own = join(repo.home, 'own')
  const digest = /[0-9a-f]{64}/.exec(repo.git(['show', 'plan/greet:.plans/greet.md']))?.[0] ?? '0'.repeat(64)
  const start = 'git plan start greet --no-input'
  const relax = `printf '${lax}' > .plans/config.yml`
  const relaxed = `${relax}; git commit -qam lax`
  const sign = `git -c gpg.format=ssh -c user.signingkey=${own}.pub plan approve greet --sign`
  const onBranch = (...words: string[]): string[] => ['git checkout -q plan/greet', ...words, start]
  const status = (to: string): string => `sed -i 's/^status: .*/status: ${to}/' .plans/greet.md`
  return [
    ['git plan approve greet'],
    [`${start} --approve`],
    ['yes | git plan start greet'],
    ['script -qec "git plan start greet" /dev/null'],
    [sign],
    [`git config user.signingkey ${own}.pub`, 'git plan approve greet --sign', 'git config --unset user.signingkey'],
    ['git plan resume greet --done one --no-input'],
    ['git plan resume greet --skip one --no-input'],
    ['git plan resume greet --fix -m mine --no-input'],
    ['git plan next greet --no-input'],
    [`${start} --skip-check plan --skip-check approval --take-over`],
    ['git plan fleet run . .plans/greet.md --approve'],
    // A policy of its own.
    [relax, `${start} --autostash`],
    [relaxed, start],
    onBranch(relaxed),
    [`echo "mallory@example.com $(cat ${own}.pub)" >> .plans/allowed_signers`, sign],
    [`git -c plan.policyRef=refs/heads/plan/greet plan start greet --approve --no-input`],
    [
      'export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=plan.policyRef GIT_CONFIG_VALUE_0=refs/heads/plan/greet',
      `${start} --approve`,
    ],
    // A history of its own.
    onBranch(`git commit -q --allow-empty -m '${approval}'`),
    onBranch(`git commit -q --allow-empty -m '${approval}\nPlan-Digest: ${digest}'`),
    onBranch(status('approved'), `git commit -qam '${approval}'`),
    onBranch(status('active'), 'git commit -qam Approved', 'git plan resume greet --no-input'),
    // What git plan itself keeps.
    ['mkdir -p .git/plan/greet', `echo '{"approved":true}' > .git/plan/greet/approved.json`, start],
    ['git update-ref refs/plan/greet/approved plan/greet', start],
  ].map((words) => words.join('; '))
}

test('whatever it types, its plan is not approved and does not run, whether it says that it is an agent or not', async ({
  repo,
}) => {
  const { shell } = await agentsClone(repo)
  const tip = repo.git(['rev-parse', 'plan/greet'])
  for (const line of attempts(repo)) {
    for (const env of [{ CLAUDECODE: '1' }, {}]) {
      const said = shell(line, env)
      expect(existsSync(canary(repo)), `${line}\n${said}`).toBe(false)
      expect(said, line).not.toMatch(/^\s+at .*\.[cm]?[jt]s:\d+/m)
      const { approval } = (await repo.json(['status', 'greet'])) as unknown as { approval: { given: number } }
      expect(approval.given, `${line}\n${said}`).toBe(0)
      shell(`git checkout -q -f main; git reset -q --hard origin/main; git update-ref refs/heads/plan/greet ${tip}`)
    }
  }
  expect(await repo.json(['status', 'greet'])).toMatchObject({ approval: { given: 0 }, startedAt: null })
})

test('in a clone that it has turned against its user it runs the plan, and no other clone accepts the result', async ({
  repo,
}) => {
  const { bare, shell } = await agentsClone(repo)
  // The configuration of Git is the user's, and whoever may write it may do everything here.
  const lax = 'version: 1\\napproval: { high: none, critical: none }\\n'
  shell(`git checkout -qb mine; printf '${lax}' > .plans/config.yml; git commit -qam lax; git checkout -q main`)
  const said = shell('git config plan.policyRef refs/heads/mine; git plan start greet --approve --no-input')
  expect(existsSync(canary(repo)), said).toBe(true)
  shell(
    'git push -q origin plan/greet; git push -q origin "refs/plan/*:refs/plan/*"; git config --unset plan.policyRef',
  )
  for (const clone of [repo.dir, join(repo.home, 'clone')]) {
    if (clone !== repo.dir) repo.git(['clone', '-q', bare, clone])
    const cwd = { cwd: clone }
    if (clone !== repo.dir) {
      for (const [name, value] of [
        ['user.name', 'Ada'],
        ['user.email', 'ada@example.com'],
      ] as const)
        repo.git(['config', name, value], cwd)
      const fetched = await repo.plan(['fetch', 'greet'], cwd)
      expect(fetched.code, fetched.all).toBe(0)
    }
    const audit = await repo.plan(['audit', 'greet'], cwd)
    expect(audit.code, audit.all).toBe(1)
    expect(audit.all).toMatch(/approval|policy/)
    const before = repo.git(['rev-parse', 'main'], cwd)
    const finished = await repo.plan(['finish', 'greet', '--no-input'], cwd)
    expect(finished.code, finished.all).toBe(3)
    expect(repo.git(['rev-parse', 'main'], cwd)).toBe(before)
  }
})
