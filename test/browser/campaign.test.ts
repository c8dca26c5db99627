// A campaign in many repositories, as its refs say.

import { expect } from 'vitest'
import { makeCampaign } from './demo-campaign.ts'
import { test } from './page.ts'

test('a campaign: repositories by state and wave, failures grouped, links to pull requests', async ({ repo, open }) => {
  const id = await makeCampaign(repo)
  const { page } = await open(repo)
  await page.locator('.campaigns').getByRole('link', { name: id }).click()
  await page.getByRole('heading', { name: 'Move to Node 24' }).waitFor()
  const status = (await repo.json(['fleet', 'status', id])) as unknown as {
    counts: Record<string, number>
    failures: { addresses: string[]; step: string; line: string }[]
    targets: { address: string; wave: number }[]
  }
  expect(status.counts).toEqual({ completed: 5, failed: 3 })
  for (const [state, count] of Object.entries(status.counts))
    await page.getByRole('button', { name: `${state} ${count}`, exact: true }).waitFor()
  for (const wave of [1, 2])
    expect(
      await page
        .locator('.card', { has: page.getByRole('heading', { name: `Wave ${wave}` }) })
        .locator('.targets li')
        .count(),
    ).toBe(status.targets.filter((target) => target.wave === wave).length)
  // The same fault in two repositories is one line, with both of them.
  const group = page.locator('details.job', { hasText: 'better-sqlite3 has no build' })
  expect(await group.innerText()).toContain('2 repositories at tests')
  await group.locator('summary').click()
  expect(await group.locator('li').allInnerTexts()).toEqual([
    'https://git.example.com/acme/invoices',
    'https://git.example.com/acme/payments',
  ])
  await page.getByRole('button', { name: 'failed 3' }).click()
  expect(await page.locator('.targets li').count()).toBe(3)
  expect(await page.getByRole('link', { name: /pull request/ }).count()).toBe(0)

  // As the server would answer if it knew the forge.
  await page.route('**/api/campaigns/*', async (route) => {
    const answer = await route.fetch()
    const data = (await answer.json()) as { targets: { key: string; address: string }[] }
    const links = data.targets.map(({ key, address }) => [key, `${address}/pulls`])
    await route.fulfill({ response: answer, json: { ...data, pullRequests: Object.fromEntries(links) as object } })
  })
  await page.keyboard.press('r')
  const link = page.getByRole('link', { name: 'pull request of https://git.example.com/acme/invoices' })
  expect(await link.getAttribute('href')).toBe('https://git.example.com/acme/invoices/pulls')
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
})

test('a campaign that is unknown here is refused, and nothing is made for it', async ({ repo, open }) => {
  const { page, ui } = await open(repo)
  await page.goto(`${ui.origin}/campaigns/nothing`)
  await page.getByRole('alert').getByText('there is no campaign nothing here').waitFor()
  expect((await repo.json(['fleet', 'list']))['campaigns']).toEqual([])
})
