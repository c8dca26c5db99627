// Installs the agents before their tests. One that cannot be installed is named, and its tests are skipped.

import { commandOf, installAgents, realAgents } from './packages.ts'

export async function setup(): Promise<void> {
  for (const failure of await installAgents()) console.warn(`not installed: ${failure}`)
  for (const name of realAgents) {
    const command = commandOf(name)
    if ('missing' in command) console.warn(command.missing)
  }
}
