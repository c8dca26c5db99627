// Checks before the first step of a run. Each can be skipped by name, and a skip is recorded.

import { isDone, isPending } from '../../plan/model/step-status.ts'
import { unlink, writeFile } from 'node:fs/promises'
import { isBegun } from '../../plan/model/step-status.ts'
import { PlanError } from '../../errors.ts'
import { stepEnvironment } from '../../process/environment.ts'
import { isOnPath } from '../../process/on-path.ts'
import { messageOf } from '../record/record-event.ts'
import { subjectOf } from '../record/checkpoint.ts'
import { diskProblem, memoryProblem, memoryWarning } from './free-resources.ts'
import { refuseMissingAgents } from './missing-agents.ts'
import { refuseLostFiles } from './lost-files.ts'
import { runPlanCommand } from '../step/plan-command.ts'
import { preflightChecks, skippedChecksRemark, type PreflightCheck } from '../../plan/model/preflight-checks.ts'
import type { Run } from '../run/run.ts'

/** Also called before anything is recorded. */
export function refuseUnknownChecks(skipped: readonly string[] = []): void {
  const unknown = skipped.find((name) => !preflightChecks.includes(name as PreflightCheck))
  if (unknown === undefined) return
  throw new PlanError('usage', `unknown preflight check ${JSON.stringify(unknown)}`, {
    hint: `one of: ${preflightChecks.join(', ')}`,
  })
}

/** `judgePlan` applies the rules for plans to the current tree; the executor does not know them. */
export async function preflight(run: Run, skipped: readonly string[], judgePlan: () => Promise<void>): Promise<void> {
  refuseUnknownChecks(skipped)
  for (const name of preflightChecks) {
    if (skipped.includes(name)) run.world.emit({ kind: 'notice', message: `the preflight check ${name} was skipped` })
    else if (name === 'plan') await judgePlan()
    else await checks[name](run)
  }
  if (skipped.length > 0) run.remarks.push(`${skippedChecksRemark}${skipped.join(', ')}`)
}

const checks: Record<Exclude<PreflightCheck, 'plan'>, (run: Run) => Promise<void>> = {
  async tools(run) {
    const path = stepEnvironment(run.world.env)['PATH'] ?? ''
    for (const tool of run.at.plan.requires) {
      if (!(await isOnPath(tool, path)))
        throw new PlanError('preflight', `the plan requires ${tool}, which is not on PATH`, {
          hint: { [`once ${tool} is installed`]: `git plan resume ${run.id}` },
        })
    }
  },

  agents: refuseMissingAgents,

  async disk(run) {
    const problem = diskProblem([run.repo.commonDir, run.checkedOut.tree.root])
    if (problem !== undefined) throw lackError(run, problem, 'disk', 'after freeing disk space')
  },

  async memory(run) {
    const problem = memoryProblem()
    if (problem !== undefined) throw lackError(run, problem, 'memory', 'after ending other programs')
    const warning = memoryWarning(run.at.plan)
    if (warning !== undefined) run.world.emit({ kind: 'notice', message: warning })
  },

  async signing(run) {
    const tree = await run.repo.resolve(run.at.tip, 'tree')
    if (tree === undefined) return
    await run.objects.commit({ tree, parents: [], message: 'Can commits be made and signed here?\n' })
    run.objects.discard()
  },

  /** A hook that rejects a subject must do so before anything has run. */
  async 'commit-msg'(run) {
    const hooks = await run.checkedOut.hooks()
    if (!(await hooks.has('commit-msg'))) return
    const file = run.dir.file('message')
    for (const step of run.at.plan.steps) {
      if (isDone(run.at.plan, step.id)) continue
      await writeFile(
        file,
        messageOf(
          run,
          { event: 'step', subject: subjectOf(run, step.title, step.id), facts: { step: step.id } },
          run.at.plan.digest,
        ),
      )
      const answer = await hooks.run('commit-msg', [file], run.checkedOut.tree.indexPath)
      await unlink(file).catch(() => {})
      if (answer.code !== 0) {
        throw new PlanError(
          'preflight',
          `the commit-msg hook rejects the subject of step ${step.id}: ${answer.stderr.trim() || answer.stdout.toString().trim()}`,
          {
            hint: {
              'set in .plans/config.yml': 'commit: {subject: "chore(plan): {title}"}',
              'or skip this check': `git plan ${isBegun(run.at.plan.status) ? 'resume' : 'start'} ${run.id} --skip-check commit-msg`,
            },
          },
        )
      }
    }
  },

  /** The plan's state must match the tree. */
  files: refuseLostFiles,

  async commands(run) {
    if (run.at.plan.steps.some((step) => !isPending(run.at.plan, step.id))) return
    if (run.at.plan.steps[0]?.phase === 'design' && run.at.plan.preflight.length > 0) {
      run.world.emit({
        kind: 'notice',
        message: 'the preflight commands are not run: the plan begins with a design step',
      })
      return
    }
    for (const command of run.at.plan.preflight) await runPlanCommand(run.worker, 'preflight', command)
  },
}

const lackError = (run: Run, problem: string, check: PreflightCheck, what: string): PlanError =>
  new PlanError('preflight', problem, {
    hint: {
      [`${what}, or to skip this check`]: `git plan ${isBegun(run.at.plan.status) ? 'resume' : 'start'} ${run.id} --skip-check ${check}`,
    },
  })
