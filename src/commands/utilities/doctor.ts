// `git plan doctor`: looks for problems and names a remedy for each. Runs nothing from the repository.

import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { refuseUnknownPolicy } from '../../approval/flow/approval-state.ts'
import { PlanError } from '../../errors.ts'
import { Repository } from '../../git/repository.ts'
import { GitRunner } from '../../git/command/runner.ts'
import { gitVersion, neededGit } from '../../git/command/version.ts'
import { filesText } from '../../git/read/raw-path.ts'
import { listWorkTrees } from '../../git/worktree/worktrees.ts'
import { isId, nameOfPlan, type PlanId } from '../../plan/model/ids.ts'
import { gitEnvironment } from '../../process/environment.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { readHolding, readTreeLocks, type Holding } from '../../store/holder.ts'
import { readPutAside } from '../../store/put-aside.ts'
import { planIds, resolvePlanName } from '../../store/resolve-plan.ts'
import { planFile, readPlanAt, tipOfPlan } from '../../store/plan-at.ts'
import { poolRoots } from '../../engine/pool/remove-pool.ts'
import { asideFolder, PlanDir } from '../../engine/workspace/plan-dir.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { readSettings } from '../../operation/settings.ts'
import { judgeNotify } from './judge-notify.ts'

export interface Diagnosis {
  readonly name: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly remedy?: string
}

export interface DoctorData {
  readonly diagnoses: readonly Diagnosis[]
}

export async function doctor(
  request: { readonly unlock?: string; readonly restore?: string },
  context: CommandContext,
): Promise<CommandResult<DoctorData>> {
  if (request.restore !== undefined && request.unlock !== undefined)
    throw new PlanError('usage', '--restore and --unlock cannot be combined', {
      hint: `git plan doctor --unlock ${quoteIfNeeded(request.unlock)}`,
    })
  if (request.restore !== undefined)
    return (await import('./restore-put-aside.ts')).restorePutAside(request.restore, context)
  if (request.unlock !== undefined) return unlock(request.unlock, context)
  const env = gitEnvironment(context.env)
  const diagnoses: Diagnosis[] = [await judgeGit(new GitRunner({ cwd: context.cwd, env })), nodeVersion()]
  let repo: Repository | undefined
  try {
    repo = await Repository.openAny({ cwd: context.cwd, env })
    diagnoses.push({
      name: 'repository',
      state: 'ok',
      message: `${repo.root} (${repo.objectFormat}${repo.isBare ? ', bare' : repo.gitDir === repo.commonDir ? '' : ', linked work tree'})`,
    })
    // Plans do not run in a bare repository, so nobody commits there.
    if (!repo.isBare) diagnoses.push(await identity(repo))
    diagnoses.push(
      ...(await configuration(repo, context)),
      ...(await plans(repo)),
      ...(await runs(repo)),
      ...(await quarantine(repo)),
      ...(await putAside(repo)),
      ...(await workTrees(repo)),
      ...(await agents(repo, context)),
      await sizes(repo),
    )
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    diagnoses.push({
      name: 'repository',
      state: 'fail',
      message: error.message,
      ...(error.hint === undefined ? {} : { remedy: error.hint }),
    })
  } finally {
    repo?.close()
  }
  return { kind: 'doctor', exitCode: diagnoses.some((each) => each.state === 'fail') ? 1 : 0, data: { diagnoses } }
}

async function judgeGit(git: GitRunner): Promise<Diagnosis> {
  try {
    const { text, isEnough } = await gitVersion(git)
    return isEnough
      ? { name: 'git', state: 'ok', message: text }
      : { name: 'git', state: 'fail', message: `${text} is too old`, remedy: neededGit }
  } catch (error) {
    return {
      name: 'git',
      state: 'fail',
      message: error instanceof Error ? error.message : String(error),
      remedy: neededGit,
    }
  }
}

function nodeVersion(): Diagnosis {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isEnough = major > 20 || (major === 20 && minor >= 19)
  return {
    name: 'node',
    state: isEnough ? 'ok' : 'fail',
    message: `node ${process.versions.node}`,
    ...(isEnough ? {} : { remedy: 'install Node 20.19 or newer' }),
  }
}

async function identity(repo: Repository): Promise<Diagnosis> {
  const answer = await repo.git.run(['var', 'GIT_COMMITTER_IDENT'], { ok: [0, 128] })
  if (answer.code === 0)
    return { name: 'identity', state: 'ok', message: answer.stdout.toString().replace(/ \d+ [+-]\d{4}\n?$/, '') }
  return {
    name: 'identity',
    state: 'fail',
    message: 'Git does not know your name and email',
    remedy: "git config user.name 'NAME' && git config user.email 'ADDRESS'",
  }
}

async function configuration(repo: Repository, { env }: CommandContext): Promise<Diagnosis[]> {
  let isRead = false
  try {
    const settings = await readSettings(repo)
    isRead = true
    await refuseUnknownPolicy({ repo }, settings)
    return [
      {
        name: 'configuration',
        state: 'ok',
        message: settings.policyRef === undefined ? 'the defaults' : `read from ${settings.policyRef}`,
      },
      ...(await judgeNotify(settings, { root: repo.root, env })),
    ]
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return [
      {
        name: 'configuration',
        // Nothing can be approved without a policy, but everything can be read.
        state: isRead ? 'warn' : 'fail',
        message: error.message,
        ...(error.hint === undefined ? {} : { remedy: error.hint }),
      },
    ]
  }
}

/** Agents whose hooks are installed, and do not work, or were never seen to. */
async function agents(repo: Repository, context: CommandContext): Promise<Diagnosis[]> {
  if (repo.isBare) return []
  const { describeAgent } = await import('../agents/setup/inspect.ts')
  const { installable } = await import('../agents/agent-status.ts')
  const place = {
    top: repo.root,
    commonDir: repo.commonDir,
    scope: 'project' as const,
    env: context.env,
    now: context.now(),
  }
  const found = await Promise.all(installable.map((name) => describeAgent(name, place)))
  return found
    .filter(({ state }) => state !== 'absent')
    .map(({ agent, state, fired, lines, files }): Diagnosis => {
      const isGood = state === 'installed' && fired !== null
      const [first = '', ...more] = lines
      const foreign = files.find((each) => each.state === 'foreign')
      const broken = foreign === undefined ? more[0]?.trim() : `${foreign.file}: ${foreign.problem}`
      return {
        name: 'agent',
        state: isGood ? 'ok' : 'warn',
        message: [first, ...(state === 'installed' || broken === undefined ? [] : [broken])].join('; '),
        ...(isGood
          ? {}
          : {
              remedy: `git plan agents ${state === 'installed' || foreign !== undefined ? 'status' : 'install'} ${agent}`,
            }),
      }
    })
}

const dirOf = async (repo: Repository): Promise<string> => (await repo.config.value('plan.dir')) ?? '.plans'

async function plans(repo: Repository): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  const dir = await dirOf(repo)
  for (const ref of await repo.refs('refs/heads/plan/')) {
    const name = ref.name.slice('refs/heads/plan/'.length)
    if (!isId(name))
      found.push({
        name: 'branch',
        state: 'warn',
        message: `plan/${name} is not a valid plan name`,
        remedy: `git branch -m plan/${name} OTHER-NAME`,
      })
  }
  const ids = await planIds(repo)
  for (const id of ids) {
    try {
      await readPlanAt(repo, (await tipOfPlan(repo, id)).tip, { id, file: planFile(dir, id) })
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      found.push({ name: 'plan', state: 'fail', message: error.message, remedy: `git plan check ${id}` })
    }
  }
  const broken = found.filter((each) => each.name === 'plan').length
  return [
    {
      name: 'plans',
      state: 'ok',
      message: ids.length === 0 ? 'none' : `${ids.length - broken} of ${ids.length} are readable`,
    },
    ...found,
  ]
}

async function runs(repo: Repository): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  const names = await readdir(join(repo.commonDir, 'plan')).catch(() => [] as string[])
  const ofTrees = await treeLocks(repo)
  for (const name of new Set([...names.filter(isId), ...ofTrees.map(({ plan }) => plan ?? '').filter(isId)])) {
    const { locks, intent } = await readHolding(repo.commonDir, name as PlanId)
    const only = ofTrees.filter(
      (lock) => lock.plan === name && lock.liveness === 'unknowable' && !locks.some(({ run }) => run === lock.run),
    )
    for (const lock of [...locks, ...only]) {
      const who = `process ${lock.identity.pid} on ${lock.identity.host}, since ${lock.since}`
      if (lock.liveness === 'alive') found.push({ name: 'run', state: 'ok', message: `${name} is being run by ${who}` })
      if (lock.liveness === 'dead')
        found.push({
          name: 'lock',
          state: 'warn',
          message: `${name} is locked by a run that died (${who})`,
          remedy: `git plan resume ${name}`,
        })
      if (lock.liveness === 'unknowable')
        found.push({
          name: 'lock',
          state: 'warn',
          message: `${name} is locked by ${who}: it cannot be checked from here whether that process is alive`,
          remedy: `if it is not: git plan doctor --unlock ${name}`,
        })
    }
    if (intent?.liveness === 'dead') {
      found.push({
        name: 'intent',
        state: 'warn',
        message: `${name} was interrupted${intent.step === undefined ? '' : ` in ${intent.step}`} (${intent.since})`,
        remedy: `git plan resume ${name}`,
      })
    }
  }
  return found.length === 0 ? [{ name: 'runs', state: 'ok', message: 'none active, none interrupted' }] : found
}

/** Files with secrets that were removed from the result of a step: a person has to deal with them. */
async function quarantine(repo: Repository): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const id of (await readdir(join(repo.commonDir, 'plan')).catch(() => [] as string[])).filter(isId)) {
    const aside = new PlanDir(repo.commonDir, id as PlanId).file(asideFolder)
    for (const name of (await readdir(aside).catch(() => [] as string[]))
      .filter((each) => each.startsWith('quarantine-'))
      .toSorted()) {
      const directory = join(aside, name)
      const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
      const files = entries.filter((entry) => !entry.isDirectory()).length
      if (files === 0) continue
      found.push({
        name: 'quarantine',
        state: 'warn',
        // Without file names: a name can contain the secret, and only the environment of the run says which.
        message: `${id} has ${files === 1 ? 'a file' : `${files} files`} with a secret in ${directory}`,
        remedy: `rm -r ${JSON.stringify(directory)}`,
      })
    }
  }
  return found
}

/** The user's own changes that no command has restored yet. */
async function putAside(repo: Repository): Promise<Diagnosis[]> {
  const found = await readPutAside(repo, await dirOf(repo))
  return found.map((each) => ({
    name: 'autostash',
    // While the plan is checked out, an autostash is expected.
    state: each.restore.startsWith('git plan doctor') ? 'warn' : 'ok',
    message: `${each.plan} autostashed ${filesText(each.files, each.count)}${each.isOrphaned ? `; plan/${each.plan} is gone` : ''}`,
    remedy: each.restore,
  }))
}

async function workTrees(repo: Repository): Promise<Diagnosis[]> {
  const all = await listWorkTrees(repo)
  const plans = all.filter((tree) => tree.branch?.startsWith('refs/heads/plan/') === true)
  const pools = await poolTrees(repo)
  return [
    ...plans.map((tree): Diagnosis => ({
      name: 'work tree',
      state: 'ok',
      message: `${tree.branch?.slice('refs/heads/'.length)} is checked out in ${tree.root}`,
    })),
    ...(await Promise.all(
      [...pools].map(async ([root, id]): Promise<Diagnosis> => ({
        name: 'work tree',
        state: 'ok',
        message: `parallel steps of ${id} use ${root} (${sizeText(await sizeBelow(root))})`,
        remedy: `git plan prune ${id} --worktrees`,
      })),
    )),
  ]
}

/** The work trees of parallel steps, with their plans. */
async function poolTrees(repo: Repository): Promise<ReadonlyMap<string, string>> {
  const trees = new Map<string, string>()
  for (const id of (await readdir(join(repo.commonDir, 'plan')).catch(() => [] as string[])).filter(isId)) {
    const dir = new PlanDir(repo.commonDir, id as PlanId)
    for (const root of await poolRoots({ id: id as PlanId, dir, home: repo })) trees.set(root, id)
  }
  return trees
}

/** Git counts its objects; the directory of git plan and the plans' own work trees are walked. */
async function sizes(repo: Repository): Promise<Diagnosis> {
  const counted = await repo.git.text(['count-objects', '-v'])
  const kib = [...counted.matchAll(/^(?:size|size-pack): (\d+)$/gm)].reduce((sum, [, text]) => sum + Number(text), 0)
  const refs = await repo.refs('refs/plan/', 'refs/notes/plan/', 'refs/plan-local/')
  const attempts = refs.filter(({ name }) => name.includes('/attempts/')).length
  const pools = await poolTrees(repo)
  const own = (await listWorkTrees(repo)).filter(
    ({ root, branch, gitDir }) =>
      (branch?.startsWith('refs/heads/plan/') === true && gitDir !== repo.commonDir) || pools.has(root),
  )
  const trees = (await Promise.all(own.map(({ root }) => sizeBelow(root)))).reduce((sum, size) => sum + size, 0)
  const message = [
    `objects ${sizeText(kib * 1024)}`,
    `${refs.length} ${refs.length === 1 ? 'ref' : 'refs'} of plans (${attempts} saved ${attempts === 1 ? 'attempt' : 'attempts'})`,
    `.git/plan ${sizeText(await sizeBelow(join(repo.commonDir, 'plan')))}`,
    ...(own.length === 0 ? [] : [`work trees of plans ${sizeText(trees)}`]),
  ]
  return { name: 'size', state: 'ok', message: message.join(', ') }
}

async function sizeBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  let size = 0
  for (const entry of entries)
    if (entry.isFile()) size += (await lstat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  return size
}

const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024 ? 'less than 1 MB' : `${Math.round(bytes / 1024 / 1024)} MB`

const treeLocks = async (repo: Repository): Promise<Holding['locks']> =>
  (await Promise.all((await listWorkTrees(repo)).map(({ gitDir }) => readTreeLocks(gitDir)))).flat()

/** Only for a holder whose liveness cannot be determined from here. */
async function unlock(name: string, context: CommandContext): Promise<CommandResult<DoctorData>> {
  const id = nameOfPlan(name)
  if (!isId(id))
    throw new PlanError('usage', `invalid plan name ${JSON.stringify(name.slice(0, 80))}`, { hint: 'git plan list' })
  const repo = await Repository.open({ cwd: context.cwd, env: gitEnvironment(context.env) })
  try {
    const locks = [
      ...(await readHolding(repo.commonDir, id as PlanId)).locks,
      ...(await treeLocks(repo)).filter(({ plan }) => plan === id),
    ]
    const live = locks.find((lock) => lock.liveness === 'alive')
    if (live !== undefined)
      throw new PlanError('held', `${id} is locked by process ${live.identity.pid} on this machine, which is running`, {
        hint: `kill ${live.identity.pid}`,
      })
    const far = locks.filter((lock) => lock.liveness === 'unknowable')
    const diagnoses: Diagnosis[] = []
    // One prompt per run, which holds both its plan and its work tree.
    for (const lock of new Map(far.map((each) => [each.run, each])).values()) {
      const who = `process ${lock.identity.pid} on ${lock.identity.host}, since ${lock.since}`
      const warning = `${id} is locked by ${who}. Make sure that this process is gone: two runs of a plan at once can lose work.`
      if (context.isInteractive && !(await context.confirm(warning, 'Remove its lock?')))
        throw new PlanError('held', `the lock of ${id} was not removed`, { hint: `git plan status ${id}` })
      if (!context.isInteractive) context.emit({ kind: 'notice', message: warning })
      for (const { file } of far.filter(({ run }) => run === lock.run)) await rm(file, { force: true })
      diagnoses.push({
        name: 'lock',
        state: 'ok',
        message: `removed the lock of ${id} (${who})`,
        remedy: `git plan resume ${id}`,
      })
    }
    if (far.length === 0) {
      await resolvePlanName(repo, id)
      diagnoses.push({ name: 'lock', state: 'ok', message: `${id} has no lock to remove` })
    }
    return { kind: 'doctor', exitCode: 0, data: { diagnoses } }
  } finally {
    repo.close()
  }
}
