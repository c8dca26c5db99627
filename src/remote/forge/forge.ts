// The port: what is asked of a forge, and what it answers. Which forge it is, nobody above this folder has to know.

import { checkedPlace } from './forge-repository.ts'

export type ForgeKind = 'github' | 'gitlab' | 'gitea'

export interface Person {
  readonly login: string
  readonly isBot: boolean
  /** A deleted user. */
  readonly isGhost: boolean
  /** Of an app or bot, where the forge tells: who owns it. */
  readonly owner?: string
}

export interface PullRequest {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'closed' | 'merged'
  readonly isDraft: boolean
  /** The commit. */
  readonly head: string
  readonly branch: string
  readonly base: string
  readonly author: Person
  /** The branch lives in another repository. */
  readonly isFork: boolean
  /** Without the prefix by which a forge knows a draft. */
  readonly title: string
  readonly body: string
}

export type ReviewState = 'approved' | 'changes-requested' | 'commented' | 'dismissed' | 'pending'

export interface Review {
  readonly id: string
  readonly person: Person | undefined
  readonly state: ReviewState
  /** The commit that was looked at; undefined where the forge does not say. */
  readonly commit: string | undefined
  /** ISO time; of a pending one, now: it comes after all others. */
  readonly at: string
  readonly url?: string
  /** Of a dismissed one: by a push (the forge's own rule), or by a person. */
  readonly dismissal?:
    | { readonly kind: 'push'; readonly commit?: string }
    | { readonly kind: 'person'; readonly person: Person | undefined }
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
  /** Who the token belongs to. */
  self(): Promise<Person>
  /** The open one, else the newest. A branch of this name in another repository is another branch. */
  pullRequestOf(branch: string): Promise<PullRequest | undefined>
  pullRequest(number: number): Promise<PullRequest>
  /** Opens a draft, or brings title, body and base of the open one up to date. */
  propose(request: Proposal): Promise<{ pullRequest: PullRequest; isNew: boolean }>
  /** All pages, oldest first. */
  reviews(number: number): Promise<readonly Review[]>
  permissionOf(login: string): Promise<Permission>
  isInTeam(team: string, login: string): Promise<boolean>
  /** Who pushed the newest commit of the branch, where the forge tells. */
  lastPusher(branch: string): Promise<Person | undefined>
  /**
   * One comment of ours, found again by a marker (an HTML comment) in it; made or updated. Only a comment by ourselves
   * is ever updated. The answer is its address.
   */
  comment(number: number, marker: string, text: string): Promise<string>
  status(commit: string, status: CommitStatus): Promise<void>
  /** No draft any more. */
  ready(number: number): Promise<void>
  /** Only if the head is still this commit. */
  merge(number: number, how: MergeRequest): Promise<{ commit: string | undefined }>
}

/** A repository on a forge. `api` has no slash at its end. */
export interface Place {
  readonly kind: ForgeKind
  readonly host: string
  readonly owner: string
  readonly name: string
  readonly api: string
}

export interface Limits {
  /** For one try, its body included. */
  readonly timeoutMs: number
  readonly tries: number
  /** Before the second try, and twice as long before each further one. */
  readonly backOffMs: number
  /** How long a forge may make us wait, all in all, for one request. */
  readonly patienceMs: number
  readonly bodyBytes: number
  readonly redirects: number
}

export interface ForgeOptions {
  /** undefined asks without one, as anybody may in public repositories. */
  readonly token: string | undefined
  readonly fetch?: typeof globalThis.fetch
  readonly clock?: () => Date
  readonly signal?: AbortSignal
  readonly limits?: Partial<Limits>
}

/** The client for this place; only that one is loaded. */
export async function openForge(place: Place, options: ForgeOptions): Promise<Forge> {
  const checked = checkedPlace(place)
  const clients = {
    github: async () => (await import('./github.ts')).openGitHub,
    gitlab: async () => (await import('./gitlab.ts')).openGitLab,
    gitea: async () => (await import('./gitea.ts')).openGitea,
  } satisfies Record<ForgeKind, unknown>
  const open = await clients[checked.kind]()
  return open(checked, options)
}
