// The executor's own checks after a step. They do not rely on what the command reported about itself.

import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scopeProblem } from '../../judge/plan/scope.ts'
import { noneIfTooLarge } from '../../errors.ts'
import { shown } from '../../git/read/raw-path.ts'
import type { TreeChange } from '../../git/read/tree-text.ts'
import { describeCheck, scopeCheck } from '../../plan/model/describe-check.ts'
import type { Check, Step } from '../../plan/model/plan.ts'
import type { FailReason } from '../../plan/model/fail-reason.ts'
import { testsText, type TestRecord } from '../../plan/model/test-counts.ts'
import type { ShellResult } from '../../plan/model/verb.ts'
import { isGlob } from '../../plan/text/glob.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import { languageOf } from '../../judge/syntax/languages.ts'
import type { Emit } from '../run/events.ts'
import type { Worker } from '../run/worker.ts'
import { searchFile } from '../record/search-file.ts'
import { baselineOf } from './baseline.ts'
import { isCounted, judgeCounted, runCounted, type CountedStep } from './counted-tests.ts'
import { describeResult, type Shell } from './step-shell.ts'
import { isOutOfBoundsRaw } from './step-files.ts'

export type Verdict =
  | { readonly ok: true; readonly verified: string[]; readonly tests?: TestRecord | undefined }
  | {
      readonly ok: false
      readonly reason: FailReason
      readonly message: string
      readonly exit?: number
      readonly check?: string
      readonly tests?: TestRecord | undefined
    }

/** All checks of the files on disk: declared files, syntax, verify, criteria, test. */
export async function verifyStep(
  worker: Worker,
  step: Step,
  shell: Shell,
  emit: Emit = (event) => worker.emit(event),
): Promise<Verdict> {
  const verified: string[] = []
  const missing = await missingFile(worker.workspace.tree.root, step)
  if (missing !== undefined) return { ok: false, reason: 'verify', message: missing, check: scopeCheck }
  const broken = await syntaxProblem(worker, step)
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
    const problem = await runCheck(worker.workspace.tree.root, check, shell)
    emit({
      kind: 'check',
      step: step.id,
      name,
      ok: problem === undefined,
      ...(problem === undefined ? {} : { detail: problem.message }),
    })
    if (problem !== undefined) {
      const exit = problem.result?.kind === 'exited' ? { exit: problem.result.code } : {}
      return {
        ok: false,
        reason: reasonOf(problem.result, reason),
        message: `${text === undefined ? '' : `${text}: `}${problem.message}`,
        check: name,
        ...exit,
      }
    }
    verified.push(name)
  }
  return isCounted(step) ? verifyTests(worker, step, shell, emit, verified) : { ok: true, verified }
}

async function verifyTests(
  worker: Worker,
  step: CountedStep,
  shell: Shell,
  emit: Emit,
  verified: string[],
): Promise<Verdict> {
  const run = await runCounted(worker.workspace.tree.root, step, shell)
  const { problem, tests } = judgeCounted(run, await baselineOf(worker.run, step), worker.run.mask)
  const detail = problem ?? testsText(tests)
  emit({ kind: 'check', step: step.id, name: step.test, ok: problem === undefined, detail })
  if (problem === undefined) return { ok: true, verified: [...verified, step.test], tests }
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
  const outside = changes.find(({ path }) => isOutOfBoundsRaw(worker.run, path))
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

export async function runCheck(
  root: string,
  check: Check,
  shell: Shell,
): Promise<{ message: string; result?: Awaited<ReturnType<Shell>> } | undefined> {
  switch (check.kind) {
    case 'run': {
      const result = await shell(check.command)
      return result.kind === 'exited' && result.code === 0
        ? undefined
        : { message: `\`${check.command}\`: ${describeResult(result)}`, result }
    }
    case 'exists':
      return (await lstat(join(root, check.path)).catch(() => undefined)) === undefined
        ? { message: `${check.path} does not exist` }
        : undefined
    case 'absent':
      return (await lstat(join(root, check.path)).catch(() => undefined)) === undefined
        ? undefined
        : { message: `${check.path} exists` }
    case 'contains':
    case 'lacks': {
      const found = await searchFile(join(root, check.file), check.pattern)
      if (typeof found === 'string') return { message: `${check.file} ${found}` }
      return found === (check.kind === 'contains')
        ? undefined
        : { message: `${check.file} ${found ? 'contains' : 'does not contain'} /${check.pattern}/` }
    }
  }
}

/** Files written by a file step must parse, unless they did not parse before. */
async function syntaxProblem(worker: Worker, step: Step): Promise<string | undefined> {
  const verb = verbOf(step)
  if (!worker.run.settings.syntax || verb.writesText !== true || step.allow.includes('syntax')) return undefined
  for (const path of verb.paths(step.spec).writes) {
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

async function missingFile(root: string, step: Step): Promise<string | undefined> {
  if (step.verb === 'delete' || step.verb === 'gate' || step.changes === 'none') return undefined
  for (const file of step.files ?? []) {
    if (isGlob(file)) continue
    const facts = await lstat(join(root, file)).catch(() => undefined)
    if (facts === undefined) return `${file} is declared in \`files\` but does not exist`
    if (facts.isFile() && facts.size === 0) return `${file} is declared in \`files\` but is empty`
  }
  return undefined
}
