// Client-side hook: refuses manual commits in plan mode and to a plan's own files on its branch, and plan files that are
// not valid.

import { PlanError } from '../errors.ts'
import { Repository } from '../git/repository.ts'
import { hasErrors, type Finding } from '../plan/model/finding.ts'
import { readConfig } from '../plan/config/read-config.ts'
import { isId, nameOfPlan, type PlanId } from '../plan/model/ids.ts'
import { hookEnvironment } from '../process/environment.ts'
import { readHolding } from '../store/holder.ts'
import { planIdAt, planFile } from '../store/plan-at.ts'
import { readPlanMode } from '../store/plan-mode.ts'
import { judgeText } from '../commands/propose/check.ts'
import type { Settings } from '../operation/settings.ts'
import type { HookCall } from './hook-call.ts'
import { settingsOrDefaults } from './settings-or-defaults.ts'

interface Staged {
  readonly path: string
  /** undefined: the file is removed. */
  readonly blob: string | undefined
}

export async function preCommit(call: HookCall): Promise<void> {
  const repo = await Repository.open({ cwd: call.cwd, env: hookEnvironment(call.env, 'client') })
  try {
    await refuseInPlanMode(repo)
    const { settings } = await settingsOrDefaults(repo)
    const head = (await repo.headBranch()) ?? ''
    const staged = await readStaged(repo, settings.dir)
    const name = head.startsWith('refs/heads/plan/') ? nameOfPlan(head) : ''
    if (isId(name)) await refuseOnPlan(repo, name as PlanId, staged, settings)
    const base = head.startsWith('refs/heads/') && name === '' ? head.slice('refs/heads/'.length) : undefined
    await refuseInvalid(repo, staged, { settings, base })
  } finally {
    repo.close()
  }
}

async function refuseInPlanMode({ gitDir, root }: Repository): Promise<void> {
  if ((await readPlanMode(gitDir)).state !== 'on') return
  throw new PlanError('not-allowed', `plan mode is on in ${root}: nothing is committed by hand`, {
    hint: 'git plan mode off',
  })
}

async function refuseOnPlan(
  { commonDir }: Repository,
  id: PlanId,
  staged: readonly Staged[],
  { dir }: Settings,
): Promise<void> {
  const holder = (await readHolding(commonDir, id)).locks.find(({ liveness }) => liveness === 'alive')
  if (holder !== undefined)
    throw new PlanError(
      'held',
      `plan ${id} is being run by process ${holder.identity.pid}: a commit on its branch would stop it`,
      {
        hint: { 'see its progress': `git plan status ${id}`, 'stop it': `kill ${holder.identity.pid}` },
      },
    )
  const paths = new Set(staged.map(({ path }) => path))
  if (paths.has(planFile(dir, id)))
    throw new PlanError('not-allowed', `changes to ${planFile(dir, id)} are not committed directly`, {
      hint: `git restore --staged --worktree ${planFile(dir, id)} && git plan edit ${id}`,
    })
  if (paths.has(`${dir}/config.yml`))
    throw new PlanError(
      'not-allowed',
      `${dir}/config.yml is the policy for plans, which cannot be changed on a plan's branch`,
      {
        hint: `git restore --staged --worktree ${dir}/config.yml`,
      },
    )
}

async function refuseInvalid(
  repo: Repository,
  staged: readonly Staged[],
  { settings, base }: { settings: Settings; base: string | undefined },
): Promise<void> {
  const findings: Finding[] = []
  for (const { path, blob } of staged) {
    const bytes = blob === undefined ? undefined : await repo.readBlob(blob)
    const found = bytes === undefined ? [] : await findingsIn(path, bytes, { settings, base })
    if (hasErrors(found)) findings.push(...found)
  }
  const [first] = findings
  if (first === undefined) return
  const files = [...new Set(findings.map(({ file }) => file))]
  throw new PlanError('invalid-plan', `${files.join(', ')} cannot be committed with these errors`, {
    hint: `correct ${first.file ?? 'it'}, then: git add ${first.file ?? ''} && git commit`,
    facts: { findings },
  })
}

/** Findings of a plan file or of the configuration. */
async function findingsIn(
  path: string,
  bytes: Buffer,
  { settings, base }: { settings: Settings; base: string | undefined },
): Promise<readonly Finding[]> {
  const { dir, config } = settings
  if (path === `${dir}/config.yml`) {
    const read = readConfig(bytes, path)
    return read.ok ? [] : read.findings
  }
  const id = planIdAt(dir, path)
  return id === undefined ? [] : (await judgeText({ file: path, bytes, id }, { config, base, dir })).data.findings
}

/** Reads the index that Git commits from, which is not always the default one (`git commit PATH`). */
async function readStaged(repo: Repository, dir: string): Promise<Staged[]> {
  const answer = await repo.git.run([
    'diff',
    '--cached',
    '--raw',
    '-z',
    '--no-renames',
    '--no-abbrev',
    '--no-ext-diff',
    '--no-textconv',
    '--',
    dir,
  ])
  const fields = answer.stdout.toString().split('\0')
  const staged: Staged[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , blob = ''] = (fields[at] ?? '').split(' ')
    staged.push({ path: fields[at + 1] ?? '', blob: mode.startsWith('100') ? blob : undefined })
  }
  return staged
}
