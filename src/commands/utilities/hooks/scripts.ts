// The scripts of hooks/, embedded by the build, and how to recognize them.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export const hookNames = ['pre-commit', 'pre-push', 'pre-receive'] as const
export type HookName = (typeof hookNames)[number]

declare const GIT_PLAN_HOOKS: string | undefined

export function scriptOf(name: HookName): string {
  if (typeof GIT_PLAN_HOOKS !== 'string')
    return readFileSync(new URL(`../../../../hooks/${name}`, import.meta.url), 'utf8')
  return (JSON.parse(GIT_PLAN_HOOKS) as Record<HookName, string>)[name]
}

const sumLine = /^# git-plan-hook (\S+)$/m

/** The checksum of the script without its checksum line: it reveals edits without a list of all earlier versions. */
const sumOf = (script: string): string =>
  createHash('sha256').update(script.replace(sumLine, '# git-plan-hook')).digest('hex')

/** Used by `npm run docs`. */
export const withSum = (script: string): string => script.replace(sumLine, `# git-plan-hook ${sumOf(script)}`)

/** `ours`: unchanged since some version of git plan wrote it. `changed`: ours, but edited since. */
export function authorOf(script: string): 'ours' | 'changed' | 'other' {
  const sum = sumLine.exec(script)?.[1]
  return sum === undefined ? 'other' : sum === sumOf(script) ? 'ours' : 'changed'
}

/** True for a hook of somebody else that calls ours. */
export const callsHook = (script: string, name: HookName): boolean =>
  script.split('\n').some((line) => !line.trimStart().startsWith('#') && line.includes(`git-plan hook ${name}`))
