// A step that was handed to a driver: a local ref with the holder and the time until which it waits. No process holds
// it. Anybody with access to the repository can write one, so nothing in it is trusted.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { noneIfTooLarge } from '../errors.ts'
import type { Ref, Repository } from '../git/repository.ts'
import {
  isId,
  isOid,
  openStepRef,
  openStepRefs,
  treeLockName,
  type Oid,
  type PlanId,
  type StepId,
} from '../plan/model/ids.ts'
import { singleLine } from '../plan/text/display.ts'

export interface OpenStep {
  readonly step: StepId
  readonly holder: string
  readonly attempt: number
  readonly since: string
  readonly until: string
  /** The tip of the plan's branch when it was handed out. */
  readonly tip: Oid
  /** The fingerprint of what Git executed then. */
  readonly gitState: string
  /** The hashes of its parts. */
  readonly gitParts: Readonly<Record<string, string>>
  /** The value of the ref. */
  readonly oid: Oid
}

export const isExpired = ({ until }: Pick<OpenStep, 'until'>, now: Date): boolean => Date.parse(until) <= now.getTime()

/** `refs`: those of the plan's open steps, if the caller has them. */
export async function readOpenStep(repo: Repository, id: PlanId, refs?: readonly Ref[]): Promise<OpenStep | undefined> {
  const prefix = openStepRefs(id)
  for (const { name, oid } of refs ?? (await repo.refs(prefix))) {
    const step = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    if (!isId(step)) continue
    const text = (await repo.readBlob(oid).catch(noneIfTooLarge))?.toString('utf8')
    const open = text === undefined ? undefined : openStepIn(text.slice(0, 40_000))
    if (open !== undefined) return { ...open, step: step as StepId, oid }
  }
  return undefined
}

export const openStepText = ({
  holder,
  attempt,
  since,
  until,
  tip,
  gitState,
  gitParts,
}: Omit<OpenStep, 'oid' | 'step'>): string =>
  `${JSON.stringify({ holder, attempt, since, until, tip, gitState, gitParts })}\n`

function openStepIn(text: string): Omit<OpenStep, 'oid' | 'step'> | undefined {
  try {
    const { holder, attempt, since, until, tip, gitState, gitParts } = JSON.parse(text) as Record<string, unknown>
    const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))
    if (typeof holder !== 'string' || typeof gitState !== 'string' || !Number.isSafeInteger(attempt)) return undefined
    if (!isTime(since) || !isTime(until) || typeof tip !== 'string' || !isOid(tip)) return undefined
    return {
      holder: singleLine(holder).slice(0, 200),
      attempt: attempt as number,
      since,
      until,
      tip: tip as Oid,
      gitState,
      gitParts: (gitParts ?? {}) as Record<string, string>,
    }
  } catch {
    return undefined
  }
}

/** In the plan directory of the work tree in which the driver works, next to the mode. */
export const handedFile = 'handed.json'

export interface HandedHere {
  readonly plan: PlanId
  readonly step: StepId
  readonly until: string
  /** undefined: any. */
  readonly tools: readonly string[] | undefined
}

/** For the guard, which starts no Git. The file counts as long as the ref is there, which any work tree can remove. */
export function readHandedHere(at: { readonly gitDir: string; readonly commonDir: string }): HandedHere | undefined {
  const handed = handedIn(textOf(join(at.gitDir, 'plan', treeLockName, handedFile)))
  if (handed === undefined) return undefined
  const ref = openStepRef(handed.plan, handed.step)
  const isLoose = statSync(join(at.commonDir, ref), { throwIfNoEntry: false })?.isFile() === true
  return isLoose || textOf(join(at.commonDir, 'packed-refs'))?.includes(` ${ref}\n`) === true ? handed : undefined
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function handedIn(text: string | undefined): HandedHere | undefined {
  try {
    const { plan, step, until, tools } = JSON.parse(text ?? '') as Record<string, unknown>
    if (typeof plan !== 'string' || !isId(plan) || typeof step !== 'string' || !isId(step)) return undefined
    if (typeof until !== 'string' || Number.isNaN(Date.parse(until))) return undefined
    const names = Array.isArray(tools) ? tools.filter((name): name is string => typeof name === 'string') : undefined
    return { plan: plan as PlanId, step: step as StepId, until, tools: names }
  } catch {
    return undefined
  }
}
