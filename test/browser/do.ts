// What a person does on the page.

import type { Locator, Page } from 'playwright-core'

export async function openDialog(page: Page, name: string): Promise<Locator> {
  await page.locator('.actions').getByRole('button', { name, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  return dialog
}

/** Presses the button, and waits until the server has answered. */
export async function submit(dialog: Locator, name: string): Promise<void> {
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

const badge = (page: Page): Locator => page.locator('.plan-head .title-line .state')

export const stateOf = async (page: Page): Promise<string> => (await badge(page).innerText()).trim()

export const waitForState = (page: Page, state: string): Promise<void> => badge(page).getByText(state).waitFor()
