// Asks `git plan guard` before each tool call, and puts the state of the plan into the prompt.
// opencode ignores a plugin that does not load, so in plan mode start it with: opencode --agent git-plan
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Never rejects. `code` is null if the program could not be started, or did not end in time. */
const run = (args, cwd, input = '') =>
  new Promise((resolve) => {
    let [stdout, stderr] = ['', '']
    const child = spawn('git', args, { cwd })
    const end = (code) => {
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

const isPlanMode = async (cwd) => {
  const { code, stdout } = await run(['rev-parse', '--absolute-git-dir'], cwd)
  return code === 0 && existsSync(`${stdout.trim()}/plan/.tree/mode.json`)
}

export const GitPlan = async ({ directory, worktree }) => {
  const contexts = new Map()
  const context = async (session) => {
    if (!contexts.has(session)) contexts.set(session, (await run(['plan', 'context', '--hook', 'opencode'], directory)).stdout)
    return contexts.get(session)
  }
  return {
    'tool.execute.before': async (input, output) => {
      const payload = JSON.stringify({ input, output, directory, worktree })
      const { code, stderr } = await run(['plan', 'guard', '--agent', 'opencode'], directory, payload)
      if (code === 0) return
      if (code === 2) throw new Error(stderr)
      if (await isPlanMode(directory)) throw new Error('plan mode is on, and git plan guard failed: git plan doctor')
    },
    'experimental.chat.system.transform': async (input, output) => {
      const text = await context(input.sessionID)
      if (text !== '') output.system.push(text)
    },
    'experimental.session.compacting': async (input, output) => {
      contexts.delete(input.sessionID)
      const text = await context(input.sessionID)
      if (text !== '') output.context.push(text)
    },
  }
}
