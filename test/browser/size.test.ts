// What is large costs no more than what is on the screen: 1,000 steps and a change of 5 MB against 10 steps and 50 kB, in
// one run on one machine. Each figure is the median of several, and all are printed. A change counts as a whole, from the
// click until it is painted. A plan counts from the end of the answer until it is painted: reading 1,000 steps from the
// plan file is the work of the command and grows with them. To scroll: thirty turns of a wheel, each painted before the
// next, and then to the end.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { planText, type TestRepo } from '../helpers/repo.ts'
import { test } from './page.ts'

const rounds = 7

/** As the page asks. */
const ofPage = `{ 'x-git-plan-key': localStorage.getItem('git-plan-key') }`

const steps = (count: number): string =>
  Array.from({ length: count }, (_, at) => {
    const needs = at < 10 ? '' : `    needs: [s${at - 10}, s${at - (at % 10) - 10 + ((at + 3) % 10)}]\n`
    return `  - id: s${at}\n    title: Step number ${at}\n${needs}    create: made/${at}.txt\n    content: made ${at}`
  }).join('\n')

async function propose(repo: TestRepo, id: string, text: string): Promise<void> {
  const { code, all } = await repo.plan(['new', '--from', '-', '--id', id], { input: text })
  if (code !== 0) throw new Error(all)
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

/** From the click, and from the end of the answer to `asked`, until what it leads to is painted. */
const timeToPaint = (page: Page, { href, ready, asked }: Case): Promise<{ whole: number; paint: number }> =>
  page.evaluate<{ whole: number; paint: number }>(`new Promise((resolve) => {
    performance.clearResourceTimings()
    const begun = performance.now()
    const isThere = () => document.querySelector(${JSON.stringify(ready)}) !== null
    const end = () => requestAnimationFrame(() => setTimeout(() => {
      const now = performance.now()
      const answers = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith(${JSON.stringify(asked)}))
      resolve({ whole: now - begun, paint: now - answers[0].responseEnd })
    }))
    const look = new MutationObserver(() => { if (isThere()) { look.disconnect(); end() } })
    look.observe(document.body, { childList: true, subtree: true })
    history.pushState(null, '', ${JSON.stringify(href)})
    dispatchEvent(new PopStateEvent('popstate'))
  })`)

const timeToScroll = (page: Page, { box }: Case): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const found = document.querySelector(${JSON.stringify(box)})
    const begun = performance.now()
    for (let turn = 0; turn <= 30; turn += 1) {
      found.scrollTop = turn === 30 ? found.scrollHeight : found.scrollTop + 100
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    }
    return performance.now() - begun
  })()`)

interface Case {
  readonly href: string
  readonly ready: string
  /** The end of the address of the answer that is shown. */
  readonly asked: string
  readonly box: string
  /** A read that comes after all others. */
  readonly idle: string
}

interface Figures {
  readonly whole: number[]
  readonly paint: number[]
  readonly scroll: number[]
}

type Kind = keyof Figures

async function compare(page: Page, kinds: readonly Kind[], cases: { small: Case; large: Case }): Promise<void> {
  const small: Figures = { whole: [], paint: [], scroll: [] }
  const large: Figures = { whole: [], paint: [], scroll: [] }
  // In turn, so that both have the same neighbors; the first is for the machine to become warm.
  for (let round = 0; round <= rounds; round += 1)
    for (const [figures, each] of [
      [small, cases.small],
      [large, cases.large],
    ] as const) {
      await page.evaluate(`history.pushState(null, '', '/nowhere'); dispatchEvent(new PopStateEvent('popstate'))`)
      await page.getByText('There is no such page.').waitFor()
      // The server has finished with the one before.
      await page.evaluate(`fetch('${each.idle}', { headers: ${ofPage} }).then((answer) => answer.text())`)
      const { whole, paint } = await timeToPaint(page, each)
      const scroll = await timeToScroll(page, each)
      if (round === 0) continue
      figures.whole.push(whole)
      figures.paint.push(paint)
      figures.scroll.push(scroll)
    }
  for (const kind of ['whole', 'paint', 'scroll'] as const) {
    const [one, other] = [median(small[kind]), median(large[kind])]
    console.info(`${kind}: ${one.toFixed(1)} ms, large ${other.toFixed(1)} ms, ${(other / one).toFixed(2)}x`)
    if (kinds.includes(kind)) expect.soft(other / one, kind).toBeLessThan(2)
  }
}

test('1,000 steps paint and scroll within twice the time of 10', async ({ repo, open }) => {
  repo.write('.plans/config.yml', 'limits: { steps: 1000 }\n')
  repo.commit('Allow large plans')
  await propose(repo, 'small', planText(steps(10), 'title: Small\n'))
  await propose(repo, 'large', planText(steps(1000), 'title: Large\n'))
  const { page, go } = await open(repo, { context: { viewport: { width: 1280, height: 500 } } })
  await go('/')
  const at = (id: string): Case => ({
    href: `/plans/${id}`,
    ready: '.node',
    asked: `/${id}/status`,
    box: 'html',
    idle: '/api/plans/small/report',
  })
  await compare(page, ['paint', 'scroll'], { small: at('small'), large: at('large') })
  // And all of them are there to be scrolled to.
  await go('/plans/large')
  await page.locator('.node').first().waitFor()
  expect(await page.locator('.node').count()).toBeLessThan(150)
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await page.locator('.node', { hasText: 'Step number 999' }).waitFor()
})

test('a change of 5 MB paints and scrolls within twice the time of 50 kB', async ({ repo, open }) => {
  const write = (file: string, lines: number): string =>
    `  - id: ${file}\n    run: seq 1 ${lines} | sed 's/^/export const value = { key = "some text", number = /' > ${file}.ts`
  await propose(repo, 'files', planText(`${write('small', 900)}\n${write('large', 88_000)}`, 'title: Files\n'))
  const started = await repo.plan(['start', 'files', '--approve'])
  expect(started.code, started.all).toBe(0)
  const { page, ui, go } = await open(repo)
  const sizeOf = async (step: string): Promise<number> =>
    page.evaluate<number>(
      `fetch('${ui.origin}/api/plans/files/diff?step=${step}', { headers: ${ofPage} }).then((answer) => answer.text()).then(({ length }) => length)`,
    )
  expect(await sizeOf('small')).toBeGreaterThan(50_000)
  expect(await sizeOf('large')).toBeGreaterThan(5_000_000)
  const at = (step: string): Case => ({
    href: `/plans/files/steps/${step}`,
    ready: '.row.added',
    asked: `diff?step=${step}`,
    box: '.rows',
    idle: '/api/plans/files/report',
  })
  await compare(page, ['whole', 'scroll'], { small: at('small'), large: at('large') })
  await go('/plans/files/steps/large')
  await page.locator('.row.added').first().waitFor()
  expect(await page.locator('.row').count()).toBeLessThan(150)
  await page.locator('.totals', { hasText: '1 file' }).waitFor()
  await page.locator('.rows').evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await page.locator('.row.added', { hasText: 'number = 88000' }).waitFor()
})
