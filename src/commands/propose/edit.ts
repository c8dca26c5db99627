// `git plan edit`: opens the plan file in the user's editor, validates it and commits it.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import type { Finding } from '../../plan/model/finding.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { refuseFinal, revise } from '../run/replan.ts'
import { withRun } from '../../operation/with-run.ts'
import type { ReplannedData } from '../../operation/results.ts'

export function editPlan(
  request: { readonly plan?: string },
  context: CommandContext,
): Promise<CommandResult<ReplannedData>> {
  return withRun(context, { plan: request.plan, command: 'edit' }, async (writing) => {
    const { run } = writing
    // Before the editor opens, so that no text is typed in vain.
    refuseFinal(run.at.plan)
    const directory = await mkdtemp(join(tmpdir(), 'git-plan-'))
    const file = join(directory, `${run.id}.md`)
    await writeFile(file, run.at.source.text)
    for (let round = 1; ; round += 1) {
      try {
        await context.editFile(file)
      } catch (error) {
        // From the second round on, the file holds what the user has typed.
        if (round === 1) await rm(directory, { recursive: true })
        else if (error instanceof PlanError) throw keptText(error, run.id, file)
        throw error
      }
      try {
        const result = await revise(writing, { bytes: await readFile(file), file, path: undefined })
        await rm(directory, { recursive: true })
        return result
      } catch (error) {
        if (!(error instanceof PlanError)) throw error
        if (context.isInteractive && (await context.confirm(mistakesOf(error), 'Edit it again?'))) continue
        throw keptText(error, run.id, file)
      }
    }
  })
}

/** Names the text that was typed, so that the mistake can be corrected. */
const keptText = (error: PlanError, id: string, file: string): PlanError =>
  new PlanError(error.code, error.message, {
    hint: `correct ${file}, then: git plan replan ${id} --from ${file}`,
    facts: error.facts,
    cause: error,
  })

function mistakesOf({ message, facts }: PlanError): string {
  const findings = Array.isArray(facts.findings) ? (facts.findings as Finding[]) : []
  return [message, ...findings.map((each) => `  line ${each.line ?? 1}: ${each.message}`)].join('\n')
}
