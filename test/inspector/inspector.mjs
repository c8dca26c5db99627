// The command line of the MCP inspector against `git plan mcp`: `npm run test:inspector`. In both revisions of the
// protocol it lists the tools, calls every one of them, and reads the resources.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installed, ownDirectory } from '../../.ci/packages.mjs'

const inspector = '@modelcontextprotocol/inspector@2.12.0'
const bin = join(process.env.GIT_PLAN_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url)), 'cli.mjs')

function getInspector() {
  console.log(`Getting ${inspector}`)
  try {
    return join(installed(join(ownDirectory('git-plan-inspector'), '2.12.0'), [inspector]), '.bin', 'mcp-inspector')
  } catch (error) {
    console.error(`${inspector} cannot be installed, so nothing was tried: ${error.message}`)
    process.exit(1)
  }
}

const program = getInspector()
const failures = []
for (const era of ['legacy', 'modern']) {
  const top = mkdtempSync(join(tmpdir(), 'git-plan-inspector-'))
  try {
    tryAll(era, top)
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}
for (const failure of failures) console.error(`failed: ${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1

function tryAll(era, top) {
  const [home, repo] = [join(top, 'home'), join(top, 'repo')]
  mkdirSync(home)
  mkdirSync(repo)
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' }
  const run = (file, ...args) => execFileSync(file, args, { cwd: repo, env, encoding: 'utf8' })
  const git = (...args) => run('git', ...args)
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  git('commit', '-q', '--allow-empty', '-m', 'First')

  /** The answer, and the exit code: 5 for an error of the tool, 6 for a schema that is not portable. */
  const inspect = (...args) => {
    const server = ['--cli', process.execPath, bin, 'mcp', '--protocol-era', era, '--format', 'json', '-q']
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...server, ...args], {
      cwd: repo,
      env,
      encoding: 'utf8',
    })
    let value
    try {
      value = JSON.parse(stdout)
      value = value.result ?? value
    } catch {
      value = {}
    }
    return { status, value, stderr }
  }
  const expect = (what, isTrue, { status, stderr, value }) => {
    if (isTrue) return
    failures.push(`${era}: ${what}: exit ${status}: ${stderr.trim()} ${JSON.stringify(value).slice(0, 300)}`)
  }

  const listed = inspect('--method', 'tools/list', '--strict')
  const names = listed.value.tools?.map(({ name }) => name) ?? []
  expect('tools/list', listed.status === 0 && names.length > 0 && listed.stderr === '', listed)
  const called = new Set()
  const call = (name, args, test = () => true, exitCode = 0) => {
    called.add(name)
    const answer = inspect('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))
    const content = answer.value.structuredContent ?? {}
    expect(name, answer.status === exitCode && test(content), answer)
  }
  const text = `---
title: Greet
steps:
  - id: hello
    agent: driver
    prompt: Write hello.txt.
    files: [hello.txt]
---
`
  const id = 'greet'
  call('plan_check', { text }, ({ valid }) => valid)
  call('plan_propose', { text }, (answer) => answer.id === id)
  call('plan_propose', { text }, ({ code }) => code === 'plan-exists', 5)
  call('plan_start', { id, approve: true }, undefined, 5)
  call('plan_start', { id }, ({ code }) => code === 'not-approved', 5)
  call('plan_approve', { id }, ({ approved }) => approved === false)
  call('plan_list', {}, ({ plans }) => plans.length === 1)
  call('plan_get', { id }, (answer) => answer.text.includes('prompt: Write hello.txt.'))
  call('plan_reject', { id, message: 'not yet' })
  call('plan_replan', { id, text: text.replace('Greet', 'Greet all') }, ({ changed }) => changed)
  call('plan_clone', { id }, (answer) => answer.id === 'greet-2')
  call('plan_submit', { id }, ({ kind }) => kind === 'error', 5)
  if (names.includes('plan_mode')) call('plan_mode', { action: 'status' }, ({ state }) => state === 'off')
  if (names.includes('plan_skill_safety')) call('plan_skill_safety', { action: 'list' })
  run(process.execPath, bin, 'approve', id)
  call('plan_start', { id }, ({ end }) => end === 'waiting')
  call('plan_resume', { id }, ({ end }) => end === 'waiting')
  call('plan_next', { id }, ({ handed }) => handed.step === 'hello')
  call('plan_run_script', { id, action: 'step_complete', step: 'hello' }, ({ exitCode }) => exitCode === 1, 5)
  run('sh', '-c', 'echo hello > hello.txt')
  call('plan_run_script', { id, action: 'step_complete', step: 'hello' }, ({ end }) => end === 'completed')
  call('plan_status', { id }, ({ seen }) => seen === 'completed')
  call('plan_log', { id })
  call('plan_checkpoint', { id, action: 'validate' }, ({ holds }) => holds)
  call('plan_rollback', { id, all: true })
  expect(
    'every tool is called',
    names.every((name) => called.has(name)),
    { status: 0, stderr: names.join(' '), value: {} },
  )

  const resources = inspect('--method', 'resources/list')
  expect('resources/list', resources.value.resources?.length === 3, resources)
  for (const more of ['', '/report', '/log']) {
    const read = inspect('--method', 'resources/read', '--uri', `git-plan://plans/${id}${more}`)
    expect(`resources/read ${more}`, read.value.contents?.[0]?.text.length > 0, read)
  }
  console.log(`${era}: ${names.length} tools listed, ${called.size} called`)
}
