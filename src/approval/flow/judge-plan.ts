// Checks a plan on its branch: its text before an approval, and before every run also the tree that the next step will
// find.

import { isFinal } from '../../plan/model/lifecycle.ts'
import { isSettled } from '../../plan/model/step-status.ts'
import type { PlanFacts } from '../../judge/plan/check-plan.ts'
import { checkWhole } from '../../judge/plan/check-whole.ts'
import { isRehearsed } from '../../judge/plan/rehearsal.ts'
import { PlanError } from '../../errors.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { version } from '../../version.ts'
import { hasErrors, type Finding } from '../../plan/model/finding.ts'
import type { Repository } from '../../git/repository.ts'
import type { Run } from '../../engine/run/run.ts'
import { checkFacts, findingsOnTree } from '../../operation/check-findings.ts'
import type { Settings } from '../../operation/settings.ts'
import type { Subject, WriteContext } from '../../operation/with-run.ts'

/**
 * All findings of `git plan check`, for a person who decides about the plan; without `checksTree` only those about the
 * text. A text without errors is remembered.
 */
export async function judgeForDecision(
  { run, settings, context }: WriteContext,
  { checksTree }: { readonly checksTree: boolean },
): Promise<Finding[]> {
  const facts = factsOf(run, settings)
  const findings = checksTree
    ? await findingsOnTree(run.home, run.at, context, facts)
    : await checkWhole(run.at.plan, facts)
  if (!hasErrors(findings)) await remember(run, settings, { isLooked: false })
  return findings
}

/**
 * Before a run: checks the text and the tree that the next step will find. `repo`: the repository whose work tree is
 * read. `start` shows the warnings, so there the text is not taken as known. `fix`: the tree of a fix that is not
 * committed yet.
 */
export async function judgePlan(
  { run, settings, context }: WriteContext,
  { repo = run.checkedOut.tree.repo, fix }: { readonly repo?: Repository; readonly fix?: Oid | undefined } = {},
): Promise<void> {
  const { plan } = run.at
  const isShowing = run.command === 'start'
  const isTextJudged = (!isShowing || shownIn.has(run)) && (await isRemembered(run, settings, [true, false]))
  // References in commands were checked before; steps that write files are checked again, since the tree has changed.
  const isAgain = isTextJudged && (await isRemembered(run, settings, [true]))
  if (isAgain && !plan.steps.some((step) => !isSettled(plan, step.id) && isRehearsed(step))) return
  const findings = await findingsOnTree(repo, run.at, context, { ...factsOf(run, settings), isTextJudged }, fix)
  if (isShowing) showWarnings(run, findings)
  if (!hasErrors(findings)) return isAgain ? undefined : remember(run, settings, { isLooked: true })
  const verb = plan.status === 'proposed' || plan.status === 'approved' ? 'start' : 'resume'
  throw new PlanError('preflight', `plan ${run.id} would fail`, {
    hint: {
      ...(fix === undefined ? {} : { 'once the fix is corrected': `git plan resume ${run.id} --fix` }),
      'correct it': `git plan edit ${run.id}`,
      'run it anyway': `git plan ${verb} ${run.id}${fix === undefined ? '' : ' --fix'} --skip-check plan`,
    },
    facts: { findings: findings.filter(({ severity }) => !isShowing || severity === 'error') },
  })
}

/** The warnings that a command has shown, by rule, step and message: lines differ between a file and its proposal. */
const shownIn = new WeakMap<Run, Set<string>>()

/** Shows each warning once per command. */
export function showWarnings(run: Run, findings: readonly Finding[]): void {
  const shown = shownIn.get(run) ?? new Set<string>()
  shownIn.set(run, shown)
  const keyOf = ({ rule, step, message }: Finding): string => `${rule} ${step ?? ''} ${message}`
  const warnings = findings.filter((each) => each.severity === 'warning' && !shown.has(keyOf(each)))
  for (const each of warnings) shown.add(keyOf(each))
  if (warnings.length > 0) run.world.emit({ kind: 'warnings', plan: run.id, findings: warnings })
}

/**
 * Before the plan moves to another base: checks it on that commit, which nothing has checked out, and throws if a step
 * would fail there.
 */
export async function rehearseAt(
  { run, settings, context }: WriteContext,
  subject: Subject,
  { isApproving }: { readonly isApproving: boolean },
): Promise<void> {
  const { id, base, status } = run.at.plan
  const facts = checkFacts(subject.at, { file: subject.planPath, config: settings.config, agents: settings.agents })
  const findings = await findingsOnTree(run.home, subject.at, context, facts)
  if (!hasErrors(findings)) return
  throw new PlanError('preflight', `plan ${id} would fail on ${base}`, {
    hint: {
      ...(isFinal(status) ? { 'correct a copy': `git plan clone ${id}` } : { 'correct it': `git plan edit ${id}` }),
      'rebase it anyway': `git plan rebase ${id} --skip-check plan${isApproving ? ' --approve' : ''}`,
    },
    facts: { findings },
  })
}

const factsOf = (run: Run, { config, agents }: Settings): PlanFacts =>
  checkFacts(run.at, { file: run.planPath, config, agents })

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
