// Every rule about a single program.

import type { Call, Finding } from '../call.ts'
import { gitCallOf } from '../git-call.ts'
import { indexRows, judgeRows } from '../rows.ts'
import { checksOff, judgeVariables } from './checks-off.ts'
import { gitRows, judgeGit } from './git.ts'
import { machineRows } from './machine.ts'
import { judgeNetwork, networkRows } from './network.ts'
import { judgePaths } from './paths.ts'
import { judgeDatabase, publishRows } from './publish.ts'
import { judgeSecrets, secretRows } from './secrets.ts'

const index = indexRows([gitRows, machineRows, publishRows, secretRows, checksOff, networkRows])
const judges = [judgeVariables, judgeSecrets, judgePaths, judgeNetwork, judgeDatabase, judgeGit]

export function judgeCall(call: Call): Finding[] {
  const { sub, args } = gitCallOf(call)
  const findings = [
    ...judgeRows(index.get(call.name.replace(/^mkfs\..*/, 'mkfs')) ?? [], call.name, call.args),
    ...(call.name === 'git' ? judgeRows(index.get(`git ${sub}`) ?? [], `git ${sub}`, args) : []),
    ...judges.flatMap((judge) => judge(call)).filter((each) => each !== undefined),
  ]
  // A push that overwrites, or a request that sends a file, is reported only as that.
  const isWorse = findings.some(({ rule }) => rule === 'shell-force-push' || rule === 'shell-send-data')
  return isWorse ? findings.filter(({ rule }) => rule !== 'shell-external-effect') : findings
}
