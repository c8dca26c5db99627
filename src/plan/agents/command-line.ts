// The words that start an agent for a step.

import type { AgentSpec } from '../verbs/agent.ts'
import type { AgentPreset } from './presets.ts'

export function agentWords(
  preset: AgentPreset,
  spec: Pick<AgentSpec, 'model' | 'turns' | 'cost' | 'tools'>,
  {
    session,
    prompt,
    isReadOnly = false,
  }: { session?: string | undefined; prompt: string; isReadOnly?: boolean | undefined },
): string[] {
  const { options } = preset
  const option = (name: string | undefined, value: string | number | undefined): string[] =>
    name === undefined || value === undefined ? [] : [name, String(value)]
  return [
    ...preset.argv,
    ...option(options.model, spec.model),
    ...option(options.turns, spec.turns),
    ...option(options.cost, spec.cost),
    ...option(options.tools, spec.tools?.join(',')),
    ...option(options.toolNames, spec.tools?.map((tool) => tool.replace(/\(.*/s, '')).join(',')),
    ...((isReadOnly ? preset.readOnly : preset.writing) ?? []),
    ...(session === undefined ? [] : [...(options.session ?? []), session]),
    ...(preset.end ?? []),
    ...(preset.prompt === 'argument' ? [prompt] : []),
  ]
}
