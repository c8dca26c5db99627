// Plan mode: per work tree, left while a plan runs, restored however the run ends, and no commits by hand while it is on.

import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'

const mode = async (repo: TestRepo, cwd = repo.dir): Promise<unknown> =>
  ((await repo.json(['mode', 'status'], { cwd })) as { state?: string }).state

const write = (cwd: string): string =>
  JSON.stringify({ hook_event_name: 'PreToolUse', cwd, tool_name: 'Write', tool_input: { file_path: 'b.txt' } })

/** A step that asks the guard, as an agent in that step would. */
const asking = (repo: TestRepo): string => {
  writeFileSync(`${repo.home}/payload.json`, write(repo.dir))
  return `git plan guard --agent claude < "$HOME/payload.json"; echo "the guard says $?"`
}

async function propose(repo: TestRepo, steps: string): Promise<void> {
  repo.write('.plans/p.md', planText(steps))
  repo.commit('A plan')
}

test('is on or off in a work tree, and says so', async ({ repo }) => {
  expect(await repo.plan(['mode'])).toMatchObject({ code: 0, stdout: `Plan mode is off in ${repo.dir}\n` })
  const on = await repo.plan(['mode', 'on'])
  expect(on.stdout).toMatch(/^Plan mode is on in .* since 20/)
  const { state, since, plan, workTree } = (await repo.json(['mode', 'status'])) as Record<string, unknown>
  expect({ state, plan, workTree }).toEqual({ state: 'on', plan: null, workTree: repo.dir })
  await repo.plan(['mode', 'on'])
  expect(((await repo.json(['mode'])) as { since?: string }).since).toBe(since)
  expect((await repo.plan(['list'])).stdout).toContain('plan mode: on')

  repo.git(['worktree', 'add', '-q', '../other'])
  const other = `${repo.dir}/../other`
  expect(await mode(repo, other)).toBe('off')
  await repo.plan(['mode', 'on'], { cwd: other })
  await repo.plan(['mode', 'off'])
  expect([await mode(repo), await mode(repo, other)]).toEqual(['off', 'on'])

  expect(await repo.plan(['mode', 'of'])).toMatchObject({
    code: 2,
    all: expect.stringContaining('did you mean') as string,
  })
})

describe('and a plan', () => {
  test('its run leaves the mode, and its end restores it', async ({ repo }) => {
    await propose(repo, `  - id: one\n    run: ${JSON.stringify(asking(repo))}\n    changes: none\n`)
    await repo.plan(['mode', 'on'])
    const ran = await repo.plan(['start', 'p', '--approve'], { env: { PATH: repo.pathForGit() } })
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect((await repo.plan(['log', 'p', '--output', 'one'])).stdout).toContain('the guard says 0')
    expect(await mode(repo)).toBe('on')
    expect((await repo.plan(['status', 'p'])).stdout).toContain('plan mode')
    expect(await repo.plan(['guard', '--agent', 'claude'], { input: write(repo.dir) })).toMatchObject({ code: 2 })
  })

  test('a refused start, and one that fails, leave it on', async ({ repo }) => {
    await propose(repo, '  - id: one\n    run: exit 3\n')
    await repo.plan(['mode', 'on'])
    expect(await repo.plan(['start', 'p'])).toMatchObject({ code: 3 })
    expect(await mode(repo)).toBe('on')
    expect(await repo.plan(['start', 'p', '--approve'])).toMatchObject({ code: 1 })
    expect(await mode(repo)).toBe('on')
  })

  test('turned off while it runs, the mode stays off', async ({ repo }) => {
    await propose(repo, '  - id: one\n    run: touch started; while ! test -e ../go; do sleep 0.1; done\n')
    await repo.plan(['mode', 'on'])
    const end = ended(repo.spawn(['start', 'p', '--approve']))
    while (!existsSync(repo.path('started'))) await sleep(50)
    expect(await mode(repo)).toBe('left')
    await repo.plan(['mode', 'off'])
    expect(await mode(repo)).toBe('off')
    writeFileSync(`${repo.dir}/../go`, '')
    expect(await end).toMatchObject({ code: 0 })
    expect(await mode(repo)).toBe('off')
  })

  test('turned off by a step or an agent: refused', async ({ repo }) => {
    await repo.plan(['mode', 'on'])
    for (const env of [{ CLAUDECODE: '1' }, { PLAN_STEP: 'one' }])
      expect(await repo.plan(['mode', 'off'], { env })).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('only a person turns plan mode off') as string,
      })
    expect(await mode(repo)).toBe('on')
  })

  test('killed, its run does not leave the mode off', async ({ repo }) => {
    await propose(repo, '  - id: one\n    run: touch started; sleep 60\n')
    await repo.plan(['mode', 'on'])
    const child = repo.spawn(['start', 'p', '--approve'])
    const end = ended(child)
    while (!existsSync(repo.path('started'))) await sleep(50)
    expect(await repo.json(['mode'])).toMatchObject({ state: 'left', plan: 'p' })
    expect(await repo.plan(['guard', '--agent', 'claude'], { input: write(repo.dir) })).toMatchObject({ code: 0 })
    child.kill('SIGKILL')
    await end
    expect(await mode(repo)).toBe('on')
    expect(await repo.plan(['guard', '--agent', 'claude'], { input: write(repo.dir) })).toMatchObject({ code: 2 })
    await repo.plan(['cancel', 'p'])
  })

  test('in a work tree of its own, it leaves the mode of yours alone', async ({ repo }) => {
    await propose(repo, `  - id: one\n    run: ${JSON.stringify(asking(repo))}\n    changes: none\n`)
    await repo.plan(['mode', 'on'])
    const ran = await repo.plan(['start', 'p', '--approve', '--worktree'], { env: { PATH: repo.pathForGit() } })
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect((await repo.plan(['log', 'p', '--output', 'one'])).stdout).toContain('the guard says 2')
  })
})

describe('and the pre-commit hook', () => {
  test('a commit by hand is refused; git plan commits', async ({ repo }) => {
    const env = { PATH: repo.pathForGit() }
    expect(await repo.plan(['hooks', 'install', 'pre-commit'], { env })).toMatchObject({ code: 0 })
    await propose(repo, '  - {id: one, create: b.txt, content: b}\n')
    await repo.plan(['mode', 'on'])
    repo.write('c.txt', 'c')
    repo.git(['add', 'c.txt'])
    const commit = () => repo.git(['commit', '-q', '-m', 'By hand'], { env })
    expect(commit).toThrow(/plan mode is on in .*: nothing is committed by hand[\s\S]*git plan mode off/)
    repo.git(['rm', '-q', '-f', 'c.txt'])
    const ran = await repo.plan(['start', 'p', '--approve'], { env })
    expect(ran, ran.all).toMatchObject({ code: 0 })
    repo.write('c.txt', 'c')
    repo.git(['add', 'c.txt'])
    expect(commit).toThrow(/plan mode is on/)
    await repo.plan(['mode', 'off'])
    commit()
    expect(repo.subjects()[0]).toBe('By hand')
  })
})
