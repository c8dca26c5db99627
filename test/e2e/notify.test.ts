// Who is notified about a plan, how, and what happens if that does not work.

import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chmodSync, existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, describe } from 'vitest'
import { factsOf } from '../../src/process/identity.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'
import { onTerminal } from '../helpers/terminal.ts'

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly path: string
  readonly body: string
}

/** Answers each request with the next status, the last one again and again; 0: never. */
async function listen<T>(
  statuses: readonly number[],
  work: (at: { readonly url: string; readonly received: readonly Received[] }) => Promise<T>,
): Promise<T> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, path: request.url ?? '', body: Buffer.concat(chunks).toString() })
      const status = statuses[Math.min(received.length, statuses.length) - 1] ?? 200
      if (status !== 0) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** In the policy. */
function configure(repo: TestRepo, lines: readonly string[]): void {
  repo.write('.plans/config.yml', `version: 1\nnotify:\n${lines.map((line) => `  ${line}\n`).join('')}`)
  repo.commit('Configure')
}

const bodies = (received: readonly Received[]) =>
  received.map(({ body }) => JSON.parse(body) as { event: string; text: string; [key: string]: unknown })

describe('a webhook', () => {
  test('gets a signed request for every event, in the policy and in git config', async ({ repo }) => {
    await listen([200], async ({ url, received }) => {
      configure(repo, [`webhook: ${url}/hook/a-path-that-is-secret`, 'secret: $PLAN_SECRET'])
      const env = { PLAN_SECRET: 'whsec_c2VjcmV0IGtleQ==' }
      repo.write('../p.md', planText('  - {id: one, gate: Sure?}\n  - {id: two, run: exit 3}', 'title: "Go; now"\n'))
      expect(await repo.plan(['new', '--from', '../p.md'], { env })).toMatchObject({ code: 0 })
      await repo.plan(['reject', 'p', '-m', 'not\nyet'], { env })
      await repo.plan(['approve', 'p'], { env })
      await repo.plan(['start', 'p'], { env })
      await repo.plan(['resume', 'p', '--done', 'one', '-m', 'yes'], { env })
      await repo.plan(['resume', 'p', '--skip', 'two', '-m', 'no'], { env })
      expect(bodies(received).map(({ event, text }) => `${event} | ${text}`)).toEqual([
        'rejected | Rejected: Go; now (p): not yet',
        'approved | Approved: Go; now (p): by Ada <ada@example.com>',
        'waiting | Waiting: Go; now (p) at one: Sure?; 0 of 2 steps done',
        'failed | Failed: Go; now (p) at two: exit code 3; 1 of 2 steps done',
        'completed | Completed: Go; now (p): partial; 1 of 2 steps done',
      ])
      for (const { headers, body } of received) {
        const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
        const signature = createHmac('sha256', 'secret key').update(signed).digest('base64')
        expect(headers['webhook-signature']).toBe(`v1,${signature}`)
        expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(600)
      }
      expect(bodies(received)[3]).toMatchObject({
        schemaVersion: 1,
        repository: 'repo',
        plan: { id: 'p', status: 'failed', tip: expect.stringMatching(/^[0-9a-f]{40}$/) },
        progress: { done: 1, total: 2 },
        step: { id: 'two' },
        message: 'exit code 3',
      })
    })
  })

  test('that answers 500 is asked three times, and is a warning; the plan completes all the same', async ({ repo }) => {
    await listen([500], async ({ url, received }) => {
      configure(repo, [`webhook: ${url}/t0p-hidden`, 'on: [completed]'])
      repo.write('../p.md', planText('  - {id: one, run: "true"}'))
      const ran = await repo.plan(['start', '../p.md', '--approve'])
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Completed p') })
      expect(ran.stderr.match(/the notification to webhook \(127\.0\.0\.1:\d+\) failed: HTTP 500/g)).toHaveLength(1)
      expect(ran.all).not.toContain('t0p-hidden')
      expect(received).toHaveLength(3)
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    })
  })

  test('that recovers gets it once; one that refuses or redirects is not asked again', async ({ repo }) => {
    repo.write('../p.md', planText('  - {id: one, run: "true"}'))
    await listen([503, 204], async ({ url, received }) => {
      repo.git(['config', 'plan.notify.webhook', `${url}/a`])
      expect((await repo.plan(['start', '../p.md', '--approve'])).stderr).not.toContain('note:')
      // Approved, and then completed.
      expect(received).toHaveLength(3)
    })
    for (const status of [403, 302])
      await listen([status], async ({ url, received }) => {
        repo.git(['config', 'plan.notify.webhook', url])
        repo.git(['checkout', '-q', 'main'])
        expect((await repo.plan(['clone', 'p'])).code).toBe(0)
        const ran = await repo.plan(['reject', `p-${status === 403 ? 2 : 3}`, '-m', 'no'])
        expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(`failed: HTTP ${status}`) })
        expect(received).toHaveLength(1)
      })
  })

  test('that never answers, and a command that hangs, delay the end of the command to their deadline', async ({
    repo,
  }) => {
    await listen([0], async ({ url, received }) => {
      configure(repo, [
        'on: [completed]',
        `webhook: ${url}`,
        // Its child would outlive it, and keep the pipe open.
        'command: "trap \'\' TERM; sleep 300 & echo $! > ../pid; wait; sleep 300"',
        'timeout: 700ms',
      ])
      repo.write('../p.md', planText('  - {id: one, run: "true"}'))
      const ran = await repo.plan(['start', '../p.md', '--approve'])
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Completed p') })
      expect(ran.stderr).toContain('failed: no answer in time')
      expect(ran.stderr).toContain('the notification command failed: it did not end in time')
      expect(received).toHaveLength(1)
      expect(factsOf(Number(repo.read('../pid')))?.isZombie ?? true).toBe(true)
      // It was released before.
      expect(await repo.json(['status', 'p'])).toMatchObject({ status: 'completed' })
    })
  })

  test('with a secret that is not set gets nothing: without a signature it would be a forgery', async ({ repo }) => {
    await listen([200], async ({ url, received }) => {
      configure(repo, [`webhook: ${url}`, 'secret: $PLAN_SECRET'])
      repo.write('../p.md', planText('  - {id: one, run: "true"}'))
      expect((await repo.plan(['start', '../p.md', '--approve'])).stderr).toContain('$PLAN_SECRET is not set')
      expect(received).toEqual([])
    })
  })
})

test('Slack gets a text, at an address that only the environment knows', async ({ repo }) => {
  await listen([200], async ({ url, received }) => {
    configure(repo, ['slack: $SLACK_HOOK', 'on: [failed]'])
    repo.write('../p.md', planText('  - {id: one, run: exit 1}', 'title: "<Upgrade> & more"\n'))
    await repo.plan(['start', '../p.md', '--approve'], { env: { SLACK_HOOK: `${url}/services/T0` } })
    expect(received.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      [
        '/services/T0',
        { text: '[repo] Failed: &lt;Upgrade&gt; &amp; more (p) at one: exit code 1; 0 of 1 steps done' },
      ],
    ])
  })
})

test('a command gets the event on standard input and in variables, and no secret', async ({ repo }) => {
  repo.write('tell.sh', '#!/bin/sh\ncat > ../event.json\nenv > ../environment\n')
  chmodSync(repo.path('tell.sh'), 0o755)
  configure(repo, ['command: ./tell.sh', 'on: [failed, completed]'])
  repo.write(
    '../p.md',
    planText('  - {id: one, secrets: [DEPLOY_PIN], run: "echo pin $DEPLOY_PIN; exit 4"}\n  - {id: two, run: "true"}'),
  )
  const env = { DEPLOY_PIN: 'ruby-otter-71', GITHUB_TOKEN: 'g', MY_API_KEY: 'k', EDITOR_NAME: 'vi' }
  const failed = await repo.plan(['start', '../p.md', '--approve'], { env })
  expect(failed).toMatchObject({ code: 1, stderr: expect.not.stringContaining('note:') })
  expect(JSON.parse(repo.read('../event.json'))).toMatchObject({ event: 'failed', step: { id: 'one' } })
  const environment = repo.read('../environment')
  expect(environment).toContain('PLAN_EVENT=failed\n')
  expect(environment).toContain('PLAN_ID=p\n')
  expect(environment).toContain('PLAN_STEP=one\n')
  expect(environment).toContain('EDITOR_NAME=vi\n')
  for (const name of ['DEPLOY_PIN', 'ruby-otter-71', 'GITHUB_TOKEN', 'MY_API_KEY'])
    expect(environment, name).not.toContain(name)
})

test('a failed step that may fail is no news, nor is a rehearsal', async ({ repo }) => {
  repo.git(['config', 'plan.notify.command', 'cat >> ../events; echo >> ../events'])
  repo.write('../p.md', planText('  - {id: one, run: exit 1, allow_failure: true}\n  - {id: two, run: "true"}'))
  await repo.plan(['start', '../p.md', '--dry-run'])
  expect(existsSync(repo.path('../events'))).toBe(false)
  await repo.plan(['start', '../p.md', '--approve'])
  const events = repo
    .read('../events')
    .trim()
    .split(/\n+/)
    .map((line) => (JSON.parse(line) as { event: string }).event)
  expect(events).toEqual(['approved', 'completed'])
})

test('the terminal rings and shows a message, whatever is in the title; notify-send does where there is a display', async ({
  repo,
}) => {
  repo.write('../bin/notify-send', '#!/bin/sh\nprintf "%s|" "$@" > ../sent\n')
  chmodSync(repo.path('../bin/notify-send'), 0o755)
  repo.git(['config', 'plan.notify.bell', 'true'])
  repo.git(['config', 'plan.notify.desktop', 'true'])
  repo.git(['config', 'plan.notify.on', 'completed'])
  repo.write('../p.md', planText('  - {id: one, run: "true"}', 'title: "Go; now"\n'))
  const env = { PATH: `${repo.path('../bin')}:${repo.env['PATH']}`, DISPLAY: ':0' }
  const terminal = onTerminal(repo, ['start', '../p.md', '--approve'], { env })
  expect(await terminal.ends()).toBe(0)
  const text = 'Completed: Go, now (p), 1 of 1 steps done'
  expect(terminal.raw()).toContain(`\u001b]9;git plan: ${text}\u0007\u001b]777;notify;git plan;${text}\u0007\u0007`)
  expect(repo.read('../sent')).toBe('--app-name=git plan|--|git plan: repo|Completed: Go; now (p); 1 of 1 steps done|')
  // In a pipe nothing rings, and no display is no failure.
  repo.git(['checkout', '-q', 'main'])
  await repo.plan(['clone', 'p'])
  const piped = await repo.plan(['start', 'p-2', '--approve'])
  expect(piped.code).toBe(0)
  expect(piped.all).not.toContain('\u0007')
  // The listener of a library, and `--json`, get it as an event.
  repo.git(['checkout', '-q', 'main'])
  await repo.plan(['clone', 'p'])
  expect((await repo.plan(['start', 'p-3', '--approve', '--json'])).stdout).toContain('"kind":"notification"')
})

test('who waits for a plan, or watches it, is notified that it has stalled', async ({ repo }) => {
  repo.git(['config', '--global', 'plan.notify.command', 'cat >> ../events'])
  repo.git(['config', '--global', 'plan.notify.on', 'stalled'])
  repo.write('../p.md', planText('  - {id: one, run: "kill -9 $PPID; sleep 5"}'))
  await ended(repo.spawn(['start', '../p.md', '--approve']))
  // For an agent it only reads.
  await repo.plan(['wait', 'p'], { env: { CLAUDECODE: '1' } })
  expect(await repo.plan(['wait', 'p'])).toMatchObject({ code: 4, stdout: expect.stringContaining('p is stalled') })
  const watching = repo.spawn(['status', 'p', '--watch'])
  const told = (): string[] => (existsSync(repo.path('../events')) ? repo.read('../events').trim().split('\n') : [])
  for (let tries = 0; told().length < 2 && tries < 300; tries += 1) await sleep(50)
  watching.kill('SIGTERM')
  await ended(watching)
  expect(told().map((line) => (JSON.parse(line) as { text: string }).text)).toEqual([
    'Stalled: p (p); 0 of 1 steps done',
    'Stalled: p (p); 0 of 1 steps done',
  ])
})

test('waiting runs and sends nothing that the repository names, and still rings', async ({ repo }) => {
  repo.write('../p.md', planText('  - {id: one, run: "kill -9 $PPID; sleep 5"}'))
  await ended(repo.spawn(['start', '../p.md', '--approve']))
  await listen([200], async ({ url, received }) => {
    repo.git(['checkout', '-q', 'main'])
    configure(repo, ['on: [stalled]', 'bell: true', 'command: touch ../policy', `webhook: ${url}`])
    repo.git(['config', 'plan.notify.command', 'touch ../config'])
    repo.git(['config', 'plan.notify.slack', url])
    const waiting = onTerminal(repo, ['wait', 'p'])
    expect(await waiting.ends()).toBe(4)
    expect([existsSync(repo.path('../policy')), existsSync(repo.path('../config'))]).toEqual([false, false])
    expect(received).toEqual([])
    expect(waiting.raw()).toContain('\u0007')
  })
})

test('the configuration is checked, and secrets of it are not shown', async ({ repo }) => {
  repo.write(
    '.plans/config.yml',
    'version: 1\nnotify:\n  on: [complete]\n  webhook: example.com\n  secret: hunter2\n  timeout: 2m\n  belt: true\n',
  )
  const checked = await repo.plan(['check', '.plans/config.yml'])
  expect(checked).toMatchObject({ code: 2 })
  expect(checked.stdout.match(/^\S+:\d+:\d+: error: .*$/gm)).toHaveLength(5)
  expect(checked.stdout).toContain('did you mean `bell`')

  configure(repo, ['webhook: https://example.com/t0p-hidden', 'secret: $PLAN_SECRET', 'command: ./nothing.sh'])
  repo.git(['config', 'plan.notify.slack', 'https://hooks.example.com/t0p-hidden'])
  repo.git(['config', 'plan.notify.secret', 't0p-hidden'])
  repo.git(['config', 'plan.notify.on', 'finished'])
  const shown = await repo.plan(['config'])
  expect(shown.stdout).toContain('https://example.com/...')
  expect(shown.stdout).toContain('https://hooks.example.com/...')
  expect((await repo.plan(['config', '--json'])).all + shown.all).not.toContain('t0p-hidden')
  const doctor = await repo.plan(['doctor'])
  for (const problem of [
    'plan.notify.on in git config is not valid',
    '$PLAN_SECRET is not set',
    './nothing.sh is not a program here',
    'notify.secret signs nothing',
  ])
    expect(doctor.stdout).toContain(problem)
  expect(doctor.all).not.toContain('t0p-hidden')
})

test('a plan cannot say who is notified', async ({ repo }) => {
  repo.write('../p.md', planText('  - {id: one, run: "true"}', 'notify: {bell: true}\n'))
  expect(await repo.plan(['check', '../p.md'])).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('unknown key `notify`'),
  })
})
