// Checks a plan on its branch: its text before an approval, and before every run also the tree that the next step will
// find.

import { isSettled } from '../../plan/model/step-status.ts'
import type { PlanFacts } from '../../judge/plan/check-plan.ts'
import { objections } from '../../judge/plan/check-whole.ts'
import { PlanError } from '../../errors.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import { version } from '../../version.ts'
import type { Finding } from '../../plan/model/finding.ts'
import type { Repository } from '../../git/repository.ts'
import type { Run } from '../../engine/run/run.ts'
import { withRepositoryFacts } from '../../operation/repository-facts.ts'
import type { Settings } from '../../operation/settings.ts'
import type { WriteContext } from '../../operation/with-run.ts'

/** Before an approval: checks the text. Returns undefined if there are no objections. */
export async function objectionsTo(run: Run, settings: Settings): Promise<Finding[] | undefined> {
  const findings = await findObjections(run, settings, {})
  if (findings === undefined) await remember(run, settings, { isLooked: false })
  return findings
}

/**
 * Before a run: checks the text and the tree that the next step will find. `repo`: the repository whose work tree is
 * read. `fix`: the tree of a fix that is not committed yet.
 */
export async function judgePlan(
  { run, settings, context }: WriteContext,
  { repo = run.checkedOut.tree.repo, fix }: { readonly repo?: Repository; readonly fix?: Oid | undefined } = {},
): Promise<void> {
  const { plan, tip } = run.at
  const isTextJudged = await isRemembered(run, settings, [true, false])
  // References in commands were checked before; steps that write files are checked again, since the tree has changed.
  const isAgain = isTextJudged && (await isRemembered(run, settings, [true]))
  if (isAgain && !plan.steps.some((step) => !isSettled(plan, step.id) && writesFiles(step))) return
  const findings = await withRepositoryFacts(
    repo,
    plan,
    tip,
    context,
    (repository) =>
      findObjections(run, settings, { ...(repository === undefined ? {} : { repository }), isTextJudged }),
    fix,
  )
  if (findings === undefined) return isAgain ? undefined : remember(run, settings, { isLooked: true })
  const verb = plan.status === 'proposed' || plan.status === 'approved' ? 'start' : 'resume'
  throw new PlanError('preflight', `plan ${run.id} would fail`, {
    hint: {
      'correct it': `git plan edit ${run.id}`,
      'run it anyway': `git plan ${verb} ${run.id}${fix === undefined ? '' : ' --fix'} --skip-check plan`,
    },
    facts: { findings },
  })
}

/** Steps that are done were checked before they ran. */
function findObjections(
  run: Run,
  { config }: Settings,
  more: Pick<PlanFacts, 'repository' | 'isTextJudged'>,
): Promise<Finding[] | undefined> {
  const { plan, source } = run.at
  const done = new Set<string>(plan.steps.filter((step) => isSettled(plan, step.id)).map(({ id }) => id))
  return objections(plan, { file: run.planPath, config, done, text: source.text, position: source.place, ...more })
}

/** Records the text that was judged last, the rules, and whether the tree was read. Losing it only costs time. */
const markFile = 'judged.json'
const markOf = (run: Run, { config }: Settings, isLooked: boolean): object => ({
  digest: run.at.plan.digest,
  version,
  config,
  isLooked,
})

const remember = (run: Run, settings: Settings, { isLooked }: { isLooked: boolean }): Promise<void> =>
  run.dir.overwriteJson(markFile, markOf(run, settings, isLooked))

async function isRemembered(run: Run, settings: Settings, looked: readonly boolean[]): Promise<boolean> {
  const mark = await run.dir.readJson(markFile)
  return looked.some((isLooked) => JSON.stringify(mark?.value) === JSON.stringify(markOf(run, settings, isLooked)))
}

const writesFiles = (step: Step): boolean => {
  const { writes, deletes } = verbOf(step).paths(step.spec)
  return writes.length + deletes.length > 0
}
