// The port (interface) to a forge. Code outside this folder does not need to know which forge it is.

import { requireSafeApi } from './forge-repository.ts'

export type ForgeKind = 'github' | 'gitlab' | 'gitea'

export interface Person {
  readonly login: string
  readonly isBot: boolean
  /** True for a deleted user. */
  readonly isGhost: boolean
  /** The owner of an app or bot, if the forge reports it. */
  readonly owner?: string
}

export interface PullRequest {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'closed' | 'merged'
  readonly isDraft: boolean
  /** The head commit. */
  readonly head: string
  readonly branch: string
  readonly base: string
  readonly author: Person
  /** The branch is in another repository. */
  readonly isFork: boolean
  /** Without the prefix that marks a draft. */
  readonly title: string
  readonly body: string
}

export type ReviewState = 'approved' | 'changes-requested' | 'commented' | 'dismissed' | 'pending'

export interface Review {
  readonly id: string
  readonly person: Person | undefined
  readonly state: ReviewState
  /** The reviewed commit; undefined if the forge does not report it. */
  readonly commit: string | undefined
  /** ISO time; for a pending review the current time, so that it sorts last. */
  readonly at: string
  readonly url?: string
  /** For a dismissed review: dismissed by a push (a rule of the forge) or by a person. */
  readonly dismissal?:
    | { readonly kind: 'push'; readonly commit?: string }
    | { readonly kind: 'person'; readonly person: Person | undefined }
}

/** What somebody wrote about a pull request, below it, in a review or at a line. */
export interface Remark {
  readonly person: Person | undefined
  /** ISO time. */
  readonly at: string
  readonly text: string
  readonly path?: string
  readonly line?: number
}

export type Permission = 'none' | 'read' | 'write' | 'admin'

export interface Proposal {
  readonly branch: string
  readonly base: string
  readonly title: string
  readonly body: string
  readonly isDraft: boolean
}

export interface CommitStatus {
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  readonly context: string
  readonly description: string
  readonly url?: string
}

export interface MergeRequest {
  readonly method: 'merge' | 'squash' | 'rebase'
  readonly head: string
  readonly title?: string
  readonly message?: string
}

export interface Forge {
  readonly kind: ForgeKind
  readonly host: string
  /** owner/name */
  readonly repository: string
  /** Returns the owner of the token. */
  self(): Promise<Person>
  /** Returns the open pull request, or else the newest. A branch of this name in another repository does not match. */
  pullRequestOf(branch: string): Promise<PullRequest | undefined>
  pullRequest(number: number): Promise<PullRequest>
  /** Opens a draft, or updates title, body and base of the open one. */
  propose(request: Proposal): Promise<{ pullRequest: PullRequest; isNew: boolean }>
  /** Reads all pages; oldest first. */
  reviews(number: number): Promise<readonly Review[]>
  /** Reads all pages; oldest first. */
  remarks(number: number): Promise<readonly Remark[]>
  permissionOf(login: string): Promise<Permission>
  isInTeam(team: string, login: string): Promise<boolean>
  /** Returns who pushed the newest commit of the branch, if the forge reports it. */
  lastPusher(branch: string): Promise<Person | undefined>
  /**
   * Creates or updates one comment, which is found by a marker (an HTML comment) in its text. Only our own comments are
   * updated. Returns its URL.
   */
  comment(number: number, marker: string, text: string): Promise<string>
  status(commit: string, status: CommitStatus): Promise<void>
  /** Removes the draft mark. */
  ready(number: number): Promise<void>
  /** Merges only if the head is still this commit. */
  merge(number: number, how: MergeRequest): Promise<{ commit: string | undefined }>
}

/** A repository on a forge. `api` has no trailing slash. */
export interface ForgeRepository {
  readonly kind: ForgeKind
  readonly host: string
  readonly owner: string
  readonly name: string
  readonly api: string
}

export interface Limits {
  /** For one try, including the body. */
  readonly timeoutMs: number
  readonly tries: number
  /** The pause before the second try; it doubles with each further one. */
  readonly backOffMs: number
  /** The total time that one request may wait for the forge. */
  readonly patienceMs: number
  readonly bodyBytes: number
  readonly redirects: number
}

export interface ForgeOptions {
  /** undefined: requests are anonymous, which public repositories allow. */
  readonly token: string | undefined
  readonly fetch?: typeof globalThis.fetch
  readonly clock?: () => Date
  readonly signal?: AbortSignal
  readonly limits?: Partial<Limits>
}

/** Opens the client for this kind of forge; the others are not loaded. */
export async function openForge(forgeRepo: ForgeRepository, options: ForgeOptions): Promise<Forge> {
  const checked = requireSafeApi(forgeRepo)
  const clients = {
    github: async () => (await import('./github.ts')).openGitHub,
    gitlab: async () => (await import('./gitlab.ts')).openGitLab,
    gitea: async () => (await import('./gitea.ts')).openGitea,
  } satisfies Record<ForgeKind, unknown>
  const open = await clients[checked.kind]()
  return open(checked, options)
}
