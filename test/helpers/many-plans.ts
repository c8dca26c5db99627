// A repository with many plans, each a branch of its own, made by one process; and changes of every kind that a list may see.

import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PlanRepo } from './plan-repo.ts'

export interface PlanState {
  readonly status: string
  /** How many of three steps are done. */
  readonly done: number
  readonly title: string
  readonly base?: string
}

const planFileText = (id: string, { status, done, title, base = 'main' }: PlanState): string =>
  [
    '---',
    `plan: ${id}`,
    `title: ${title}`,
    `base: ${base}`,
    'steps:',
    // Of which risk the first and the third are, the configuration can say.
    '  - id: one\n    create: one.txt\n    content: one',
    '  - id: two\n    run: cat two.txt',
    '  - id: three\n    run: mytool look\n    changes: none',
    `status: ${status}`,
    done === 0 ? 'state: {}' : 'state:',
    ...['one', 'two', 'three'].slice(0, done).map((step) => `  ${step}: done`),
    '---\n',
  ].join('\n')

const dataOf = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

export class ManyPlans extends PlanRepo {
  readonly ids: string[]
  #seconds = Date.parse('2025-01-01T12:00:00Z') / 1000

  constructor(count: number) {
    super()
    this.ids = Array.from({ length: count }, (_, at) => `plan-${at}`)
    const states = ['proposed', 'approved', 'active', 'failed', 'completed', 'cancelled']
    const state = (at: number): PlanState => ({ status: states[at % states.length] ?? '', done: at % 4, title: `Größe ${at} "of" all` })
    this.import(
      this.ids.flatMap((id, at) => [
        this.commitOn(`refs/heads/plan/${id}`, id, { ...state(at), status: 'proposed', done: 0 }, { event: 'proposed', from: 'refs/heads/main' }),
        this.commitOn(`refs/heads/plan/${id}`, id, { ...state(at), status: 'approved', done: 0 }, { event: 'approved', from: 'here' }),
        this.commitOn(`refs/heads/plan/${id}`, id, state(at), { event: 'step', step: 'one', from: 'here' }),
      ]),
    )
  }

  /** One commit on a ref, a minute after the one before; without an event somebody else's. `here`: on what this import has put there. */
  commitOn(ref: string, id: string, state: PlanState | string, { event, from = ref, step }: { event?: string; from?: string; step?: string } = {}): string {
    this.#seconds += 60
    const trailers =
      event === undefined ? '' : `\n\nPlan-Id: ${id}\nPlan-Event: ${event}${step === undefined ? '' : `\nPlan-Step: ${step}\nPlan-Duration-Ms: 1500`}`
    const who = `Ada <ada@example.org> ${this.#seconds} +0000`
    const text = typeof state === 'string' ? state : planFileText(id, state)
    return `commit ${ref}\nauthor ${who}\ncommitter ${who}\n${dataOf(`${event ?? 'Tidy up'}${trailers}`)}${from === 'here' ? '' : `from ${from}^0\n`}M 100644 inline .plans/${id}.md\n${dataOf(text)}\n`
  }

  import(commits: readonly string[]): void {
    execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: this.root, env: this.env, input: commits.join(''), stdio: ['pipe', 'ignore', 'inherit'] })
  }

  /** A file of main, whether or not it is checked out. */
  onMain(path: string, text: string): void {
    this.#seconds += 60
    const who = `Ada <ada@example.org> ${this.#seconds} +0000`
    this.import([
      `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\n${dataOf('Main')}from refs/heads/main^0\nM 100644 inline ${path}\n${dataOf(text)}\n`,
    ])
  }

  has(ref: string): boolean {
    return this.git('for-each-ref', '--format=%(refname)', ref) === ref
  }

  /** A tag that says that the plan was rolled back to a commit. */
  rollBack(id: string, number: number, event: string, to: string): void {
    const text = `object ${to}\ntype commit\ntag ${number}\ntagger Ada <ada@example.org> ${this.#seconds} +0000\n\nRoll back\n\nPlan-Event: ${event}\nPlan-To: ${to}\nPlan-Step: two\n`
    const tag = execFileSync('git', ['mktag'], { cwd: this.root, env: this.env, input: text, encoding: 'utf8' }).trim()
    this.git('update-ref', `refs/plan/${id}/rollbacks/${number}`, tag)
  }

  /** The record of somebody at work, or of somebody who was. */
  hold(id: string, holder: object | undefined): void {
    const directory = join(this.root, '.git/plan', id)
    rmSync(directory, { recursive: true, force: true })
    if (holder === undefined) return
    mkdirSync(directory, { recursive: true })
    const record = { run: 'r', command: 'start', kind: 'step', step: 'two', attempt: 2, since: '2025-01-01T11:00:00Z' }
    writeFileSync(join(directory, 'lock-1'), JSON.stringify({ ...holder, ...record }))
    writeFileSync(join(directory, 'intent.json'), JSON.stringify({ ...record, identity: holder }))
  }
}
