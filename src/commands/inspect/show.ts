// `git plan show`: the contents of a plan, for the person who approves it.

import { criticalPath, timeSaved, type CriticalPath } from '../../view/critical-path.ts'
import { drawGraph, drawMermaid } from '../../view/graph-text.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import type { Finding } from '../../plan/model/finding.ts'
import { loadPlanAt } from '../../store/plan-at.ts'
import { checkFacts, findingsOnTree } from '../../operation/check-findings.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { DescribedPlan, DescribedStep, PlanBackground } from '../../view/describe-plan.ts'
import type { PlanSummary } from '../../view/plan-view.ts'
import type { CountedTest } from '../../plan/model/plan.ts'
import type { Usage } from '../../view/step-results.ts'
import type { StepView } from '../../view/steps.ts'
import { pick } from '../../view/pick.ts'
import { withPlan } from '../with-repository.ts'

export interface ShowRequest {
  readonly plan?: string
  readonly graph?: boolean
  readonly mermaid?: boolean
}

export interface ShownStep extends DescribedStep, Pick<StepView, 'tests' | 'claim' | keyof Usage> {
  readonly id: string
  readonly title: string
  readonly verb: string
  readonly needs: readonly string[]
  readonly wave: number
  readonly effect: 'tree' | 'external'
  readonly risk: string
  readonly reasons: readonly string[]
}

export interface ShowData
  extends
    Omit<DescribedPlan, 'tools' | 'setup' | 'setupInputs' | 'test' | 'counted'>,
    Omit<PlanBackground, 'request' | 'goal' | 'owner' | 'notes'> {
  readonly id: string
  readonly title: string
  readonly file: string
  /** The plan file. */
  readonly text: string
  readonly status: string
  readonly seen: string
  readonly base: string | null
  readonly tip: string
  readonly digest: string
  readonly revision: number
  readonly clonedFrom: PlanSummary['clonedFrom']
  readonly risk: string
  readonly reasons: readonly string[]
  readonly approval: PlanSummary['approval']
  readonly request: string | null
  readonly goal: string | null
  readonly owner: string | null
  readonly notes: string | null
  readonly tools: readonly string[] | null
  readonly setup: string | null
  readonly setupInputs: readonly string[] | null
  readonly test: string | null
  readonly counted: CountedTest | null
  readonly steps: readonly ShownStep[]
  readonly waves: readonly (readonly string[])[]
  /** The findings of `git plan check`; empty for a plan that has ended. */
  readonly findings: readonly Finding[]
  readonly prose: string
  readonly criticalPath: CriticalPath
  /** By steps that ran at the same time. */
  readonly savedMs: number
  /** The graph, if it was requested. */
  readonly drawing?: string
}

export const show = (request: ShowRequest, context: CommandContext): Promise<CommandResult<ShowData | object>> =>
  withPlan(request.plan, context, async ({ summary, plan, file, risk }, { repo, settings }) => {
    const waves: string[][] = []
    for (const step of plan.steps) (waves[step.wave] ??= []).push(step.id)
    const at = { ...(await loadPlanAt(repo, summary.tip, { id: plan.id, file })), tip: summary.tip }
    const facts = checkFacts(at, { file, config: settings.config, agents: settings.agents })
    const findings = isFinal(plan.status) ? [] : await findingsOnTree(repo, at, context, facts)
    const critical = criticalPath(summary.steps)
    const data: ShowData = {
      id: plan.id,
      title: plan.title,
      file,
      text: at.source.text,
      status: plan.status,
      seen: summary.seen,
      base: plan.base ?? null,
      tip: summary.tip,
      digest: plan.digest,
      revision: summary.revision,
      clonedFrom: summary.clonedFrom,
      risk: risk.plan,
      reasons: risk.reasons,
      approval: summary.approval,
      request: plan.request ?? null,
      goal: plan.goal ?? null,
      owner: plan.owner ?? null,
      deliverables: plan.deliverables,
      notes: plan.notes ?? null,
      context: plan.context,
      meta: plan.meta,
      params: plan.params,
      sources: plan.sources,
      tools: plan.tools ?? null,
      setup: plan.setup ?? null,
      setupInputs: plan.setupInputs ?? null,
      test: plan.test ?? null,
      counted: plan.counted ?? null,
      requires: plan.requires,
      preflight: plan.preflight,
      verify: plan.verify,
      onFailure: plan.onFailure,
      steps: plan.steps.map((step, index) => ({
        id: step.id,
        title: step.title,
        verb: step.verb,
        spec: step.spec,
        ...pick(step, stepKeys),
        ...pick(summary.steps[index]!, ['tests', 'claim', 'cpuMs', 'peakBytes', 'outputBytes']),
        needs: step.needs,
        wave: step.wave,
        effect: step.effect,
        risk: risk.steps.get(step.id)?.risk ?? 'LOW',
        reasons: risk.steps.get(step.id)?.reasons ?? [],
      })),
      waves,
      findings,
      prose: plan.prose,
      criticalPath: critical,
      savedMs: timeSaved(summary.steps),
      ...(request.mermaid === true
        ? { drawing: drawMermaid(plan) }
        : request.graph === true
          ? { drawing: drawGraph(plan, critical) }
          : {}),
    }
    return { kind: 'plan', exitCode: 0, data }
  })

const stepKeys = [
  ...([
    'files',
    'changes',
    'verify',
    'criteria',
    'test',
    'counted',
    'timeout',
    'retries',
    'limits',
    'env',
    'params',
  ] as const),
  ...([
    'secrets',
    'idempotent',
    'probe',
    'undo',
    'pause',
    'allow',
    'allowFailure',
    'goal',
    'deliverables',
    'context',
    'notes',
    'owner',
    'phase',
    'meta',
    'uses',
    'alone',
    'cache',
  ] as const),
]
