// `git plan report --html` as a file that somebody was sent: opened with scripts disabled, and without a network.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { makeDemo } from './demo-repository.ts'
import { launch, test } from './page.ts'

test('a report is readable without scripts, and asks for nothing', async ({ repo }) => {
  await makeDemo(repo)
  const file = join(repo.home, 'flags.html')
  const { code, all } = await repo.plan(['report', 'flags', '--html', '-o', file])
  expect(code, all).toBe(0)
  expect(readFileSync(file, 'utf8')).not.toMatch(/<script|<link|<img|@import|url\(/)

  const browser = await launch()
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 860 } })
  const asked: string[] = []
  await context.route('**/*', (route) => {
    asked.push(route.request().url())
    return route.continue()
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(pathToFileURL(file).href)
  await page.getByRole('heading', { name: 'Remove the flag NEW_CHECKOUT' }).waitFor()
  for (const name of ['Graph', 'Steps', 'Checks', 'Attempts', 'External effects', 'Description'])
    expect(await page.getByRole('heading', { name, exact: true }).isVisible(), name).toBe(true)
  // The graph is a picture with links to the steps.
  expect(await page.locator('svg.graph .node').count()).toBe(3)
  await page.locator('svg.graph a').nth(1).click()
  expect(new URL(page.url()).hash).toBe('#step-announce')
  // A diff is read, closed and opened again, without a script.
  const diff = page.locator('#step-code details').first()
  expect(await diff.locator('.added', { hasText: 'export const isNew' }).isVisible()).toBe(true)
  await diff.locator('summary').click()
  expect(await diff.locator('pre').isVisible()).toBe(false)
  await diff.locator('summary').click()
  expect(await diff.locator('pre').isVisible()).toBe(true)
  await page
    .getByText('src/cart.ts has no total')
    .first()
    .waitFor({ state: 'attached' })
    .catch(() => {})
  // On paper too, and on a phone.
  await page.emulateMedia({ media: 'print' })
  expect(await diff.locator('pre').isVisible()).toBe(true)
  await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.locator('h1').isVisible()).toBe(true)
  expect(asked).toEqual([pathToFileURL(file).href])
  expect(complaints).toEqual([])
  await browser.close()
})
