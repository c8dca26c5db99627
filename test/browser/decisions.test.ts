// Decisions that are taken on the page. Each is checked where the command line would look: in the repository.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { planText, type TestRepo } from '../helpers/repo.ts'
import { openDialog, submit, waitForState } from './do.ts'
import { test } from './page.ts'

const two = planText(
  '  - id: one\n    create: one.txt\n    content: one\n  - id: two\n    create: two.txt\n    content: two',
  'title: Two files\n',
)
const propose = async (repo: TestRepo, id: string, input: string): Promise<void> => {
  const { code, all } = await repo.plan(['new', '--from', '-', '--id', id], { input })
  if (code !== 0) throw new Error(all)
}

test('an approval with a reason', async ({ repo, open }) => {
  await propose(repo, 'files', two)
  const { page, go } = await open(repo)
  await go('/plans/files')
  await waitForState(page, 'proposed')
  const dialog = await openDialog(page, 'Approve')
  // What is approved is named: exactly this text.
  await dialog.getByText(String((await repo.json(['status', 'files']))['digest']).slice(0, 8)).waitFor()
  await dialog.getByLabel('Reason').fill('Read it twice.')
  await submit(dialog, 'Approve')
  await waitForState(page, 'approved')
  expect(await repo.json(['status', 'files'])).toMatchObject({
    approval: { state: 'approved', by: 'Ada <ada@example.com>' },
  })
  expect(repo.git(['log', '-1', '--format=%B', 'plan/files'])).toContain('Read it twice.')
  await page.getByRole('link', { name: 'History' }).click()
  await page.locator('.timeline li', { hasText: 'Read it twice.' }).waitFor()
})

test('a rejection with a comment on a line of the plan', async ({ repo, open }) => {
  await propose(repo, 'files', two)
  const { page, go } = await open(repo)
  await go('/plans/files/text')
  const at = repo.git(['show', 'plan/files:.plans/files.md']).split('\n').indexOf('    create: two.txt') + 1
  await page.getByRole('button', { name: `Line ${at} ` }).click()
  await page.getByLabel(`Comment on line ${at}`).fill('Is this file needed?')
  await page.getByRole('button', { name: 'Keep the comment' }).click()
  await page.locator('.comment', { hasText: 'Is this file needed?' }).waitFor()
  const dialog = await openDialog(page, 'Reject')
  const reason = `line ${at}, "create: two.txt": Is this file needed?`
  expect(await dialog.getByLabel('Reason').inputValue()).toBe(reason)
  await submit(dialog, 'Reject')
  await waitForState(page, 'rejected')
  expect(await repo.json(['status', 'files'])).toMatchObject({ status: 'rejected', reason })
  await page.locator('.plan-head .reason', { hasText: 'Is this file needed?' }).waitFor()
  // The comment has become the reason, and is gone.
  expect(await page.locator('.comment').count()).toBe(0)
})

test('comments become the task of an agent, or a person writes the new text', async ({ repo, open }) => {
  await propose(repo, 'files', two)
  const { page, go } = await open(repo)
  await go('/plans/files/text')
  await page.getByRole('button', { name: 'Line 6 ' }).click()
  await page.getByLabel('Comment on line 6').fill('Call it first.txt.')
  await page.getByRole('button', { name: 'Keep the comment' }).click()
  const dialog = await openDialog(page, 'Replan')
  expect(await dialog.getByLabel('Reason').inputValue()).toContain('Call it first.txt.')
  await dialog.getByRole('button', { name: 'An agent writes it' }).click()
  expect(await dialog.getByLabel('Agent').inputValue()).toBe('claude')
  await dialog.getByRole('button', { name: 'I edit it here' }).click()
  const file = dialog.getByLabel('The plan file')
  await file.fill((await file.inputValue()).replaceAll('one.txt', 'first.txt'))
  await submit(dialog, 'Replan')
  await page.getByRole('heading', { name: 'What has changed' }).waitFor()
  await page.locator('.patch .added', { hasText: 'create: first.txt' }).waitFor()
  const status = await repo.json(['status', 'files'])
  expect(status).toMatchObject({ revision: 1, status: 'proposed' })
  expect(repo.git(['show', 'plan/files:.plans/files.md'])).toContain('create: first.txt')
})

test('a text that is no plan is refused with its line, and changes nothing', async ({ repo, open }) => {
  await propose(repo, 'files', two)
  const { page, go } = await open(repo)
  await go('/plans/files')
  const dialog = await openDialog(page, 'Replan')
  const file = dialog.getByLabel('The plan file')
  await file.fill((await file.inputValue()).replace('create: one.txt', 'creates: one.txt'))
  await dialog.getByRole('button', { name: 'Replan', exact: true }).click()
  await dialog.getByRole('alert').getByText('creates').first().waitFor()
  expect(await repo.json(['status', 'files'])).toMatchObject({ revision: 0 })
})

test('a rollback with an undo command, which is shown before it runs', async ({ repo, open }) => {
  const flag = join(repo.home, 'flag')
  writeFileSync(flag, 'on\n')
  await propose(
    repo,
    'flag',
    planText(
      '  - id: code\n    create: code.txt\n    content: code\n' +
        '  - id: flip\n    run: echo off > "$FLAGS/flag"\n    effect: external\n    undo: echo on > "$FLAGS/flag"',
      'title: Flip the flag\n',
    ),
  )
  const env = { FLAGS: repo.home }
  await repo.plan(['start', 'flag', '--approve'], { env })
  expect(readFileSync(flag, 'utf8')).toBe('off\n')
  const { page, go } = await open(repo, { env })
  await go('/plans/flag')
  const dialog = await openDialog(page, 'Roll back')
  await dialog.getByLabel('Go back to').selectOption('all')
  const preview = dialog.locator('.preview')
  await preview.locator('.undos', { hasText: 'flip: echo on > "$FLAGS/flag"' }).waitFor()
  await preview.getByText('commits will leave the branch').waitFor()
  expect(readFileSync(flag, 'utf8')).toBe('off\n')
  expect(existsSync(repo.path('code.txt'))).toBe(true)
  await dialog.getByLabel('Reason').fill('The canary is red.')
  await submit(dialog, 'Roll back')
  await waitForState(page, 'rolled back')
  expect(readFileSync(flag, 'utf8')).toBe('on\n')
  expect(existsSync(repo.path('code.txt'))).toBe(false)
  expect(await repo.json(['status', 'flag'])).toMatchObject({ rollbacks: [{ reason: 'The canary is red.' }] })

  // And the rollback is undone.
  const again = await openDialog(page, 'Roll back')
  await again.getByLabel('Go back to').selectOption('undo')
  await again.locator('.preview').waitFor()
  await submit(again, 'Roll back')
  await page.locator('.node.seen-done').nth(1).waitFor()
  expect(existsSync(repo.path('code.txt'))).toBe(true)
})

test('a gate is answered, a step is skipped, and the plan is cloned and finished', async ({ repo, open }) => {
  await propose(
    repo,
    'gated',
    planText(
      '  - id: look\n    gate: Does the canary answer?\n  - id: fail\n    run: exit 1\n  - id: last\n    create: last.txt\n    content: last',
      'title: Gated\n',
    ),
  )
  await repo.plan(['start', 'gated', '--approve'])
  const { page, go } = await open(repo)
  await go('/plans/gated/steps/look')
  await page.getByText('Does the canary answer?').first().waitFor()
  await submit(await openDialog(page, 'Declare it done'), 'Declare it done')
  await waitForState(page, 'done')
  await go('/plans/gated/steps/fail')
  await waitForState(page, 'failed')
  const skip = await openDialog(page, 'Skip the step')
  await skip.getByLabel('Reason').fill('Not on this branch.')
  await submit(skip, 'Skip the step')
  await waitForState(page, 'skipped')
  await go('/plans/gated')
  await waitForState(page, 'completed')
  await submit(await openDialog(page, 'Clone'), 'Clone')
  await page.waitForURL(/gated-2$/)
  await waitForState(page, 'proposed')
  await submit(await openDialog(page, 'Cancel'), 'Cancel')
  await waitForState(page, 'cancelled')
  await go('/plans/gated')
  await submit(await openDialog(page, 'Finish'), 'Finish')
  await waitForState(page, 'merged')
  expect(repo.git(['show', 'main:last.txt'])).toBe('last')
})

test('nothing is allowed that the command line would refuse', async ({ repo, open }) => {
  repo.write(
    '.plans/config.yml',
    'approval: { low: { from: [signature] }, medium: { from: [signature] }, high: { from: [signature] } }\n',
  )
  repo.commit('Policy')
  await propose(repo, 'files', two)
  const typed = await repo.json(['approve', 'files'])
  const { page, go } = await open(repo)
  await go('/plans/files')
  const dialog = await openDialog(page, 'Approve')
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
  await dialog.getByRole('alert').getByText(typed['message']!).waitFor()
  expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0)
  expect(await repo.json(['status', 'files'])).toMatchObject({ status: 'proposed' })
})
