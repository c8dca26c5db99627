// Around it.

import { flag, text } from './parts.ts'
import type { CommandSpec } from './spec.ts'

export const around: readonly CommandSpec[] = [
  {
    name: 'classify',
    summary: 'tell whether a command only reads',
    description: [
      'Says whether a shell command only reads, `READ`, or may change something, `WRITE`, and why. The command is parsed as bash would parse it, and its tree is judged: every',
      'program in it must be known to only read, with the options that it is given. What is unknown, unusual or broken is `WRITE`; so is what asks the network. It needs no',
      'repository and runs nothing; inside of one it knows the programs that `safety` in `.plans/config.yml` names. It is advice for people and for programs that ask them: no',
      'approval, and no sandbox.',
      '',
      'One word is a command line, and has to be quoted for the shell that you type it in; several words are a program and its arguments. Put `--` before what begins with a dash.',
      'The exit code is 0 for `READ` and 1 for `WRITE`.',
      '',
      'With `--stdin` each line of standard input is a JSON string with one command, and has one line of answer, in the same order; a line that is none is `WRITE`. The exit code',
      'is 0 then.',
      '',
      'With `--json`: `class` and `reason`; together with `--stdin` one object a line.',
    ].join('\n'),
    writes: false,
    positionals: [{ name: 'command', label: '-- COMMAND…', description: 'the command, in one word or in several', isRest: true }],
    options: [flag('stdin', 'judge one command a line, each a JSON string')],
    examples: ["git plan classify 'sort a.txt | uniq -c'", 'git plan classify -- git log --oneline -5', 'git plan classify --stdin --json'],
  },
  {
    name: 'schema',
    summary: 'the JSON Schema of the plan file, for editors',
    description: [
      'Prints the JSON Schema of the front matter of a plan file, for editors that complete and check YAML. It needs no repository and writes nothing.',
      '',
      'With `--json` it is on one line, in `schema`.',
    ].join('\n'),
    writes: false,
    positionals: [],
    options: [],
    examples: ['git plan schema > plan.schema.json'],
  },
  {
    name: 'config',
    summary: 'the settings in force, and where each comes from',
    description: [
      'Shows each setting with its value and where that comes from: `git config`, `config.yml` on a branch, or the default. Nothing is written; settings',
      'are changed with `git config`, or with a commit that changes `config.yml`.',
      '',
      'A setting that is not valid is refused with exit code 2, with the place of the mistake. With `--json`: `policyRef` and `settings`, each with `name`,',
      '`value` and `source`.',
    ].join('\n'),
    writes: false,
    positionals: [],
    options: [],
    examples: ['git plan config'],
  },
  {
    name: 'hooks',
    summary: 'hooks for people and for servers: install, look, uninstall',
    description: [
      'Puts hooks into the repository: `pre-commit` and `pre-push` for people, `pre-receive` for a server. Without a name `install` means the first two, in a bare repository',
      'the last; `status` and `uninstall` mean all of them. What each refuses is in docs/hooks.md.',
      '',
      'A hook that is there is kept under another name, `pre-push.before-git-plan`, and run first, with the same arguments and the same input; when it refuses, that counts. `uninstall`',
      'gives it its name back. A hook of ours that somebody has changed is left alone.',
      '',
      'They go where Git looks for hooks. Where `core.hooksPath` leads into the work tree, as husky has it, you are told which line to add to which file; where it leads',
      'out of the repository, it is refused without `--shared`. While a plan is being carried out, it is refused with exit code 4: a run stops when hooks change under it.',
      '',
      'With `--json`: `directory`, and `hooks`, each with `name`, `path`, `state` and `before`.',
    ].join('\n'),
    writes: true,
    positionals: [
      { name: 'action', label: 'install|status|uninstall', description: 'what to do', isRequired: true },
      {
        name: 'names',
        label: 'pre-commit|pre-push|pre-receive…',
        description: 'the hooks that are meant',
        leftOut: 'those that fit the repository',
        isRest: true,
      },
    ],
    options: [flag('shared', 'also where hooks are shared with other repositories')],
    examples: ['git plan hooks install', 'git plan hooks install pre-receive', 'git plan hooks uninstall'],
  },
  {
    name: 'doctor',
    summary: 'look for trouble: versions, identity, locks, plans that cannot be read',
    description: [
      'Looks for what would keep plans from running: the versions of Git and Node, your identity, the configuration, branches and plans that cannot be read,',
      'locks and runs that were left behind, files with secrets in quarantine, changes of yours that `--autostash` put aside. It says what to do about each. It runs nothing from the repository, and repairs nothing by itself; what',
      'a dead run left is put in order by the next command that writes. The exit code is 1 where something is broken, and 0 where there are warnings alone.',
      '',
      '`--unlock` removes the locks of a run on another machine or in another container, whose life cannot be judged from here: that of the plan, and that of',
      'the work tree in which it ran. Make sure that it is gone:',
      'otherwise two writers meet. The lock of a process that is alive here is refused with exit code 4.',
      '',
      '`--restore` restores what `--autostash` put aside before a plan, also where the branch of the plan is gone. `git plan finish` and `git plan cancel` do so by themselves;',
      'while the plan is checked out, they are the way, and `--restore` is refused with exit code 2.',
      '',
      'With `--json`: `diagnoses`, each with `name`, `state` (`ok`, `warn` or `fail`), `message` and, where there is one, `remedy`.',
    ].join('\n'),
    writes: true,
    positionals: [],
    options: [
      text('unlock', 'PLAN', 'remove the lock of a holder on another machine'),
      text('restore', 'PLAN', 'restore your changes that were put aside before a plan'),
    ],
    examples: ['git plan doctor', 'git plan doctor --unlock add-rate-limiting', 'git plan doctor --restore add-rate-limiting'],
  },
  {
    name: 'completion',
    summary: 'completion for bash, zsh or fish: print the script, or install it',
    description:
      'Prints a script with which the Tab key completes commands, options, plans, steps and files, after `git plan` and after `git-plan`. ' +
      'With `--install` it is written to the place in your home directory where the shell looks for it, and you are told what has to be added to the ' +
      'configuration of the shell, if anything. A file that git plan did not write is left alone. ' +
      'The script asks the program at each Tab, so a newer version needs no new script. ' +
      'Nothing that you have typed is run, and nothing of the repository. ' +
      'With `--json`: `shell`, and `script`, or `files` with the path of each and whether it was `written`, `replaced` or left `unchanged`.',
    writes: true,
    positionals: [{ name: 'shell', label: 'bash|zsh|fish', description: 'the shell', isRequired: true }],
    options: [flag('install', 'write it to where the shell looks for it')],
    examples: ['git plan completion bash --install', 'git plan completion zsh > _git-plan'],
  },
]
