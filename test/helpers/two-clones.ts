// Two clones of one bare repository: `repo` is Ada's, `other` is Dan's.

import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { planText, Tree, type Ran, type TestRepo } from './repo.ts'

/** Prepared repositories by the steps of the plan, as the first test of this process made them. */
const made = new Map<string, Tree>()

export class TwoClones {
  readonly bare: string
  readonly other: string
  readonly repo: TestRepo

  /** With the plan `p`, approved and submitted by Ada, and fetched by Dan. */
  static async with(repo: TestRepo, steps: string): Promise<TwoClones> {
    const top = dirname(repo.dir)
    const known = made.get(steps)
    if (known !== undefined) {
      rmSync(repo.dir, { recursive: true })
      known.writeTo(top)
      const copy = new TwoClones(repo, { isMade: true })
      for (const cwd of [repo.dir, copy.other]) repo.refreshIndex(cwd)
      return copy
    }
    const clones = new TwoClones(repo)
    await clones.ada(0, 'new', '--from', '-', '--id', 'p', { input: planText(steps) })
    await clones.ada(0, 'approve', 'p')
    await clones.ada(0, 'submit', 'p')
    await clones.dan(0, 'fetch', 'p')
    // One that names a place of this test is of no use to another.
    if (!steps.includes(top)) made.set(steps, new Tree(top))
    return clones
  }

  constructor(repo: TestRepo, { isMade = false } = {}) {
    this.repo = repo
    this.bare = join(repo.home, 'remote.git')
    this.other = join(repo.home, 'other')
    if (isMade) return
    repo.git(['init', '-q', '--bare', '-b', 'main', this.bare])
    repo.git(['remote', 'add', 'origin', this.bare])
    repo.git(['push', '-q', 'origin', 'main'])
    repo.git(['fetch', '-q', 'origin'])
    repo.git(['remote', 'set-head', 'origin', 'main'])
    repo.git(['clone', '-q', this.bare, this.other])
    for (const [name, value] of Object.entries({ 'user.name': 'Dan', 'user.email': 'dan@example.com' }))
      repo.git(['config', name, value], { cwd: this.other })
  }

  ada(code: number, ...args: readonly (string | { input: string })[]): Promise<Ran> {
    return this.#run(this.repo.dir, code, args)
  }

  dan(code: number, ...args: readonly (string | { input: string })[]): Promise<Ran> {
    return this.#run(this.other, code, args)
  }

  async #run(cwd: string, code: number, args: readonly (string | { input: string })[]): Promise<Ran> {
    const words = args.filter((arg) => typeof arg === 'string')
    const ran = await this.repo.plan(words, { cwd, ...args.find((arg) => typeof arg !== 'string') })
    expect(ran.code, `git plan ${words.join(' ')}: ${ran.all}`).toBe(code)
    return ran
  }

  /** A ref in Ada's clone, in Dan's, and on the remote. */
  at(place: 'ada' | 'dan' | 'there', ref = 'refs/heads/plan/p'): string {
    const cwd = { ada: this.repo.dir, dan: this.other, there: this.bare }[place]
    return this.repo.git(['for-each-ref', '--format=%(objectname)', ref], { cwd })
  }

  /** The commits that refs/plan/p/rollbacks keep. */
  kept(place: 'ada' | 'dan' | 'there'): string[] {
    const cwd = { ada: this.repo.dir, dan: this.other, there: this.bare }[place]
    return this.repo.git(['for-each-ref', '--format=%(*objectname)', 'refs/plan/p/rollbacks/'], { cwd }).split('\n')
  }
}
