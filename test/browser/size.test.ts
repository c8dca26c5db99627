// What is large costs no more than what is on the screen: 1,000 steps and a change of 5 MB against 10 steps and 50 kB, in
// one run on one machine. Each figure is the median of several, from the click to the painted page, and a scroll to the
// end in steps that are painted one after the other.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { planText, type TestRepo } from '../helpers/repo.ts'
import { test } from './page.ts'

const rounds = 7

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

/** From the click until what it leads to is painted, inside of the page. */
const timeToPaint = (page: Page, href: string, ready: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    const begun = performance.now()
    const isThere = () => document.querySelector(${JSON.stringify(ready)}) !== null
    const end = () => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)))
    const look = new MutationObserver(() => { if (isThere()) { look.disconnect(); end() } })
    look.observe(document.body, { childList: true, subtree: true })
    history.pushState(null, '', ${JSON.stringify(href)})
    dispatchEvent(new PopStateEvent('popstate'))
  })`)

/** From the top to the end in thirty jumps, each of them painted before the next; per jump. */
const timeToScroll = (page: Page, box: string): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const found = document.querySelector(${JSON.stringify(box)})
    const room = found.scrollHeight - found.clientHeight
    const begun = performance.now()
    for (let at = 1; at <= 30; at += 1) {
      found.scrollTop = room * at / 30
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    }
    return (performance.now() - begun) / 30
  })()`)

interface Case {
  readonly href: string
  readonly ready: string
  readonly box: string
}

async function compare(page: Page, what: string, { small, large }: { small: Case; large: Case }): Promise<void> {
  const figures = {
    small: { paint: [] as number[], scroll: [] as number[] },
    large: { paint: [] as number[], scroll: [] as number[] },
  }
  // In turn, so that both have the same neighbours; the first is for the machine to become warm.
  for (let round = 0; round <= rounds; round += 1)
    for (const [size, { href, ready, box }] of Object.entries({ small, large }) as ['small' | 'large', Case][]) {
      await page.evaluate(`history.pushState(null, '', '/nowhere'); dispatchEvent(new PopStateEvent('popstate'))`)
      await page.getByText('There is no such page.').waitFor()
      const paint = await timeToPaint(page, href, ready)
      const scroll = await timeToScroll(page, box)
      if (round === 0) continue
      figures[size].paint.push(paint)
      figures[size].scroll.push(scroll)
    }
  for (const kind of ['paint', 'scroll'] as const) {
    const [one, other] = [median(figures.small[kind]), median(figures.large[kind])]
    console.info(`${what}, ${kind}: ${one.toFixed(1)} ms, large ${other.toFixed(1)} ms, ${(other / one).toFixed(2)}x`)
    expect.soft(other / one, `${what}, ${kind}`).toBeLessThan(2)
  }
}

test('1,000 steps paint and scroll within twice the time of 10', async ({ repo, open }) => {
  repo.write('.plans/config.yml', 'limits: { steps: 1000 }\n')
  repo.commit('Allow large plans')
  await propose(repo, 'small', planText(steps(10), 'title: Small\n'))
  await propose(repo, 'large', planText(steps(1000), 'title: Large\n'))
  const { page, go } = await open(repo, { context: { viewport: { width: 1280, height: 500 } } })
  await go('/')
  const at = (id: string): Case => ({ href: `/plans/${id}`, ready: '.node', box: 'html' })
  await compare(page, 'steps', { small: at('small'), large: at('large') })
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
      `fetch('${ui.origin}/api/plans/files/diff?step=${step}').then((answer) => answer.text()).then(({ length }) => length)`,
    )
  expect(await sizeOf('small')).toBeGreaterThan(50_000)
  expect(await sizeOf('large')).toBeGreaterThan(5_000_000)
  const at = (step: string): Case => ({ href: `/plans/files/steps/${step}`, ready: '.row.added', box: '.rows' })
  await compare(page, 'diff', { small: at('small'), large: at('large') })
  await go('/plans/files/steps/large')
  await page.locator('.row.added').first().waitFor()
  expect(await page.locator('.row').count()).toBeLessThan(150)
  await page.locator('.rows').evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await page.locator('.row.added', { hasText: 'number = 88000' }).waitFor()
})
