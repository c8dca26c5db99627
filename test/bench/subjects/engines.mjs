// Durable execution engines that run the same steps. They are not dependencies of the project: each is installed into
// the temporary directory when it is measured.

import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NotMeasured } from '../stops.mjs'
import { perStep } from '../units.mjs'

/** Address of a Postgres server, for the engine that needs one. */
const database = process.env.GIT_PLAN_BENCH_POSTGRES

const langgraph = {
  name: 'langgraph',
  label: 'LangGraph with its SQLite saver',
  packages: ['@langchain/langgraph@1.4.18', '@langchain/langgraph-checkpoint-sqlite@1.0.4', '@langchain/core@1.2.13'],
  lacks: () => undefined,
}

const dbos = {
  name: 'dbos',
  label: 'DBOS on Postgres',
  packages: ['@dbos-inc/dbos-sdk@5.3.0'],
  lacks: () => (database === undefined ? 'no Postgres: GIT_PLAN_BENCH_POSTGRES is not set' : undefined),
}

/**
 * npm runs with the environment of the caller, who may need a proxy or a registry of their own. It tries once: with its
 * usual patience a missing network takes minutes.
 */
function install(packages, dir) {
  mkdirSync(dir, { recursive: true })
  const { status, error, stderr } = spawnSync(
    'npm',
    ['install', '--prefix', dir, '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=0', ...packages],
    {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 300_000,
    },
  )
  const reason = error?.code ?? /npm (?:error|ERR!) code (\S+)/.exec(stderr)?.[1] ?? `exit code ${status}`
  if (status !== 0) throw new NotMeasured(`npm could not install it (${reason})`)
  return dir
}

/**
 * An engine is a script that is told where its packages are, where it may keep its state, and how many steps to do; it
 * prints how many it has recorded.
 */
const engineOf =
  ({ name, label, packages, lacks }) =>
  ({ steps }) => ({
    key: `${name} ${steps}`,
    label,
    unit: perStep,
    open(place) {
      const lack = lacks()
      if (lack !== undefined) throw new NotMeasured(lack)
      const installed = place.once(join('engines', name), (dir) => install(packages, dir))
      const state = join(place.top, `${name}-state`)
      const script = fileURLToPath(new URL(`../engines/${name}.mjs`, import.meta.url))
      return {
        reset() {
          rmSync(state, { recursive: true, force: true })
          mkdirSync(state)
        },
        run() {
          const env = database === undefined ? {} : { GIT_PLAN_BENCH_POSTGRES: database }
          const { ms, output } = place.time(process.execPath, [script, installed, state, String(steps)], {
            cwd: state,
            env,
          })
          const recorded = /^recorded (\d+)$/m.exec(output())?.[1]
          if (Number(recorded) !== steps) throw new Error(`${label} recorded ${recorded} steps instead of ${steps}`)
          return ms / steps
        },
      }
    },
  })

export const langgraphOf = engineOf(langgraph)
export const dbosOf = engineOf(dbos)
