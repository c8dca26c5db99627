// Asks `git plan guard` before each tool call, and tells pi the state of the plan.
// pi loads it only from a trusted project: pi --approve, or pi -e .pi/extensions/git-plan.ts
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'

type Ran = { code: number | null; stdout: string; stderr: string }

/** Never rejects. `code` is null if the program could not be started, or did not end in time. */
const run = (args: string[], cwd: string, input = ''): Promise<Ran> =>
  new Promise((resolve) => {
    let [stdout, stderr] = ['', '']
    const child = spawn('git', args, { cwd })
    const end = (code: number | null) => {
      clearTimeout(late)
      resolve({ code, stdout, stderr: stderr.trim() })
    }
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      end(null)
    }, 10_000)
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    child.on('error', () => end(null))
    child.on('close', end)
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })

const isPlanMode = async (cwd: string): Promise<boolean> => {
  const { code, stdout } = await run(['rev-parse', '--absolute-git-dir'], cwd)
  return code === 0 && existsSync(`${stdout.trim()}/plan/.tree/mode.json`)
}

export default function gitPlan(pi: any) {
  const session = randomUUID()
  let isTold = false
  pi.on('tool_call', async (event: any, ctx: any) => {
    const { type, toolName, toolCallId, input } = event
    const payload = JSON.stringify({ event: { type, toolName, toolCallId, input }, cwd: ctx.cwd, session_id: session })
    const { code, stderr } = await run(['plan', 'guard', '--agent', 'pi'], ctx.cwd, payload)
    if (code === 0) return undefined
    if (code === 2) return { block: true, reason: stderr }
    if (await isPlanMode(ctx.cwd)) return { block: true, reason: 'plan mode is on, and git plan guard failed: git plan doctor' }
    return undefined
  })
  pi.on('session_compact', async () => {
    isTold = false
  })
  pi.on('before_agent_start', async (_event: any, ctx: any) => {
    if (isTold) return undefined
    isTold = true
    const { stdout } = await run(['plan', 'context', '--hook', 'pi'], ctx.cwd)
    return stdout === '' ? undefined : { message: { customType: 'git-plan', content: stdout, display: false } }
  })
}
