// Name → the command and the text of its result. Lazy: `git plan list` loads neither the executor nor a schema.
// One more command: a line here, a row in program.ts, a file in commands/.

import type { CommandContext, CommandResult } from '../commands/context.ts'
import type { Request } from './command-line.ts'
import { noStyle, type Style } from './style.ts'

export interface Wired {
  run(request: Request, context: CommandContext): Promise<CommandResult>
  print(result: CommandResult, style?: Style): string
}

type Run<R, D extends object> = (request: R, context: CommandContext) => Promise<CommandResult<D>>

/** The one place where a parsed request becomes the type that the command declares: program.ts and that type must say the same. */
function wired<R, D extends object>(run: Run<R, D>, print: (result: CommandResult<D>, style: Style) => string): Wired {
  return { run: (request, context) => run(request as R, context), print: (result, style = noStyle) => print(result as CommandResult<D>, style) }
}

/** A reader of one plan answers with the list where no plan is plain. */
async function reader<R>(run: Promise<Run<R, object>>, print: Promise<(result: CommandResult<never>, style: Style) => string>): Promise<Wired> {
  const printOne = (await print) as (result: CommandResult, style: Style) => string
  const { printList } = await import('./print/list.ts')
  return wired(await run, (result, style) => (result.kind === 'list' ? printList(result as Parameters<typeof printList>[0], style) : printOne(result, style)))
}

const outcome = async <R, D extends object>(run: Promise<Run<R, D>>): Promise<Wired> => wired(await run, (await import('./print/outcome.ts')).printOutcome)

export const wiring: Record<string, () => Promise<Wired>> = {
  new: () => outcome(import('../commands/new.ts').then((module) => module.newPlan)),
  edit: () => outcome(import('../commands/edit.ts').then((module) => module.editPlan)),
  approve: () => outcome(import('../commands/approve.ts').then((module) => module.approve)),
  reject: () => outcome(import('../commands/reject.ts').then((module) => module.reject)),
  start: () => outcome(import('../commands/start.ts').then((module) => module.start)),
  resume: () => outcome(import('../commands/resume.ts').then((module) => module.resume)),
  rollback: () => outcome(import('../commands/rollback.ts').then((module) => module.rollback)),
  replan: () => outcome(import('../commands/replan.ts').then((module) => module.replan)),
  rebase: () => outcome(import('../commands/rebase.ts').then((module) => module.rebase)),
  cancel: () => outcome(import('../commands/cancel.ts').then((module) => module.cancel)),
  clone: () => outcome(import('../commands/clone.ts').then((module) => module.clone)),
  finish: () => outcome(import('../commands/finish.ts').then((module) => module.finish)),
  delete: () => outcome(import('../commands/delete.ts').then((module) => module.deletePlan)),
  prune: () => outcome(import('../commands/prune.ts').then((module) => module.prune)),
  init: () => outcome(import('../commands/init.ts').then((module) => module.init)),
  check: async () => wired((await import('../commands/check.ts')).check, (await import('./print/check.ts')).printCheck),
  list: async () => wired((await import('../commands/list.ts')).list, (await import('./print/list.ts')).printList),
  status: () =>
    reader(
      import('../commands/status.ts').then((module) => module.status),
      import('./print/status.ts').then((module) => module.printStatus),
    ),
  show: () =>
    reader(
      import('../commands/show.ts').then((module) => module.show),
      import('./print/show.ts').then((module) => module.printShow),
    ),
  log: () =>
    reader(
      import('../commands/log.ts').then((module) => module.log),
      import('./print/log.ts').then((module) => module.printLog),
    ),
  diff: () =>
    reader(
      import('../commands/diff.ts').then((module) => module.diff),
      import('./print/diff.ts').then((module) => module.printDiff),
    ),
  attempts: () =>
    reader(
      import('../commands/attempts.ts').then((module) => module.attempts),
      import('./print/attempts.ts').then((module) => module.printAttempts),
    ),
  report: () =>
    reader(
      import('../commands/report.ts').then((module) => module.report),
      import('./print/report.ts').then((module) => module.printReport),
    ),
  schema: async () => wired((await import('../commands/schema.ts')).schema, (await import('./print/schema.ts')).printSchema),
  config: async () => wired((await import('../commands/config.ts')).config, (await import('./print/config.ts')).printConfig),
  completion: async () => wired((await import('../commands/completion.ts')).completion, (await import('./print/completion.ts')).printCompletion),
  doctor: async () => wired((await import('../commands/doctor.ts')).doctor, (await import('./print/doctor.ts')).printDoctor),
}
