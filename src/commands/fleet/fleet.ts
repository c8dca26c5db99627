// `git plan fleet`: one change in many repositories. The first word is the subcommand.

import { PlanError } from '../../errors.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { suggest } from '../../plan/text/nearest.ts'
import type { FleetCall, FleetRequest } from './request.ts'

type Subcommand = (request: FleetCall, context: CommandContext) => Promise<CommandResult>

/** Each is loaded when it is called. */
const subcommands = {
  run: () => import('./run.ts').then((module) => module.runCampaign),
  new: () => import('./new.ts').then((module) => module.newCampaign),
  approve: () => import('./approve.ts').then((module) => module.approveCampaign),
  resume: () => import('./run.ts').then((module) => module.resumeCampaign),
  status: () => import('./status.ts').then((module) => module.statusOfCampaign),
  report: () => import('./status.ts').then((module) => module.reportOfCampaign),
  metrics: () => import('./status.ts').then((module) => module.metricsOfCampaign),
  list: () => import('./status.ts').then((module) => module.listCampaigns),
  retry: () => import('./record.ts').then((module) => module.retryTargets),
  exclude: () => import('./record.ts').then((module) => module.excludeTargets),
  rebase: () => import('./record.ts').then((module) => module.rebaseTargets),
  revert: () => import('./revert.ts').then((module) => module.revertCampaign),
  pause: () => import('./record.ts').then((module) => module.pauseCampaign),
  cancel: () => import('./record.ts').then((module) => module.cancelCampaign),
  ready: () => import('./record.ts').then((module) => module.landCampaign('ready')),
  finish: () => import('./record.ts').then((module) => module.landCampaign('finish')),
  close: () => import('./record.ts').then((module) => module.landCampaign('close')),
  work: () => import('./work.ts').then((module) => module.workForServer),
  look: () =>
    import('./look.ts').then(
      (module) =>
        ({ words }: FleetCall, context) =>
          module.look(words[0] ?? '', context),
    ),
} satisfies Readonly<Record<string, () => Promise<Subcommand>>>

/** What the first word can be. */
export type FleetAction = keyof typeof subcommands

const isAction = (word: string): word is FleetAction => Object.hasOwn(subcommands, word)

export const fleetActions: readonly string[] = Object.keys(subcommands)

export async function fleet(request: FleetRequest, context: CommandContext): Promise<CommandResult> {
  const { action = 'list', words = [] } = request
  const load = isAction(action) ? subcommands[action] : undefined
  if (load === undefined)
    throw new PlanError(
      'usage',
      `unknown action ${JSON.stringify(action.slice(0, 80))}; ${suggest(action, fleetActions)}`,
      {
        hint: 'git plan fleet -h',
      },
    )
  return (await load())({ ...request, words }, context)
}
