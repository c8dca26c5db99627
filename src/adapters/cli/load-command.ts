// Loads a command and its printer on demand.

import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { commandNamed } from '../../commands/table/index.ts'
import type { Request } from './command-line.ts'
import type { Style } from './style.ts'

export interface LoadedCommand {
  run(request: Request, context: CommandContext): Promise<CommandResult>
  print(result: CommandResult, style: Style): Promise<string>
}

type Printer = (result: CommandResult<never>, style: Style) => string

const outcome = (): Promise<Printer> => import('./print/outcome.ts').then((module) => module.printOutcome)

/** Commands whose result is more than a message. */
const printers: Readonly<Record<string, () => Promise<Printer>>> = {
  check: () => import('./print/check.ts').then((module) => module.printCheck),
  next: () => import('./print/next.ts').then((module) => module.printNext),
  compose: () => import('./print/compose.ts').then((module) => module.printCompose),
  template: () => import('./print/template.ts').then((module) => module.printTemplate),
  import: () => import('./print/import.ts').then((module) => module.printImport),
  list: () => import('./print/list.ts').then((module) => module.printList),
  status: () => import('./print/status.ts').then((module) => module.printStatus),
  show: () => import('./print/show.ts').then((module) => module.printShow),
  log: () => import('./print/log.ts').then((module) => module.printLog),
  diff: () => import('./print/diff.ts').then((module) => module.printDiff),
  attempts: () => import('./print/attempts.ts').then((module) => module.printAttempts),
  report: () => import('./print/report.ts').then((module) => module.printReport),
  audit: () => import('./print/audit.ts').then((module) => module.printAudit),
  metrics: () => import('./print/metrics.ts').then((module) => module.printMetrics),
  stats: () => import('./print/stats.ts').then((module) => module.printStats),
  context: () => import('./print/context.ts').then((module) => module.printContext),
  classify: () => import('./print/classify.ts').then((module) => module.printClassify),
  schema: () => import('./print/schema.ts').then((module) => module.printSchema),
  config: () => import('./print/config.ts').then((module) => module.printConfig),
  completion: () => import('./print/completion.ts').then((module) => module.printCompletion),
  doctor: () => import('./print/doctor.ts').then((module) => module.printDoctor),
}

/**
 * The only place where a parsed request is cast to the type that the command declares: the row in commands/table and
 * that type must agree.
 */
export async function loadCommand(name: string): Promise<LoadedCommand> {
  const [run, print] = await Promise.all([commandNamed(name)?.load(), (printers[name] ?? outcome)()])
  return {
    run: (request, context) => (run as LoadedCommand['run'])(request, context),
    // A command that reads one plan returns a list if it is ambiguous which plan is meant.
    print: async (result, style) =>
      (result.kind === 'list' ? (await import('./print/list.ts')).printList : print)(
        result as CommandResult<never>,
        style,
      ),
  }
}
