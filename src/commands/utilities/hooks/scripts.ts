// The scripts of hooks/, put in by the build, and how one of ours is told from all others.

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

/**
 * Over all of it but the sum: whether somebody has changed a script can be told without knowing each that there ever
 * was.
 */
const sumOf = (script: string): string =>
  createHash('sha256').update(script.replace(sumLine, '# git-plan-hook')).digest('hex')

/** For `npm run docs`. */
export const withSum = (script: string): string => script.replace(sumLine, `# git-plan-hook ${sumOf(script)}`)

/** `ours`: as some version of git plan wrote it. `changed`: it was ours, and somebody has written into it. */
export function authorOf(script: string): 'ours' | 'changed' | 'other' {
  const sum = sumLine.exec(script)?.[1]
  return sum === undefined ? 'other' : sum === sumOf(script) ? 'ours' : 'changed'
}

/** A hook that somebody else keeps, and that calls ours. */
export const isCalling = (script: string, name: HookName): boolean =>
  script.split('\n').some((line) => !line.trimStart().startsWith('#') && line.includes(`git-plan hook ${name}`))
