// A fleet on a forge: how little it asks for each repository, and what happens when the forge refuses to answer.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { until } from '../helpers/crash.ts'
import { ForgeFleet, isChange, requestsPerRepository } from '../helpers/forge-fleet.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'

const plan = planText(
  '  - {id: one, create: one.txt, content: "1"}\n  - {id: two, run: "echo 2 > two.txt"}',
  'title: P\n',
)

async function withForge(
  repo: TestRepo,
  size: { readonly count: number; readonly onForge: number; readonly approval?: string },
  act: (forge: ForgeFleet) => Promise<void>,
): Promise<void> {
  const forge = await ForgeFleet.start(repo, size)
  try {
    const { fleet } = forge
    const limits = ['pull_requests', 'pushes'].flatMap((each) => ['--limit', `${forge.http.host}.${each}=600/min`])
    const proposed = await fleet.fleet(['new', fleet.list, fleet.write('p.md', plan), ...limits])
    expect(proposed, proposed.all).toMatchObject({ code: 0 })
    expect(await fleet.fleet(['approve', 'p', '--sign'])).toMatchObject({ code: 0 })
    await act(forge)
  } finally {
    await forge.close()
  }
}

test('each repository costs a few requests, and gets a pull request that is ready', ({ repo }) =>
  withForge(repo, { count: 3, onForge: 3 }, async ({ fleet, http, pulls }) => {
    const resumed = await fleet.json(['resume', 'p', '-j', '2'])
    expect(resumed, JSON.stringify(resumed)).toMatchObject({ counts: { completed: 3 }, why: null })
    expect(pulls()).toEqual([1, 2, 3].map(() => expect.objectContaining({ draft: false, state: 'open' }) as unknown))
    const changes = http.asked.filter(isChange).length
    expect({ changes, reads: http.asked.length - changes }).toEqual({
      changes: 3 * requestsPerRepository.request.changes,
      reads: 3 * (requestsPerRepository.git.reads + requestsPerRepository.request.reads),
    })
    // Started again, it asks nothing.
    const before = http.asked.length
    expect(await fleet.json(['resume', 'p'])).toMatchObject({ counts: { completed: 3 }, why: null })
    expect(http.asked.length).toBe(before)
  }))

test('a plan that its owners review costs some more, all in the lane of pull requests', ({ repo }) =>
  withForge(repo, { count: 2, onForge: 2, approval: '{ from: [review], count: 1 }' }, async (forge) => {
    const { fleet, http, pulls } = forge
    const changes = (): string[] =>
      http.asked
        .filter(isChange)
        .map(({ method, path }) => `${method} ${path.replaceAll(/\br\d|[0-9a-f]{40}|\d+$/g, '*')}`)
    expect(await fleet.json(['resume', 'p'])).toMatchObject({ counts: { approval: 2 } })
    expect(pulls()).toEqual([1, 2].map(() => expect.objectContaining({ draft: true }) as unknown))
    forge.review('bob')
    const before = changes().length
    const resumed = await fleet.json(['resume', 'p', '-j', '1'])
    expect(resumed, JSON.stringify(resumed)).toMatchObject({ counts: { completed: 2 }, why: null })
    expect(pulls()).toEqual([1, 2].map(() => expect.objectContaining({ draft: false, state: 'open' }) as unknown))
    const repository = [
      'PATCH /repos/acme/*/pulls/*',
      'POST /api/graphql',
      'POST /repos/acme/*/issues/7/comments',
      'POST /repos/acme/*/statuses/*',
    ]
    expect(changes().slice(before)).toEqual([...repository, ...repository])
  }))

test('a forge that refuses without a time is asked once, and then not for a minute', ({ repo }) =>
  withForge(repo, { count: 1, onForge: 1 }, async (forge) => {
    const { fleet, http } = forge
    forge.refuse = ({ method, path }) =>
      method === 'POST' && path.endsWith('/pulls')
        ? { status: 403, json: { message: 'You have exceeded a secondary rate limit.' } }
        : undefined
    const child = fleet.repo.spawn(['fleet', 'resume', 'p', '--control', fleet.control], { cwd: fleet.repo.home })
    await until('it was refused', () => forge.refused > 0)
    await sleep(18_000)
    process.kill(child.pid!, 'SIGINT')
    await ended(child)
    expect(http.count('POST', /pulls$/)).toBe(1)
  }))

test('a lane whose forge refuses waits until the time that it names, and the other host goes on', ({ repo }) =>
  withForge(repo, { count: 8, onForge: 4 }, async (forge) => {
    const { fleet, http } = forge
    let refusedUntil = 0
    let isOver = false
    forge.refuse = ({ method, path }) => {
      // The second pull request, for three seconds.
      if (method === 'POST' && path.endsWith('/pulls') && forge.pulls().length === 1 && !isOver) {
        if (refusedUntil === 0) refusedUntil = Date.now() + 3000
        isOver = Date.now() >= refusedUntil
        if (!isOver)
          return {
            status: 403,
            headers: { 'retry-after': String(Math.ceil((refusedUntil - Date.now()) / 1000)) },
            json: { message: 'You have exceeded a secondary rate limit.' },
          }
      }
      return undefined
    }
    const resumed = await fleet.json(['resume', 'p', '-j', '4'])
    expect(resumed, JSON.stringify(resumed)).toMatchObject({ counts: { completed: 8 }, why: null })
    expect(forge.pulls()).toHaveLength(4)
    expect(http.count('POST', /pulls$/)).toBe(4 + forge.refused)
    // Asked in vain once: then the lane was held.
    expect(forge.refused).toBe(1)
  }))
