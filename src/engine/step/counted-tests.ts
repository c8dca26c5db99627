// Runs the test command of a step, counts its tests, and compares them with the baseline.

import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { judgeTests, type Baseline, type TestVerdict } from '../../judge/tests/compare-tests.ts'
import { maxTestOutput, readTests } from '../../judge/tests/read-tests.ts'
import type { TestReading } from '../../judge/tests/test-report.ts'
import type { CountedTest, Step } from '../../plan/model/plan.ts'
import { scopeVariable, testCommand } from '../../plan/model/test-command.ts'
import { countsText, namesToText, type TestRecord } from '../../plan/model/test-counts.ts'
import type { ShellResult } from '../../plan/model/verb.ts'
import type { PlanEvent } from '../../plan/record/trailers.ts'
import { readRegular } from '../record/search-file.ts'
import { describeResult, type Shell } from './step-shell.ts'

export type CountedStep = Step & { readonly test: string; readonly counted: CountedTest }

export const isCounted = (step: Step): step is CountedStep => step.test !== undefined && step.counted !== undefined

/** Stands for the test: steps with the same one share a baseline. */
export const testKey = ({ test, counted, env }: CountedStep): string =>
  createHash('sha256')
    .update(JSON.stringify([test, counted.scope, counted.format ?? null, counted.report ?? null, env]))
    .digest('hex')
    .slice(0, 16)

export type CountedRun =
  | { readonly kind: 'ended'; readonly exit: number; readonly reading: TestReading | undefined }
  | { readonly kind: 'killed'; readonly result: Extract<ShellResult, { kind: 'killed' }> }

export async function runCounted(root: string, { test, counted }: CountedStep, shell: Shell): Promise<CountedRun> {
  const output = { stdout: new Array<Uint8Array>(), stderr: new Array<Uint8Array>() }
  let size = 0
  const before = await stampOf(root, counted.report)
  const result = await shell(testCommand(test, counted), {
    env: { [scopeVariable]: counted.scope },
    onOutput: (chunk, stream) => {
      size += chunk.length
      if (size <= maxTestOutput) output[stream].push(chunk)
    },
  })
  if (result.kind === 'killed') return { kind: 'killed', result }
  const printed = [...output.stdout, Buffer.from('\n'), ...output.stderr]
  const reading =
    counted.report === undefined
      ? size > maxTestOutput
        ? { contradiction: 'they are too long to be read; write them to a file, and name it in `report`' }
        : await readTests(withoutRoot(Buffer.concat(printed).toString(), root), counted.format)
      : await readReport(root, counted.report, counted.format, before)
  return { kind: 'ended', exit: result.code, reading }
}

async function readReport(
  root: string,
  report: string,
  format: CountedTest['format'],
  before: string | undefined,
): Promise<TestReading> {
  const after = await stampOf(root, report)
  if (after === undefined) return { contradiction: `the command did not write ${report}` }
  // Compared with itself: clocks of file systems differ.
  if (after === before) return { contradiction: `${report} is from an earlier run; this one did not write it` }
  const bytes = await readRegular(join(root, report), maxTestOutput)
  if (typeof bytes === 'string') return { contradiction: `${report} ${bytes}` }
  const reading = await readTests(withoutRoot(bytes.toString(), root), format ?? 'junit')
  return reading ?? { contradiction: `${report} has no test results` }
}

async function stampOf(root: string, report: string | undefined): Promise<string | undefined> {
  if (report === undefined) return undefined
  const facts = await lstat(join(root, report), { bigint: true }).catch(() => undefined)
  return facts === undefined ? undefined : `${facts.ino} ${facts.size} ${facts.mtimeNs} ${facts.ctimeNs}`
}

/** Parallel steps run in other directories: names of tests must not depend on that. */
const withoutRoot = (text: string, root: string): string => text.replaceAll(`${root}/`, '')

/** undefined: nothing could be counted, and `result` says why. */
export function judgeCounted(run: CountedRun, baseline: Baseline, mask: (text: string) => string): TestVerdict {
  if (run.kind === 'killed')
    return {
      problem: describeResult(run.result),
      tests: { after: undefined, before: baseline.counts, failing: [] },
    }
  return judgeTests(run.exit, maskNames(run.reading, mask), baseline)
}

/** The names of the baseline come from a commit message, in which secrets are masked. */
export const maskNames = (reading: TestReading | undefined, mask: (text: string) => string): TestReading | undefined =>
  reading === undefined || 'contradiction' in reading
    ? reading
    : {
        report: {
          ...reading.report,
          cases: reading.report.cases.map((each) =>
            each.result === 'failed' ? { ...each, name: mask(each.name) } : each,
          ),
        },
      }

/** The record of a step's tests, for the trailers of its commit. */
export const testFacts = (tests: TestRecord | undefined): Pick<PlanEvent, 'tests' | 'testsBefore' | 'testsFailing'> =>
  tests === undefined
    ? {}
    : {
        ...(tests.after === undefined ? {} : { tests: countsText(tests.after) }),
        ...(tests.before === undefined ? {} : { testsBefore: countsText(tests.before) }),
        ...(tests.failing.length === 0 ? {} : { testsFailing: namesToText(tests.failing) }),
      }
