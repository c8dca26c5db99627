// The page of a repository in a browser.

import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { test as base, type RunOptions, type TestRepo } from '../helpers/repo.ts'
import { UiServer } from '../helpers/ui.ts'
import { chromiumPath } from './chromium.ts'

let browser: Browser

/** Without a sandbox, since tests may run as root in a container; it opens nothing but this page. */
export const launch = (...args: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-quic', '--no-first-run', ...args],
  })

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

export interface OpenPage {
  readonly ui: UiServer
  readonly page: Page
  /** What the page has complained about. A test that provokes a complaint takes it out. */
  readonly complaints: string[]
  readonly go: (path: string) => Promise<void>
}

export type Open = (
  repo: TestRepo,
  options?: RunOptions & { readonly context?: BrowserContextOptions },
) => Promise<OpenPage>

/**
 * `open` opens the page of a repository; servers and windows are closed afterwards. No test may make the page ask another
 * address, throw, open a dialog of the browser, or do what its policy refuses.
 */
export const test = base.extend<{ open: Open }>({
  open: async ({ repo: _repo }, use) => {
    const ends: (() => Promise<unknown>)[] = []
    const strayed: string[] = []
    const complaints: string[] = []
    await use(async (repo, { context: settings = {}, ...options } = {}) => {
      const ui = await UiServer.start(repo, options)
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...settings })
      ends.push(
        () => context.close(),
        () => ui.stop(),
      )
      await context.route('**/*', (route) => {
        const url = route.request().url()
        if (new URL(url).origin === ui.origin) return route.continue()
        strayed.push(url)
        return route.abort()
      })
      const page = await context.newPage()
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text())
      })
      page.on('dialog', (dialog) => {
        complaints.push(`a dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      await page.goto(ui.link)
      await page.getByRole('heading', { name: 'Plans' }).waitFor()
      const go = async (path: string): Promise<void> => {
        await page.goto(`${ui.origin}${path}`)
        await page.locator('h1').waitFor()
      }
      return { ui, page, complaints, go }
    })
    for (const end of ends) await end()
    expect({ strayed, complaints }).toEqual({ strayed: [], complaints: [] })
  },
})
