// The repository for fault tests: autostashed user changes, a foreign lock, a plan with every kind of event, and files
// outside that record what really ran.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Library from '../../src/index.ts'
import { fillShelves, lockFiles, Outside, Snapshot } from '../helpers/crash.ts'
import { bin, planText, TestRepo, type Ran } from '../helpers/repo.ts'
import { isWhole } from './figures.ts'

const { openPlans, PlanError } = (await import(pathToFileURL(join(dirname(bin), 'index.mjs')).href)) as typeof Library

export type Answer = Pick<Ran, 'code' | 'all'> & { readonly error: Library.ErrorCode | undefined }

/** What the commands that are called here are given. */
interface Request {
  readonly plan: string
  readonly [option: string]: string | true
}

export const byGit = { throughGit: true }

/** Where nobody of ours may remove it: it was there before. */
const foreignLock = 'refs/plan/demo/attempts/one/foreign.lock'

export class World {
  readonly repo = new TestRepo()
  readonly ledger = new Outside(this.repo, 'ledger')
  readonly marker = new Outside(this.repo, 'second')
  readonly plans = openPlans({ directory: this.repo.dir, env: this.repo.env })
  #begin: { readonly tree: Snapshot; readonly ledger: readonly string[]; readonly marker: boolean } | undefined

  /** step, failure that is retried, check, files that only we write, external effect, failure that is allowed. */
  steps(): string {
    const { path } = this.ledger
    return [
      `  - {id: one, retries: 1, verify: ['test -e one.txt; : check'], run: 'echo one >> ${path}; echo 1 > one.txt; rm -f gone.txt; echo 1 >> a.txt; echo x > scratch.log; test -e ${this.marker.path} || { touch ${this.marker.path}; exit 1; }'}`,
      '  - {id: made, create: made.txt, content: "made\\n"}',
      '  - {id: deep, create: new/deep/made.txt, content: "deep\\n"}',
      '  - {id: more, edit: made.txt, append: "more"}',
      `  - {id: pay, effect: external, run: 'echo pay >> ${path}; echo paid > paid.log', undo: 'echo unpay >> ${path}'}`,
      `  - {id: may, allow_failure: true, run: 'echo may >> ${path}; echo 5 > five.txt; mkdir new/may; echo n > new/may/n.txt; false'}`,
    ].join('\n')
  }

  /** The same in two waves. A step that runs a command takes a while, another one for each seed. */
  parallelSteps(seed: number): string {
    const { path } = this.ledger
    const pause = (at: number): string => `sleep 0.${String((seed * 37 + at * 23) % 90).padStart(2, '0')}`
    return [
      `  - {id: one, needs: [], retries: 1, verify: ['test -e one.txt; : check'], run: '${pause(1)}; echo one >> ${path}; echo 1 > one.txt; rm -f gone.txt; echo 1 >> a.txt; echo x > scratch.log; test -e ${this.marker.path} || { touch ${this.marker.path}; exit 1; }'}`,
      '  - {id: made, needs: [], create: made.txt, content: "made\\n"}',
      `  - {id: may, needs: [], allow_failure: true, run: '${pause(2)}; echo may >> ${path}; echo 5 > five.txt; mkdir -p new/may; echo n > new/may/n.txt; false'}`,
      `  - {id: same, needs: [], run: '${pause(3)}; echo same >> ${path}; echo same >> a.txt'}`,
      '  - {id: more, needs: [made], edit: made.txt, append: "more"}',
      `  - {id: pay, needs: [one], effect: external, run: 'echo pay >> ${path}; echo paid > paid.log', undo: 'echo unpay >> ${path}'}`,
    ].join('\n')
  }

  /** The same, and a step for a driver, before the last one. */
  drivenSteps(): string {
    return [
      this.steps(),
      '  - {id: greet, agent: driver, prompt: Say hello, files: [hello.txt], verify: [grep -q hello hello.txt]}',
      `  - {id: last, run: 'echo last >> ${this.ledger.path}; cp hello.txt last.txt'}`,
    ].join('\n')
  }

  /** A step of an agent, whose first work its check refuses, and one that needs it. */
  agentSteps(): string {
    const work = 'if test -e hello.txt; then echo hello > hello.txt; else printf half > hello.txt; fi'
    this.repo.git([
      'config',
      'plan.agent.worker.run',
      `cat > /dev/null; echo greet >> ${this.ledger.path}; ${work}; echo I said hello`,
    ])
    return [
      '  - {id: greet, agent: worker, prompt: Say hello, repair: 1, files: [hello.txt], verify: [grep -q hello hello.txt]}',
      `  - {id: last, run: 'echo last >> ${this.ledger.path}; cp hello.txt last.txt'}`,
    ].join('\n')
  }

  prepare(plan = planText(this.steps())): void {
    const { repo } = this
    repo.write('.gitignore', '*.log\n')
    for (const name of ['b.txt', 'c.txt', 'gone.txt']) repo.write(name, `${name}\n`)
    repo.commit('More')
    repo.write('.plans/demo.md', plan)
    repo.write('b.txt', 'the user changed this\n')
    repo.write('c.txt', 'staged\n')
    repo.git(['add', 'c.txt'])
    repo.write('mine/untracked.txt', 'mine\r\n')
    repo.write('keep.log', 'ignored\n')
    mkdirSync(dirname(repo.path('.git', foreignLock)), { recursive: true })
    writeFileSync(repo.path('.git', foreignLock), '')
  }

  /** From here every injection begins. */
  keep(): void {
    fillShelves(this.repo)
    this.#begin = { tree: new Snapshot(this.repo), ledger: this.ledger.lines(), marker: existsSync(this.marker.path) }
  }

  reset(): void {
    if (this.#begin === undefined) throw new Error('nothing was kept')
    const { tree, ledger, marker } = this.#begin
    tree.restore()
    this.ledger.write(ledger.map((line) => `${line}\n`).join(''))
    if (marker) this.marker.write()
    else this.marker.remove()
  }

  /**
   * A command as people call it, `git plan NAME`. Tens of thousands of them, in the whole run, are called in this
   * process where no lock is left: git as the parent makes a difference to locks alone.
   */
  async call(
    name: 'start' | 'resume' | 'next' | 'rollback' | 'finish' | 'cancel' | 'delete',
    request: Request,
  ): Promise<Answer> {
    if (!isWhole || leftLocks(this.repo).length > 0) return this.#callGit(name, request)
    try {
      const method = this.plans[name] as (request: Request) => Promise<Library.PlansResult<object>>
      const { exitCode, data } = await method(request)
      return { code: exitCode, all: JSON.stringify(data), error: undefined }
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      return { code: error.exitCode, all: `${error.message} ${error.hint ?? ''}`, error: error.code }
    }
  }

  async #callGit(name: string, { plan, ...options }: Request): Promise<Answer> {
    const flags = Object.entries(options).map(([key, value]) => [
      `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      ...(typeof value === 'string' ? [value] : []),
    ])
    const { code, all, stdout } = await this.repo.plan([name, plan, ...flags.flat(), '--json'], byGit)
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) || '{}') as { kind?: string; code?: Library.ErrorCode }
    return { code, all, error: last.kind === 'error' ? last.code : undefined }
  }

  hasBranch(): boolean {
    return this.repo.git(['for-each-ref', '--format=x', 'refs/heads/plan/demo']) !== ''
  }

  async statusOf(step: string): Promise<string | undefined> {
    const { data } = await this.plans.status({ plan: 'demo' })
    return data.steps.find(({ id }) => id === step)?.seen
  }

  isForeignLockThere(): boolean {
    return existsSync(this.repo.path('.git', foreignLock))
  }

  remove(): void {
    this.repo.remove()
  }
}

/** Lock files but the foreign one. */
export const leftLocks = (repo: TestRepo): string[] => lockFiles(repo).filter((name) => name !== foreignLock)
