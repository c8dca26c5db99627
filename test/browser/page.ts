// The page of a repository in a browser.

import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { test as base, type RunOptions, type TestRepo } from '../helpers/repo.ts'
import { UiServer } from '../helpers/ui.ts'
import { chromiumPath } from './chromium.ts'

let browser: Browser

beforeAll(async () => {
  // Without a sandbox, since tests may run as root in a container; it opens nothing but this page.
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-dev-shm-usage'] })
})
afterAll(() => browser.close())

export interface OpenPage {
  readonly ui: UiServer
  readonly page: Page
  /** Requests that were not to the server. */
  readonly strayed: readonly string[]
  /** What the page has complained about: errors, and what its policy has refused. */
  readonly complaints: readonly string[]
  readonly go: (path: string) => Promise<void>
}

export type Open = (
  repo: TestRepo,
  options?: RunOptions & { readonly context?: BrowserContextOptions },
) => Promise<OpenPage>

/** `open` opens the page of a repository; servers and windows are closed afterwards. */
export const test = base.extend<{ open: Open }>({
  open: async ({ repo: _repo }, use) => {
    const ends: (() => Promise<unknown>)[] = []
    await use(async (repo, { context: settings = {}, ...options } = {}) => {
      const ui = await UiServer.start(repo, options)
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...settings })
      ends.push(
        () => context.close(),
        () => ui.stop(),
      )
      const strayed: string[] = []
      const complaints: string[] = []
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
      return { ui, page, strayed, complaints, go }
    })
    for (const end of ends) await end()
  },
})
