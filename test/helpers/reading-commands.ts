// The commands that only read, from the table of commands: a new one has to be tried too.

import { commands } from '../../src/commands/table/index.ts'

/** Command lines for every command that only reads, and doctor. `samples`: arguments for each, by its name. */
export function readingCommands(samples: Readonly<Record<string, readonly (readonly string[])[]>>): string[][] {
  const names = commands.filter(({ name, writes }) => !writes || name === 'doctor').map(({ name }) => name)
  const missing = names.filter((name) => samples[name] === undefined)
  if (missing.length > 0) throw new Error(`commands that read without sample arguments: ${missing.join(', ')}`)
  return names.flatMap((name) => (samples[name] ?? []).map((args) => [name, ...args]))
}
