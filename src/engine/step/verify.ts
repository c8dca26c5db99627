// The executor's own checks after a step. They do not rely on what the command reported about itself.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scopeProblem } from '../../judge/plan/scope.ts'
import { noneIfTooLarge } from '../../errors.ts'
import { shown } from '../../git/read/raw-path.ts'
import type { TreeChange } from '../../git/read/tree-text.ts'
import { deliverablesCheck, describeCheck, scopeCheck } from '../../plan/model/describe-check.ts'
import type { Check, Step } from '../../plan/model/plan.ts'
import type { FailReason } from '../../plan/model/fail-reason.ts'
import { someNames, testsText, type TestRecord } from '../../plan/model/test-counts.ts'
import type { ShellResult } from '../../plan/model/verb.ts'
import { isGlob } from '../../plan/text/glob.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import { languageOf } from '../../judge/syntax/languages.ts'
import type { Emit } from '../run/events.ts'
import type { Worker } from '../run/worker.ts'
import { emptyProblem, parseProblem, runCheck } from './run-check.ts'
import { filesMatching } from './files-matching.ts'
import { baselineOf } from './baseline.ts'
import { isCounted, judgeCounted, runCounted, type CountedStep } from './counted-tests.ts'
import type { Shell } from './step-shell.ts'
import { isOutOfBoundsRaw } from './step-files.ts'

export type Verdict =
  | {
      readonly ok: true
      readonly verified: string[]
      readonly evidence?: readonly string[]
      readonly tests?: TestRecord | undefined
    }
  | {
      readonly ok: false
      readonly reason: FailReason
      readonly message: string
      readonly exit?: number
      readonly check?: string
      readonly tests?: TestRecord | undefined
    }

/**
 * All checks of the files on disk: declared files, syntax, verify, criteria, test. `written`: the files that the verb
 * wrote, if its paths do not name them.
 */
export async function verifyStep(
  worker: Worker,
  step: Step,
  shell: Shell,
  emit: Emit = (event) => worker.emit(event),
  written?: readonly string[],
): Promise<Verdict> {
  const { root } = worker.workspace.tree
  const missing = await missingFile(root, step)
  if (missing !== undefined) return { ok: false, reason: 'verify', message: missing, check: scopeCheck }
  const delivered = await findArtifacts(root, step.deliverables, {
    key: 'deliverables',
    isDesign: step.phase === 'design',
  })
  if (!delivered.ok) return { ok: false, reason: 'verify', message: delivered.problem, check: deliverablesCheck }
  const verified: string[] = step.deliverables.length === 0 ? [] : [deliverablesCheck]
  const evidence: string[] = step.deliverables.length === 0 ? [] : [someNames(delivered.paths)]
  const broken = await syntaxProblem(worker, step, written)
  if (broken !== undefined) return { ok: false, reason: 'syntax', message: broken }
  const checks: { reason: FailReason; check: Check; text?: string }[] = [
    ...step.verify.map((check) => ({ reason: 'verify' as const, check })),
    ...step.criteria.flatMap(({ text, verify }) =>
      verify.map((check) => ({ reason: 'criteria' as const, check, text })),
    ),
    ...(step.test === undefined || isCounted(step)
      ? []
      : [{ reason: 'test' as const, check: { kind: 'run' as const, command: step.test } }]),
  ]
  for (const { reason, check, text } of checks) {
    const name = text ?? describeCheck(check)
    const outcome = await runCheck(root, check, shell)
    const detail = outcome.ok ? {} : { detail: outcome.message }
    emit({ kind: 'check', step: step.id, name, ok: outcome.ok, ...detail })
    if (!outcome.ok) {
      const { message, result } = outcome
      return {
        ok: false,
        reason: reasonOf(result, reason),
        message: `${text === undefined ? '' : `${text}: `}${message}`,
        check: name,
        ...(result?.kind === 'exited' ? { exit: result.code } : {}),
      }
    }
    verified.push(name)
    evidence.push(outcome.evidence)
  }
  return isCounted(step)
    ? verifyTests(worker, step, shell, emit, { verified, evidence })
    : { ok: true, verified, evidence }
}

async function verifyTests(
  worker: Worker,
  step: CountedStep,
  shell: Shell,
  emit: Emit,
  { verified, evidence }: { verified: readonly string[]; evidence: readonly string[] },
): Promise<Verdict> {
  const run = await runCounted(worker.workspace.tree.root, step, shell)
  const { problem, tests } = judgeCounted(run, await baselineOf(worker.run, step), worker.run.mask)
  const detail = problem ?? testsText(tests)
  emit({ kind: 'check', step: step.id, name: step.test, ok: problem === undefined, detail })
  if (problem === undefined)
    return { ok: true, verified: [...verified, step.test], evidence: [...evidence, testsText(tests)], tests }
  return {
    ok: false,
    reason: reasonOf(run.kind === 'killed' ? run.result : undefined, 'test'),
    message: `\`${step.test}\`: ${problem}`,
    check: step.test,
    tests,
    ...(run.kind === 'ended' ? { exit: run.exit } : {}),
  }
}

/** A command that was ended fails the step in its own way. */
const reasonOf = (result: ShellResult | undefined, otherwise: FailReason): FailReason =>
  result?.kind === 'killed' && result.reason !== 'signal' ? result.reason : otherwise

/** Checks the scope of a step on the changes that would be committed. */
export function verifyChanges(
  worker: Worker,
  step: Step,
  changes: readonly TreeChange[],
  by: 'executor' | 'person' = 'executor',
): Verdict {
  const outside = changes.find(({ path }) => isOutOfBoundsRaw(worker.run, path, by === 'executor' ? step : undefined))
  if (outside !== undefined)
    return {
      ok: false,
      reason: 'out-of-bounds',
      message: `it changed ${shown(outside.path)}, which belongs to the plan`,
    }
  const problem = scopeProblem(
    step,
    changes.map(({ path }) => shown(path)),
    by,
  )
  if (problem !== undefined) return { ok: false, ...problem }
  return { ok: true, verified: step.files === undefined ? [] : [scopeCheck] }
}

/** Files written by a file step must parse, unless they did not parse before. */
async function syntaxProblem(
  worker: Worker,
  step: Step,
  written: readonly string[] | undefined,
): Promise<string | undefined> {
  const verb = verbOf(step)
  if (!worker.run.settings.syntax || verb.writesText !== true || step.allow.includes('syntax')) return undefined
  for (const path of written ?? verb.paths(step.spec).writes) {
    if (languageOf(path) === undefined) continue
    const after = await readFile(join(worker.workspace.tree.root, path)).catch(() => undefined)
    const { newProblems } = await import('../../judge/syntax/new-problems.ts')
    // A parser that cannot be loaded is no reason to stop; `check` reports it.
    const before = await worker.workspace.repo.readBlob(`${worker.at.tip}:${path}`).catch(noneIfTooLarge)
    const judged = after === undefined ? [] : await newProblems(path, before, after).catch(() => [])
    const [problem] = judged
    if (problem !== undefined)
      return `${path} does not parse: line ${problem.line}, column ${problem.column}: ${problem.message}`
  }
  return undefined
}

/**
 * Declared files must exist, and must not be empty. In the design phase they are what the step is judged by: globs need
 * a match, and files have to parse.
 */
async function missingFile(root: string, step: Step): Promise<string | undefined> {
  const isDesign = step.phase === 'design'
  const leavesNone = step.verb === 'delete' || step.verb === 'gate' || step.changes === 'none'
  const { deletes } = verbOf(step).paths(step.spec)
  const declaredFiles = leavesNone ? [] : (step.files ?? []).filter((file) => !deletes.includes(file))
  const files = declaredFiles.filter((file) => isDesign || !isGlob(file))
  const found = await findArtifacts(root, files, { key: 'files', isDesign })
  return found.ok ? undefined : found.problem
}

/** Each path, and a file that matches each glob, must be there. */
export async function findArtifacts(
  root: string,
  globs: readonly string[],
  { key, isDesign }: { readonly key: string; readonly isDesign: boolean },
): Promise<
  { readonly ok: true; readonly paths: readonly string[] } | { readonly ok: false; readonly problem: string }
> {
  const found: string[] = []
  for (const glob of globs) {
    const paths = isGlob(glob) ? await filesMatching(root, [glob]) : [glob]
    if (paths.length === 0) return { ok: false, problem: `${glob} is declared in \`${key}\` but matches no file` }
    for (const path of paths) {
      const problem = await emptyProblem(root, path)
      if (problem !== undefined) return { ok: false, problem: `${path} is declared in \`${key}\` but ${problem}` }
      const broken = isDesign ? await parseProblem(root, path).catch(() => undefined) : undefined
      if (broken !== undefined) return { ok: false, problem: broken }
    }
    found.push(...paths)
  }
  return { ok: true, paths: found }
}
