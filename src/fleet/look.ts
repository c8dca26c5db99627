// A look at one repository: what the approved manifest wants there is written down as an order, and a process of its own
// carries it out in the clone of the repository. Of the hint nothing is used but which campaign and which target.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import { replaceFile } from '../git/write/durable-fs.ts'
import { digestOf } from '../plan/file/digest.ts'
import { readPlan } from '../plan/file/read-plan.ts'
import type { Environment } from '../process/environment.ts'
import { runOwnProgram } from '../process/own-program.ts'
import type { Target } from './campaign.ts'
import { landingOf, type CampaignState, type Landing } from './campaign-state.ts'
import { gitAt, type Control } from './control.ts'
import type { Hint, Look, Verdict } from './dispatch/port.ts'
import type { FleetHome } from './fleet-home.ts'
import { isRequestLane } from './lanes.ts'
import { verdictFrom, type VerdictData } from './verdict.ts'

/** What the child carries out in the clone. */
export interface Order {
  readonly plan: string
  readonly digest: string
  /** The file with the text of the plan. */
  readonly text: string
  /** The file with the proof for `git plan approve --campaign`. */
  readonly campaign: string | undefined
  /** The person at this machine approved the campaign, and with it each of its plans in their name. */
  readonly approves: boolean
  /** A failed or waiting plan may run again from this tip. */
  readonly retry: string | undefined
  /** The plan is put on the tip of its base, from this tip, and runs again. */
  readonly rebase: string | undefined
  /** It comes through the lane of pull requests: what is asked of the forge. */
  readonly isRequest: boolean
  /** Its wave was opened: its owners may be asked. */
  readonly isOpened: boolean
  readonly landing: Landing | undefined
  readonly epoch: number
  /** Those of earlier epochs too: a plan that was completed then stays. */
  readonly digests: readonly string[]
}

export interface LookParts {
  readonly control: Control
  readonly home: FleetHome
  readonly env: Environment
  readonly now: () => Date
  /** The approvals of campaigns that the person at this machine gave, as of now. */
  readonly approvals: () => Promise<ReadonlySet<string>>
}

/** A clone that takes longer has been given up. */
const leftMs = 24 * 3_600_000

/** How old the copy of the control repository may be. */
const freshMs = 2000

export function makeLook(parts: LookParts): Look {
  return async (hint, signal) => {
    const { control, now } = parts
    try {
      await control.refresh(now().getTime(), freshMs)
      const state = await control.read()
      if (state === undefined) return { kind: 'dropped', why: 'there is no such campaign' }
      const found = wanted(state, hint)
      if (typeof found === 'string') return { kind: 'dropped', why: found }
      return await carryOut(parts, { state, target: found, isRequest: isRequestLane(hint.lane) }, signal)
    } catch (error) {
      if (error instanceof PlanError) return { kind: 'again', why: error.message }
      throw error
    }
  }
}

/** The target that the hint is about; or why the campaign wants nothing there now. */
function wanted(state: CampaignState, hint: Hint): Target | string {
  const { campaign } = state
  const target = campaign.targets.find(({ key }) => key === hint.target)
  if (hint.campaign !== campaign.id) return 'it is for another campaign'
  if (target === undefined) return 'the manifest has no such target'
  if (state.approved === undefined) return 'the campaign is not approved'
  if (hint.epoch !== state.epoch) return `it is of epoch ${hint.epoch}, and the campaign has ${state.epoch}`
  if (state.isClosed) return 'the campaign is closed'
  if (state.isPaused) return 'the campaign is paused'
  if (state.excluded.has(target.key)) return 'the target is excluded'
  // Only runs are parked, and wait for their wave: what is there can be merged or withdrawn.
  if (isRequestLane(hint.lane)) return target
  if (state.parked.has(target.key)) return 'the target is parked'
  if (target.wave > state.wave) return `wave ${target.wave} has not been opened`
  return target
}

async function carryOut(
  parts: LookParts,
  { state, target, isRequest }: { readonly state: CampaignState; readonly target: Target; readonly isRequest: boolean },
  signal: AbortSignal,
): Promise<Verdict> {
  const { control, home, env, approvals } = parts
  const text = await control.textOf(state, target.digest)
  if (digestOfPlan(text, state, target) !== target.digest)
    return { kind: 'refused', why: 'the text of the plan is not the one in the manifest' }
  const directory = home.target(target.key)
  const clone = join(directory, 'repository')
  await prepareClone(clone, { ...target, isWhole: state.campaign.reverts !== undefined }, parts)
  const proof = await control.proofFor(state, target.key)
  const order: Order = {
    plan: state.campaign.plan,
    digest: target.digest,
    text: join(directory, 'plan.md'),
    campaign: proof === undefined ? undefined : join(directory, 'campaign.json'),
    approves: state.approved !== undefined && (await approvals()).has(state.approved),
    retry: state.retried.get(target.key),
    rebase: state.rebased.get(target.key),
    isRequest,
    isOpened: target.wave <= state.wave,
    landing: isRequest ? landingOf(state, target) : undefined,
    epoch: state.epoch,
    digests: state.epoch === 1 ? [target.digest] : await control.digestsOf(state, target.key),
  }
  await replaceFile(order.text, text)
  if (order.campaign !== undefined) await replaceFile(order.campaign, JSON.stringify(proof))
  await replaceFile(join(directory, 'order.json'), JSON.stringify(order))
  const answer = await runOwnProgram(['fleet', 'look', join(directory, 'order.json'), '--json', '--no-input'], {
    cwd: clone,
    env,
    signal,
  })
  if (signal.aborted) return { kind: 'dropped', why: 'it was interrupted', isInterrupted: true }
  const last = answer.stdout.trimEnd().split('\n').at(-1) ?? ''
  const data = parse(last)
  const verdict = data === undefined ? undefined : verdictFrom(data)
  if (verdict === undefined) {
    const stderr = oneLine(answer.stderr.trim().slice(-300))
    throw new Error(`git plan ended with ${answer.code ?? 'a signal'}${stderr === '' ? '' : `: ${stderr}`}`)
  }
  // Another machine has gone on from another tip: what this clone has is saved on the remote, or worth nothing.
  if (verdict.kind === 'again' && data?.isOvertaken === true) await rm(clone, { recursive: true, force: true })
  if (!isRequest) return verdict
  const tip = data?.tip ?? null
  const isConflict = data?.isConflict === true
  if (isConflict && tip !== null && state.campaign.onConflict === 'rebase') {
    const subject = `Rebased: ${state.campaign.title} in ${target.address}`
    await control.record(
      () => ({ event: 'rebased', subject, lines: [[target.key, tip]] }),
      () => parts.now().getTime(),
    )
    return { kind: 'settled', tip, status: 'completed' }
  }
  await recordRequest(parts, { state, target, landing: order.landing }, { verdict, tip, isConflict })
  return verdict
}

/** What the forge was asked for has to outlive the engine: the refs of the target do not say it. */
async function recordRequest(
  { control, now }: LookParts,
  {
    state,
    target,
    landing,
  }: {
    readonly state: CampaignState
    readonly target: Target
    readonly landing: Landing | undefined
  },
  {
    verdict,
    tip,
    isConflict,
  }: { readonly verdict: Verdict; readonly tip: string | null; readonly isConflict: boolean },
): Promise<void> {
  const isAsked = verdict.kind === 'settled' && verdict.status === 'proposed'
  const what =
    verdict.kind === 'refused'
      ? `${isConflict ? 'conflict' : 'refused'} ${oneLine(verdict.why)}`
      : isAsked
        ? 'asked'
        : verdict.kind === 'settled' && landing === 'ready'
          ? verdict.status === 'completed'
            ? 'ready'
            : 'reported'
          : undefined
  if (what === undefined || tip === null) return
  await control.record(
    () => ({
      event: 'landed',
      subject: `${isAsked ? 'Asked' : 'Landed'}: ${state.campaign.title} in ${target.address}`,
      lines: [[target.key, `${tip} ${what}`]],
    }),
    () => now().getTime(),
  )
}

export function digestOfPlan(text: string, { campaign }: CampaignState, { base }: Target): string {
  const read = readPlan(Buffer.from(text), { file: `${campaign.plan}.md`, id: campaign.plan, base })
  return read.ok ? read.plan.digest : digestOf('')
}

/** A clone without history: what a plan needs of a repository is its base. Only a revert needs what was merged. */
async function prepareClone(
  clone: string,
  { address, base, isWhole }: Target & { readonly isWhole: boolean },
  { env, now }: LookParts,
): Promise<void> {
  const isThere = (): boolean => existsSync(join(clone, '.git', 'HEAD'))
  if (!isThere()) {
    await mkdir(dirname(clone), { recursive: true })
    await removeLeftovers(clone, now())
    const making = await mkdtemp(`${clone}.new-`)
    // A repository on this disk is linked, not copied. What a revert needs of the past is fetched when it is needed.
    const shallow = address.startsWith('/') ? [] : [isWhole ? '--filter=blob:none' : '--depth=1']
    const git = gitAt(dirname(clone), env)
    await runPorcelain(git, ['clone', '--verbose', '--no-tags', '--single-branch', ...shallow, '--', address, making])
    const inside = gitAt(making, env)
    const head = (await inside.text(['symbolic-ref', '--short', 'HEAD'])).trim()
    if (head !== base) {
      await inside.network([
        'fetch',
        '--no-tags',
        ...shallow,
        'origin',
        `+refs/heads/${base}:refs/remotes/origin/${base}`,
      ])
      await runPorcelain(inside, ['checkout', '-b', base, `refs/remotes/origin/${base}`])
    }
    // A clone that was begun and not finished has another name. Another worker of this machine may have been faster.
    await rename(making, clone).catch(async (error: unknown) => {
      if (!isThere()) throw error
      await rm(making, { recursive: true, force: true })
    })
    return
  }
  // The policy and the base are those of now, not of the time of the clone.
  const git = gitAt(clone, env)
  await runPorcelain(git, ['remote', 'set-head', 'origin', '--auto'])
  const policy = (await git.text(['symbolic-ref', '--short', 'refs/remotes/origin/HEAD'])).trim().replace('origin/', '')
  const branches = [...new Set([policy, base])].map((name) => `+refs/heads/${name}:refs/remotes/origin/${name}`)
  await git.network(['fetch', '--no-tags', 'origin', ...branches])
}

/** Clones that a killed worker began. */
async function removeLeftovers(clone: string, now: Date): Promise<void> {
  for (const name of await readdir(dirname(clone))) {
    const left = join(dirname(clone), name)
    const isLeft = name.startsWith(`${basename(clone)}.new-`) && now.getTime() - (await stat(left)).mtimeMs > leftMs
    if (isLeft) await rm(left, { recursive: true, force: true })
  }
}

/** For a line of an event. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 300)

function parse(line: string): VerdictData | undefined {
  try {
    return JSON.parse(line) as VerdictData
  } catch {
    return undefined
  }
}
