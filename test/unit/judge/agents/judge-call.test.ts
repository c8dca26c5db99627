// The verdicts on tool calls: every agent, every row of the table of commands, every kind of tool.

import { describe, expect, test } from 'vitest'
import { tools } from '../../../../src/adapters/mcp/tools/index.ts'
import { commands } from '../../../../src/commands/table/index.ts'
import { judgeCall as judgeWith, type GuardedState } from '../../../../src/judge/agents/judge-call.ts'
import { judgeCommand } from '../../../../src/judge/agents/judge-command.ts'
import { readPayload, type ToolCall } from '../../../../src/judge/agents/payload.ts'
import { agentNames, kindOfTool, type AgentName } from '../../../../src/judge/agents/tools.ts'
import { classifyCommand } from '../../../../src/judge/shell/classify.ts'
import type { SafetyEntry } from '../../../../src/judge/shell/registry.ts'
import { dialects } from '../../../helpers/agent-payloads.ts'
import { readers, sample, writers } from '../../../helpers/shell-commands.ts'

const planMode: GuardedState = {
  isPlanMode: true,
  openStep: undefined,
  guard: { tools: [], withoutPlan: 'log' },
  isPlanRunning: false,
}
/** As the guard puts the two together. */
const judgeCall = (
  agent: AgentName,
  each: ToolCall,
  { safety, ...state }: GuardedState & { readonly safety?: readonly SafetyEntry[] },
) => judgeWith(agent, each, state, kindOfTool(agent, each.tool) === 'shell' ? judgeCommand(each, safety) : undefined)
const cwd = '/home/ada/hello'
const call = (tool: string, input: ToolCall['input'] = {}): ToolCall => ({
  tool,
  input,
  directories: [cwd],
  session: 's1',
})
const bash = (
  command: string,
  state: Partial<GuardedState> & { readonly safety?: readonly SafetyEntry[] } = {},
  agent: AgentName = 'claude',
) => judgeCall(agent, call('Bash', { command }), { ...planMode, ...state })
const decide = (payload: object, agent: AgentName) =>
  judgeCall(agent, readPayload(JSON.stringify(payload)) as ToolCall, planMode).decision

describe.each(dialects.map((each) => [`${each.agent}, ${each.form}`, each] as const))(
  'in plan mode, %s',
  (_, { agent, payload, shell, commandKey, writer }) => {
    const run = (command: string): string => decide(payload(shell, { [commandKey]: command }, cwd), agent)

    test('every command that may write is denied', () => {
      const rows = sample.filter(({ expected }) => expected === 'WRITE')
      expect(rows.length).toBeGreaterThanOrEqual(100)
      expect(rows.filter(({ command }) => run(command) !== 'deny')).toEqual([])
      expect(writers.filter((command) => run(command) !== 'deny')).toEqual([])
    })

    test('at least nine of ten commands that only read are allowed', () => {
      const rows = sample.filter(({ expected }) => expected === 'READ').map(({ command }) => command)
      for (const commands of [rows, readers])
        expect(commands.filter((command) => run(command) === 'allow').length).toBeGreaterThanOrEqual(
          commands.length * 0.9,
        )
    })

    test('its writing tool is denied, and so is one that nobody knows', () => {
      expect(decide(payload(writer[0], writer[1], cwd), agent)).toBe('deny')
      expect(decide(payload('MakeCoffee', {}, cwd), agent)).toBe('deny')
      expect(decide(payload('mcp__mail__search', {}, cwd), agent)).toBe('deny')
    })
  },
)

describe('tools', () => {
  test.each([
    ['claude', 'Read Glob Grep TodoWrite WebFetch AskUserQuestion ExitPlanMode', 'read'],
    [
      'claude',
      'Edit NotebookEdit Agent Task Workflow Monitor CronCreate RemoteTrigger EnterWorktree PowerShell',
      'write',
    ],
    ['claude', 'Skill', 'skill'],
    ['claude', 'view create str_replace bash', 'read write write shell'],
    ['codex', 'apply_patch spawn_agent write_stdin', 'write'],
    ['gemini', 'replace save_memory invoke_agent', 'write'],
    ['opencode', 'edit patch task', 'write'],
    ['copilot', 'write_bash powershell task', 'write'],
    ['cursor', 'StrReplace Delete EditNotebook', 'write'],
    ['goose', 'text_editor delegate extensionmanager__manage_extensions', 'write'],
    ['pi', 'grep find ls', 'read'],
    ['agy', 'edit_file write_to_file', 'write'],
  ] as const)('%s: %s', (agent, names, kinds) => {
    const all = kinds.split(' ')
    for (const [at, name] of names.split(' ').entries()) expect(kindOfTool(agent, name), name).toBe(all[at] ?? all[0])
  })

  test('a name is the same in upper and lower case, and of two kinds the stricter one counts', () => {
    expect(kindOfTool('claude', 'WRITE')).toBe('write')
    expect(kindOfTool('copilot', 'View')).toBe('read')
    // To Copilot `edit` is a tool of its own, which Claude spells `Edit`.
    expect(kindOfTool('claude', 'edit')).toBe('write')
  })

  test('our own tools are known however the agent spells the server; those of others are not', () => {
    for (const name of [
      'mcp__git-plan__plan_status',
      'mcp__git_plan__plan_status',
      'mcp_git-plan_plan_status',
      'git-plan_plan_status',
      'git-plan-plan_status',
      'gitplan__plan_status',
      'git-plan_git-plan__plan_status',
      'MCP:plan_status',
    ])
      expect(kindOfTool('claude', name), name).toBe('own')
    for (const name of [
      'mcp__mail__plan_status',
      'mcp__git-plan__rm',
      'MCP:plan_everything',
      'plan_status',
      'mcp__git-plan-evil__plan_status',
    ])
      expect(kindOfTool('claude', name), name).toBe('unknown')
  })

  test('they are those of the server', () => {
    for (const { name } of tools) expect(kindOfTool('claude', `mcp__git-plan__${name}`), name).toBe('own')
  })

  test('our own tools propose and run plans in plan mode; they neither leave it nor roll back', () => {
    const own = (name: string, input = {}) => judgeCall('claude', call(`mcp__git-plan__${name}`, input), planMode)
    for (const name of ['plan_status', 'plan_propose', 'plan_next', 'plan_start', 'plan_approve', 'plan_run_script'])
      expect(own(name).decision, name).toBe('allow')
    expect(own('plan_mode', { mode: 'on' }).decision).toBe('allow')
    expect(own('plan_mode', { mode: 'off' }).decision).toBe('deny')
    expect(own('plan_rollback').decision).toBe('deny')
  })

  test('a command with a shell or variables of its own may run anything', () => {
    const exec = (more: object) => judgeCall('codex', call('exec_command', { cmd: 'ls', ...more }), planMode).decision
    for (const more of [{}, { shell: '/bin/bash' }, { shell: 'zsh' }, { env: {} }]) expect(exec(more)).toBe('allow')
    for (const more of [{ shell: './run.sh' }, { shell: ['sh'] }, { env: { PATH: '.' } }, { environment: 'PATH=.' }])
      expect(exec(more), JSON.stringify(more)).toBe('deny')
  })

  test('our own skill may be loaded', () => {
    const skill = (name: string) => judgeCall('claude', call('Skill', { skill: name }), planMode).decision
    expect([skill('git-plan'), skill('/plan'), skill('deploy')]).toEqual(['allow', 'allow', 'deny'])
    const both = { skill: 'plan', name: 'deploy' }
    expect(judgeCall('copilot', call('skill', both), planMode).decision).toBe('deny')
  })
})

describe('commands', () => {
  test.each([
    "git plan new --from - <<'EOF'\n---\nsteps: []\n---\nEOF",
    'cat plan.md | git plan new --from - --json',
    'git plan import notes.md --as checklist',
    'git plan status && git plan log greet --output test',
    'git plan submit greet',
    'git plan start greet --no-input',
    'git-plan resume greet --retry test --json',
    'git plan replan greet --from -',
    'git plan next greet --done slug -m "Added slug()" --json',
    'git plan next --peek',
    'git plan mode on',
    'git plan check plan.md | head -20',
  ])('to propose and to run what is approved: %s', (command) => {
    expect(bash(command)).toMatchObject({ decision: 'allow' })
  })

  test.each([
    'git plan mode off',
    'git plan agents uninstall claude',
    'git plan agents install claude',
    'git plan config --set x',
    'git plan rollback greet',
    'git plan finish greet',
    'git plan edit greet',
    'git plan init',
    'git plan hooks uninstall',
    'git plan doctor --unlock greet',
    'git plan cache clear',
    'git plan import notes.md -o plan.md',
    'git plan start greet',
    'git plan next greet',
    'git plan start greet --no-input --skip-check plan',
    'git plan resume greet --no-input --fix',
    'git plan start greet --no-input --push --take-over',
    'git plan resume greet --no-input --skip test -m later',
    'git plan new --agent codex "do it"',
    'git plan list > plans.txt',
    'cd other && git plan status',
    'git -C other plan start greet --no-input',
    'PATH=. git plan start greet --no-input',
  ])('to change anything else: %s', (command) => {
    expect(bash(command)).toMatchObject({ decision: 'deny' })
  })

  test('a command in another directory is judged as if it had entered it', () => {
    const status = (directory: string) =>
      judgeCall('codex', call('exec_command', { cmd: 'git status', workdir: directory }), planMode).decision
    expect([status(cwd), status('.'), status('/tmp/evil'), status("/tmp/'; touch x; '")]).toEqual([
      'allow',
      'allow',
      'deny',
      'deny',
    ])
  })

  test('a command as a list of words', () => {
    const run = (command: unknown) => judgeCall('codex', call('shell', { command }), planMode).decision
    expect(run(['git', 'log', '-1'])).toBe('allow')
    expect(run(['echo', 'x > y'])).toBe('allow')
    expect(run(['touch', 'y'])).toBe('deny')
    expect(run(['git', 7])).toBe('deny')
    expect(run(undefined)).toBe('deny')
    expect(run({ text: 'ls' })).toBe('deny')
  })

  test('two commands in one call are denied: nobody knows which one the agent runs', () => {
    const run = (input: ToolCall['input'], state = planMode) =>
      judgeCall('agy', call('run_command', input), state).decision
    expect(run({ command: 'ls', CommandLine: 'touch y' })).toBe('deny')
    expect(run({ command: 'ls', CommandLine: 'ls' })).toBe('allow')
    expect(run({ command: 'git status', cwd: '.', workdir: '/tmp/evil' })).toBe('deny')
    expect(run({ command: 'ls', cmd: 'git plan approve p' }, { ...planMode, isPlanMode: false })).toBe('deny')
  })

  test('apply_patch as a command writes', () => {
    expect(bash("apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF", {}, 'codex').decision).toBe('deny')
  })

  test("a program of the user's own passes in the forms that the configuration declares", () => {
    const safety = [{ tool: 'npx go-gmail', read: ['* search *'] }]
    expect(bash('npx go-gmail a search x', { safety }).decision).toBe('allow')
    expect(bash('npx go-gmail a send x', { safety }).decision).toBe('deny')
    expect(bash('npx go-gmail a search x; touch y', { safety }).decision).toBe('deny')
  })
})

describe('the decisions of a person', () => {
  const off = { isPlanMode: false }

  test.each([
    'git plan approve greet',
    'git-plan approve greet --digest 1234',
    'git plan start greet --approve',
    'git plan resume greet --approve --no-input',
    'git --no-pager plan approve greet',
    '/usr/bin/git plan approve greet',
    "sh -c 'git plan approve greet'",
    'yes | git plan approve greet',
    'g""it plan app"rov"e greet',
    "eval 'git plan approve greet'",
    'env X=1 git plan approve greet',
    'git plan safety allow s1',
    'git plan resume greet --done gate --no-input',
    'git-plan resume greet --skip=test',
    'if true; then git plan approve greet; fi',
    'echo greet | xargs git plan approve',
    'git config plan.policyRef refs/heads/mine',
    'git config --local PLAN.policyref mine',
    'git config set plan.policyRef mine',
    'git config --unset plan.policyRef',
    "sh -c 'git -C . config plan.policyRef mine'",
  ])('are no business of an agent, even without plan mode: %s', (command) => {
    expect(bash(command, off)).toMatchObject({ decision: 'deny' })
    expect(bash(command, { ...off, isPlanRunning: true })).toMatchObject({ decision: 'deny' })
  })

  test.each([
    'grep -rn "git plan approve" docs',
    "cat > notes.md <<'EOF'\nThen type git plan approve greet.\nEOF",
    'git commit -m "Describe git plan approve"',
    'git plan start greet',
    'npm run approve',
    'git plan next greet --done slug',
    'git plan resume greet --retry slug',
    'git config plan.policyRef',
    'git config --get plan.policyRef',
    'git config user.name Ada',
    'grep -rn "git config plan.policyRef" docs',
  ])('may be talked about: %s', (command) => {
    expect(bash(command, off)).toMatchObject({ decision: 'allow' })
  })
})

describe('without plan mode', () => {
  const off: GuardedState = { ...planMode, isPlanMode: false }
  const guarded = (tools: readonly string[], withoutPlan: 'log' | 'deny', isPlanRunning = false): GuardedState => ({
    ...off,
    guard: { tools, withoutPlan },
    isPlanRunning,
  })
  const mail = call('mcp__mail__send')

  test('everything passes', () => {
    expect(judgeCall('claude', call('Write'), off).decision).toBe('allow')
    expect(judgeCall('claude', call('MakeCoffee'), off).decision).toBe('allow')
  })

  test('a guarded tool is logged or denied while no plan runs', () => {
    expect(judgeCall('claude', mail, guarded(['mcp__mail__*'], 'log'))).toMatchObject({
      decision: 'allow',
      isLogged: true,
    })
    const denied = judgeCall('claude', mail, guarded(['mcp__mail__*'], 'deny'))
    expect(denied).toMatchObject({ decision: 'deny' })
    expect(denied.reason).toContain('git plan new --from -')
    expect(judgeCall('claude', mail, guarded(['mcp__mail__*'], 'deny', true)).decision).toBe('allow')
    expect(judgeCall('claude', call('Read'), guarded(['mcp__mail__*'], 'deny')).decision).toBe('allow')
  })

  test('`write` is whatever may write, `shell` every command, another word a tool or a program', () => {
    const decide = (tools: readonly string[], each: ToolCall) =>
      judgeCall('claude', each, guarded(tools, 'deny')).decision
    expect(decide(['write'], call('Edit'))).toBe('deny')
    expect(decide(['write'], call('Bash', { command: 'touch x' }))).toBe('deny')
    expect(decide(['write'], call('Bash', { command: 'ls' }))).toBe('allow')
    expect(decide(['shell'], call('Bash', { command: 'ls' }))).toBe('deny')
    expect(decide(['kubectl'], call('Bash', { command: 'true && kubectl apply -f x' }))).toBe('deny')
    expect(decide(['kubectl'], call('Bash', { command: 'echo kubectl' }))).toBe('allow')
    expect(decide(['edit'], call('Edit'))).toBe('deny')
    expect(decide(['*'], call('Edit'))).toBe('deny')
    // A plan is how to get on.
    expect(decide(['shell', 'write'], call('Bash', { command: 'git plan new --from -' }))).toBe('allow')
  })
})

describe('while a driver has an open step', () => {
  const step = (tools: readonly string[] | undefined, isPlanMode = true): GuardedState => ({
    ...planMode,
    isPlanMode,
    openStep: { plan: 'greet', step: 'script', tools },
  })

  test('its tools pass, and reading, and our own commands; nothing else does', () => {
    const decide = (each: ToolCall, isPlanMode = true) =>
      judgeCall('claude', each, step(['Edit', 'npm'], isPlanMode)).decision
    for (const isPlanMode of [true, false]) {
      expect(decide(call('Edit'), isPlanMode)).toBe('allow')
      expect(decide(call('Bash', { command: 'npm test' }), isPlanMode)).toBe('allow')
      expect(decide(call('Read'), isPlanMode)).toBe('allow')
      expect(decide(call('mcp__git-plan__plan_run_script'), isPlanMode)).toBe('allow')
      expect(decide(call('Write'), isPlanMode)).toBe('deny')
      expect(decide(call('Bash', { command: 'rm -r src' }), isPlanMode)).toBe('deny')
      expect(decide(call('Bash', { command: 'git plan approve greet' }), isPlanMode)).toBe('deny')
    }
    expect(judgeCall('claude', call('Write'), step([])).reason).toContain('git plan show greet')
  })

  test('a step that names no tools allows all of them', () => {
    expect(judgeCall('claude', call('Write'), step(undefined)).decision).toBe('allow')
    expect(bash('git plan approve greet', step(undefined)).decision).toBe('deny')
  })
})

test('every denial says what to type, on one line', () => {
  const denials = [
    judgeCall('claude', call('Write'), planMode),
    judgeCall('claude', call('MakeCoffee'), planMode),
    bash('touch x'),
    bash('git plan approve x'),
    bash('git plan mode off'),
    bash('git plan start x'),
  ]
  for (const { decision, reason } of denials) {
    expect(decision).toBe('deny')
    expect(reason).toMatch(/git plan (new|approve|mode|show)/)
    expect(reason).not.toContain('\n')
  }
})

test('every command of git plan that the classifier calls reading writes nothing, and every option is one of its own', () => {
  // These write with some of their words, and are reading only without them.
  const partly = new Set(['cache', 'hooks', 'mode', 'agents', 'safety', 'template', 'doctor', 'completion'])
  // These write a file.
  const filing = new Set(['report --output', 'metrics --textfile'])
  for (const { name, writes, options } of commands) {
    const reads = classifyCommand(`git plan ${name}`).class === 'READ'
    if (writes && !partly.has(name)) expect(reads, name).toBe(false)
    if (!reads || partly.has(name)) continue
    for (const option of options.filter((each) => !filing.has(`${name} --${each.name}`))) {
      const word = `--${option.name}${option.type === 'string' ? '=x' : ''}`
      expect(classifyCommand(`git plan ${name} ${word}`).class, `${name} ${word}`).toBe('READ')
    }
  }
})

test('a command that nobody has judged is denied', () => {
  expect(judgeWith('claude', call('Bash', { command: 'ls' }), planMode).decision).toBe('deny')
})

test('there is a table for each agent', () => {
  for (const agent of agentNames) expect(kindOfTool(agent, 'Write-nothing')).toBe('unknown')
})
