// Everything in a plan, its output, its changes and its file names may have been written by an attacker. On the page it is
// text: `open` fails if a script runs, a dialog opens, or anything is asked of another address.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestRepo } from '../helpers/repo.ts'
import { UiServer } from '../helpers/ui.ts'
import { launch, test } from './page.ts'

const script = `<script>globalThis.owned = 1; fetch('http://evil.example/')</script>`
const image = `<img src="http://evil.example/x.png" onerror="globalThis.owned = 1">`
const name = `<svg onload=alert(1)>.html`

const plan = `---
title: '${script.replaceAll("'", "''")} title'
owner: '${image}'
goal: '${image}'
steps:
  - id: write
    title: 'Write ${image}'
    run: |
      echo '${image}'
      printf '\\033]0;title\\007\\033[31m${image.replaceAll('"', '\\"')}\\033[0m\\n'
      echo '${image}${script.replaceAll("'", '"')}' > '${name}'
      printf 'let access = "user\\342\\200\\256 // only admins"\\n' > trojan.js
      echo '// ${script.replaceAll("'", '"')}' > code.js
    verify: ["echo '${script.replaceAll("'", '').replaceAll('"', '')}' >/dev/null"]
  - id: fail
    title: '${script.replaceAll("'", "''")}'
    run: echo '${image}' >&2; echo '${image}' > left.html; exit 1
---

# ${script}

${image}

[a link](javascript:globalThis.owned=1) and [data](data:text/html,<script>globalThis.owned=1</script>)
![picture](http://evil.example/picture.png) <http://evil.example/>

<iframe src="http://evil.example/"></iframe><style>@import url(http://evil.example/x.css);</style>

| a | b |
| --- | --- |
| ${image} | <a href="http://evil.example/" ping="http://evil.example/ping">x</a> |
`

async function makeHostile(repo: TestRepo): Promise<void> {
  const made = await repo.plan(['new', '--from', '-', '--id', 'hostile'], { input: plan })
  if (made.code !== 0) throw new Error(made.all)
  await repo.plan(['approve', 'hostile', '-m', image])
  await repo.plan(['start', 'hostile'])
  await repo.plan(['resume', 'hostile'])
  repo.git(['checkout', '-q', 'main'])
}

const addresses = [
  '/',
  '/plans/hostile',
  '/plans/hostile/text',
  '/plans/hostile/timeline',
  '/plans/hostile/steps/write',
  '/plans/hostile/steps/fail',
  '/plans/hostile/steps/fail/compare',
]

/** Elements that no text of a plan may make. */
const foreign = 'script:not([src^="/assets/"]), img, iframe, style, object, embed, video, audio, base, form[action]'

async function lookAround(page: Page, go: (path: string) => Promise<void>): Promise<void> {
  for (const address of addresses) {
    await go(address)
    await page.waitForLoadState('networkidle').catch(() => {})
    for (const tab of ['Output', 'Attempts', 'Changes']) {
      const button = page.locator('.tabs').getByRole('button', { name: tab })
      if ((await button.count()) === 0) continue
      await button.click()
      await page.locator('.rows, .empty, .attempts').first().waitFor()
    }
    expect(await page.locator(foreign).count(), address).toBe(0)
    expect(await page.locator('a[href^="javascript:"], a[href^="data:"], [onerror], [onload], [ping]').count()).toBe(0)
    expect(await page.evaluate('globalThis.owned'), address).toBeUndefined()
  }
}

test('a hostile plan stays text on every page', async ({ repo, open }) => {
  await makeHostile(repo)
  const { page, go } = await open(repo)
  await lookAround(page, go)
  // It is there, to be read.
  await go('/plans/hostile')
  expect(await page.locator('h1').innerText()).toContain('<script>globalThis.owned = 1')
  await go('/plans/hostile/text')
  expect(await page.locator('.prose').innerText()).toContain('<iframe src="http://evil.example/">')
  await page.locator('.prose').getByText('a link').waitFor()
  expect(await page.locator('.prose a').evaluateAll((links) => links.map((each) => each.getAttribute('href')))).toEqual(
    ['http://evil.example/picture.png', 'http://evil.example/'],
  )
  expect(await page.locator('.prose a').first().getAttribute('rel')).toBe('noopener noreferrer')
  await go('/plans/hostile/steps/write')
  await page.locator('.row.file', { hasText: name }).waitFor()
  await page.locator('.row.added', { hasText: '<img src="http://evil.example/x.png"' }).waitFor()
  // A character that turns the direction of text around cannot hide what the line says.
  await page.locator('.row.added', { hasText: String.raw`"user\u{202e} // only admins"` }).waitFor()
  await page.locator('.tabs').getByRole('button', { name: 'Output' }).click()
  const output = page.locator('.rows.output')
  expect(await output.innerText()).toContain('<img src="http://evil.example/x.png"')
  expect(await output.innerText()).not.toContain('\u001b')
})

test('a run that is followed prints text', async ({ repo, open }) => {
  const text = `---\ntitle: Print\nsteps:\n  - id: print\n    run: |\n      echo '${image}'; until test -e "$GO/go"; do sleep 0.1; done\n---\n\nPrints.\n`
  await repo.plan(['new', '--from', '-', '--id', 'print'], { input: text })
  await repo.plan(['approve', 'print'])
  const { page, go } = await open(repo, { env: { GO: repo.home } })
  await go('/plans/print')
  await page.locator('.actions').getByRole('button', { name: 'Start' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
  await page.locator('.running .lines', { hasText: '<img src=' }).waitFor()
  expect(await page.locator(foreign).count()).toBe(0)
  writeFileSync(join(repo.home, 'go'), '')
  await page.locator('.plan-head .state.good', { hasText: 'completed' }).waitFor()
  expect(await page.evaluate('globalThis.owned')).toBeUndefined()
})

test('the policy stops a script that text has become all the same', async ({ repo, open }) => {
  await repo.plan(['new', 'One'])
  const { page, complaints } = await open(repo)
  const attempts = [
    `document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.owned = 1">')`,
    `document.body.append(Object.assign(document.createElement('script'), { text: 'globalThis.owned = 1' }))`,
    `document.body.append(Object.assign(document.createElement('script'), { src: 'http://evil.example/' }))`,
    `location.assign('javascript:globalThis.owned = 1')`,
  ]
  for (const attempt of attempts) await page.evaluate(`try { ${attempt} } catch {}`)
  expect(await page.evaluate('globalThis.owned')).toBeUndefined()
  await expect.poll(() => complaints.length).toBe(attempts.length)
  complaints.length = 0
})

test('the browser connects to nothing but the server, as its own log says', async ({ repo }) => {
  await makeHostile(repo)
  const log = join(repo.home, 'net-log.json')
  const ui = await UiServer.start(repo)
  // What the browser wants for itself has no names to go to.
  const rules = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE evil.example'
  const own = await launch(`--log-net-log=${log}`, rules)
  const page = await own.newPage()
  await page.goto(ui.link)
  await page.getByRole('heading', { name: 'Plans' }).waitFor()
  const go = async (path: string): Promise<void> => {
    await page.goto(`${ui.origin}${path}`)
    await page.locator('h1').waitFor()
  }
  await lookAround(page, go)
  await own.close()
  await ui.stop()

  const { constants, events } = JSON.parse(readFileSync(log, 'utf8')) as {
    constants: { logEventTypes: Record<string, number> }
    events: { type: number; params?: { address?: string } }[]
  }
  const connected = events
    .filter(({ type }) => type === constants.logEventTypes['TCP_CONNECT_ATTEMPT'])
    .flatMap(({ params }) => params?.address ?? [])
  expect(new Set(connected)).toEqual(new Set([ui.host]))
  // No name was looked up either, nor connected to in advance.
  const names = ['127.0.0.1', 'evil.example'].map((each) => JSON.stringify(events).includes(each))
  expect(names).toEqual([true, false])
})
