// Without a mouse, with the keys that `?` lists.

import { expect } from 'vitest'
import { keyTable } from '../../src/adapters/ui/page/keys.ts'
import { makeDemo } from './demo-repository.ts'
import { waitForState } from './do.ts'
import { test } from './page.ts'

test('the list, a plan, a step and a decision by keys alone', async ({ repo, open }) => {
  await makeDemo(repo)
  const { page } = await open(repo)
  const focused = (): Promise<string> =>
    page.evaluate('document.activeElement.tagName + " " + (document.activeElement.textContent ?? "")')
  const path = (): string => new URL(page.url()).pathname
  const keys = page.keyboard
  const down = async (...all: string[]): Promise<void> => {
    for (const key of all) await keys.press(key)
  }

  // The first stop of Tab skips the head.
  await page.locator('.plans li').first().waitFor()
  await down('Tab')
  expect(await focused()).toContain('Skip to the content')
  await down('/')
  await keys.type('checkout')
  expect(await page.locator('.plans li').count()).toBe(1)
  await down('Escape', 'j', 'Enter')
  await page.waitForURL(/plans\/flags$/)
  await waitForState(page, 'completed')

  for (const [key, end] of [
    ['l', '/text'],
    ['h', '/timeline'],
    ['g', '/flags'],
  ] as const) {
    await down(key)
    await expect.poll(path).toContain(end)
  }
  await page.locator('.node').first().waitFor()
  await page.locator('.node a').first().focus()
  await down('Enter')
  await page.locator('.diff').waitFor()
  await down('d')
  await page.locator('.row.pair').first().waitFor()
  await down('d')
  await page.locator('.unified').waitFor()
  await down('j')
  await expect.poll(path).toContain('/steps/announce')
  await page.getByRole('heading', { name: 'Turn the flag off' }).waitFor()
  await down('k')
  await expect.poll(path).toContain('/steps/code')
  await page.getByRole('heading', { name: 'Take the old branch' }).waitFor()
  await down('u')
  await expect.poll(path).toBe('/plans/flags')
  await down('u')
  await expect.poll(path).toBe('/')

  // A dialog takes the focus, keeps it, and gives it back.
  await page.goto(`${new URL(page.url()).origin}/plans/node`)
  await waitForState(page, 'proposed')
  await page.getByRole('button', { name: 'Approve' }).focus()
  await down('a')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  for (let tabs = 0; tabs < 12; tabs += 1) {
    await down('Tab')
    expect(
      await page.evaluate(
        'document.activeElement === document.body || document.querySelector("dialog").contains(document.activeElement)',
      ),
    ).toBe(true)
  }
  // Letters are text there.
  await dialog.getByLabel('Reason').focus()
  await keys.type('axe u')
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('axe u')
  await down('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await focused()).toContain('Approve')
  // A key that comes while the page closes the other dialog is for that one.
  await expect
    .poll(async () => {
      if (!(await dialog.isVisible())) await down('x')
      return dialog.getByLabel('Reason').isVisible()
    })
    .toBe(true)
  await dialog.getByLabel('Reason').fill('By keys.')
  await dialog.getByRole('button', { name: 'Reject', exact: true }).focus()
  await down('Enter')
  await waitForState(page, 'rejected')
  expect(await repo.json(['status', 'node'])).toMatchObject({ status: 'rejected', reason: 'By keys.' })

  // A comment on a line too.
  await page.goto(`${new URL(page.url()).origin}/plans/limits/text`)
  await page.getByRole('button', { name: /^Line 4 / }).focus()
  await down('Enter')
  await keys.type('Say which limits.')
  await down('Tab', 'Enter')
  await page.locator('.comment', { hasText: 'Say which limits.' }).waitFor()
})

test('? shows every key, and m changes the colors and keeps them', async ({ repo, open }) => {
  const { page } = await open(repo)
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  expect(await dialog.locator('tbody tr').count()).toBe(keyTable.length)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const theme = (): Promise<unknown> => page.evaluate('document.documentElement.dataset.theme ?? "auto"')
  const color = (): Promise<unknown> => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  expect(await theme()).toBe('auto')
  await page.keyboard.press('m')
  await expect.poll(theme).toBe('light')
  const light = await color()
  await page.keyboard.press('m')
  await expect.poll(theme).toBe('dark')
  expect(await color()).not.toBe(light)
  await page.reload()
  await page.getByRole('heading', { name: 'Plans' }).waitFor()
  await expect.poll(theme).toBe('dark')
})
