// `git plan ui` without a browser: who is answered, what the answers say, and that an action is the command of its name.

import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { actions } from '../../src/adapters/ui/actions.ts'
import { reads } from '../../src/adapters/ui/reads.ts'
import { commandNamed } from '../../src/commands/table/index.ts'
import { keysOf } from '../../src/adapters/library/request.ts'
import { planText, test as base } from '../helpers/repo.ts'
import { UiServer } from '../helpers/ui.ts'

const test = base.extend<{ ui: UiServer }>({
  ui: async ({ repo }, use) => {
    const ui = await UiServer.start(repo)
    await use(ui)
    await ui.stop()
  },
})

const waitFor = async (what: () => Promise<boolean>): Promise<void> => {
  for (let looks = 0; !(await what()); looks += 1) {
    if (looks > 600) throw new Error('waited in vain')
    await sleep(50)
  }
}

test('what the page may ask for are options of the commands', () => {
  const asked = [
    ...Object.values(reads).map(({ command, keys = [], fixed = {} }) => [command, [...keys, ...Object.keys(fixed)]]),
    ...Object.entries(actions).map(([command, { keys }]) => [command, keys]),
  ] as [string, string[]][]
  for (const [command, keys] of asked) {
    const known = keysOf(commandNamed(command)!)
    for (const key of ['plan', ...keys]) expect([...known.keys()], command).toContain(key)
  }
})

test('the link works once, and nothing is answered without it', async ({ repo, ui }) => {
  await repo.plan(['new', 'Secret title'])
  for (const path of ['/', '/assets/page.js', '/api/plans', '/api/plans/secret-title/status', '/api/live', '/metrics'])
    expect(await ui.send(path), path).toMatchObject({ status: 401, text: expect.not.stringContaining('Secret') })
  expect(await ui.send('/open?token=guess')).toMatchObject({ status: 403 })

  const opened = await ui.open()
  expect(opened.status).toBe(200)
  expect(opened.headers['set-cookie']?.[0]).toMatch(/^git-plan-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/)
  expect((await ui.get('/api/plans')).data).toMatchObject({ kind: 'list', plans: [{ title: 'Secret title' }] })

  const again = await ui.send(ui.link)
  expect(again).toMatchObject({ status: 403, text: expect.stringContaining('git plan ui') })
  expect(again.headers['set-cookie']).toBeUndefined()
  expect(await ui.send('/api/plans', { headers: { ...ui.secrets, cookie: `${ui.cookie}x` } })).toMatchObject({
    status: 401,
  })
})

test('a server on another port that was sent the cookie can neither read nor act', async ({ repo, ui }) => {
  await repo.plan(['new', 'One'])
  await ui.open()
  const { cookie, origin } = ui
  for (const path of ['/api/plans', '/api/live', '/metrics', '/api/plans?key=guess'])
    expect(await ui.send(path, { headers: { cookie } }), path).toMatchObject({ status: 401 })
  const headers = { cookie, origin, 'content-type': 'application/json', 'x-git-plan-key': 'guess' }
  expect(await ui.send('/api/plans/one/cancel', { method: 'POST', headers, body: '{}' })).toMatchObject({ status: 401 })
  expect(await repo.json(['status', 'one'])).toMatchObject({ status: 'proposed' })
})

test('what is not in the tables of the page is unknown, whatever its name', async ({ ui }) => {
  await ui.open()
  for (const name of ['constructor', 'toString', '__proto__', 'delete'])
    for (const answer of [await ui.get(`/api/plans/x/${name}`), await ui.post(`/api/plans/x/${name}`, {})])
      expect(answer, name).toMatchObject({ status: 404 })
})

test('/metrics has what git plan metrics prints; for a collector only with --metrics', async ({ repo, ui }) => {
  await repo.plan(['start', '-', '--approve'], { input: planText('  - {id: one, create: one.txt, content: "1"}') })
  const { stdout } = await repo.plan(['metrics'])
  expect(stdout).toContain('plan_executions_total{status="completed"')
  await ui.open()
  expect(await ui.get('/metrics')).toMatchObject({
    status: 200,
    text: stdout,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
  })
  const open = await UiServer.start(repo, { args: ['--metrics'] })
  expect(await open.send('/metrics')).toMatchObject({ status: 200, text: stdout })
  expect(await open.send('/metrics', { headers: { host: 'evil.example' } })).toMatchObject({ status: 403 })
  expect(await open.send('/api/plans')).toMatchObject({ status: 401 })
  await open.stop()
})

test('a name of somebody else, another origin and a form are refused', async ({ repo, ui }) => {
  await repo.plan(['new', 'One'])
  await ui.open()
  const { origin, secrets } = ui
  const port = new URL(origin).port
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '[::2]'])
    expect(await ui.send('/api/plans', { headers: { ...secrets, host } }), host).toMatchObject({ status: 403 })
  for (const host of [`localhost:${port}`, '[::1]:8080', '127.0.0.1'])
    expect(await ui.send('/api/plans', { headers: { ...secrets, host } }), host).toMatchObject({ status: 200 })
  // Not even the link.
  expect(await ui.send(ui.link, { headers: { host: 'evil.example' } })).toMatchObject({ status: 403 })

  const json = { ...secrets, 'content-type': 'application/json' }
  const cancel = (headers: Record<string, string>, body = '{}') =>
    ui.send('/api/plans/one/cancel', { method: 'POST', headers, body })
  for (const other of ['http://evil.example', `http://localhost:${port}`, 'null', `https://127.0.0.1:${port}`])
    expect(await cancel({ ...json, origin: other }), other).toMatchObject({ status: 403 })
  expect(await cancel(json)).toMatchObject({ status: 403 })
  expect(await ui.send('/api/plans', { headers: { ...secrets, origin: 'http://evil.example' } })).toMatchObject({
    status: 403,
  })
  expect(await cancel({ ...secrets, origin, 'content-type': 'text/plain' })).toMatchObject({ data: { code: 'usage' } })
  expect(await cancel({ ...json, origin }, '{"push":true}')).toMatchObject({
    data: { code: 'usage', message: 'the page cannot ask for "push"' },
  })
  expect(await repo.json(['status', 'one'])).toMatchObject({ status: 'proposed' })
})

test('every answer has a strict policy, and only files of the page are served', async ({ ui }) => {
  await ui.open()
  const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"
  for (const path of [
    '/',
    '/plans/a/steps/b/compare',
    '/assets/index.css',
    '/api/plans',
    '/api/plans/nothing/status',
  ]) {
    const { headers } = await ui.get(path)
    expect(headers['content-security-policy'], path).toContain(policy)
    expect(headers['content-security-policy'], path).not.toMatch(/unsafe|\*|http/)
    expect(headers, path).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
  }
  const page = await ui.get('/')
  expect(page.text).toContain('/assets/page.js')
  expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|style=|https?:/)
  expect((await ui.get('/assets/page.js')).headers['content-type']).toContain('javascript')
  for (const path of ['/assets/..%2fcli.mjs', '/assets/../cli.mjs', '/assets/index.html', '/nowhere', '/api/nothing'])
    expect(await ui.get(path), path).toMatchObject({ status: 404 })
})

test('the data is that of --json, and a refusal is that of the command', async ({ repo, ui }) => {
  await repo.plan(['new', '--from', '-', '--id', 'numbers'], {
    input: planText('  - id: one\n    create: one.txt\n    content: one', 'title: Numbers\nowner: grace\n'),
  })
  await ui.open()
  const { plans } = (await ui.get('/api/plans')).data as { plans: object[] }
  expect(plans).toMatchObject([{ id: 'numbers', owner: 'grace', proposedBy: 'Ada <ada@example.com>' }])
  for (const read of ['status', 'show', 'log', 'report']) {
    const { data } = await ui.get(`/api/plans/numbers/${read}`)
    expect(data, read).toMatchObject({ schemaVersion: 1 })
    expect(Object.keys(data), read).toEqual(expect.arrayContaining(Object.keys(await repo.json([read, 'numbers']))))
  }
  // As `git plan start` and `git plan reject` say it.
  const refused = await ui.post('/api/plans/numbers/start', {})
  const typed = await repo.json(['start', 'numbers'])
  expect(refused).toMatchObject({ status: 403, data: { code: 'not-approved', message: typed['message'] } })
  expect(refused.data['hint']).toBeTruthy()
  expect(await ui.post('/api/plans/numbers/approve', { digest: 'f'.repeat(64) })).toMatchObject({
    status: 403,
    data: { code: 'spec-changed' },
  })
  expect(await ui.post('/api/plans/nothing/cancel', {})).toMatchObject({ status: 409, data: { code: 'unknown-plan' } })
  expect(await ui.post('/api/plans/numbers/delete', {})).toMatchObject({ status: 404 })
})

test('a plan is approved, run, rolled back and run again, with news on the way', async ({ repo, ui }) => {
  await repo.plan(['new', '--from', '-', '--id', 'numbers'], {
    input: planText('  - id: one\n    run: echo said; echo one > one.txt', 'title: Numbers\n'),
  })
  await ui.open()
  const state = async (): Promise<unknown> => (await ui.get('/api/plans/numbers/status')).data['seen']
  const { digest } = (await ui.get('/api/plans/numbers/show')).data
  expect(await ui.post('/api/plans/numbers/approve', { digest, message: 'good' })).toMatchObject({
    status: 200,
    data: { kind: 'approved' },
  })
  expect(await ui.post('/api/plans/numbers/start', { jobs: 2 })).toMatchObject({
    status: 202,
    data: { kind: 'started' },
  })
  await waitFor(async () => (await state()) === 'completed')
  expect(repo.read('one.txt')).toBe('one\n')
  expect((await ui.get('/api/plans/numbers/output?output=one')).data['output']).toBe('said\n')
  expect((await ui.get('/api/plans/numbers/diff?step=one')).data['diff']).toContain('+one')
  expect((await ui.post('/api/plans/numbers/rollback', { dryRun: true })).data['lost']).toHaveLength(2)
  expect(await state()).toBe('completed')
  expect((await ui.post('/api/plans/numbers/rollback', { message: 'again' })).data['kind']).toBe('rolled-back')
  expect(await state()).toBe('rolled-back')
  expect(repo.git(['log', '-1', '--format=%an %(trailers:key=Plan-Reason,valueonly)', 'plan/numbers'])).toContain('Ada')
})

test('the shell of an agent approves nothing, whoever opens the page', async ({ repo }) => {
  await repo.plan(['new', 'One'])
  const ui = await UiServer.start(repo, { env: { CLAUDECODE: '1' } })
  await ui.open()
  expect(await ui.post('/api/plans/one/approve', {})).toMatchObject({
    status: 403,
    data: { code: 'not-allowed', message: expect.stringContaining('only a person can approve') },
  })
  expect(await repo.json(['status', 'one'])).toMatchObject({ status: 'proposed' })
  await ui.stop()
})

test('with --json the first line has the link', async ({ repo }) => {
  const ui = await UiServer.start(repo, { args: ['--json'] })
  const { stdout, stderr } = await ui.stop()
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual([
    { schemaVersion: 1, kind: 'ui-listening', url: ui.link },
    { schemaVersion: 1, kind: 'ui' },
  ])
  expect(stderr).toContain('stopping')
})

test('Ctrl-C ends the server, and its run as Ctrl-C does', async ({ repo }) => {
  await repo.plan(['new', '--from', '-', '--id', 'slow'], {
    input: planText('  - id: slow\n    run: echo begun > begun.txt; sleep 60', 'title: Slow\n'),
  })
  await repo.plan(['approve', 'slow'])
  const ui = await UiServer.start(repo)
  await ui.open()
  expect((await ui.post('/api/plans/slow/start', {})).status).toBe(202)
  await waitFor(async () => Promise.resolve(readdirSync(repo.dir).includes('begun.txt')))
  const { code, stderr } = await ui.stop()
  expect(code).toBe(130)
  expect(stderr).not.toContain('bug')
  expect(await repo.json(['status', 'slow'])).toMatchObject({ holder: null, progress: { done: 0 } })
  expect(repo.status()).toBe('')
  // Its changes were saved.
  expect((await repo.json(['attempts', 'slow', '--show', 'slow']))['diff']).toContain('+begun')
})

test('an invalid port, a taken one and a directory without a repository are refused', async ({ repo, ui }) => {
  expect(await repo.plan(['ui', '--port', 'x'])).toMatchObject({ code: 2, stderr: expect.stringContaining('port') })
  const taken = await repo.plan(['ui', '--no-open', '--port', new URL(ui.origin).port])
  expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining('EADDRINUSE') })
  expect((await repo.plan(['ui', '--no-open'], { cwd: repo.home })).code).toBe(2)
})
