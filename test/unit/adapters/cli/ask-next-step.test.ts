import { expect, test } from 'vitest'
import { askNextStep, type StoppedRun } from '../../../../src/adapters/cli/ask-next-step.ts'
import type { Prompts } from '../../../../src/adapters/cli/prompts.ts'

const run = {
  id: 'p',
  end: 'waiting',
  steps: [{ id: 'ok', status: 'waiting', seen: 'waiting', asks: 'decision', title: 'Ready?' }],
} as unknown as StoppedRun

const answering = (answer: string): Prompts => ({ choose: async () => answer }) as unknown as Prompts

test('an answer on the terminal keeps --push: the remote is asked before anything runs, and is told of a no', async () => {
  expect(await askNextStep(run, { push: true }, answering('done'))).toMatchObject({
    command: 'resume',
    request: { done: 'ok', push: true },
  })
  expect(await askNextStep(run, { push: true }, answering('cancel'))).toMatchObject({
    command: 'cancel',
    request: { push: true },
  })
  expect((await askNextStep(run, {}, answering('done')))?.request).not.toHaveProperty('push')
})
