// Rewrites docs/commands.md from the table of commands.
import { writeFileSync } from 'node:fs'
import { loadReference } from './reference.mjs'

const { commandsPage } = await loadReference()
writeFileSync(new URL('../docs/commands.md', import.meta.url), commandsPage())
