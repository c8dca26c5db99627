// Runs the commands of the machine in a real repository, with the real binary, and reads the resulting state.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { disorder, Outside } from '../../helpers/crash.ts'
import { onDisk } from '../../helpers/listing.ts'
import { bin, ended, TestRepo, type Ran } from '../../helpers/repo.ts'
import { planFile } from './plan-file.ts'
import {
  base,
  changed,
  nth,
  revised,
  type Command,
  type Files,
  type Resume,
  type Revision,
  type Rollback,
} from './words.ts'
import { at, headFiles, history, isStartable, nextStep, statusOf, type World } from './state.ts'

/** The bundle under test as a library: the same command as `git plan status --json`, without a process. */
const { openPlans } = (await import(join(dirname(bin), 'index.mjs'))) as typeof import('../../../src/index.ts')

const ofTheUser = 'ignored\r\n'

export class Real {
  readonly repo = new TestRepo()
  readonly #out = join(dirname(this.repo.dir), 'out')
  readonly #ledger = new Outside(this.repo, 'out/ledger')
  /** What the last command of ours printed. */
  said = ''

  constructor() {
    this.repo.env['OUT'] = this.#out
    for (const name of ['marks', 'happened']) mkdirSync(join(this.#out, name), { recursive: true })
    this.#ledger.write()
    this.repo.write('.gitignore', base['.gitignore']!)
    this.repo.commit('Ignore')
    this.repo.write('keep.log', ofTheUser)
  }

  /** Answers with the exit code. The world is as it was before the command. */
  async apply(command: Command, world: World): Promise<number> {
    this.said = ''
    switch (command.kind) {
      case 'start':
        return this.#plan(this.#start(world, command.approve))
      case 'race':
        return this.#race(
          isStartable(world)
            ? this.#start(world, command.approve)
            : ['resume', 'demo', ...(command.approve ? ['--approve'] : [])],
        )
      case 'resume':
        return this.#plan(resumeOf(command, world))
      case 'rollback':
        return this.#plan(rollbackOf(command, world))
      case 'replan':
        return this.#plan(['replan', 'demo', '--from', this.#revision(world, command.how)])
      case 'cancel':
        return this.#plan(['cancel', 'demo'])
      case 'edit':
      case 'commit':
        this.#edit(command.file, command.text)
        return command.kind === 'commit' ? this.#git(['add', '-A'], ['commit', '-q', '-m', 'Of the user']) : 0
      case 'reset':
        return this.#git(['reset', '-q', '--hard', `HEAD~${command.back % history(world).length}`])
      case 'mark':
        writeFileSync(join(this.#out, 'marks', nth(world.first, command.step).id), '')
        return 0
      case 'clean':
        return this.#git(['reset', '-q', '--hard'], ['clean', '-fdq'])
      case 'switch':
        return this.#git(['checkout', '-q', world.isOnPlan ? 'main' : 'plan/demo'])
      case 'clone':
        return this.#clone()
    }
  }

  /** What an audit finds, but commits of the user's that nobody has taken over, and effects that are not settled. */
  async unproven(): Promise<string[]> {
    if (this.repo.git(['for-each-ref', 'refs/heads/plan/demo']) === '') return []
    const { stdout } = await this.repo.plan(['audit', 'demo', '--json'])
    const { plans } = JSON.parse(stdout) as { plans: { findings: { rule: string; message: string }[] }[] }
    return plans.flatMap(({ findings }) =>
      findings
        .filter(({ rule }) => rule !== 'foreign' && rule !== 'effect')
        .map(({ rule, message }) => `${rule}: ${message}`),
    )
  }

  async #plan(args: readonly string[]): Promise<number> {
    const ran = await this.repo.plan(args)
    this.said = ran.all
    return ran.code
  }

  #git(...commands: readonly string[][]): number {
    for (const args of commands) this.repo.git(args)
    return 0
  }

  #edit(file: string, text: string | undefined): void {
    if (text === undefined) rmSync(this.repo.path(file), { force: true })
    else this.repo.write(file, text)
  }

  #start(world: World, isApproving: boolean): string[] {
    const file = join(this.#out, 'demo.md')
    if (world.tip < 0) writeFileSync(file, planFile(world.first))
    return ['start', world.tip < 0 ? file : 'demo', ...(isApproving ? ['--approve'] : [])]
  }

  #revision(world: World, how: Revision): string {
    const file = join(this.#out, 'next.md')
    writeFileSync(file, planFile(revised(world.tip < 0 ? world.first : at(world).steps, how)))
    return file
  }

  /** Both begin at once; the one that is let in waits in its first command until the other has been turned away. */
  async #race(args: readonly string[]): Promise<number> {
    const hold = join(this.#out, 'hold')
    writeFileSync(hold, '')
    const both = [0, 1].map(() => ended(this.repo.spawn(args)))
    await Promise.race(both)
    rmSync(hold)
    const [winner, loser] = (await Promise.all(both)).toSorted(
      (a, b) => Number(a.code === 4) - Number(b.code === 4),
    ) as [Ran, Ran]
    this.said = [winner, loser].map(({ code, all }) => `${code}: ${all}`).join('\n')
    if (loser.code !== 4) throw new Error(`nobody was turned away:\n${this.said}`)
    return winner.code
  }

  /** Another clone in the place of this one, with nothing but the branches and the plan's refs. */
  #clone(): number {
    const { repo } = this
    const old = join(dirname(repo.dir), 'old')
    renameSync(repo.dir, old)
    repo.git(['clone', '-q', '-b', 'main', old, repo.dir], { cwd: dirname(repo.dir) })
    this.#git(
      ['config', 'user.name', 'Bob'],
      ['config', 'user.email', 'bob@example.com'],
      ['fetch', '-q', 'origin', 'refs/heads/plan/*:refs/heads/plan/*', 'refs/plan/*:refs/plan/*'],
      // It is gone, and what it had is not ahead of anything.
      ['remote', 'remove', 'origin'],
    )
    rmSync(old, { recursive: true })
    repo.write('keep.log', ofTheUser)
    return 0
  }

  /** The same as `expected`, from the repository. */
  async seen(): Promise<object> {
    const { repo } = this
    const lines = (args: string[]): string[] =>
      repo
        .git(args)
        .split('\n')
        .filter((line) => line !== '')
        .toSorted()
    const refs = lines(['for-each-ref', '--format=%(refname:lstrip=3) %(contents:subject)', 'refs/plan/demo'])
    const under = (name: string): string[] => refs.filter((ref) => ref.startsWith(`${name}/`))
    const isThere = lines(['branch', '--list', 'plan/demo']).length > 0
    const tip = isThere
      ? lines(['ls-tree', '-r', '--format=%(path) %(objectname)', 'plan/demo']).filter(
          (line) => !line.startsWith('.plans/'),
        )
      : []
    return {
      plan: isThere ? await this.#status() : undefined,
      tip,
      branch: repo.git(['symbolic-ref', '--short', 'HEAD']),
      files: onDisk(repo.dir),
      dirty: lines(['status', '--porcelain', '-uall'])
        .map((line) => line.slice(3))
        .toSorted(),
      ledger: this.#ledger.lines(),
      attempts: under('attempts').map((ref) => ref.split(' ')[0]),
      effects: newest(under('effects')),
      rollbacks: under('rollbacks').length,
      disorder: [...disorder(repo), ...this.#leftovers()],
    }
  }

  async #status(): Promise<object> {
    const { data } = await openPlans({ directory: this.repo.dir, env: this.repo.env }).status({ plan: 'demo' })
    const { status, progress, next, steps } = data
    return { status, progress, next, steps: steps.map((step) => `${step.id} ${step.status}`) }
  }

  #leftovers(): string[] {
    const dir = this.repo.path('.git/plan/demo')
    return existsSync(dir) ? readdirSync(dir).filter((name) => /^(lock|intent|claim|draft|index\.)/.test(name)) : []
  }
}

function resumeOf({ how, step, attempt, approve }: Resume, world: World): string[] {
  const id = idOf(world, step)
  const retry = ['--retry', id]
  const flags = {
    plain: [],
    retry,
    'from-attempt': [...retry, '--from-attempt', `${attempt}`],
    skip: ['--skip', id],
    done: ['--done', id],
    fix: ['--fix'],
  }
  return ['resume', 'demo', ...flags[how], ...(approve ? ['--approve'] : [])]
}

function rollbackOf({ how, step, keep }: Rollback, world: World): string[] {
  const flags = { last: [], to: ['--to', idOf(world, step)], all: ['--all'], undo: ['--undo'] }
  return ['rollback', 'demo', ...flags[how], ...(keep ? ['--keep-effects'] : [])]
}

const idOf = (world: World, step: number): string => nth(world.tip < 0 ? world.first : at(world).steps, step).id

/** The newest of each step, of `effects/s1/2 Effect 2 of s1: happened` and the like. */
function newest(effects: readonly string[]): Record<string, string> {
  const all = effects.map((ref) => /^effects\/(\w+)\/(\d+) .* (\w+)$/.exec(ref)!.slice(1) as [string, string, string])
  return Object.fromEntries(
    all.toSorted((a, b) => Number(a[1]) - Number(b[1])).map(([step, number, state]) => [step, `${number} ${state}`]),
  )
}

/** What there is to be seen, by the model. */
export function expected(world: World): object {
  const { work, tip, attempts, effects, ledger, rollbacks } = world
  const named = (files: Files): Files =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, `file ${text}`]))
  return {
    plan: tip < 0 ? undefined : expectedStatus(world),
    tip:
      tip < 0
        ? []
        : Object.entries(at(world).files)
            .map(([name, text]) => `${name} ${blobOf(text)}`)
            .toSorted(),
    branch: world.isOnPlan ? 'plan/demo' : 'main',
    files: named({ ...work, 'keep.log': ofTheUser }),
    dirty: changed(headFiles(world), work).toSorted(),
    ledger,
    attempts: [...attempts].flatMap(([step, all]) => all.map((_, index) => `attempts/${step}/${index + 1}`)).toSorted(),
    effects: Object.fromEntries([...effects].map(([step, { count, state }]) => [step, `${count} ${state}`])),
    rollbacks: rollbacks.length,
    disorder: [],
  }
}

function expectedStatus(world: World): object {
  const { status, steps } = at(world)
  const progress = { done: steps.filter(({ id }) => statusOf(world, id) === 'done').length, total: steps.length }
  return { status, progress, next: nextStep(world), steps: steps.map(({ id }) => `${id} ${statusOf(world, id)}`) }
}

const blobOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
