// Plans, steps and attempts for shell completion, read with as few Git calls as possible. Like every reading command,
// it runs nothing from the repository.

import { resolve } from 'node:path'
import { Repository } from '../git/repository.ts'
import { GitRunner } from '../git/command/runner.ts'
import { numberedRefs } from '../plan/record/numbered-refs.ts'
import { planStatuses, statusOf } from '../plan/model/plan.ts'
import { readySteps } from '../plan/graph/graph.ts'
import { pathProblem } from '../plan/text/repo-path.ts'
import { isId, nameOfPlan, planBranch, planRefs, type PlanId } from '../plan/model/ids.ts'
import { gitEnvironment, type Environment } from '../process/environment.ts'
import { openPlans } from '../store/resolve-plan.ts'
import { displayStatuses } from '../store/display-status.ts'
import { planFile, readPlanAt, tipOfPlan } from '../store/plan-at.ts'
import { listTemplates, type Template } from './templates.ts'
import { preflightChecks } from '../plan/model/preflight-checks.ts'

export interface Candidate {
  readonly value: string
  readonly description?: string
}

/** `at`: the values of `-C`, in order. Without a plan name, the default plan is used. */
export interface Facts {
  plans(at: readonly string[], wanted: { isFinishedToo: boolean }): Promise<readonly Candidate[]>
  /** `isOpen`: only steps that can be declared done or skipped now. */
  steps(at: readonly string[], plan: string | undefined, wanted?: { isOpen: boolean }): Promise<readonly Candidate[]>
  attempts(at: readonly string[], plan: string | undefined, step: string): Promise<readonly Candidate[]>
  statuses(): Promise<readonly string[]>
  preflightChecks(): Promise<readonly string[]>
  templates(at: readonly string[]): Promise<readonly Candidate[]>
}

/** Above this number plans have no descriptions, since Git would have to read a commit for each. */
const maxDescribed = 500
/** Above this number of branches the only open plan is not searched for. */
const maxOpened = 30

export function repositoryFacts(world: { cwd: string; env: Environment; isDescribed: boolean }): Facts {
  const env = gitEnvironment(world.env)
  const directory = (at: readonly string[]): string =>
    resolve(world.cwd, ...at.map((path) => path.replace(/^~(?=$|\/)/, world.env['HOME'] ?? '~')))
  // Completion offers nothing rather than failing.
  const inRepository = async (
    at: readonly string[],
    work: (repo: Repository) => Promise<readonly Candidate[]>,
  ): Promise<readonly Candidate[]> => {
    let repo: Repository | undefined
    try {
      repo = await Repository.openAny({ cwd: directory(at), env })
      return await work(repo)
    } catch {
      return []
    } finally {
      repo?.close()
    }
  }
  return {
    plans: (at, { isFinishedToo }) =>
      inRepository(at, async (repo) => {
        const patterns = ['refs/heads/plan/', ...(isFinishedToo ? ['refs/plan/*/final'] : [])]
        const ids = await planNames(repo, patterns, '')
        return world.isDescribed && ids.length > 0 && ids.length <= maxDescribed
          ? planNames(repo, patterns, '%(contents:subject)')
          : ids
      }),
    steps: async (at, plan, wanted) => {
      const dir = planDirectory(new GitRunner({ cwd: directory(at), env }))
      // Awaited below; an earlier rejection must not go unhandled.
      dir.catch(() => undefined)
      return inRepository(at, async (repo) => {
        const id = await idOf(repo, plan, dir)
        if (id === undefined) return []
        const { tip } = await tipOfPlan(repo, id)
        const read = await readPlanAt(repo, tip, { id, file: planFile(await dir, id) })
        const listed = wanted?.isOpen === true ? readySteps(read) : read.steps
        return listed.map((step) => ({ value: step.id, description: `${statusOf(read, step.id)}: ${step.title}` }))
      })
    },
    attempts: (at, plan, step) =>
      inRepository(at, async (repo) => {
        const id = isId(step) ? await idOf(repo, plan, planDirectory(repo.git)) : undefined
        if (id === undefined) return []
        const names = await refNames(repo, [`${planRefs(id)}attempts/${step}/`])
        const numbers = numberedRefs(
          id,
          names.map((name) => ({ name })),
        ).map(({ number }) => number)
        return numbers.toSorted((a, b) => a - b).map((number) => ({ value: String(number) }))
      }),
    statuses: async () => {
      return [...planStatuses, ...displayStatuses]
    },
    preflightChecks: async () => preflightChecks,
    templates: async (at) => {
      const named = (found: readonly Template[]): Candidate[] =>
        found.map(({ name, from }) => ({ value: name, description: from }))
      const inside = await inRepository(at, async (repo) =>
        named(await listTemplates({ repo, dir: await planDirectory(repo.git), env: world.env })),
      )
      return inside.length > 0 ? inside : named(await listTemplates({ dir: '.plans', env: world.env }))
    },
  }
}

const refNames = async (repo: Repository, patterns: readonly string[]): Promise<string[]> =>
  (await repo.git.text(['for-each-ref', '--format=%(refname)', ...patterns])).split('\n').filter((name) => name !== '')

/** The description is the subject of the newest event, such as `Failed: Say hello to the world`. */
async function planNames(repo: Repository, patterns: readonly string[], description: string): Promise<Candidate[]> {
  const found = new Map<string, Candidate>()
  const text = await repo.git.text(['for-each-ref', `--format=%(refname) ${description}`, ...patterns])
  for (const line of text.split('\n')) {
    const [, branch, final, subject = ''] =
      /^refs\/(?:heads\/plan\/([^/ ]+)|plan\/([^/ ]+)\/final) (.*)$/.exec(line) ?? []
    const id = branch ?? final
    if (id !== undefined && isId(id) && !found.has(id))
      found.set(id, subject === '' ? { value: id } : { value: id, description: subject })
  }
  return [...found.values()]
}

/** Returns the named plan, or the default plan. */
async function idOf(repo: Repository, name: string | undefined, dir: Promise<string>): Promise<PlanId | undefined> {
  if (name !== undefined) {
    const id = nameOfPlan(name)
    return isId(id) ? (id as PlanId) : undefined
  }
  const head = await repo.headAtOpen()
  const ids = (await planNames(repo, ['refs/heads/plan/'], '')).map(({ value }) => value as PlanId)
  const checkedOut = ids.find((id) => planBranch(id) === head)
  if (checkedOut !== undefined || ids.length <= 1) return checkedOut ?? ids[0]
  if (ids.length > maxOpened) return undefined
  const open = await openPlans(repo, await dir)
  return open.length === 1 ? open[0]?.id : undefined
}

async function planDirectory(git: GitRunner): Promise<string> {
  const answer = await git.run(['config', '--get', 'plan.dir'], { ok: [0, 1] })
  const dir = answer.code === 0 ? answer.stdout.toString().replace(/\n$/, '') : '.plans'
  if (pathProblem(dir) !== undefined) throw new Error('plan.dir is not a directory of the repository')
  return dir
}
