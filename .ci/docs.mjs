// Regenerates docs/commands.md from the table of commands, and the checksums in hooks/.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { loadReference } from './reference.mjs'

const { commandsPage, withSum } = await loadReference()
writeFileSync(new URL('../docs/commands.md', import.meta.url), commandsPage())
const hooks = new URL('../hooks/', import.meta.url)
for (const name of readdirSync(hooks))
  writeFileSync(new URL(name, hooks), withSum(readFileSync(new URL(name, hooks), 'utf8')))
