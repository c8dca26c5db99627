// The tools about the agent itself: plan mode, and the programs that it asks to count as reading.

import * as z from 'zod'
import { PlanError } from '../../../errors.ts'
import { answer, open, records, tool } from './tool.ts'

export const agentTools = [
  tool({
    name: 'plan_mode',
    command: 'mode',
    title: 'Plan mode',
    description:
      'Tells whether plan mode is on in this work tree, or turns it on: agents then only read, and propose plans. Only the user turns it off.',
    hints: { ...records, idempotentHint: true },
    input: z.strictObject({ action: z.enum(['status', 'on', 'off']).default('status') }),
    output: answer({ state: z.string().describe('on, off, or left while a plan runs'), workTree: z.string() }),
    call: ({ action }, { run }) => {
      if (action === 'off')
        throw new PlanError('not-allowed', 'the user turns plan mode off, not an agent', { hint: 'git plan mode off' })
      return run('mode', { action })
    },
  }),
  tool({
    name: 'plan_skill_safety',
    command: 'safety',
    title: 'Programs that only read',
    description:
      'Asks that a program which git plan does not know counts as reading in your session, so that plan mode lets it pass: `add` with `tool` and `read`. Nothing is allowed before the user has typed the command in the answer. `list` shows what the project and the sessions have declared, `remove` takes back what you asked for.',
    hints: { ...records, idempotentHint: true },
    input: z.strictObject({
      action: z.enum(['list', 'add', 'remove']).default('list'),
      tool: z.string().optional().describe('for add: the program, such as `npx go-gmail`'),
      read: z
        .array(z.string())
        .optional()
        .describe('for add: the words after it with which it only reads: `* search *`'),
      id: z.string().optional().describe('for remove: the id of the entry'),
      session: z.string().optional().describe('your session (default: the one that called the guard last)'),
      message: z.string().optional().describe('for add: what it is needed for'),
    }),
    output: answer({ entries: z.array(open({ tool: z.string(), state: z.string() })) }),
    call: ({ tool: name, id, ...request }, { run }) =>
      run('safety', { ...request, words: [name, id].filter((word) => word !== undefined) }),
  }),
]
