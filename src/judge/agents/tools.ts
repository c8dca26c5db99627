// The tools of each agent, one table per agent. A tool that is in no table is unknown, and denied in plan mode. Names
// are compared in lower case: an agent that runs the hooks of another spells its own tools in the other's way.

/** `own`: a tool of our MCP server. `skill`: loads instructions, which may run commands. */
export type ToolKind = 'read' | 'write' | 'shell' | 'skill' | 'own' | 'unknown'

interface Table {
  /** Changes nothing outside the session: todo lists and questions too. */
  readonly read: string
  /** Changes files, starts programs that no hook sees, or acts elsewhere. */
  readonly write: string
  readonly shell: string
  readonly skill?: string
}

const claude: Table = {
  read: `Read Glob Grep LS LSP NotebookRead WebFetch WebSearch ToolSearch TodoRead TodoWrite TaskCreate TaskGet TaskList
    TaskUpdate TaskOutput TaskStop BashOutput KillShell AskUserQuestion EnterPlanMode ExitPlanMode ListAgents CronList
    ListMcpResourcesTool ReadMcpResourceTool ReadMcpResourceDirTool ReadNotifications ReportFindings WaitForMcpServers
    SendUserMessage SubagentHandback EndConversation`,
  write: `Write Edit MultiEdit NotebookEdit Agent Task Workflow Monitor CronCreate CronDelete RemoteTrigger EnterWorktree
    ExitWorktree Artifact PowerShell REPL JavaScript ScheduleWakeup SendMessage SendUserFile SendFeedback ClaudeDesign
    Projects ProposeGoal PushNotification propose_skills`,
  shell: 'Bash',
  skill: 'Skill',
}

const codex: Table = {
  read: `update_plan view_image web_search request_user_input get_goal wait_agent list_agents list_mcp_resources
    list_mcp_resource_templates read_mcp_resource`,
  write: `apply_patch Write Edit spawn_agent Agent send_input resume_agent close_agent create_goal update_goal write_stdin`,
  shell: 'Bash shell shell_command local_shell exec_command',
}

const gemini: Table = {
  read: `read_file read_many_files list_directory glob grep_search search_file_content web_fetch google_web_search ask_user
    write_todos update_topic enter_plan_mode exit_plan_mode get_internal_docs list_background_processes
    read_background_output`,
  write: 'write_file replace save_memory invoke_agent delegate_to_agent',
  shell: 'run_shell_command',
  skill: 'activate_skill',
}

const opencode: Table = {
  read: 'read glob grep list webfetch websearch codesearch todowrite todoread question lsp',
  write: 'write edit multiedit patch apply_patch task batch',
  shell: 'bash',
  skill: 'skill',
}

const copilot: Table = {
  read: `view show_file rg glob grep read_bash list_bash stop_bash read_powershell list_powershell stop_powershell
    web_fetch web_search fetch_copilot_cli_documentation report_intent update_todo ask_user read_agent list_agents
    exit_plan_mode`,
  write: `create edit str_replace insert str_replace_editor apply_patch write_bash powershell write_powershell task
    write_agent store_memory sql session_store_sql`,
  shell: 'bash local_shell',
  skill: 'skill',
}

const cursor: Table = {
  read: 'Read Grep Glob LS List WebFetch WebSearch SemSearch CodebaseSearch TodoWrite ReadLints AskQuestion',
  write: 'Write Edit StrReplace Delete ApplyPatch EditNotebook Task GenerateImage',
  shell: 'Shell',
}

const goose: Table = {
  read: `tree read_image analyze todo_write todo__todo_write apps__list_apps extensionmanager__list_resources
    extensionmanager__read_resource extensionmanager__search_available_extensions`,
  write: `write edit text_editor developer__text_editor delegate extensionmanager__manage_extensions apps__create_app
    apps__iterate_app apps__delete_app`,
  shell: 'shell developer__shell',
  skill: 'load load_skill',
}

const pi: Table = { read: 'read grep find ls', write: 'write edit', shell: 'bash' }

/** Antigravity. From descriptions of others: nobody has run it here. */
const agy: Table = {
  read: 'view_file list_dir grep_search find_by_name codebase_search search_web read_url_content',
  write: 'edit_file write_to_file replace_file_content multi_replace_file_content',
  shell: 'run_command',
}

export const agentNames = ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'cursor', 'goose', 'pi', 'agy'] as const
export type AgentName = (typeof agentNames)[number]
export const isAgent = (name: string): name is AgentName => (agentNames as readonly string[]).includes(name)

const tables: Readonly<Record<AgentName, Table>> = { claude, codex, gemini, opencode, copilot, cursor, goose, pi, agy }

/** Agents that run the hooks of another one, with the names of their own tools. */
const alsoRunBy: Partial<Record<AgentName, readonly AgentName[]>> = { claude: ['copilot', 'cursor'], gemini: ['agy'] }

const kinds = ['write', 'shell', 'skill', 'read'] as const
type Kinds = ReadonlyMap<string, (typeof kinds)[number]>

/** If two tables differ, the stricter kind: the first in `kinds`. */
function kindsOf(agent: AgentName): Kinds {
  const found = new Map<string, (typeof kinds)[number]>()
  for (const each of [agent, ...(alsoRunBy[agent] ?? [])])
    for (const kind of kinds)
      for (const name of tables[each][kind]?.toLowerCase().split(/\s+/) ?? []) {
        const known = found.get(name)
        if (known === undefined || kinds.indexOf(kind) < kinds.indexOf(known)) found.set(name, kind)
      }
  return found
}

export function kindOfTool(agent: AgentName, name: string): ToolKind {
  if (ownTool(name) !== undefined) return 'own'
  return kindsOf(agent).get(name.toLowerCase()) ?? 'unknown'
}

/** Those of adapters/mcp. A server of another may have tools that are called alike. */
const ownTools: ReadonlySet<string> = new Set(
  `plan_mode plan_skill_safety plan_propose plan_check plan_submit plan_approve plan_reject plan_replan plan_clone
    plan_list plan_get plan_status plan_log plan_checkpoint plan_start plan_resume plan_next plan_run_script
    plan_rollback`.split(/\s+/),
)

/**
 * The name of a tool of our MCP server, without the server's, which each agent adds in its own way:
 * `mcp__git-plan__plan_status`, `mcp__git_plan__plan_status`, `mcp_git-plan_plan_status`, `git-plan_plan_status`,
 * `git-plan-plan_status`, `gitplan__plan_status`, `git-plan_git-plan__plan_status` (of a plugin), `MCP:plan_status`.
 */
export const ownTool = (name: string): string | undefined => {
  const own = /^(?:(?:mcp__?|git-plan_)?git[-_]?plan(?:__|[-_])|MCP:)(plan_[a-z_]+)$/.exec(name)?.[1]
  return own !== undefined && ownTools.has(own) ? own : undefined
}
