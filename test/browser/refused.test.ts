// Who is answered, seen from a browser: pages of other origins, names that were pointed at this machine, and windows that
// were not given the link.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { UiServer } from '../helpers/ui.ts'
import { launch, test } from './page.ts'

async function serve(body: string): Promise<{ server: Server; origin: string }> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** What another page may try without the person noticing. */
const attempts = (target: string): string => `(async () => {
  const attempt = async (name, act) => name + ': ' + (await act().catch((error) => error.name))
  const load = (name, src) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(name), { src })
    element.addEventListener('load', () => resolve('loaded'))
    element.addEventListener('error', () => resolve('refused'))
    document.body.append(element)
  })
  const post = { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': 'text/plain' }, body: '{}' }
  return [
    await attempt('fetch', async () => (await fetch('${target}/api/plans', { credentials: 'include' })).text()),
    await attempt('plain post', async () => (await fetch('${target}/api/plans/one/cancel', post)).type),
    await attempt('script', () => load('script', '${target}/assets/page.js')),
    await attempt('image', () => load('img', '${target}/assets/icon.svg')),
    await attempt('events', () => new Promise((resolve) => {
      const stream = new EventSource('${target}/api/live', { withCredentials: true })
      stream.addEventListener('open', () => resolve('open'))
      stream.addEventListener('error', () => resolve('refused'))
    })),
  ]
})()`

test('a window without the token sees nothing', async ({ repo, open }) => {
  await repo.plan(['new', 'Secret title'])
  const { ui, page } = await open(repo)
  // The cookie is not for scripts.
  expect(await page.evaluate('document.cookie')).toBe('')
  const other = await page.context().browser()!.newContext()
  const stranger = await other.newPage()
  for (const path of ['/', '/plans/secret-title', '/api/plans', '/api/live']) {
    const answer = await stranger.goto(`${ui.origin}${path}`)
    expect(answer?.status(), path).toBe(401)
    expect(await stranger.content()).not.toContain('Secret')
  }
  // The link was used.
  expect((await stranger.goto(ui.link))?.status()).toBe(403)
  expect(await other.cookies()).toEqual([])
  await other.close()
})

test('a page of another origin can neither read nor act, though the browser has the cookie', async ({ repo }) => {
  await repo.plan(['new', 'One'])
  const ui = await UiServer.start(repo)
  const { server, origin } = await serve('<!doctype html><title>evil</title><body>')
  const browser = await launch()
  const context = await browser.newContext()
  const own = await context.newPage()
  await own.goto(ui.link)
  await own.getByRole('heading', { name: 'Plans' }).waitFor()
  const evil = await context.newPage()
  await evil.goto(origin)
  // Another port is the same site: the cookie is sent, and the origin tells.
  const outcomes = await evil.evaluate(attempts(ui.origin))
  expect(outcomes).toEqual([
    'fetch: TypeError',
    'plain post: TypeError',
    'script: refused',
    'image: refused',
    'events: refused',
  ])
  // A frame shows nothing of the page.
  await evil.evaluate(
    `document.body.append(Object.assign(document.createElement('iframe'), { src: '${ui.origin}' })); undefined`,
  )
  await expect.poll(() => evil.frames().length).toBe(2)
  await expect.poll(() => evil.frames()[1]?.url()).toMatch(/^chrome-error:/)
  // Nor may a form.
  const [posted] = await Promise.all([
    evil.waitForResponse((response) => response.url().endsWith('/cancel')),
    evil.evaluate(`{
      const form = Object.assign(document.createElement('form'), {
        method: 'post', enctype: 'text/plain', action: '${ui.origin}/api/plans/one/cancel',
      })
      document.body.append(form)
      form.submit()
    }`),
  ])
  expect(posted.status()).toBe(403)

  expect(await repo.json(['status', 'one'])).toMatchObject({ status: 'proposed' })
  await browser.close()
  await ui.stop()
  server.close()
})

test('a name that was pointed at this machine is refused', async ({ repo }) => {
  await repo.plan(['new', 'Secret title'])
  const ui = await UiServer.start(repo)
  const { port } = new URL(ui.origin)
  const browser = await launch('--host-resolver-rules=MAP evil.example 127.0.0.1')
  const page = await browser.newPage()
  const rebound = ui.link.replace('127.0.0.1', 'evil.example')
  for (const address of [rebound, `http://evil.example:${port}/`, `http://evil.example:${port}/api/plans`]) {
    const answer = await page.goto(address)
    expect(answer?.status(), address).toBe(403)
    expect(await page.content()).not.toContain('Secret')
  }
  // The link was not used up: the person still gets in.
  await page.goto(ui.link)
  await page.getByRole('heading', { name: 'Plans' }).waitFor()
  // With the cookie of the right name neither.
  expect((await page.goto(`http://evil.example:${port}/api/plans`))?.status()).toBe(403)
  await browser.close()
  await ui.stop()
})
