// What the page reads: a row for each, with its command and the options that the address may give.

interface Read {
  readonly command: string
  /** Names of parameters in the address. */
  readonly keys?: readonly string[]
  readonly fixed?: Readonly<Record<string, unknown>>
  /** The content of commits: as on the command line, it is not masked. */
  readonly isVerbatim?: true
}

/** `/api/plans/ID/NAME` */
export const reads: Readonly<Record<string, Read>> = {
  status: { command: 'status' },
  show: { command: 'show' },
  report: { command: 'report' },
  log: { command: 'log' },
  output: { command: 'log', keys: ['output'] },
  diff: { command: 'diff', keys: ['step'], isVerbatim: true },
  'text-changes': { command: 'diff', keys: ['since'], fixed: { spec: true }, isVerbatim: true },
  attempts: { command: 'attempts', keys: ['show', 'number', 'against'], isVerbatim: true },
}
