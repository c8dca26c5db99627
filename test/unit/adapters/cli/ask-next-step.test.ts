import { describe, expect, test } from 'vitest'
import { askNextStep, type NextAction, type StoppedRun } from '../../../../src/adapters/cli/ask-next-step.ts'
import type { Request } from '../../../../src/adapters/cli/command-line.ts'
import type { Prompts } from '../../../../src/adapters/cli/prompts.ts'

const stopped = (end: string, step: object, done = 0): StoppedRun =>
  ({
    id: 'p',
    end,
    where: '/tree',
    attempts: [],
    progress: { done, total: 3 },
    steps: [{ id: 's', title: 'Ready?', ...step }],
  }) as unknown as StoppedRun
const gate = stopped('waiting', { status: 'waiting', seen: 'waiting', asks: 'decision' })
const failed = stopped('failed', { status: 'failed', seen: 'failed' })

/** Gives these answers in turn, and then stops. `undefined` dismisses a question. */
function answering(...answers: (string | boolean | undefined)[]): Prompts & { questions: string[] } {
  const questions: string[] = []
  const next = (question: string): never => (questions.push(question), answers.shift()) as never
  return {
    questions,
    choose: async (question) => next(question) ?? 'stop',
    confirm: async (text, question) => next(`${text} ${question}`),
    ask: async (question) => next(question),
  }
}

const commandOf = async (run: StoppedRun, prompts: Prompts, first: Request = {}): Promise<NextAction | undefined> =>
  askNextStep(run, first, prompts)

test('an answer on the terminal keeps --push: the remote is asked before anything runs, and is told of a no', async () => {
  expect(await commandOf(gate, answering('done', ''), { push: true })).toEqual({
    kind: 'run',
    next: { command: 'resume', request: { plan: 'p', done: 's', push: true } },
  })
  expect(await commandOf(gate, answering('cancel', ''), { push: true })).toEqual({
    kind: 'run',
    next: { command: 'cancel', request: { plan: 'p', message: 'no to s', push: true } },
  })
  expect(await commandOf(gate, answering('done', ''))).not.toHaveProperty('next.request.push')
})

describe('a reason', () => {
  test.each([
    [gate, ['done', ' looks good '], { done: 's', message: 'looks good' }],
    [failed, ['skip', 'not needed'], { skip: 's', message: 'not needed' }],
    [failed, ['skip', ''], { skip: 's' }],
    [failed, ['fix', true, 'Add the word'], { fix: true, message: 'Add the word' }],
  ] as const)('is asked for a gate, a skip and a fix, and may be left out: %#', async (run, answers, request) => {
    expect(await commandOf(run, answering(...answers))).toEqual({
      kind: 'run',
      next: { command: 'resume', request: { plan: 'p', ...request } },
    })
  })

  test('that is dismissed leads back to the choices', async () => {
    for (const [run, answer] of [
      [gate, 'done'],
      [gate, 'cancel'],
      [failed, 'skip'],
    ] as const)
      expect(await commandOf(run, answering(answer, undefined))).toBeUndefined()
  })
})

test('a no to a gate is confirmed if steps are done, since a cancelled plan cannot be resumed', async () => {
  const late = stopped('waiting', { status: 'waiting', seen: 'waiting', asks: 'decision' }, 2)
  const refused = answering('cancel', 'too late', false)
  expect(await commandOf(late, refused)).toBeUndefined()
  expect(refused.questions[2]).toMatch(/2 of 3 steps are done.*Cancel p\?/)
  expect(await commandOf(late, answering('cancel', 'too late', true))).toMatchObject({
    next: { command: 'cancel', request: { plan: 'p', message: 'too late' } },
  })
})
