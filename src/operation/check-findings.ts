// The findings of `git plan check`, for the commands that show them or refuse because of them.

import type { PlanFacts } from '../judge/plan/check-plan.ts'
import { checkWhole } from '../judge/plan/check-whole.ts'
import type { Repository } from '../git/repository.ts'
import type { PlanConfig } from '../plan/config/config.ts'
import type { PlanAndText } from '../plan/file/write.ts'
import type { Finding } from '../plan/model/finding.ts'
import type { Oid } from '../plan/model/ids.ts'
import { isSettled } from '../plan/model/step-status.ts'
import type { CommandContext } from './context.ts'
import { withRepositoryFacts } from './repository-facts.ts'

/** `file`: the path of the plan file in the repository. Steps that are done were checked before they ran. */
export const checkFacts = (
  { plan, source }: PlanAndText,
  {
    file,
    config,
    agents = {},
  }: { readonly file: string; readonly config: PlanConfig; readonly agents?: Readonly<Record<string, string>> },
): PlanFacts => ({
  file,
  config,
  agents: Object.keys(agents),
  done: new Set<string>(plan.steps.filter((step) => isSettled(plan, step.id)).map(({ id }) => id)),
  text: source.text,
  position: source.place,
})

/** Findings about the text, and about the tree that the plan will find: `fix`, that of `tip`, or else of its base. */
export const findingsOnTree = (
  repo: Repository,
  { plan, tip }: Pick<PlanAndText, 'plan'> & { readonly tip: Oid | undefined },
  context: Pick<CommandContext, 'env'>,
  facts: PlanFacts,
  fix?: Oid,
): Promise<Finding[]> =>
  withRepositoryFacts(
    repo,
    plan,
    tip,
    context,
    (repository) => checkWhole(plan, repository === undefined ? facts : { ...facts, repository }),
    fix,
  )
