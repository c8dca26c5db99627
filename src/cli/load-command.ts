// Loads a command and the printer of its result by name, on demand.

import type { CommandContext, CommandResult } from '../commands/context.ts'
import { operations, type OperationName } from '../commands/operations.ts'
import type { Request } from './command-line.ts'
import type { Style } from './style.ts'

export interface LoadedCommand {
  run(request: Request, context: CommandContext): Promise<CommandResult>
  print(result: CommandResult, style: Style): Promise<string>
}

type Printer = (result: CommandResult<never>, style: Style) => string

const reading = () => import('./print/reading.ts')
const outcome = (): Promise<Printer> => import('./print/outcome.ts').then((module) => module.printOutcome)

/** The commands whose result is more than a message. */
const printers: Partial<Record<OperationName, () => Promise<Printer>>> = {
  check: () => import('./print/check.ts').then((module) => module.printCheck),
  list: () => reading().then((module) => module.printList),
  status: () => reading().then((module) => module.printStatus),
  show: () => reading().then((module) => module.printShow),
  log: () => reading().then((module) => module.printLog),
  diff: () => reading().then((module) => module.printDiff),
  attempts: () => reading().then((module) => module.printAttempts),
  report: () => reading().then((module) => module.printReport),
  audit: () => import('./print/audit.ts').then((module) => module.printAudit),
  classify: () => import('./print/classify.ts').then((module) => module.printClassify),
  schema: () => import('./print/schema.ts').then((module) => module.printSchema),
  config: () => reading().then((module) => module.printConfig),
  completion: () => import('./print/completion.ts').then((module) => module.printCompletion),
  doctor: () => import('./print/doctor.ts').then((module) => module.printDoctor),
}

/** The one place where a parsed request is cast to the type that the command declares: program.ts and that type must agree. */
export async function loadCommand(name: OperationName): Promise<LoadedCommand> {
  const [run, print] = await Promise.all([operations[name](), (printers[name] ?? outcome)()])
  return {
    run: (request, context) => (run as LoadedCommand['run'])(request, context),
    // A command that reads one plan returns the list if it is not clear which plan is meant.
    print: async (result, style) =>
      (result.kind === 'list' ? await reading().then((module): Printer => module.printList) : print)(result as CommandResult<never>, style),
  }
}
