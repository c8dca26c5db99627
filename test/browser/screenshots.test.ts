// The pictures of the documentation: GIT_PLAN_SCREENSHOTS=docs/ui npm run test:browser -- test/browser/screenshots.test.ts

import { mkdirSync, renameSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeCampaign } from './demo-campaign.ts'
import { makeDemo } from './demo-repository.ts'
import { test } from './page.ts'

const directory = process.env['GIT_PLAN_SCREENSHOTS']

test.runIf(directory !== undefined)(
  'list, plan, step, comparison and phone width, in both themes',
  async ({ repo, open }) => {
    mkdirSync(directory!, { recursive: true })
    await makeDemo(repo)
    await makeCampaign(repo)
    // The page shows the name of the directory.
    const cwd = join(dirname(repo.dir), 'shop-api')
    renameSync(repo.dir, cwd)
    const env = { FLAGS: repo.home, PAUSE: '2' }
    const { page, go } = await open(repo, { env, cwd, context: { viewport: { width: 1200, height: 760 } } })
    const shoot = async (name: string): Promise<void> => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.screenshot({ path: join(resolve(directory!), `${name}-${colorScheme}.png`) })
      }
    }
    await go('/plans/limits')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByLabel('Steps at the same time').fill('3')
    await page.locator('dialog').getByRole('button', { name: 'Start' }).click()
    await page.locator('.lines', { hasText: 'module 2' }).waitFor()
    await shoot('plan')
    await go('/')
    await page.getByText('runs').waitFor()
    await shoot('list')
    await go('/plans/limits/text')
    await page.getByRole('button', { name: /^Line 10 / }).click()
    await page.getByLabel('Comment on line').fill('src/limits/, please, beside the other models.')
    await page.getByRole('button', { name: 'Keep the comment' }).click()
    await page.mouse.wheel(0, -10_000)
    await page.mouse.wheel(0, 160)
    await page.mouse.move(0, 0)
    await shoot('review')
    await go('/plans/flags/steps/code')
    await page.locator('.row.added').first().waitFor()
    await shoot('step')
    await go('/plans/flags/steps/code/compare')
    await page.getByRole('button', { name: 'side by side' }).click()
    await page.locator('.row.pair').first().waitFor()
    await shoot('compare')
    await go('/plans/flags')
    await page.getByRole('button', { name: 'Roll back' }).click()
    await page.getByLabel('Go back to').selectOption('all')
    await page.getByText('undo commands will run').waitFor()
    await shoot('rollback')
    await go('/plans/flags/timeline')
    await page.locator('.timeline li').first().waitFor()
    await shoot('history')
    await go('/campaigns/node-24')
    await page.locator('details.job summary').first().click()
    await shoot('campaign')
    await page.setViewportSize({ width: 390, height: 760 })
    await go('/plans/limits')
    await page.locator('.node').first().waitFor()
    await shoot('phone')
  },
)
