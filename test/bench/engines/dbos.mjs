// Steps of a DBOS workflow, each recorded in Postgres before the next one begins.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

const [, , packages, , steps] = process.argv
const load = createRequire(join(packages, 'load.js'))
const { DBOS } = load('@dbos-inc/dbos-sdk')

const run = promisify(execFile)
DBOS.setConfig({
  name: 'bench',
  applicationVersion: '1',
  systemDatabaseUrl: process.env.GIT_PLAN_BENCH_POSTGRES,
  runAdminServer: false,
  logLevel: 'error',
})
const workflow = DBOS.registerWorkflow(
  async () => {
    for (let at = 0; at < Number(steps); at += 1)
      await DBOS.runStep(() => run('sh', ['-c', 'true']), { name: `step-${at}` })
  },
  { name: 'bench' },
)

await DBOS.launch()
const workflowID = randomUUID()
const handle = await DBOS.startWorkflow(workflow, { workflowID })()
await handle.getResult()
const recorded = await DBOS.listWorkflowSteps(workflowID)
console.log(`recorded ${recorded.length}`)
await DBOS.shutdown()
