// The workflows of templates/ci: their own scripts, in the clones that runners make, against a forge on loopback.

import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Canary } from '../helpers/canary.ts'
import { onGitHub, onGitLab, type Ci } from '../helpers/ci-forges.ts'
import { ended, planText } from '../helpers/repo.ts'

let ci: Ci | undefined
afterEach(() => ci?.forge.close())

const subjects = ({ forge: { repo, bare } }: Ci, id = 'p'): string[] =>
  repo.git(['log', '--first-parent', '--format=%s', `plan/${id}`], { cwd: bare }).split('\n')

/** A branch as somebody may push it, with these files on top of main. */
function pushed({ forge: { repo } }: Ci, files: Readonly<Record<string, string>>, name = 'topic'): string {
  repo.git(['checkout', '-q', '-B', name, 'main'])
  for (const [path, text] of Object.entries(files)) repo.write(path, text)
  const head = repo.commit('Change')
  repo.git(['push', '-q', '--force', 'origin', `HEAD:refs/heads/${name}`])
  repo.git(['checkout', '-q', 'main'])
  return head
}

async function submitted(on: Ci, steps: string, id = 'p'): Promise<void> {
  await on.forge.propose(steps, id)
  await on.forge.expect(0, ['submit', id])
}

/** With a script on main that a step calls. */
async function withScript(on: Ci, steps: string): Promise<void> {
  const { repo } = on.forge
  repo.write('do.sh', 'true\n')
  repo.commit('Script')
  repo.git(['push', '-q', 'origin', 'main'])
  await submitted(on, steps)
  on.forge.approve('bob')
}

describe.each([
  ['GitHub', onGitHub],
  ['GitLab', onGitLab],
] as const)('on %s', (_, start) => {
  test(
    'the check takes a good plan and refuses a bad one, whatever it is called; nothing of the branch is run',
    { timeout: 300_000 },
    async () => {
      const on = (ci = await start())
      const canary = new Canary(on.forge.repo)
      const sings = planText(`  - {id: one, run: ${JSON.stringify(canary.command)}}`)
      const hostile = {
        'package.json': JSON.stringify({ scripts: { preinstall: canary.command, test: canary.command } }),
        '.gitattributes': '*.md filter=sings diff=sings\n',
        '.npmrc': `script-shell=${canary.program()}\n`,
        'git-plan': `#!/bin/sh\n${canary.command}\n`,
      }
      const good = await on.check(pushed(on, { ...hostile, '.plans/p.md': sings }))
      expect(good.code, good.all).toBe(0)
      expect(good.all).toContain('p.md')
      const none = await on.check(pushed(on, hostile))
      expect(none.code, none.all).toBe(0)
      const name = `a b;$(${canary.command.replaceAll('/', '_')})`
      for (const files of [
        { '.plans/a.md': sings, '.plans/b.md': planText('  - {id: one, runs: x}'), '.plans/c.md': sings },
        { [`.plans/${name}.md`]: '---\nsteps: 1\n---\n' },
        {
          '.plans/js.md': `---js\n{ steps: require('child_process').execSync(${JSON.stringify(canary.command)}) }\n---\n`,
        },
        { '.plans/-h.md': 'no plan at all' },
      ]) {
        const bad = await on.check(pushed(on, { ...hostile, ...files }))
        expect(bad.code, bad.all).toBeGreaterThan(0)
      }
      expect(canary.sang).toBe(false)
    },
  )

  test(
    'the check refuses a bad plan that was renamed, and fails where it cannot compare',
    { timeout: 300_000 },
    async () => {
      const on = (ci = await start())
      const { repo } = on.forge
      repo.write(
        '.plans/old.md',
        planText('  - {id: one, run: "true"}\n  - {id: two, run: "true"}\n  - {id: three, run: "true"}'),
      )
      repo.commit('Old')
      repo.git(['push', '-q', 'origin', 'main'])
      repo.git(['mv', '.plans/old.md', '.plans/new.md'])
      const renamed = pushed(on, {
        '.plans/new.md': repo.read('.plans/new.md').replace('id: two, run', 'id: two, runs'),
      })
      expect((await on.check(renamed)).code).toBeGreaterThan(0)
      expect((await on.check('0'.repeat(40))).code).toBeGreaterThan(0)
    },
  )

  test(
    'nothing runs before the approval; then it runs, fails, and after a new one is resumed, while main goes on',
    { timeout: 300_000 },
    async () => {
      const on = (ci = await start())
      const { repo, bare } = on.forge
      await submitted(on, '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e fixed.txt}')
      repo.write('other.txt', 'x')
      repo.commit('Main goes on')
      repo.git(['push', '-q', 'origin', 'main'])
      const early = await on.round()
      expect(early.code, early.all).toBe(0)
      expect(early.all).toContain('plan p is not approved')
      expect(subjects(on)).toEqual(['Plan: p', 'Policy', 'First'])

      on.forge.approve('bob')
      const failed = await on.round()
      expect(failed.code, failed.all).toBe(1)
      const tip = repo.git(['rev-parse', 'plan/p'], { cwd: bare })
      const checked = await on.check(tip)
      expect(checked.code, checked.all).toBe(0)
      const idle = await on.round()
      expect(idle.code, idle.all).toBe(0)
      expect(repo.git(['rev-parse', 'plan/p'], { cwd: bare })).toBe(tip)

      await on.forge.expect(0, ['fetch', 'p'])
      await on.forge.expect(
        0,
        ['replan', 'p', '--from', '-'],
        planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e one.txt}'),
      )
      await on.forge.expect(0, ['submit', 'p'])
      expect((await on.round()).code).toBe(0)
      expect(subjects(on)[0]).toBe('Replan: p')
      on.forge.approve('cleo')
      const resumed = await on.round()
      expect(resumed.code, resumed.all).toBe(0)
      expect(subjects(on)[0]).toContain('Completed')
      expect(repo.git(['show', 'plan/p:one.txt'], { cwd: bare })).toBe('1')
      const again = await on.round()
      expect(again.code, again.all).toBe(0)
    },
  )

  test('what was interrupted is gone on with', { timeout: 300_000 }, async () => {
    const on = (ci = await start())
    const { repo } = on.forge
    const go = join(dirname(repo.dir), 'go')
    await submitted(on, `  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: "test -e '${go}' || sleep 60"}`)
    on.forge.approve('bob')
    const running = repo.spawn(['start', 'p', '--push'])
    const end = ended(running)
    await expect.poll(() => subjects(on).length, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(5)
    running.kill('SIGINT')
    expect((await end).code).toBe(130)
    writeFileSync(go, '')
    const ran = await on.round()
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('1 of 2 steps done')
    expect(subjects(on)[0]).toContain('Completed')
  })

  test('a script that was changed on the branch after the approval is not run', { timeout: 300_000 }, async () => {
    const on = (ci = await start())
    const { repo } = on.forge
    const canary = new Canary(repo)
    await withScript(on, '  - {id: one, run: sh do.sh}')
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('do.sh', `${canary.command}\n`)
    repo.commit('Another script')
    repo.git(['push', '-q', 'origin', 'plan/p'])
    const ran = await on.round()
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('has unapproved commits')
    expect(canary.sang).toBe(false)
    expect(subjects(on)[0]).toBe('Another script')
    expect((await on.round('p')).code).toBe(3)
  })

  test('what somebody says was done by a step is not built upon', { timeout: 300_000 }, async () => {
    const on = (ci = await start())
    const { repo, bare } = on.forge
    const canary = new Canary(repo)
    await withScript(on, '  - {id: one, run: exit 3}\n  - {id: two, run: sh do.sh}')
    expect((await on.round()).code).toBe(1)
    await on.forge.expect(0, ['fetch', 'p'])
    const digest = repo.git(['log', '-1', '--format=%(trailers:key=Plan-Digest,valueonly)', 'plan/p']).trim()
    repo.git(['checkout', '-q', 'plan/p'])
    repo.write('do.sh', `${canary.command}\n`)
    repo.write(
      '.plans/p.md',
      repo.read('.plans/p.md').replace('status: failed', 'status: active').replace('one: failed', 'one: done'),
    )
    repo.commit(`Run exit 3\n\nPlan-Id: p\nPlan-Event: step\nPlan-Step: one\nPlan-Attempt: 2\nPlan-Digest: ${digest}\n`)
    repo.git(['push', '-q', 'origin', 'plan/p'])
    on.forge.pusher = 'eve'
    const before = repo.git(['for-each-ref'], { cwd: bare })
    const ran = await on.round()
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('pushed by @eve, and nothing proves that git plan made them')
    expect(canary.sang).toBe(false)
    expect(repo.git(['for-each-ref'], { cwd: bare })).toBe(before)
  })

  test('a policy that takes local approvals runs nothing', { timeout: 300_000 }, async () => {
    const on = (ci = await start('approval: { low: review, high: { from: [local, review] } }\n'))
    const canary = new Canary(on.forge.repo)
    await submitted(on, `  - {id: one, run: ${JSON.stringify(canary.command)}}`)
    await on.forge.expect(0, ['approve', 'p'])
    await on.forge.expect(0, ['submit', 'p'])
    const ran = await on.round()
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toMatch(/approval\.medium, approval\.high, approval\.critical/)
    expect(canary.sang).toBe(false)
  })

  test('a pull request from a fork is not run, and neither is a branch without one', { timeout: 300_000 }, async () => {
    const on = (ci = await start())
    const canary = new Canary(on.forge.repo)
    await submitted(on, `  - {id: one, run: ${JSON.stringify(canary.command)}}`)
    on.forge.approve('bob')
    on.forge.fromFork()
    const ran = await on.round()
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('plan p has no pull request')
    expect(canary.sang).toBe(false)
    expect(subjects(on)[0]).toBe('Plan: p')
  })

  test(
    'branches with odd names run nothing, and a plan that cannot be read or fails does not stop the next',
    { timeout: 300_000 },
    async () => {
      const on = (ci = await start())
      const { repo, bare } = on.forge
      const names = ['-rf', '--help', 'a/b', 'UPPER', '$(touch${IFS}$HOME.sang)', ';id', 'no-plan']
      for (const name of names) repo.git(['update-ref', `refs/heads/plan/${name}`, 'main'], { cwd: bare })
      for (const [id, steps] of [
        ['fails', '  - {id: one, run: exit 3}'],
        ['works', '  - {id: one, run: echo 1 > one.txt}'],
      ] as const) {
        await submitted(on, steps, id)
        on.forge.approve(`reviewer-of-${id}`, { commit_id: on.forge.tip(id) })
      }
      const ran = await on.round()
      expect(ran.code, ran.all).toBe(1)
      expect(ran.all).toContain('no-plan')
      expect(subjects(on, 'fails')[0]).toContain('Failed')
      expect(subjects(on, 'works')[0]).toContain('Completed')
      expect(existsSync(join(dirname(repo.dir), 'runner.sang'))).toBe(false)
      for (const name of names)
        expect(repo.git(['rev-parse', `refs/heads/plan/${name}`], { cwd: bare })).toBe(repo.git(['rev-parse', 'main']))
    },
  )

  test('whoever asks for one plan is told, and it is tried again', { timeout: 300_000 }, async () => {
    const on = (ci = await start())
    const { repo } = on.forge
    await submitted(on, '  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e ../../go}')
    expect((await on.round('p')).code).toBe(3)
    on.forge.approve('bob')
    expect((await on.round()).code).toBe(1)
    const again = await on.round('p')
    expect(again.code, again.all).toBe(1)
    expect(
      repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan/p/attempts/two'], { cwd: on.forge.bare }).split('\n'),
    ).toHaveLength(2)
    expect((await on.round('another')).code).toBe(2)
  })
})
