// The command-line options of the benchmarks.

import { parseArgs } from 'node:util'

export const help = `npm run bench -- [--short] [--only NAME]… [--json FILE] [--out PAGE]

Measures the program against its references, and prints a table. Takes about half an hour; do nothing else on the machine.

      --short        smaller sizes and fewer runs, in under a minute; fails when a ratio is over twice its limit
      --only NAME    only this figure; can be given again
      --json FILE    write everything that was measured there
      --out PAGE     fill the part between the two markers of a page, and draw the plots beside it: docs/performance.md
  -h, --help         show this

GIT_PLAN_BENCH_POSTGRES=URL measures DBOS as well. TMPDIR says on which disk everything is measured; use a real one.
Exit code 1: a ratio is over its limit, or a run did not do its work.
`

/** The options, or a word about what is wrong with them. `namesOf` says which figures a form has. */
export function readOptions(args, namesOf) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  // `--only status help` is what one types first.
  const only = [...values.only, ...(values.only.length > 0 ? positionals : [])]
  const surplus = values.only.length > 0 ? [] : positionals
  const names = namesOf(values.short ? 'short' : 'full')
  const unknown = only.filter((name) => !names.includes(name))
  if (surplus.length > 0) throw new Error(`what is ${surplus.join(' ')}? See --help`)
  if (unknown.length > 0) throw new Error(`no figure is called ${unknown.join(', ')}; there are ${names.join(', ')}`)
  if (values.out !== undefined && (values.short || only.length > 0))
    throw new Error('--out keeps what was measured in full: leave out --short and --only')
  return { ...values, only }
}
