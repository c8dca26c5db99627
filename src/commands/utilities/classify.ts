// `git plan classify`: decides whether a command only reads. It needs no repository and runs nothing: only the text and
// the `safety` setting of the current repository matter.

import { PlanError } from '../../errors.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { classifyCommand, type Classification } from '../../judge/shell/classify.ts'
import { mayRead } from '../../judge/plan/readers.ts'
import { readsOutside } from '../../judge/shell/outside.ts'
import type { Risk } from '../../plan/model/plan.ts'
import type { SafetySetting } from '../../plan/config/config.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { refuseWrongSafety } from '../../operation/safety.ts'
import { withRepository } from '../with-repository.ts'

export interface ClassifyRequest {
  /** One word is a command line; several are a program and its arguments. */
  readonly command?: readonly string[]
  readonly stdin?: boolean
}

/** `risk`: that of a step with this command, if it only reads. */
export interface Classified extends Classification {
  readonly risk?: Risk
  readonly riskReason?: string
}

export type ClassifyData = Classified | { readonly answers: readonly Classified[] }

const maxInput = 16 * 1024 * 1024
const hint = "git plan classify 'sort a.txt | uniq -c'"

export async function classify(
  { command = [], stdin }: ClassifyRequest,
  context: CommandContext,
): Promise<CommandResult<ClassifyData>> {
  if (stdin === true) {
    if (command.length > 0) throw new PlanError('usage', '--stdin cannot be combined with a command', { hint })
    const lines = linesOf(await context.readInput(maxInput + 1))
    const safety = await readSafety(context)
    const answers = lines.map((line) => classifyLine(line, safety))
    return { kind: 'classify', exitCode: 0, data: { answers }, each: answers }
  }
  const [only] = command
  if (only === undefined) throw new PlanError('usage', 'classify needs a command, or --stdin', { hint })
  const answer = classified(
    command.length === 1 ? only : command.map(quoteIfNeeded).join(' '),
    await readSafety(context),
  )
  return { kind: 'classify', exitCode: answer.class === 'READ' ? 0 : 1, data: answer }
}

/** Returns no settings outside a repository. A wrong configuration is refused, not used. */
async function readSafety(context: CommandContext): Promise<readonly SafetySetting[]> {
  try {
    return await withRepository(context, async ({ repo, settings }) => {
      await refuseWrongSafety(repo, settings)
      return settings.config.safety
    })
  } catch (error) {
    if (error instanceof PlanError && withoutSettings.has(error.code)) return []
    throw error
  }
}

/** If there are no settings to read, the tables alone decide, which is never laxer. */
const withoutSettings: ReadonlySet<string> = new Set(['not-a-repository', 'old-git', 'git-failed', 'system'])

function linesOf(bytes: Uint8Array): string[] {
  if (bytes.byteLength > maxInput)
    throw new PlanError('usage', `the input is larger than ${maxInput} bytes`, { hint: 'split the input' })
  const lines = new TextDecoder().decode(bytes).split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Only some reading commands may run without approval: see `low: none` in docs/approval.md. */
function classified(command: string, safety: readonly SafetySetting[]): Classified {
  const answer = classifyCommand(command, safety)
  if (answer.class !== 'READ') return answer
  if (!mayRead(command, safety))
    return { ...answer, risk: 'HIGH', riskReason: 'it does not begin with a program that is known to read' }
  const outside = readsOutside(command, safety)
  return outside === undefined
    ? { ...answer, risk: 'LOW' }
    : { ...answer, risk: 'MEDIUM', riskReason: `it may read outside the repository: ${outside}` }
}

/** A line that is not a JSON string gets an answer too, so that the n-th answer is about the n-th line. */
function classifyLine(line: string, safety: readonly SafetySetting[]): Classified {
  try {
    const command: unknown = JSON.parse(line)
    if (typeof command === 'string') return classified(command, safety)
  } catch {
    // Answered below.
  }
  return { class: 'WRITE', reason: 'the line is not a JSON string' }
}
