// The tools of each agent: how the fake model asks for a file to be written, a command to be run, a file to be read.

import type { Said } from './fake-model.ts'
import type { RealAgent } from './packages.ts'

interface Tools {
  /** Calls that each write `b.txt`, by each tool of the agent that writes. */
  readonly writers: (path: string) => readonly Said[]
  readonly shell: (command: string) => Said
  readonly reader: (path: string) => Said
}

export const toolsOf: Readonly<Record<RealAgent, Tools>> = {
  claude: {
    writers: (path) => [
      { tool: 'Write', args: { file_path: path, content: 'new\n' } },
      { tool: 'Agent', args: { description: 'write', prompt: `write ${path}`, subagent_type: 'general-purpose' } },
      { tool: 'Skill', args: { skill: 'init' } },
    ],
    shell: (command) => ({ tool: 'Bash', args: { command, description: 'x' } }),
    reader: (path) => ({ tool: 'Read', args: { file_path: path } }),
  },
  codex: {
    writers: (path) => [
      {
        tool: 'exec_command',
        args: { cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+new\n*** End Patch\nEOF` },
      },
      { tool: 'apply_patch', args: `*** Begin Patch\n*** Add File: ${path}\n+new\n*** End Patch\n`, isFreeform: true },
    ],
    shell: (command) => ({ tool: 'exec_command', args: { cmd: command } }),
    reader: (path) => ({ tool: 'exec_command', args: { cmd: `cat ${path}` } }),
  },
  gemini: {
    writers: (path) => [
      { tool: 'write_file', args: { file_path: path, content: 'new\n' } },
      { tool: 'replace', args: { file_path: path, instruction: 'write', old_string: '', new_string: 'new\n' } },
    ],
    shell: (command) => ({ tool: 'run_shell_command', args: { command } }),
    reader: (path) => ({ tool: 'read_file', args: { file_path: path } }),
  },
  opencode: {
    writers: (path) => [
      { tool: 'write', args: { filePath: path, content: 'new\n' } },
      { tool: 'edit', args: { filePath: path, oldString: '', newString: 'new\n' } },
    ],
    shell: (command) => ({ tool: 'bash', args: { command, description: 'x' } }),
    reader: (path) => ({ tool: 'read', args: { filePath: path } }),
  },
  copilot: {
    writers: (path) => [
      { tool: 'apply_patch', args: `*** Begin Patch\n*** Add File: ${path}\n+new\n*** End Patch\n`, isFreeform: true },
      { tool: 'task', args: { description: 'write', prompt: `write ${path}`, agent_type: 'general-purpose' } },
    ],
    shell: (command) => ({ tool: 'bash', args: { command, description: 'x', initial_wait: 30 } }),
    reader: (path) => ({ tool: 'view', args: { path } }),
  },
  goose: {
    writers: (path) => [
      { tool: 'write', args: { path, content: 'new\n' } },
      { tool: 'edit', args: { path, before: '', after: 'new\n' } },
    ],
    shell: (command) => ({ tool: 'shell', args: { command } }),
    reader: () => ({ tool: 'tree', args: { path: '.' } }),
  },
  pi: {
    writers: (path) => [
      { tool: 'write', args: { path, content: 'new\n' } },
      { tool: 'edit', args: { path, edits: [{ oldText: '', newText: 'new\n' }] } },
    ],
    shell: (command) => ({ tool: 'bash', args: { command } }),
    reader: (path) => ({ tool: 'read', args: { path } }),
  },
}
