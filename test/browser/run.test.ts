// A run that is watched: the picture changes while steps run, and the page is never loaded again.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { ended, planText } from '../helpers/repo.ts'
import { openDialog, submit, stateOf, waitForState } from './do.ts'
import { test } from './page.ts'

/** Steps that wait until the test lets them end. */
const held = (id: string, more = ''): string =>
  `  - id: ${id}\n    title: Do ${id}\n${more}    run: |\n      echo ${id} begins\n` +
  `      until test -e "$GO/${id}"; do sleep 0.05; done\n      echo ${id} > ${id}.txt\n    files: [${id}.txt]`

const diamond = planText(
  [
    held('top'),
    held('left', '    needs: [top]\n'),
    held('right', '    needs: [top]\n'),
    held('end', '    needs: [left, right]\n'),
  ].join('\n'),
  'title: Diamond\n',
)

/** Set once; a page that was loaded again has lost it. */
const mark = (page: Page): Promise<void> => page.evaluate("globalThis.mark = 'kept'")
const isSamePage = async (page: Page): Promise<boolean> => (await page.evaluate('globalThis.mark')) === 'kept'

const node = (page: Page, id: string) => page.locator('.node', { has: page.locator('code', { hasText: id }) })

test('a plan runs with two workers, and the graph follows', async ({ repo, open }) => {
  await repo.plan(['new', '--from', '-', '--id', 'diamond'], { input: diamond })
  await repo.plan(['approve', 'diamond'])
  const { page, go } = await open(repo, { env: { GO: repo.home } })
  const release = (id: string): void => repo.write(`../home/${id}`, '')
  await go('/plans/diamond')
  await mark(page)
  expect(await page.locator('.node').count()).toBe(4)
  expect(await page.locator('.edges path').count()).toBe(4)
  const dialog = await openDialog(page, 'Start')
  await dialog.getByLabel('Steps at the same time').fill('2')
  await submit(dialog, 'Start')

  await node(page, 'top').and(page.locator('.seen-running')).waitFor()
  await page.locator('.running .lines', { hasText: 'top begins' }).waitFor()
  expect(await stateOf(page)).toBe('running')
  release('top')
  await node(page, 'top').and(page.locator('.seen-done')).waitFor()
  // Both at once, each in a work tree of its own, with its own output.
  await node(page, 'left').and(page.locator('.seen-running')).locator('.worker').waitFor()
  await node(page, 'right').and(page.locator('.seen-running')).locator('.worker').waitFor()
  const workers = await page.locator('.node .worker').allTextContents()
  expect(new Set(workers)).toEqual(new Set(['worker 1', 'worker 2']))
  for (const id of ['left', 'right']) await page.locator('.running .lines', { hasText: `${id} begins` }).waitFor()
  expect(await page.locator('.running .job').count()).toBe(2)
  release('left')
  // It has ended and waits for the others of its wave.
  await node(page, 'left').getByText('has run').waitFor()
  release('right')
  await node(page, 'end').and(page.locator('.seen-running')).waitFor()
  expect(await node(page, 'left').getAttribute('class')).toContain('seen-done')
  release('end')
  await waitForState(page, 'completed')
  expect(await page.locator('.node.seen-done').count()).toBe(4)
  await expect.poll(() => page.locator('.node.critical').count()).toBe(3)
  expect(await page.locator('.edges path.critical').count()).toBe(2)
  await page.getByRole('heading', { name: 'Critical path' }).waitFor()
  expect(await isSamePage(page)).toBe(true)
})

test('a run in a terminal is followed too, and what it printed before is there', async ({ repo, open }) => {
  await repo.plan(['new', '--from', '-', '--id', 'one'], { input: planText(held('only'), 'title: One\n') })
  await repo.plan(['approve', 'one'])
  const { page, go } = await open(repo)
  await page.getByText('One', { exact: true }).waitFor()
  await mark(page)
  const run = ended(repo.spawn(['start', 'one'], { env: { GO: repo.home } }))
  await page.locator('.plans').getByText('runs only').waitFor()
  expect(await isSamePage(page)).toBe(true)
  await go('/plans/one')
  await page.locator('.running .lines', { hasText: 'only begins' }).waitFor()
  // Somebody else's run is not ours to stop.
  expect(await page.getByRole('button', { name: 'Stop the run' }).count()).toBe(0)
  await mark(page)
  await page.getByRole('link', { name: /Do only/ }).click()
  await page.locator('.rows.output', { hasText: 'only begins' }).waitFor()
  repo.write('../home/only', '')
  await waitForState(page, 'done')
  expect((await run).code).toBe(0)
  await page.locator('.row.added', { hasText: 'only' }).waitFor()
  expect(await isSamePage(page)).toBe(true)
})

test('Stop ends the run as Ctrl-C does, and it can be started again', async ({ repo, open }) => {
  await repo.plan(['new', '--from', '-', '--id', 'one'], { input: planText(held('only'), 'title: One\n') })
  await repo.plan(['approve', 'one'])
  const { page, go } = await open(repo, { env: { GO: repo.home } })
  await go('/plans/one')
  await submit(await openDialog(page, 'Start'), 'Start')
  await page.locator('.running .lines', { hasText: 'only begins' }).waitFor()
  await page.getByRole('button', { name: 'Stop the run' }).click()
  await page.locator('.answer', { hasText: 'Interrupted' }).waitFor()
  expect(await repo.json(['status', 'one'])).toMatchObject({ holder: null, progress: { done: 0 } })
  expect(repo.status()).toBe('')
  repo.write('../home/only', '')
  await submit(await openDialog(page, 'Start'), 'Start')
  await waitForState(page, 'completed')
})

test('a failure is shown with its reason, and a retry from its step goes on', async ({ repo, open }) => {
  const text = planText(
    '  - id: first\n    create: first.txt\n    content: first\n' +
      '  - id: check\n    run: test -e "$GO/ready" || { echo "not ready yet" >&2; exit 3; }\n',
    'title: Two\n',
  )
  await repo.plan(['new', '--from', '-', '--id', 'two'], { input: text })
  await repo.plan(['approve', 'two'])
  const { page, go } = await open(repo, { env: { GO: repo.home } })
  await go('/plans/two')
  await submit(await openDialog(page, 'Start'), 'Start')
  await waitForState(page, 'failed')
  await page.locator('.urgent', { hasText: 'Needs you' }).getByRole('link', { name: 'check' }).click()
  await page.locator('.rows.output', { hasText: 'not ready yet' }).waitFor()
  repo.write('../home/ready', '')
  await submit(await openDialog(page, 'Retry the step'), 'Retry the step')
  await waitForState(page, 'done')
  expect(await repo.json(['status', 'two'])).toMatchObject({ status: 'completed', attempts: [{ step: 'check' }] })
})
