// What a person at a terminal sees and is asked.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { keys, onTerminal } from '../helpers/terminal.ts'
import { planText, test } from '../helpers/repo.ts'

const down = (times: number): string => keys.down.repeat(times)

const failing = planText(`
  - id: one
    title: Make a file
    run: echo 1 > one
  - id: two
    title: Look for a word
    run: echo looking; grep word one
  - id: three
    run: echo 3 > three`)

test('start asks for approval, shows each step, and after a failure asks what now: retry, fix, skip or stop', async ({
  repo,
}) => {
  repo.write('.plans/words.md', failing)
  const terminal = onTerminal(repo, ['start', '.plans/words.md'])
  await terminal.sees('Approve this plan and run it?')
  terminal.type('y')
  await terminal.sees('✓ [1/3] one: Make a file')
  await terminal.sees('✗ [2/3] two: Look for a word')
  await terminal.sees('| looking')
  await terminal.sees('two failed: what now?')
  terminal.type(keys.enter)
  await terminal.sees('✗ [2/3] two: Look for a word (attempt 2)')
  await terminal.sees('two failed: what now?')
  // Nothing was repaired: that is said, and asked again.
  terminal.type(`${keys.down}${keys.enter}`)
  await terminal.sees('Is it fixed?')
  terminal.type('y')
  await terminal.sees('What was fixed?')
  terminal.type(keys.enter)
  await terminal.sees('nothing to commit as a fix')
  await terminal.sees('two failed: what now?')
  repo.write('one', 'a word\n')
  terminal.type(`${keys.down}${keys.enter}`)
  await terminal.sees('Is it fixed?')
  terminal.type('y')
  await terminal.sees('What was fixed?')
  terminal.type(`Add the word${keys.enter}`)
  await terminal.sees('✓ [2/3] two: Look for a word')
  await terminal.sees('✓ [3/3] three:')
  await terminal.sees('Completed words')
  expect(await terminal.ends()).toBe(0)
  expect(terminal.raw()).toContain('\u001b[32m✓')
  expect(repo.subjects()).toEqual(expect.arrayContaining(['Add the word', 'Failed: Look for a word']))
})

test('a step can be skipped at the question, and Ctrl-C there leaves the plan as it is and says how to go on', async ({
  repo,
}) => {
  repo.write('.plans/words.md', failing)
  const first = onTerminal(repo, ['start', '.plans/words.md', '--approve'])
  await first.sees('two failed: what now?')
  first.type(keys.ctrlC)
  await first.sees('git plan resume words --retry two')
  expect(await first.ends()).toBe(130)
  const second = onTerminal(repo, ['resume'])
  await second.sees('two failed: what now?')
  second.type(`${down(3)}${keys.enter}`)
  await second.sees('Why is two skipped?')
  second.type(`not needed${keys.enter}`)
  await second.sees('Completed words, partially')
  expect(await second.ends()).toBe(0)
  expect(repo.git(['log', '--format=%B', 'plan/words'])).toContain('Plan-Reason: not needed')
})

test('without PLAN a writer asks which one; a gate asks for its decision; a no to the approval runs nothing', async ({
  repo,
}) => {
  await repo.plan(['new', 'First'])
  repo.write('.plans/gate.md', planText('  - id: ask\n    gate: Shall we?\n  - run: echo > went'))
  await repo.plan(['new', '--from', '.plans/gate.md'])
  repo.git(['clean', '-qfd'])
  const refused = onTerminal(repo, ['start'])
  await refused.sees('Which plan for git plan start?')
  refused.type(`${keys.down}${keys.enter}`)
  await refused.sees('Approve this plan and run it?')
  refused.type('n')
  await refused.sees('not approved yet; nothing was run')
  expect(await refused.ends()).toBe(3)
  const started = onTerminal(repo, ['start', 'gate', '--approve'])
  await started.sees('Shall we?')
  await started.sees('Enter: confirm')
  started.type(keys.enter)
  await started.sees('Why?')
  started.type(keys.enter)
  await started.sees('Completed gate')
  expect(await started.ends()).toBe(0)
  expect(repo.git(['ls-files', 'went'])).toBe('went')
})

test('approve shows the plan and asks; a no records nothing, and a digest answers the question', async ({ repo }) => {
  repo.write(
    '.plans/p.md',
    planText(
      '  - id: one\n    run: echo 1 > one\n  - {id: two, run: "true", effect: external, undo: "true"}',
      'plan: p\n',
    ),
  )
  await repo.plan(['new', '--from', '.plans/p.md'])
  const before = repo.git(['for-each-ref'])
  const refused = onTerminal(repo, ['approve', 'p'])
  await refused.sees('run: echo 1 > one')
  await refused.sees('2 steps, 1 external effect. Approve this plan?')
  refused.type('n')
  await refused.sees('you did not approve plan p')
  expect(await refused.ends()).toBe(3)
  expect(repo.git(['for-each-ref'])).toBe(before)
  const approved = onTerminal(repo, ['approve', 'p'])
  await approved.sees('Approve this plan?')
  approved.type('y')
  await approved.sees('Approved p')
  expect(await approved.ends()).toBe(0)
  await repo.plan(['new', 'Other'])
  const { digest } = (await repo.json(['show', 'other'])) as unknown as { digest: string }
  const named = onTerminal(repo, ['approve', 'other', '--digest', digest])
  expect(await named.ends()).toBe(0)
  expect(named.text()).not.toContain('Approve this plan?')
})

test('edit with a mistake offers to edit again', async ({ repo }) => {
  await repo.plan(['start', '-', '--approve'], { input: planText('  - manual: wait', 'plan: p\n') })
  repo.write('../edit.sh', 'grep -q rnu "$1" && sed -i s/rnu/run/ "$1" || sed -i "s/^steps:/&\\n  - rnu: x/" "$1"\n')
  const terminal = onTerminal(repo, ['edit', 'p'], { env: { GIT_EDITOR: 'sh ../edit.sh' } })
  await terminal.sees('unknown key `rnu`')
  await terminal.sees('Edit it again?')
  terminal.type('y')
  expect(await terminal.ends()).toBe(0)
  expect(repo.git(['show', 'plan/p:.plans/p.md'])).toContain('run: x')
})

test('an editor that fails in the second round keeps the text of the first', async ({ repo }) => {
  await repo.plan(['start', '-', '--approve'], { input: planText('  - manual: wait', 'plan: p\n') })
  repo.write('../edit.sh', '! grep -q rnu "$1" && sed -i "s/^steps:/&\\n  - rnu: x/" "$1"\n')
  const terminal = onTerminal(repo, ['edit', 'p'], { env: { GIT_EDITOR: 'sh ../edit.sh' }, columns: 300 })
  await terminal.sees('Edit it again?')
  terminal.type('y')
  await terminal.sees('git plan replan p --from ')
  expect(await terminal.ends()).not.toBe(0)
  const [, file = ''] = /--from (\S+)/.exec(terminal.text()) ?? []
  expect(readFileSync(file, 'utf8')).toContain('rnu: x')
})

test('a plan that the pager did not show is printed before the question', async ({ repo }) => {
  const steps = Array.from({ length: 60 }, (_, at) => `  - {id: s${at}, run: echo ${at}}`).join('\n')
  await repo.plan(['new', '--from', '-', '--id', 'p'], { input: planText(steps) })
  const terminal = onTerminal(repo, ['approve', 'p'], { env: { GIT_PAGER: 'false' } })
  await terminal.sees('s59')
  await terminal.sees('Approve this plan?')
  terminal.type('n')
  expect(await terminal.ends()).toBe(3)
})

test('a no to the approval of a rebase moves nothing', async ({ repo }) => {
  expect(
    (await repo.plan(['start', '-', '--approve'], { input: planText('  - run: echo 1 > one', 'plan: p\n') })).code,
  ).toBe(0)
  repo.git(['checkout', '-q', 'main'])
  repo.git(['commit', '-q', '--allow-empty', '-m', 'Move on'])
  const before = repo.git(['for-each-ref'])
  const refused = onTerminal(repo, ['rebase', 'p'])
  await refused.sees('Approve this plan on its new base and run it?')
  refused.type('n')
  expect(await refused.ends()).toBe(3)
  expect(repo.git(['for-each-ref'])).toBe(before)
})

test('a narrow window, NO_COLOR and a locale without Unicode are respected; --plain and a dumb terminal get plain lines', async ({
  repo,
}) => {
  repo.write(
    '.plans/wide.md',
    planText(
      '  - id: wide\n    title: A title that is a good deal longer than the window is wide\n    run: printf "%0200d\\n" 7; sleep 0.3',
    ),
  )
  const narrow = onTerminal(repo, ['start', '.plans/wide.md', '--approve'], {
    env: { NO_COLOR: '1', LANG: 'C' },
    columns: 40,
  })
  expect(await narrow.ends()).toBe(0)
  expect(narrow.raw()).not.toMatch(/\u001b\[[0-9;]*m/)
  expect(narrow.text()).toMatch(/^\+ \[1\/1\] wide: A title [a-z ]*~ (\d+ms|[\d.]+s) [0-9a-f]{7}$/m)
  const pictures = narrow
    .text()
    .split('\n')
    .filter((line) => /^ {2}\| 0+~?$/.test(line))
  expect(pictures.length).toBeGreaterThan(0)
  expect(pictures.every((line) => line.length <= 40)).toBe(true)
  for (const [args, env] of [
    [['--plain'], {}],
    [[], { TERM: 'dumb' }],
  ] as const) {
    repo.git(['checkout', '-q', 'main'])
    await repo.plan(['rollback', 'wide', '--all'])
    const plain = onTerminal(repo, ['resume', 'wide', '--no-input', ...args], { env })
    expect(await plain.ends()).toBe(0)
    expect(plain.text()).toContain(`wide | ${'0'.repeat(199)}7`)
    expect(plain.raw()).not.toContain('\u001b[2K')
  }
})

test('where nothing can be drawn the questions are lines: a number, a word, y', async ({ repo }) => {
  repo.write('.plans/words.md', failing)
  const dumb = onTerminal(repo, ['start', '.plans/words.md'], { env: { TERM: 'dumb', LANG: 'C' } })
  await dumb.sees('Approve this plan and run it? [y/N] ')
  dumb.type('y\r')
  await dumb.sees('two failed: what now?')
  await dumb.sees('  8. Stop')
  await dumb.sees('1-8: ')
  dumb.type('retry\r')
  await dumb.sees('1-8: ')
  dumb.type('4\r')
  await dumb.sees('Why is two skipped? (Enter: no reason) ')
  dumb.type('\r')
  await dumb.sees('Completed words, partially')
  expect(await dumb.ends()).toBe(0)
  expect(dumb.raw()).not.toMatch(/\u001b\[|[^\u0000-\u007f]/)
})

test('at a gate no ends the plan; a terminal that is closed stops the run in order', async ({ repo }) => {
  repo.write(
    '.plans/gate.md',
    planText(
      '  - id: slow\n    run: "test -e ../go || { echo waiting; sleep 60; }"\n  - id: ask\n    gate: Shall we?\n  - run: echo > went',
    ),
  )
  const closed = onTerminal(repo, ['start', '.plans/gate.md', '--approve'])
  await closed.sees('| waiting')
  closed.close()
  await closed.ends()
  expect(await repo.json(['status', 'gate'])).toMatchObject({
    seen: 'approved',
    attempts: [{ step: 'slow' }],
    holder: null,
  })
  repo.write('../go', '')
  const asked = onTerminal(repo, ['resume', 'gate'])
  await asked.sees('Enter: confirm')
  asked.type(`${keys.down}${keys.enter}`)
  await asked.sees('Why not?')
  asked.type(`too early${keys.enter}`)
  await asked.sees('1 of 3 steps are done')
  asked.type('n')
  await asked.sees('Enter: confirm')
  asked.type(`${keys.down}${keys.enter}`)
  await asked.sees('Why not?')
  asked.type(`too early${keys.enter}`)
  await asked.sees('Cancel gate?')
  asked.type('y')
  await asked.sees('Cancelled gate')
  expect(await asked.ends()).toBe(0)
  expect(await repo.json(['status', 'gate'])).toMatchObject({ status: 'cancelled' })
  expect(repo.git(['log', '-1', '--format=%B', 'plan/gate'])).toContain('Plan-Reason: too early')
})

test('after a failure: show its output and changes, open a shell, edit the plan, take the work tree as the result', async ({
  repo,
}) => {
  const text = failing.replace('echo looking;', 'echo looking; echo left > left;')
  repo.write('.plans/words.md', text)
  repo.write('../edit.sh', 'sed -i "s/grep word/grep nothing/" "$1"\n')
  const env = { SHELL: '/bin/sh', GIT_EDITOR: 'sh ../edit.sh', PS1: 'sh> ' }
  const terminal = onTerminal(repo, ['start', '.plans/words.md', '--approve'], { env })
  const choose = async (times: number): Promise<void> => {
    await terminal.sees('two failed: what now?')
    await terminal.sees('Enter: confirm')
    terminal.type(`${down(times)}${keys.enter}`)
  }
  await choose(5)
  await terminal.sees('+left')
  await choose(6)
  await terminal.sees('sh> ')
  terminal.type('pwd; exit 1\r')
  await terminal.sees(repo.dir)
  await choose(4)
  await terminal.sees('Approve this plan and run it?')
  terminal.type('y')
  await terminal.sees('(attempt 2)')
  await choose(2)
  await terminal.sees('Why is two done?')
  terminal.type(keys.enter)
  await terminal.sees('Completed words')
  expect(await terminal.ends()).toBe(0)
  expect(repo.git(['show', 'plan/words:.plans/words.md'])).toContain('grep nothing')
})

test('long output goes through the pager of the user, never through one of the repository', async ({ repo }) => {
  const steps = Array.from({ length: 20 }, (_, at) => `  - run: echo ${at} > file-${at}`)
  repo.write('.plans/long.md', planText(steps.join('\n')))
  await repo.plan(['new', '--from', '.plans/long.md'])
  repo.git(['config', 'core.pager', 'touch ../hostile; cat'])
  const show = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
    const terminal = onTerminal(repo, ['show', 'long', ...args], { env })
    expect(await terminal.ends()).toBe(0)
    expect(terminal.text()).toContain('file-19')
    return terminal.text()
  }
  const paged = 'page: '
  const pager = `sed -e 's/^/${paged}/'`
  expect(await show({ PAGER: pager })).toContain(paged)
  expect(await show({ PAGER: 'false', GIT_PAGER: pager })).toContain(paged)
  expect(await show({ PAGER: pager, GIT_PAGER: 'cat' })).not.toContain(paged)
  expect(await show({ PAGER: pager }, '--no-input')).not.toContain(paged)
  expect(await show({ PAGER: 'no-such-program' })).toContain('file-19')
  repo.git(['config', '--global', 'core.pager', `${pager} -e 's/^/global /'`])
  expect(await show({ PAGER: pager })).toContain(`global ${paged}`)
  const approved = onTerminal(repo, ['start', 'long'])
  await approved.sees(`global ${paged}`)
  await approved.sees('Approve this plan and run it?')
  approved.type('n')
  expect(await approved.ends()).toBe(3)
  repo.git(['config', 'plan.pager', 'false'])
  expect(await show({ PAGER: pager })).not.toContain(paged)
  repo.git(['config', 'plan.pager', 'true'])
  repo.git(['config', 'pager.plan', 'false'])
  expect(await show({ PAGER: pager })).not.toContain(paged)
  expect(existsSync(join(repo.dir, '../hostile'))).toBe(false)
})

test('a question survives Ctrl-Z, and a plan that was cancelled elsewhere is not asked about again', async ({
  repo,
}) => {
  repo.write('.plans/words.md', failing)
  const terminal = onTerminal(repo, ['start', '.plans/words.md', '--approve'])
  await terminal.sees('Enter: confirm')
  terminal.type('\u001a')
  // There is no shell here to stop for: what counts is what comes after `fg`.
  await sleep(300)
  process.kill(terminal.pid, 'SIGCONT')
  await sleep(300)
  terminal.type(keys.enter)
  await terminal.sees('(attempt 2)')
  await terminal.sees('Enter: confirm')
  expect((await repo.plan(['cancel', 'words'])).code).toBe(0)
  terminal.type(keys.enter)
  await terminal.sees('plan words is cancelled')
  expect(await terminal.ends()).toBe(1)
})
