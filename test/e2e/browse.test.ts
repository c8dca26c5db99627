// `git plan browse` on a terminal.

import { rmSync } from 'node:fs'
import { expect } from 'vitest'
import { keys, onTerminal, type Terminal } from '../helpers/terminal.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const [takes, givesBack] = ['\u001b[?1049h', '\u001b[?1049l']

const words = planText(`
  - id: one
    title: Make a file
    run: echo 1 > one
  - id: two
    title: Look for a word
    run: echo looking; grep word one
  - {id: three, run: "echo 3 > three", needs: [two]}`)

async function proposed(repo: TestRepo, text: string, id: string): Promise<void> {
  expect((await repo.plan(['new', '--from', '-', '--id', id], { input: text })).code).toBe(0)
}

/** The browser with its first screen. */
async function browsing(
  repo: TestRepo,
  args: readonly string[] = [],
  options: Parameters<typeof onTerminal>[2] = {},
): Promise<Terminal> {
  const terminal = onTerminal(repo, ['browse', ...args], { columns: 80, rows: 24, ...options })
  await terminal.sees(args.length === 0 ? 'q quit' : 'q back')
  return terminal
}

/** What was typed is performed, and the browser is there again. */
async function returns(terminal: Terminal, to: 'back' | 'quit' = 'back'): Promise<void> {
  await terminal.sees('Press any key to return')
  terminal.type(' ')
  await terminal.sees(`q ${to}`)
}

const isGivenBack = (terminal: Terminal): boolean =>
  terminal.raw().lastIndexOf(givesBack) > terminal.raw().lastIndexOf(takes) &&
  terminal.raw().lastIndexOf('\u001b[?25h') > terminal.raw().lastIndexOf('\u001b[?25l')

test('a plan is chosen, approved, run, looked at, rolled back, cloned, rejected and deleted with keys', async ({
  repo,
}) => {
  await proposed(repo, words, 'words')
  const before = repo.git(['rev-parse', 'HEAD'])
  const terminal = await browsing(repo)
  terminal.type('a')
  await terminal.sees('$ git plan approve words')
  await terminal.sees('run: echo looking; grep word one')
  await terminal.sees('Approve this plan?')
  terminal.type('y')
  await terminal.sees('Approved words')
  await returns(terminal, 'quit')
  terminal.type(keys.enter)
  await terminal.sees('one: run')
  terminal.type('s')
  await terminal.sees('$ git plan start words')
  await terminal.sees('two failed: what now?')
  terminal.type(keys.escape)
  await returns(terminal)
  // The failed step is selected.
  expect(terminal.text()).toContain('error: exit code 1')
  terminal.type(keys.enter)
  await terminal.sees('$ git plan log words --output two')
  await terminal.sees('looking')
  await returns(terminal)
  terminal.type('g')
  await terminal.sees('one: run')
  terminal.type('d')
  await terminal.sees('+++ b/one')
  await returns(terminal)
  terminal.type('B')
  await terminal.sees('$ git plan rollback words --all --dry-run')
  await terminal.sees('would reset words')
  await terminal.sees('Roll back?')
  terminal.type('y')
  await terminal.sees('Rolled back words')
  await returns(terminal)
  terminal.type('c')
  await terminal.sees('Which id?')
  terminal.type(`again${keys.enter}`)
  await terminal.sees('Proposed plan/again')
  await returns(terminal)
  terminal.type('q')
  await terminal.sees('Plans of')
  terminal.type('/aga')
  await terminal.sees('1/1, with "aga')
  terminal.type(`${keys.enter}x`)
  await terminal.sees('Why not? (Enter: no reason)')
  terminal.type(`-m is not a reason${keys.enter}`)
  await terminal.sees('Rejected again')
  await returns(terminal, 'quit')
  expect(repo.git(['log', '-1', '--format=%B', 'plan/again'])).toContain('Plan-Reason: -m is not a reason')
  terminal.type('D')
  await terminal.sees('Delete again, its branch and its records?')
  terminal.type('n')
  await terminal.sees('find')
  terminal.type('D')
  await terminal.sees('its records?')
  terminal.type('y')
  await terminal.sees('$ git plan delete again')
  await returns(terminal, 'quit')
  expect(terminal.text()).toContain('No such plans')
  expect(repo.git(['branch', '--list', 'plan/*', '--format=%(refname:short)'])).toBe('plan/words')
  terminal.type('q')
  expect(await terminal.ends()).toBe(0)
  expect(isGivenBack(terminal)).toBe(true)
  expect(repo.git(['rev-parse', 'main'])).toBe(before)
})

test('what the command line refuses is refused with its hint, and nothing is typed without a yes', async ({ repo }) => {
  await proposed(repo, words, 'words')
  const refs = repo.git(['for-each-ref'])
  const terminal = await browsing(repo, ['words'])
  for (const [key, said] of [
    ['u', 'Hint: git plan log words'],
    ['f', 'Finish words?'],
    ['X', 'Cancel words?'],
    ['D', 'Delete words'],
  ] as const) {
    terminal.type(key)
    await terminal.sees(said)
    if (key === 'u') await returns(terminal)
    else {
      terminal.type('n')
      // A plan that may be gone is left.
      await terminal.sees(key === 'D' ? 'q quit' : 'q back')
    }
  }
  terminal.type('s')
  await terminal.sees('Approve this plan and run it?')
  terminal.type('n')
  await terminal.sees('not approved yet; nothing was run')
  await returns(terminal, 'quit')
  terminal.type('q')
  expect(await terminal.ends()).toBe(0)
  expect(repo.git(['for-each-ref'])).toBe(refs)
})

test('before a rollback, the undo commands are shown and asked about', async ({ repo }) => {
  const text = planText(
    '  - {id: one, run: "echo 1 > one", effect: external, undo: "echo undone > ../undone", allow: [shell-write-outside]}',
  )
  await proposed(repo, text, 'effect')
  expect((await repo.plan(['start', 'effect', '--approve'])).code).toBe(0)
  const terminal = await browsing(repo, ['effect'])
  terminal.type('B')
  await terminal.sees('it would run, to undo external effects:')
  await terminal.sees('Roll back?')
  terminal.type('y')
  await terminal.sees('Run these commands and roll back?')
  terminal.type('y')
  await terminal.sees('Rolled back effect')
  expect(repo.read('../undone')).toBe('undone\n')
  await returns(terminal)
  terminal.type('Q')
  expect(await terminal.ends()).toBe(0)
})

test('a run in another terminal is followed, with its output, and Ctrl-C stops one that was started here', async ({
  repo,
}) => {
  const text = planText(
    '  - {id: slow, run: "echo waiting for you; while test ! -e ../go; do sleep 0.1; done"}\n  - {id: last, run: "echo 1 > last"}',
  )
  await proposed(repo, text, 'slow')
  const terminal = await browsing(repo, ['slow'])
  const elsewhere = repo.plan(['start', 'slow', '--approve'], { isBinary: true })
  await terminal.sees('running')
  await terminal.sees('| waiting for you')
  repo.write('../go', '')
  expect((await elsewhere).code).toBe(0)
  await terminal.sees('completed')
  repo.git(['checkout', '-q', 'main'])
  repo.git(['clean', '-qfd'])
  await repo.plan(['rollback', 'slow', '--all'])
  await terminal.sees('rolled back to the start')
  rmSync(repo.path('../go'))
  terminal.type('s')
  await terminal.sees('| waiting for you')
  terminal.type(keys.ctrlC)
  await terminal.sees('stopping')
  await returns(terminal)
  expect(await repo.json(['status', 'slow'])).toMatchObject({ holder: null, seen: 'rolled-back' })
  // In the browser it quits.
  terminal.type(keys.ctrlC)
  expect(await terminal.ends()).toBe(130)
  expect(isGivenBack(terminal)).toBe(true)
})

test('long text goes to the pager of the user, never to one of the repository', async ({ repo }) => {
  const steps = Array.from({ length: 60 }, (_, at) => `  - {id: s${at}, run: echo ${at}}`).join('\n')
  await proposed(repo, planText(steps), 'long')
  repo.git(['config', 'core.pager', 'sh -c "touch ../owned; cat"'])
  const terminal = await browsing(repo, ['long'], { env: { PAGER: "sed 's/^/paged /'" } })
  terminal.type('v')
  await terminal.sees('paged   s59: Run echo 59')
  // After a pager, the browser is there at once.
  await terminal.sees('q back')
  terminal.type(keys.escape)
  await terminal.sees('Plans of')
  terminal.type('q')
  expect(await terminal.ends()).toBe(0)
  expect(() => repo.read('../owned')).toThrow()
})

test('a signal gives the terminal back, in the browser and at a question', async ({ repo }) => {
  await proposed(repo, words, 'words')
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const terminal = await browsing(repo)
    terminal.signal(signal)
    expect(await terminal.ends()).toBe(143)
    expect(isGivenBack(terminal)).toBe(true)
  }
  const asked = await browsing(repo)
  asked.type('a')
  await asked.sees('Approve this plan?')
  asked.signal('SIGTERM')
  expect(await asked.ends()).toBe(143)
  expect(isGivenBack(asked)).toBe(true)
  expect(repo.git(['log', '--format=%s', 'plan/words'])).not.toContain('Approved')
})

test('without colors and Unicode, in a small window and after a new size, everything stays readable', async ({
  repo,
}) => {
  await proposed(repo, planText('  - {id: one, title: Größe \u{1f600} \u4f60\u597d, run: echo 1 > one}'), 'one')
  const terminal = await browsing(repo, [], { env: { NO_COLOR: '1', LANG: 'C', LC_ALL: 'C' }, columns: 40, rows: 10 })
  expect(terminal.raw()).not.toMatch(/\u001b\[[0-9;]*m/)
  expect(terminal.raw()).toContain('> one')
  terminal.resize(100, 30)
  await terminal.sees('CREATED')
  await terminal.sees('quit')
  terminal.type('?')
  await terminal.sees('Press any key')
  terminal.type(' q')
  expect(await terminal.ends()).toBe(0)
})

test('where there is no screen, it is refused with the command that lists', async ({ repo }) => {
  await proposed(repo, words, 'words')
  const piped = await repo.plan(['browse'])
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('Hint: git plan list') })
  expect(await repo.plan(['browse', '--json'])).toMatchObject({ code: 2 })
  for (const [args, env] of [
    [[], { TERM: 'dumb' }],
    [['--plain'], {}],
    [['--no-input'], {}],
  ] as const) {
    const refused = onTerminal(repo, ['browse', ...args], { env })
    expect(await refused.ends()).toBe(2)
    expect(refused.text()).toContain('git plan list')
    expect(refused.raw()).not.toContain(takes)
  }
  const unknown = onTerminal(repo, ['browse', 'wordz'])
  expect(await unknown.ends()).toBe(2)
  expect(unknown.text()).toContain('did you mean')
})
