// The commands that faults are injected into: the preparation of the repository, the user's reaction to a fault, and
// the expected end.

import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { planText } from '../helpers/repo.ts'
import { inject, type Injection } from './inject.ts'
import { byGit, type Answer, type World } from './faulty-repo.ts'

export interface Way {
  readonly name: string
  readonly command: readonly string[]
  /** For a server. */
  readonly input?: Injection['input']
  readonly prepare: (world: World) => Promise<void>
  /** What a user does about it, to the end. */
  readonly goOn: (world: World) => Promise<Answer>
  /** Steps that stay done, whatever the command takes back. */
  readonly keeps: readonly string[]
  /** A file that a failed step or the user left, and what is in it. */
  readonly saves: readonly [file: string, text: string] | undefined
  /** Where a ref must be at the end. */
  readonly names?: string
  /** What is known about effects goes with the plan. */
  readonly isForgetting?: boolean
  /** Only up to the end of recovery: what comes after it is swept elsewhere. */
  readonly isRecovery?: boolean
  /** The end as text: the same after every injection as without one. */
  readonly outcome: (world: World) => string
}

const start = ['start', '.plans/demo.md', '--approve', '--autostash']
const fine: Answer = { code: 0, all: '', error: undefined }

/** Like a person: finds out whether the payment was made, and says so. */
async function resumed(world: World, flags: Readonly<Record<string, string>> = {}): Promise<Answer> {
  if (!world.hasBranch()) {
    const again = await world.repo.plan(start, byGit)
    return { ...again, error: undefined }
  }
  const request = { plan: 'demo', approve: true, autostash: true } as const
  const answer = await world.call('resume', { ...request, ...flags })
  if (answer.error === 'wrong-state' && (await world.plans.status({ plan: 'demo' })).data.status === 'completed')
    return fine
  if (answer.error === 'wrong-state') return world.call('start', request)
  if (answer.error !== 'unknown-effect') return answer
  const isPaid = world.ledger.count('pay') > world.ledger.count('unpay')
  return resumed(world, isPaid ? { done: 'pay' } : { retry: 'pay' })
}

/** Like a person whose command was killed: gives it again, and may hear that it had come through. */
async function finished(world: World): Promise<Answer> {
  if (!world.hasBranch() && !isIntended(world)) return fine
  const answer = await world.call('finish', { plan: 'demo' })
  return answer.error === 'wrong-state' && !world.hasBranch() ? fine : answer
}

const isIntended = (world: World): boolean =>
  (statSync(world.repo.path('.git/plan/demo/intent.json'), { throwIfNoEntry: false })?.size ?? 0) > 0

/** Nothing that differs from run to run: subjects of commits, names and contents of files, what happened outside. */
function history(world: World, ref: string): string {
  const { repo } = world
  const subjects = repo.git(['log', '--first-parent', '--format=%s', ref]).split('\n')
  const files = repo
    .git(['ls-tree', '-r', ref])
    .split('\n')
    .filter((line) => !line.includes('.plans/'))
  const outside = ['pay', 'unpay'].map((line) => `${line} ${world.ledger.count(line)}`)
  return [...subjects, ...files, ...outside].join('\n')
}

/** Like a person: where the undo was interrupted, sees to it by hand, and says so. */
async function rolledBack(world: World): Promise<Answer> {
  const request = { plan: 'demo', to: 'one' }
  const answer = await world.call('rollback', request)
  if (answer.error !== 'unknown-effect') return answer
  if (world.ledger.count('unpay') === 0) world.ledger.write([...world.ledger.lines(), 'unpay', ''].join('\n'))
  return world.call('rollback', { ...request, keepEffects: true })
}

async function completed(world: World): Promise<void> {
  world.prepare()
  const ran = await world.repo.plan(start, byGit)
  if (ran.code !== 0) throw new Error(ran.all)
}

/** The user has left the plan and has changes on the base, in files that the plan does not touch. */
async function changedBase(world: World): Promise<void> {
  await completed(world)
  world.repo.git(['checkout', '-q', 'main'])
  const restored = await world.repo.plan(['doctor', '--restore', 'demo'])
  if (restored.code !== 0) throw new Error(restored.all)
}

/** The same changes, made in the plan's work tree after it was completed; the base has moved meanwhile. */
async function changedPlan(world: World): Promise<void> {
  const { repo } = world
  world.prepare()
  writeFileSync(join(repo.home, 'demo.md'), repo.read('.plans/demo.md'))
  rmSync(repo.path('.plans'), { recursive: true })
  repo.git(['stash', '-q', '--include-untracked'])
  const ran = await repo.plan(['start', join(repo.home, 'demo.md'), '--approve'], byGit)
  if (ran.code !== 0) throw new Error(ran.all)
  repo.git(['checkout', '-q', 'main'])
  repo.write('other.txt', 'other\n')
  repo.git(['add', 'other.txt'])
  repo.git(['commit', '-q', '-m', 'Other'])
  repo.git(['checkout', '-q', 'plan/demo'])
  repo.git(['stash', 'pop', '-q', '--index'])
}

/** Killed at one of these calls. */
async function killedAt(
  world: World,
  command: readonly string[],
  calls: RegExp,
  which: 'first' | 'last' = 'last',
): Promise<void> {
  world.keep()
  const { points } = await inject(world.repo, command, { at: 0, action: 'record' })
  const at = points.filter(({ who, call, what }) => calls.test(`${who} ${call} ${what}`)).at(which === 'first' ? 0 : -1)
  if (at === undefined) throw new Error(`${command.join(' ')} makes no such call: ${calls}`)
  world.reset()
  await inject(world.repo, command, { at, action: 'group' })
}

/** With half of the last step's work in the tree. */
async function interrupted(world: World): Promise<void> {
  world.prepare()
  await killedAt(world, start, /^o mkdir new\/may$/)
}

/** With the plan file written, and the index not. */
const planFileWritten = /^s write \.git\/plan\/demo\/index\.next/

/** A step that failed and was seen to by hand. */
async function seenTo(world: World): Promise<void> {
  world.prepare(planText(`${world.steps()}\n  - {id: last, run: 'echo half > half.txt; false'}`))
  await world.repo.plan([...start, '--keep-tree'], byGit)
  world.repo.write('half.txt', 'and more\n')
}

export const startWay: Way = {
  name: 'start',
  command: start,
  keeps: ['one', 'pay'],
  saves: ['five.txt', '5'],
  prepare: async (world) => world.prepare(),
  async goOn(world) {
    const answer = await resumed(world)
    return answer.code === 0 ? finished(world) : answer
  },
  outcome: (world) => history(world, 'main^2'),
}

const resumeWay: Way = { ...startWay, name: 'resume', command: ['resume', 'demo'], prepare: interrupted }

const declareWay: Way = {
  ...startWay,
  name: 'resume --done',
  command: ['resume', 'demo', '--done', 'last'],
  prepare: seenTo,
  async goOn(world) {
    const answer = await resumed(world, { done: 'last' })
    return answer.code === 0 ? finished(world) : answer
  },
}

/** An agent does the step, and gets it back once. */
const agentWay: Way = {
  ...startWay,
  name: 'start of an agent',
  keeps: ['greet', 'last'],
  saves: ['hello.txt', 'half'],
  prepare: async (world) => world.prepare(planText(world.agentSteps())),
}

/** For `npm run test:faults`: GIT_PLAN_SEED=2 gives the steps other durations. */
const seed = Number(process.env['GIT_PLAN_SEED'] ?? 1)

/** Four steps at the same time, two of which change the same file; then one, and an external effect. */
const parallelWay: Way = {
  ...startWay,
  name: 'start -j 4',
  async prepare(world) {
    world.prepare(planText(world.parallelSteps(seed)))
    world.repo.git(['config', 'plan.jobs', '4'])
  },
  outcome: (world) =>
    [
      history(world, 'main^2'),
      world.repo.git(['worktree', 'list']).split('\n').length,
      world.repo.git(['for-each-ref', 'refs/plan-local']),
    ].join('\n'),
}

/** Killed while all steps of the first wave were running. */
const parallelResumeWay: Way = {
  ...parallelWay,
  name: 'resume -j 4',
  command: ['resume', 'demo'],
  async prepare(world) {
    await parallelWay.prepare(world)
    await killedAt(world, start, /^o mkdir .*new\/may$/)
  },
}

const rollbackWay: Way = {
  ...startWay,
  name: 'rollback',
  command: ['rollback', 'demo', '--to', 'one'],
  keeps: ['one'],
  prepare: completed,
  async goOn(world) {
    const rolled = await rolledBack(world)
    return rolled.code === 0 ? startWay.goOn(world) : rolled
  },
  // The tip that a rollback leaves is kept under a tag.
  names: 'refs/plan/demo/rollbacks/',
}

const finishWay: Way = {
  ...startWay,
  name: 'finish',
  command: ['finish', 'demo'],
  prepare: completed,
  goOn: finished,
  outcome: (world) => [history(world, 'main^2'), world.repo.git(['branch', '--list', 'plan/*'])].join('\n'),
}

const finishOverChanges: Way = { ...finishWay, name: 'finish over changes', prepare: changedBase }
const finishWithChanges: Way = { ...finishWay, name: 'finish with changes', prepare: changedPlan }

/** Everything before the step of the driver is done. */
async function waiting(world: World): Promise<void> {
  world.prepare(planText(world.drivenSteps()))
  const ran = await world.repo.plan(start, byGit)
  if (ran.code !== 5) throw new Error(ran.all)
}

/** The driver has the step, and has begun. */
async function handedOut(world: World, text: string, more: readonly string[] = []): Promise<void> {
  await waiting(world)
  const ran = await world.repo.plan(['next', 'demo', ...more], byGit)
  if (ran.code !== 0) throw new Error(ran.all)
  world.repo.write('hello.txt', text)
}

/** Like a driver: takes the step, unless it is done, does it and reports. */
async function driven(world: World, isDone = false): Promise<Answer> {
  const status = await world.plans.status({ plan: 'demo' }).catch(() => undefined)
  if (status === undefined || status.data.seen === 'merged') return fine
  const { steps, status: state } = status.data
  if (state === 'completed') return finished(world)
  if (steps.find(({ id }) => id === 'greet')?.status === 'done') {
    const answer = await world.call('next', { plan: 'demo' })
    return answer.code === 0 ? driven(world) : answer
  }
  if (!isDone) {
    const taken = await world.call('next', { plan: 'demo' })
    if (taken.code !== 0) return taken
    world.repo.write('hello.txt', 'hello\n')
  }
  const answer = await world.call('next', { plan: 'demo', done: 'greet', message: 'Said hello' })
  if (answer.error === 'wrong-state' && isDone) return driven(world)
  return answer.code === 0 ? driven(world) : answer
}

const nextWay: Way = {
  ...startWay,
  name: 'next',
  command: ['next', 'demo'],
  saves: undefined,
  prepare: waiting,
  goOn: driven,
}

const doneWay: Way = {
  ...nextWay,
  name: 'next --done',
  command: ['next', 'demo', '--done', 'greet', '-m', 'Said hello'],
  prepare: (world) => handedOut(world, 'hello\n'),
  goOn: (world) => driven(world, true),
}

const message = (value: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`

/** The server is killed while an agent reports. */
const servedWay: Way = {
  ...doneWay,
  name: 'plan_run_script over MCP',
  command: ['mcp'],
  input: {
    text: [
      message({
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } },
      }),
      message({ method: 'notifications/initialized' }),
      message({
        id: 2,
        method: 'tools/call',
        params: { name: 'plan_run_script', arguments: { id: 'demo', action: 'step_complete', step: 'greet' } },
      }),
    ].join(''),
    answers: 2,
  },
  prepare: (world) => handedOut(world, 'hello\n', ['--as', 'agent (MCP)']),
}

const releaseWay: Way = {
  ...nextWay,
  name: 'next --release',
  command: ['next', 'demo', '--release', 'greet'],
  saves: ['hello.txt', 'half'],
  prepare: (world) => handedOut(world, 'half'),
  async goOn(world) {
    const answer = await world.call('next', { plan: 'demo', release: 'greet' })
    return answer.code === 0 || answer.error === 'wrong-state' ? driven(world) : answer
  },
}

/** Its first driver did not come back. */
const expiredWay: Way = {
  ...nextWay,
  name: 'next after another driver',
  command: ['next', 'demo', '--as', 'other'],
  saves: ['hello.txt', 'half'],
  prepare: (world) => handedOut(world, 'half', ['--for', '1ms']),
  async goOn(world) {
    const answer = await world.call('next', { plan: 'demo', as: 'other' })
    if (answer.code !== 0) return answer
    world.repo.write('hello.txt', 'hello\n')
    return driven(world, true)
  },
}

/** Recovery itself, one for each kind of thing that a crash can interrupt; that of a step is `resume`. */
const recoveries: readonly Way[] = [
  recovery('a switch', startWay, async (world) => {
    world.prepare()
    await killedAt(world, start, /^g rename \.git\/HEAD\.lock/)
  }),
  recovery('an event', resumeWay, async (world) => {
    world.prepare()
    await killedAt(world, start, planFileWritten)
  }),
  recovery('a declared step', declareWay, async (world) => {
    await seenTo(world)
    await killedAt(world, declareWay.command, planFileWritten, 'first')
  }),
  recovery('a rollback', rollbackWay, async (world) => {
    await completed(world)
    await killedAt(world, rollbackWay.command, /^g unlink made\.txt$/)
  }),
  recovery('a way back', finishWay, async (world) => {
    await completed(world)
    await killedAt(world, finishWay.command, /^g rename \.git\/HEAD\.lock/)
  }),
]

function recovery(what: string, way: Way, prepare: Way['prepare']): Way {
  return { ...way, name: `recovery of ${what}`, prepare, isRecovery: true }
}

export const ways: readonly Way[] = [
  startWay,
  resumeWay,
  parallelWay,
  parallelResumeWay,
  agentWay,
  nextWay,
  doneWay,
  servedWay,
  releaseWay,
  expiredWay,
  rollbackWay,
  finishWay,
  finishOverChanges,
  finishWithChanges,
  ...recoveries,
  {
    name: 'cancel',
    command: ['cancel', 'demo'],
    keeps: ['one', 'pay'],
    saves: ['half.txt', 'and more'],
    prepare: seenTo,
    goOn: (world) => world.call('cancel', { plan: 'demo' }),
    outcome: (world) => history(world, 'plan/demo'),
  },
  {
    name: 'delete',
    command: ['delete', 'demo', '--force'],
    keeps: ['one', 'pay'],
    saves: undefined,
    async prepare(world) {
      await completed(world)
      await world.repo.plan(['cancel', 'demo'])
      await world.repo.plan(['finish', 'demo'])
    },
    isForgetting: true,
    goOn: async (world) => {
      const isBegun = isIntended(world) || world.repo.git(['for-each-ref', 'refs/plan/demo', 'refs/plan-local']) !== ''
      return isBegun ? world.call('delete', { plan: 'demo', force: true }) : fine
    },
    outcome: (world) => world.repo.git(['for-each-ref']),
  },
]
