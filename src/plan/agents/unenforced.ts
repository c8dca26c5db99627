// Keys of an agent step that its agent has no option for, so that they would silently have no effect.

import type { AgentSpec } from '../verbs/agent.ts'
import type { AgentPreset } from './presets.ts'

/** `model`, `tools` and so on; a command from a setting gets all of them in its environment. */
export function unenforcedKeys(preset: AgentPreset, spec: AgentSpec): string[] {
  const { events, options, isScoped = false } = preset
  if (events === undefined) return []
  const keys: Readonly<Record<string, boolean>> = {
    model: options.model !== undefined,
    tools: options.tools !== undefined || isScoped,
    turns: options.turns !== undefined || events.turn !== undefined,
    cost: options.cost !== undefined || events.cost !== undefined,
  }
  return Object.keys(keys).filter((key) => keys[key] === false && Object.hasOwn(spec, key))
}
