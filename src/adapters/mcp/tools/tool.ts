// The shape of a tool.

import * as z from 'zod'
import type { PlansResult } from '../../library/plans.ts'

export type Answer = PlansResult<object>

/** What a tool may do. */
export interface ToolHost {
  /** Calls a command, with the keys of the library. */
  readonly run: (command: string, request: object) => Promise<Answer>
  /** The name under which the agent takes steps. */
  readonly driver: (as: string | undefined) => string
}

export interface ToolHints {
  /** Agents that only plan may call it. */
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint: boolean
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  /** Its command; without that it is not offered. */
  readonly command: string
  readonly title: string
  readonly description: string
  readonly hints: ToolHints
  /** Strict: a key that is not in it is refused. */
  readonly input: Input
  readonly output: z.ZodObject
  call(args: z.infer<Input>, host: ToolHost): Promise<Answer>
}

/** Checks the arguments of `call` against `input`. */
export const tool = <Input extends z.ZodObject>(row: Tool<Input>): Tool => row

export const reads: ToolHints = { readOnlyHint: true, openWorldHint: false }
/** Commits on the branch of a plan. */
export const records: ToolHints = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
/** Commands of a plan, which may do anything. */
export const runs: ToolHints = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }

export const id = z.string().describe('the id of the plan')
export const message = z.string().optional().describe('the reason, for the record')
export const push = z.boolean().optional().describe('push the plan as it changes')
export const params = z.array(z.string()).optional().describe('values of parameters, each as NAME=VALUE')
export const attempt = z.int().min(1).optional()

/** An object of which only these fields are named. */
export const open = (shape: z.core.$ZodLooseShape): z.ZodObject =>
  // As zod would write it, `{}`, some clients warn.
  z.looseObject(shape).meta({ additionalProperties: true })

/** The answer of a tool: the fields of `--json`, of which these are named. A refusal has none of them. */
export const answer = (shape: z.core.$ZodLooseShape): z.ZodObject =>
  open({
    schemaVersion: z.literal(1),
    kind: z.string().describe('`error` for a refusal'),
    exitCode: z.int().min(0),
    message: z.union([z.string(), z.array(z.string())]).optional(),
    ...z.object(shape).partial().shape,
    nextCommands: z.array(z.string()).optional().describe('commands to type next, most likely first'),
    code: z.string().optional().describe('of a refusal'),
    hint: z.string().optional().describe('of a refusal: the command to type next'),
  })

/** Texts that may be null are left out: some clients do not take such a type. */
export const summary = {
  id: z.string(),
  title: z.string(),
  status: z.string().describe('what the plan file says'),
  seen: z.string().describe('the status with its runs, such as running, paused, stalled or merged'),
  progress: open({ done: z.int().min(0), total: z.int().min(0) }),
}
