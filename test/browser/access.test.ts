// axe-core on every page and dialog, in both themes and at phone width: no serious fault.

import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { makeDemo } from './demo-repository.ts'
import { openDialog } from './do.ts'
import { test } from './page.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Fault {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** The policy of the page lets no script in, so it comes as the debugger's. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(`if (globalThis.axe === undefined) { ${axe} }`)
  const faults = await page.evaluate<Fault[]>('axe.run(document).then(({ violations }) => violations)')
  return faults
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    )
}

const looks = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { colorScheme, width: 1280 },
  { colorScheme, width: 390 },
])

test('no page has a serious fault, in both themes, on a screen and on a phone', async ({ repo, open }) => {
  await makeDemo(repo)
  const { page, go } = await open(repo, { env: { FLAGS: repo.home } })
  const faults: string[] = []
  const look = async (name: string): Promise<void> => {
    for (const { colorScheme, width } of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 860 })
      for (const fault of await faultsOf(page)) faults.push(`${name}, ${colorScheme}, ${width}: ${fault}`)
    }
    await page.setViewportSize({ width: 1280, height: 860 })
  }
  const visit = async (path: string, ready: string): Promise<void> => {
    await go(path)
    await page.locator(ready).first().waitFor()
    await look(path)
  }
  await visit('/', '.plans li')
  await visit('/plans/limits', '.node')
  await visit('/plans/flags', '.path')
  await visit('/plans/node/text', '.plan-line')
  await visit('/plans/flags/timeline', '.timeline li')
  await visit('/plans/flags/steps/code', '.row.added')
  await page.getByRole('button', { name: 'side by side' }).click()
  await look('side by side')
  await page.locator('.tabs').getByRole('button', { name: 'Output' }).click()
  await page.locator('.empty, .rows.output').first().waitFor()
  await look('output')
  await page.locator('.tabs').getByRole('button', { name: 'Attempts' }).click()
  await page.getByRole('button', { name: /Attempt 1/ }).click()
  await page.locator('.diff, .empty').first().waitFor()
  await look('attempts')
  await visit('/plans/index/steps/only', '.rows.output')
  await visit('/plans/flags/steps/code/compare', '.diff')
  for (const [plan, name] of [
    ['node', 'Approve'],
    ['node', 'Reject'],
    ['node', 'Replan'],
    ['limits', 'Start'],
    ['flags', 'Roll back'],
    ['flags', 'Finish'],
  ] as const) {
    await go(`/plans/${plan}`)
    await openDialog(page, name)
    if (name === 'Roll back') await page.locator('.preview').waitFor()
    await look(`${name} ${plan}`)
  }
  await go('/')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await look('keys')
  expect([...new Set(faults)]).toEqual([])
})

test('a run and an empty repository have no serious fault', async ({ repo, open }) => {
  const { page, go } = await open(repo)
  await page.locator('.empty').waitFor()
  expect(await faultsOf(page)).toEqual([])
  const text = '---\ntitle: Long\nsteps:\n  - id: only\n    run: echo begins; sleep 60\n---\n\nProse.\n'
  await repo.plan(['new', '--from', '-', '--id', 'long'], { input: text })
  await repo.plan(['approve', 'long'])
  await go('/plans/long')
  const dialog = await openDialog(page, 'Start')
  await dialog.getByRole('button', { name: 'Start' }).click()
  await page.locator('.running .lines').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await faultsOf(page)).toEqual([])
  }
})

test('names for screen readers: states, risks, progress and steps are words', async ({ repo, open }) => {
  await makeDemo(repo)
  const { page, go } = await open(repo)
  const item = page.getByRole('listitem').filter({ hasText: 'Remove the flag' })
  expect(await item.ariaSnapshot()).toMatch(/completed[^]*risk[^]*3 of 3 steps done[^]*owner checkout/)
  await go('/plans/flags')
  await page.getByRole('link', { name: /^Take the old branch out of the code : done, on the critical path/ }).waitFor()
  await page.getByRole('navigation', { name: 'Parts of the plan' }).getByRole('link', { name: 'History' }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('en')
  expect(await page.locator('main h1').count()).toBe(1)
})

test('nothing is wider than a phone', async ({ repo, open }) => {
  await makeDemo(repo)
  const { page, go } = await open(repo, { context: { viewport: { width: 360, height: 740 }, hasTouch: true } })
  for (const path of [
    '/',
    '/plans/limits',
    '/plans/limits/text',
    '/plans/flags/timeline',
    '/plans/flags/steps/code',
    '/plans/flags/steps/code/compare',
  ]) {
    await go(path)
    await page.locator('.plans li, .node, .plan-line, .timeline li, .diff').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(360)
  }
})
