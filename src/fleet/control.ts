// The control repository, in which a campaign is a branch and each of its events a commit. This machine reads a copy, and
// every event is pushed with the tip that it expects: of two writers one is refused, reads again, and decides anew.

import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { encodeProof, parseLine, withoutPassword } from '../approval/rules/campaign-proof.ts'
import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import { GitRunner } from '../git/command/runner.ts'
import { rawPath } from '../git/read/raw-path.ts'
import { Repository } from '../git/repository.ts'
import type { Commit } from '../git/write/commit.ts'
import { ObjectWriter } from '../git/write/objects.ts'
import { isId, planId, type Oid, type PlanId } from '../plan/model/ids.ts'
import { formatMessage } from '../plan/record/trailers.ts'
import { gitEnvironment, type Environment } from '../process/environment.ts'
import { campaignTrailers } from '../store/campaign-approval.ts'
import { campaignBranch, evidenceOf, files, keyOf, parseCampaign, rootOf } from './campaign.ts'
import { stateFrom, valueTrailer, type CampaignEventName, type CampaignState } from './campaign-state.ts'
import type { FleetHome } from './fleet-home.ts'

export interface CampaignEvent {
  readonly event: CampaignEventName
  readonly subject: string
  readonly value?: string
  /** By key. */
  readonly lines?: readonly (readonly [key: string, rest: string])[]
  /** New files, with which a campaign begins or is revised. */
  readonly files?: ReadonlyMap<string, string>
  readonly isSigned?: boolean
}

/** Git without a repository. */
export const gitAt = (cwd: string, env: Environment): GitRunner =>
  new GitRunner({ cwd, env: gitEnvironment(env), mayFetch: true })

/** The campaigns of a control repository. */
export async function campaignsIn(
  address: string,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Promise<PlanId[]> {
  const listed = await gitAt(cwd, env).network(['ls-remote', address, campaignBranch('*')])
  return listed.split('\n').flatMap((line) => {
    const id = line.split('\t')[1]?.slice(campaignBranch('').length) ?? ''
    return isId(id) ? [planId(id)] : []
  })
}

export class Control {
  readonly repo: Repository
  readonly id: PlanId
  readonly address: string
  readonly #objects: ObjectWriter
  readonly #approvals: string
  #state: CampaignState | undefined
  #refreshedAt = Number.NEGATIVE_INFINITY
  /** The looks of a worker share this copy, and two fetches at the same time would hinder each other. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(repo: Repository, id: PlanId, address: string, approvals: string) {
    this.repo = repo
    this.id = id
    this.address = address
    this.#objects = new ObjectWriter(repo)
    this.#approvals = approvals
  }

  /** `address`: that of the control repository; by default the one that was used before, or one on this machine. */
  static async open(
    id: PlanId,
    {
      home,
      env,
      address,
    }: {
      readonly home: FleetHome
      readonly env: Environment
      readonly address: string | undefined
    },
  ): Promise<Control> {
    const git = gitAt(home.root, env)
    if (!existsSync(home.copy)) await initBare(git, home.copy)
    const repo = await Repository.openStore({ cwd: home.copy, env: gitEnvironment(env) })
    const known = await repo.config.value('remote.origin.url')
    const control = address ?? known ?? home.control
    if (address === undefined && known === undefined && !existsSync(home.control)) await initBare(git, home.control)
    if (known !== control) {
      // What another control repository said of a campaign of this name is not for this one.
      await dropCopy(repo, id)
      if (known !== undefined) await rm(home.approvals, { force: true })
      await runPorcelain(repo.git, ['remote', known === undefined ? 'add' : 'set-url', 'origin', control])
    }
    return new Control(repo, id, withoutPassword(control), home.approvals)
  }

  close(): void {
    this.repo.close()
  }

  /** Asks the control repository for news, if the last answer is older than `maxAgeMs`. */
  refresh(now: number, maxAgeMs = 0): Promise<void> {
    return this.#alone(() => this.#refresh(now, maxAgeMs))
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work)
    this.#last = done.catch(() => {})
    return done
  }

  async #refresh(now: number, maxAgeMs = 0): Promise<void> {
    if (now - this.#refreshedAt <= maxAgeMs) return
    const ref = campaignBranch(this.id)
    const before = await this.repo.tipOf(ref)
    try {
      await runPorcelain(this.repo.git, [
        'fetch',
        '--verbose',
        '--no-tags',
        '--no-write-fetch-head',
        'origin',
        `+${ref}:${ref}`,
      ])
    } catch (error) {
      // A campaign that is about to be proposed, or was deleted there.
      if (!(error instanceof PlanError) || !/couldn't find remote ref/.test(error.message)) throw error
      await dropCopy(this.repo, this.id)
    }
    const after = await this.repo.tipOf(ref)
    // Its history was rewritten: an approval that was given here may have been superseded since.
    if (before !== undefined && (after === undefined || !(await this.repo.isAncestor(before, after))))
      await rm(this.#approvals, { force: true })
    this.#refreshedAt = now
  }

  /** undefined: there is no such campaign. */
  async read(): Promise<CampaignState | undefined> {
    const tip = await this.repo.tipOf(campaignBranch(this.id))
    if (tip === undefined) return undefined
    if (this.#state?.tip === tip) return this.#state
    const commits: Commit[] = []
    for await (const commit of this.repo.history(tip)) commits.push(commit)
    const campaign = parseCampaign(this.id, {
      campaign: await this.#file(tip, files.campaign(this.id)),
      manifest: await this.#file(tip, files.manifest(this.id)),
    })
    this.#state = stateFrom(campaign, rootOf(campaign), commits.toReversed())
    return this.#state
  }

  async require(): Promise<CampaignState> {
    const state = await this.read()
    if (state !== undefined) return state
    throw new PlanError('unknown-plan', `there is no campaign ${this.id} in ${this.address}`, {
      hint: 'git plan fleet list',
    })
  }

  /** The text of the plan with this digest. Whoever uses it compares the digest. */
  textOf(state: CampaignState, digest: string): Promise<string> {
    return this.#file(state.tip, files.text(this.id, digest))
  }

  /** The digests that the manifests of all epochs have for a target. */
  async digestsOf({ tip }: CampaignState, key: string): Promise<string[]> {
    const manifest = files.manifest(this.id)
    const commits = (await this.repo.git.text(['rev-list', tip, '--', manifest])).trim().split('\n')
    const texts = await Promise.all(commits.map((commit) => this.#file(commit as Oid, manifest)))
    const lines = texts.flatMap((text) => text.split('\n').flatMap((line) => parseLine(line) ?? []))
    return [...new Set(lines.flatMap(({ address, digest }) => (keyOf(address) === key ? [digest] : [])))]
  }

  /** For `git plan approve --campaign`. */
  async proofFor(state: CampaignState, key: string): Promise<{ campaign: string; proof: string } | undefined> {
    const { approved, campaign } = state
    const commit = approved === undefined ? undefined : await this.repo.readObject(approved)
    if (approved === undefined || commit === undefined) return undefined
    return {
      campaign: `${this.address}@${approved}`,
      proof: encodeProof({ commit: Buffer.from(commit.bytes).toString('base64'), ...evidenceOf(campaign, key) }),
    }
  }

  /** Records what `decide` wants of the newest state; undefined: nothing. */
  record(
    decide: (state: CampaignState | undefined) => CampaignEvent | undefined,
    now: () => number,
  ): Promise<CampaignState> {
    return this.#alone(() => this.#record(decide, now))
  }

  async #record(
    decide: (state: CampaignState | undefined) => CampaignEvent | undefined,
    now: () => number,
  ): Promise<CampaignState> {
    for (let tries = 1; ; tries++) {
      await this.#refresh(now())
      const before = await this.read()
      const event = decide(before)
      if (event === undefined) return this.require()
      try {
        await this.#push(before, event)
        return await this.require()
      } catch (error) {
        this.#refreshedAt = Number.NEGATIVE_INFINITY
        const isMoved =
          error instanceof PlanError && /stale info|fetch first|cannot lock ref|rejected/.test(error.message)
        if (!isMoved || tries >= 5) throw error
      }
    }
  }

  async #push(before: CampaignState | undefined, event: CampaignEvent): Promise<void> {
    const ref = campaignBranch(this.id)
    const old = before === undefined ? undefined : await this.repo.readCommit(before.tip)
    const tree =
      event.files === undefined
        ? (old?.tree ?? (await this.#objects.emptyTree()))
        : await this.#objects.treeWithAll(
            await this.#objects.emptyTree(),
            new Map(
              await Promise.all(
                Array.from(
                  event.files,
                  async ([path, text]) =>
                    [rawPath(path), { mode: '100644', oid: await this.#objects.blob(Buffer.from(text)) }] as const,
                ),
              ),
            ),
          )
    const approval =
      event.event === 'approved' && before !== undefined
        ? ([
            [campaignTrailers.epoch, String(before.epoch)],
            [campaignTrailers.root, rootOf(before.campaign)],
            [campaignTrailers.repository, this.address],
          ] as const)
        : []
    const commit = await this.#objects.commit({
      tree,
      parents: before === undefined ? [] : [before.tip],
      message: formatMessage({
        subject: event.subject,
        ...(event.lines === undefined
          ? {}
          : { body: event.lines.map(([key, rest]) => `${key} ${rest}`.trimEnd()).join('\n') }),
        trailers: [
          [campaignTrailers.id, this.id],
          [campaignTrailers.event, event.event],
          ...(event.value === undefined ? [] : [[valueTrailer, event.value] as const]),
          ...approval,
        ],
      }),
      ...(event.isSigned === true ? { isSigned: true } : {}),
    })
    await this.#objects.flush()
    await runPorcelain(this.repo.git, [
      'push',
      '--verbose',
      '--no-verify',
      `--force-with-lease=${ref}:${before?.tip ?? ''}`,
      'origin',
      `${commit}:${ref}`,
    ])
    await this.repo.moveRefs([{ ref, from: before?.tip, to: commit }])
  }

  async #file(commit: Oid, path: string): Promise<string> {
    const bytes = await this.repo.readBlob(`${commit}:${path}`)
    if (bytes !== undefined) return bytes.toString()
    throw new PlanError('invalid-plan', `campaign ${this.id} has no ${path}`, { hint: 'git plan fleet list' })
  }
}

async function dropCopy(repo: Repository, id: PlanId): Promise<void> {
  const ref = campaignBranch(id)
  const tip = await repo.tipOf(ref)
  if (tip !== undefined) await repo.moveRefs([{ ref, from: tip, to: undefined }])
}

export async function initBare(git: GitRunner, directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true })
  await runPorcelain(git, ['init', '--bare', '--initial-branch', 'main', directory])
}
